#include "tests/oracles/picture_distance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace haloscope::test {

namespace {

// Three running means are nearly a Gaussian (Kovesi 2010, DICTA, 121): of w pixels each, one of
// sigma sqrt((w^2 - 1) / 4).
constexpr int kPasses = 3;
constexpr int kDetail = 3, kArea = 17;  // pixels

using Color = std::array<float, 3>;

struct Light {
  int width = 0, height = 0;
  std::vector<Color> pixels;  // CIE XYZ beside white's
};

// IEC 61966-2-1.
float linear(std::uint8_t value) {
  const float v = float(value) / 255;
  return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f);
}

Color xyz(const std::uint8_t* rgb) {
  const float r = linear(rgb[0]), g = linear(rgb[1]), b = linear(rgb[2]);
  return {(0.4124f * r + 0.3576f * g + 0.1805f * b) / 0.9505f,
          0.2126f * r + 0.7152f * g + 0.0722f * b,
          (0.0193f * r + 0.1192f * g + 0.9505f * b) / 1.089f};
}

Light light_of(const Image8& picture, const std::vector<PictureArea>& left_out) {
  Light light{picture.width, picture.height, {}};
  light.pixels.resize(std::size_t(picture.width) * std::size_t(picture.height));
  for (std::size_t p = 0; p < light.pixels.size(); ++p)
    light.pixels[p] = xyz(&picture.pixels[3 * p]);
  for (const PictureArea& area : left_out)
    for (int y = std::max(0, area.y); y < std::min(light.height, area.y + area.height); ++y)
      for (int x = std::max(0, area.x); x < std::min(light.width, area.x + area.width); ++x)
        light.pixels[std::size_t(y) * std::size_t(light.width) + std::size_t(x)] = {};
  return light;
}

// Running mean of `window` pixels along a row or column of `count` pixels, `step` apart; the edge's
// pixel goes on beyond the edge.
void smooth_line(Color* line, int count, std::size_t step, int window, std::vector<Color>& copy) {
  copy.resize(std::size_t(count));
  for (int k = 0; k < count; ++k) copy[std::size_t(k)] = line[std::size_t(k) * step];
  const auto at = [&](int k) -> const Color& {
    return copy[std::size_t(std::clamp(k, 0, count - 1))];
  };
  const int reach = window / 2;
  std::array<double, 3> sum{};
  for (int k = -reach; k <= reach; ++k)
    for (std::size_t c = 0; c < 3; ++c) sum[c] += double(at(k)[c]);
  for (int k = 0; k < count; ++k)
    for (std::size_t c = 0; c < 3; ++c) {
      line[std::size_t(k) * step][c] = float(sum[c] / window);
      sum[c] += double(at(k + reach + 1)[c]) - double(at(k - reach)[c]);
    }
}

Light blurred(Light light, int window) {
  std::vector<Color> copy;
  const auto width = std::size_t(light.width);
  for (int pass = 0; pass < kPasses; ++pass) {
    for (std::size_t y = 0; y < std::size_t(light.height); ++y)
      smooth_line(&light.pixels[y * width], light.width, 1, window, copy);
    for (std::size_t x = 0; x < width; ++x)
      smooth_line(&light.pixels[x], light.height, width, window, copy);
  }
  return light;
}

// CIE 15: L*, a*, b*.
Color lab(const Color& color) {
  const auto f = [](float t) {
    constexpr float kDelta = 6.f / 29;
    return t > kDelta * kDelta * kDelta ? std::cbrt(t) : t / (3 * kDelta * kDelta) + 4.f / 29;
  };
  const float x = f(color[0]), y = f(color[1]), z = f(color[2]);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

struct Worst {
  double difference = 0;
  std::size_t pixel = 0;
};

Worst worst_difference(const Light& one, const Light& other, int window) {
  const Light a = blurred(one, window), b = blurred(other, window);
  Worst worst;
  for (std::size_t p = 0; p < a.pixels.size(); ++p) {
    const Color left = lab(a.pixels[p]), right = lab(b.pixels[p]);
    const double difference =
        std::hypot(left[0] - right[0], left[1] - right[1], left[2] - right[2]);
    if (difference > worst.difference) worst = {difference, p};
  }
  return worst;
}

}  // namespace

PictureDistance picture_distance(const Image8& one, const Image8& other,
                                 const std::vector<PictureArea>& left_out) {
  PictureDistance distance;
  distance.same_size = one.width == other.width && one.height == other.height &&
                       one.pixels.size() == other.pixels.size() && !one.pixels.empty();
  if (!distance.same_size) return distance;
  const Light left = light_of(one, left_out), right = light_of(other, left_out);
  const Worst detail = worst_difference(left, right, kDetail);
  distance.detail = detail.difference;
  distance.area = worst_difference(left, right, kArea).difference;
  distance.x = int(detail.pixel % std::size_t(one.width));
  distance.y = int(detail.pixel / std::size_t(one.width));
  return distance;
}

}  // namespace haloscope::test
