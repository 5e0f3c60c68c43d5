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

// For values of a field of stars and black holes, whose own light has hardly a hue: blue to red, as
// from young to old, on a dark ground and on a white one.
std::vector<std::array<float, 3>> compact_palette();

}  // namespace haloscope::render
