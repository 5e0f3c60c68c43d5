#pragma once

#include "compute/splotch/settings.h"
#include "core/image.h"

#include <array>
#include <vector>

namespace haloscope::render {

// Splotch's last steps (splotch-semantics §7): contrast · L^gamma + brightness.
struct ClassicTone {
  double gamma = 1;
  double brightness = 0;
  double contrast = 1;
};

// Optical depth (or, with absorption, light) of a classic frame → Splotch's 8-bit image, RGB, rows
// in the order that Splotch writes them: int(256 L), clamped.
Image8 classic_image(const ImageF& frame, bool absorption, const ClassicTone& tone);

// Overwrites ten rows per scalar palette at the end of the file with a color bar, as Splotch's
// `colorbar` does: the palette from left to right, the last type lowest.
void draw_classic_color_bars(Image8& image,
                             const std::vector<std::vector<std::array<float, 3>>>& palettes);

}  // namespace haloscope::render
