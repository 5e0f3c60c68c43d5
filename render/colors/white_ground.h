#pragma once

#include "core/image.h"

namespace haloscope::render {

// A picture of light for white paper: the lightness of each pixel is turned over and its hue is
// kept. In HSL that is component + 1 - largest - smallest, which no color leaves the screen's gamut
// by: black becomes white, white black, and red stays red. What was bright is dark ink.
Image8 on_white(Image8 picture);

}  // namespace haloscope::render
