#include "render/film/white_frames.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

namespace haloscope::render {

namespace {

// Of 255: brighter ones cannot be told apart.
constexpr int kWhite = 250;
// Automatic exposure leaves next to nothing white. Most of a picture is dark sky: where a fiftieth
// of it is white, what there is to see is gone (GADGET-4's box from z = 5 to 0: 5 %).
constexpr double kMuch = 0.02, kTimes = 4;

double white_part(const Image8& image) {
  const std::size_t pixels = std::size_t(image.width) * std::size_t(image.height);
  const auto channels = std::size_t(image.channels);
  std::size_t white = 0;
  for (std::size_t i = 0; i < pixels; ++i) {
    const std::uint8_t* const pixel = image.pixels.data() + channels * i;
    white += std::size_t(pixel[0] >= kWhite && pixel[1] >= kWhite && pixel[2] >= kWhite);
  }
  return pixels > 0 ? double(white) / double(pixels) : 0;
}

}  // namespace

void WhiteFrames::look(const Image8& frame) {
  last_ = white_part(frame);
  if (!looked_) first_ = last_;
  looked_ = true;
}

void WhiteFrames::share(compute::Ranks& ranks, int with_last) {
  ranks.broadcast(&last_, sizeof last_, with_last);
}

std::string WhiteFrames::sentence(std::size_t exposed) const {
  if (!(last_ > kMuch && last_ > kTimes * first_)) return {};
  return fmt::format(
      "{:.0f} % of the last frame is white, and {:.0f} % of the first: the exposure is that of "
      "frame {}. Give later keys a lower exposure.",
      100 * last_, 100 * first_, exposed);
}

}  // namespace haloscope::render
