#pragma once

#include "compute/splotch/settings.h"
#include "core/image.h"
#include "render/scene/map_look.h"

namespace haloscope::render {

// A map as a picture.
struct MapPicture {
  ImageF values;                        // one channel; NaN: no mass, and so no mean
  compute::splotch::Ranging automatic;  // scale and limits that suit them
};

// The values of a frame of map mode: its surface density, or the mean of the field.
ImageF map_values(const ImageF& frame, bool mean);

// Scale and limits that suit them. A surface density is logarithmic; a hundredth of the mass lies
// in pixels below the lower limit, which outskirts of kernels before empty space do not move, and a
// thousandth of the pixels with mass beyond the upper one. A mean is logarithmic between the 1 and
// 99.9 % quantiles, or linear between those of 1 and 99 % where there are negative values. Limits
// are rounded to three digits, so that a color bar can tell them as they are.
compute::splotch::Ranging map_ranging(const ImageF& values, bool mean);

// From a frame of map mode.
MapPicture map_picture(const ImageF& frame, const MapLook& look);

// Display values, RGB: each pixel has the palette's color at its value, and nothing else: no tone
// curve, no light. What is beyond a limit has that limit's color. A mean where there is no mass has
// none: it has the ground's color, black or white. What has no logarithm (a surface density of 0)
// has the lowest color, or is white on white. Throws Error for a color map that does not exist.
Image8 colored_map(const ImageF& values, const std::string& palette,
                   const compute::splotch::Ranging& color, bool white_ground);
// The same with scale and limits of the look, where it says them.
Image8 colored_map(const MapPicture& map, const MapLook& look, bool white_ground);

// Scale and limits as they are drawn.
compute::splotch::Ranging map_color(const MapLook& look,
                                    const compute::splotch::Ranging& automatic);

}  // namespace haloscope::render
