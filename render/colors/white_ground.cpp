#include "render/colors/white_ground.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace haloscope::render {

Image8 on_white(Image8 picture) {
  for (std::size_t p = 0; p + 2 < picture.pixels.size(); p += std::size_t(picture.channels)) {
    std::uint8_t* const rgb = &picture.pixels[p];
    const int shift = 255 - std::max({rgb[0], rgb[1], rgb[2]}) - std::min({rgb[0], rgb[1], rgb[2]});
    for (std::size_t c = 0; c < 3; ++c) rgb[c] = std::uint8_t(rgb[c] + shift);
  }
  return picture;
}

}  // namespace haloscope::render
