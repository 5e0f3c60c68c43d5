#include "render/scene/picture_warnings.h"

#include "core/log.h"
#include "render/colors/tone_map.h"

namespace haloscope::render {

namespace {

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

}  // namespace haloscope::render
