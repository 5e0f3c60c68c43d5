#include "render/colors/layers.h"

#include <algorithm>
#include <cstddef>

namespace haloscope::render {

Image8 opaque(const Image8& picture) {
  Image8 layer(picture.width, picture.height, 4);
  const std::size_t pixels = picture.pixels.size() / 3;
  for (std::size_t p = 0; p < pixels; ++p) {
    for (std::size_t c = 0; c < 3; ++c) layer.pixels[4 * p + c] = picture.pixels[3 * p + c];
    layer.pixels[4 * p + 3] = 255;
  }
  return layer;
}

Image8 under_layer(const Image8& picture, const Image8& layer) {
  Image8 both = picture;
  const std::size_t pixels = picture.pixels.size() / 3;
  for (std::size_t p = 0; p < pixels; ++p) {
    const unsigned clear = 255u - layer.pixels[4 * p + 3];
    for (std::size_t c = 0; c < 3; ++c)
      both.pixels[3 * p + c] = std::uint8_t(std::min(
          255u, layer.pixels[4 * p + c] + (picture.pixels[3 * p + c] * clear + 127u) / 255u));
  }
  return both;
}

}  // namespace haloscope::render
