#include "render/scene/map_picture.h"

#include "compute/splotch/light_quantiles.h"
#include "compute/splotch/ranging.h"
#include "render/colors/palette.h"
#include "render/scene/type_choice.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace haloscope::render {

namespace splotch = compute::splotch;

namespace {

using splotch::Ranging;
using splotch::Transform;

// To the digits that a color bar shows.
float rounded_limit(Transform transform, float limit) {
  const double value = in_field_units(transform, double(limit));
  return float(transformed(transform, std::stod(fmt::format("{:.3g}", value))));
}

// The surface density below which a hundredth of the mass lies; 0: there is no mass. Of large maps
// from every so-maniest pixel.
float faintest_of_mass(const ImageF& values) {
  constexpr double kPart = 0.01;
  const std::size_t stride = splotch::quantile_stride(values.pixels.size());
  std::vector<float> lit;
  double mass = 0;
  for (std::size_t i = 0; i < values.pixels.size(); i += stride)
    if (const float value = values.pixels[i]; value > 0 && std::isfinite(value)) {
      lit.push_back(value);
      mass += double(value);
    }
  std::sort(lit.begin(), lit.end());
  double below = 0;
  for (const float value : lit)
    if ((below += double(value)) >= kPart * mass) return value;
  return 0;
}

Ranging rounded_limits(const Ranging& exact) {
  Ranging range = exact;
  range.low = rounded_limit(range.transform, exact.low);
  range.high = rounded_limit(range.transform, exact.high);
  // Values that hardly differ keep their limits, or all would have one color.
  return range.low < range.high && std::isfinite(range.high - range.low) ? range : exact;
}

}  // namespace

ImageF map_values(const ImageF& frame, bool mean) {
  ImageF map(frame.width, frame.height, 1);
  for (std::size_t i = 0; i < map.pixels.size(); ++i) {
    const float mass = frame.pixels[3 * i];
    map.pixels[i] = !mean      ? mass
                    : mass > 0 ? frame.pixels[3 * i + 1] / mass
                               : std::numeric_limits<float>::quiet_NaN();
  }
  return map;
}

Ranging map_ranging(const ImageF& values, bool mean) {
  const float* const column = values.pixels.data();
  const std::size_t rows = values.pixels.size();
  const Ranging log = splotch::quantile_range(column, rows, Transform::Log, 0.01, 0.999);
  if (!mean)
    if (const float low = faintest_of_mass(values); low > 0 && std::log10(low) < log.high)
      return rounded_limits({Transform::Log, std::log10(low), log.high});
  const Ranging linear = splotch::quantile_range(column, rows, Transform::Linear, 0.01, 0.99);
  return rounded_limits(linear.low >= 0 && log.high > log.low ? log : linear);
}

MapPicture map_picture(const ImageF& frame, const MapLook& look) {
  MapPicture map;
  map.values = map_values(frame, !look.field.empty());
  map.automatic = map_ranging(map.values, !look.field.empty());
  return map;
}

Ranging map_color(const MapLook& look, const Ranging& automatic) {
  return chosen_color(look.color, automatic);
}

Image8 colored_map(const ImageF& values, const std::string& name, const Ranging& range,
                   bool white_ground) {
  const Palette palette = find_palette(name);
  const float width = range.high - range.low;
  Image8 picture(values.width, values.height, 3);
  if (white_ground) std::fill(picture.pixels.begin(), picture.pixels.end(), std::uint8_t(255));
  ::tbb::parallel_for(
      ::tbb::blocked_range<std::size_t>(0, values.pixels.size(), 16384), [&](const auto& part) {
        for (std::size_t i = part.begin(); i < part.end(); ++i) {
          const float value = splotch::transformed(values.pixels[i], range.transform);
          if (std::isnan(white_ground ? value : values.pixels[i])) continue;
          const float t = width > 0 ? (value - range.low) / width : value >= range.high ? 1.f : 0.f;
          const auto rgb = sample(palette, std::isnan(t) ? 0.f : t);
          for (std::size_t c = 0; c < 3; ++c)
            picture.pixels[3 * i + c] = std::uint8_t(std::lround(255 * rgb[c]));
        }
      });
  return picture;
}

Image8 colored_map(const MapPicture& map, const MapLook& look, bool white_ground) {
  return colored_map(map.values, palette_of(look), map_color(look, map.automatic), white_ground);
}

}  // namespace haloscope::render
