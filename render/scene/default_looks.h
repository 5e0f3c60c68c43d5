#pragma once

#include "render/scene/type_look.h"

namespace haloscope::render {

// How particles of a type look when nobody says otherwise: a palette of its own, and how bright the
// whole type is beside the others (each type's total light is normalized before).
//
// Gas warm, dark matter cool and half as bright behind it, stars white; types beyond Gadget's six
// look like dark matter. Even the palettes' low ends carry light: what is cold or thin stays
// visible.
TypeLook default_look(int type);

}  // namespace haloscope::render
