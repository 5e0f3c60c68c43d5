#include "render/scene/picture_warnings.h"

#include "core/log.h"
#include "render/colors/tone_map.h"

#include <fmt/format.h>

namespace haloscope::render {

namespace {

// Part of the mass whose absence from a map is told.
constexpr double kTellOutside = 1e-4;

void warn_of_empty_map(const ImageF& image, const std::string& mean_field) {
  bool any_mass = false, any_value = false;
  for (std::size_t i = 0; i < image.pixels.size(); i += 3) {
    any_mass |= image.pixels[i] > 0;
    any_value |= image.pixels[i] > 0 && image.pixels[i + 1] != 0;
  }
  const bool mean = !mean_field.empty();
  if (!any_mass)
    log::warn(std::string("the map is empty, ") + (mean ? "NaN" : "0") +
              " everywhere: the particles in view have no mass" +
              (mean ? ", or no value of " + mean_field : ""));
  else if (mean && !any_value)
    log::warn("the map is 0 everywhere: so is " + mean_field + " of the particles in view");
}

}  // namespace

void warn_of_darkness(const compute::splotch::Frame& frame, bool map,
                      const std::string& mean_field) {
  const auto& c = frame.counts;
  if (c.small + c.medium + c.large == 0)
    log::warn("the " + std::string(map ? "map" : "picture") + " is empty: none of the " +
              std::to_string(c.particles) +
              " particles is in view; move the camera (--eye, --target, " + (map ? "" : "--fov, ") +
              "--ortho)");
  else if (map)
    warn_of_empty_map(frame.image, mean_field);
  else if (!has_light(frame.image))
    log::warn(
        "the picture is black: the particles in view have no light; check their masses, "
        "--brightness and --palette");
}

std::string tell_mass_outside(const ImageF& map, const compute::splotch::View& view, double mass,
                              const MapEdges& edges) {
  double sum = 0;
  for (std::size_t i = 0; i < map.pixels.size(); i += 3) sum += double(map.pixels[i]);
  const double pixel = view.ortho_width / view.width;
  const double outside = mass > 0 ? 1 - sum * pixel * pixel / mass : 0;
  if (!(outside > kTellOutside)) return {};
  const std::string part =
      fmt::format("{:.3g} % of the particles' mass lies outside the map", 100 * outside);
  if (edges.margin_too_small)
    log::warn(part + ": some kernels are wider than the margin that closes it at the box's edges",
              "make the map smaller with --size");
  else if (edges.at_box)
    log::warn(part +
              ", though it is as wide as the box: it is closed at the box's edges only "
              "along an axis (--eye, --up)");
  else
    return part + ".";
  return {};
}

}  // namespace haloscope::render
