#include "render/colors/classic_image.h"

#include <algorithm>
#include <cmath>

namespace haloscope::render {

namespace {

std::uint8_t to_byte(double light) {
  return std::uint8_t(std::clamp(256 * light, 0.0, 255.0));
}

}  // namespace

Image8 classic_image(const ImageF& frame, bool absorption, const ClassicTone& tone) {
  Image8 out(frame.width, frame.height, 3);
  const bool toned = tone.gamma != 1 || tone.brightness != 0 || tone.contrast != 1;
  for (std::size_t i = 0; i < frame.pixels.size(); ++i) {
    double light = absorption ? double(frame.pixels[i]) : -std::expm1(-double(frame.pixels[i]));
    if (toned) light = tone.contrast * std::pow(std::max(light, 0.0), tone.gamma) + tone.brightness;
    out.pixels[i] = to_byte(light);
  }
  return out;
}

void draw_classic_color_bars(Image8& image,
                             const std::vector<std::vector<std::array<float, 3>>>& palettes) {
  constexpr int kRows = 10;
  int end = image.height;
  for (auto p = palettes.rbegin(); p != palettes.rend() && end > 0; ++p) {
    const int begin = std::max(0, end - kRows);
    const auto& nodes = *p;
    for (int x = 0; x < image.width; ++x) {
      const double t = double(x) / double(image.width) * double(nodes.size() - 1);
      const auto k = std::min(std::size_t(t), nodes.size() >= 2 ? nodes.size() - 2 : 0);
      const auto& a = nodes[k];
      const auto& b = nodes[std::min(k + 1, nodes.size() - 1)];
      for (int c = 0; c < 3; ++c) {
        const auto channel = std::size_t(c);
        const std::uint8_t value =
            to_byte(a[channel] + (t - double(k)) * (b[channel] - a[channel]));
        for (int y = begin; y < end; ++y) image.at(x, y)[c] = value;
      }
    }
    end = begin;
  }
}

}  // namespace haloscope::render
