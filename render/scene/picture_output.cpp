#include "render/scene/picture_output.h"

#include "analysis/snapshot/output_guard.h"
#include "core/error.h"
#include "render/colors/classic_image.h"
#include "render/colors/white_ground.h"
#include "render/files/exr_file.h"
#include "render/scene/map_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace haloscope::render {

namespace {

namespace splotch = compute::splotch;
using splotch::Mode;

// Optical depth of the brightest two hundredth of the lit pixels when nobody gave a brightness:
// 1 − exp(−2.5) = 92 % of white.
constexpr double kAutomaticDepth = 2.5;
constexpr double kAutomaticQuantile = 0.995;

// The factor on all optical depths that makes a classic picture neither black nor white; emission
// is linear in brightness, so it can be applied afterwards.
double automatic_brightness(const ImageF& depths) {
  std::vector<float> lit;
  for (float tau : depths.pixels)
    if (std::isfinite(tau) && tau > 0) lit.push_back(tau);
  if (lit.empty()) return 1;
  const auto k = std::ptrdiff_t(std::lround(kAutomaticQuantile * double(lit.size() - 1)));
  std::nth_element(lit.begin(), lit.begin() + k, lit.end());
  return kAutomaticDepth / lit[std::size_t(k)];
}

// One value for all types is no balance between them but an exposure.
double light_factor(const RenderRequest& request) {
  return std::exp2(request.exposure_ev.value_or(0)) *
         (request.brightness.size() == 1 ? request.brightness.front() : 1);
}

ImageF scaled_depths(const RenderRequest& request, const ImageF& image, const Exposure& exposure) {
  ImageF depths = image;
  const double factor = std::exp2(request.exposure_ev.value_or(0)) * exposure.brightness;
  for (float& tau : depths.pixels) tau = float(factor * tau);
  return depths;
}

}  // namespace

void require_output(const RenderRequest& request) {
  if (request.mode == Mode::Map || is_map_of_numbers(request)) {
    const std::string extension = lower_extension(request.output);
    if (extension != ".hdf5" && extension != ".h5" && extension != ".exr" && extension != ".png")
      throw Error(extension.empty() ? "the name of a map needs an extension"
                                    : "maps cannot be written as " + extension + " files",
                  request.output, "use .hdf5, .exr or .png");
  } else {
    if (const auto extension = lower_extension(request.output);
        extension == ".hdf5" || extension == ".h5")
      throw Error("a picture cannot be written as an " + extension + " file", request.output,
                  "add --map for a map, or use .png, .exr, .ppm or .tga");
    image_extension(request.output);
  }
  const std::string extension = lower_extension(request.output);
  const bool hdf5 = extension == ".hdf5" || extension == ".h5";
  const analysis::Overwriting overwriting{request.overwrite};
  analysis::require_target(request.output,
                           hdf5 ? analysis::OutputFormat::Hdf5 : analysis::OutputFormat::Picture,
                           overwriting);
  if (!request.stats.empty())
    analysis::require_target(request.stats, analysis::OutputFormat::Json, overwriting);
}

std::uint64_t picture_bytes(PixelSize size) {
  const std::uint64_t pixels = std::uint64_t(size.width) * std::uint64_t(size.height);
  return pixels * (2 * 4 + 2 * 3) * sizeof(float);
}

bool is_worth_telling(std::uint64_t bytes) {
  return bytes >= (std::uint64_t(2) << 30);
}

std::string memory_in_words(PixelSize size) {
  return fmt::format("A picture of {} x {} pixels takes {:.1f} GiB of memory while it is drawn.",
                     size.width, size.height,
                     double(picture_bytes(size)) / double(std::uint64_t(1) << 30));
}

Exposure choose_exposure(const RenderRequest& request, const compute::splotch::Frame& frame,
                         const ShownSets& sets) {
  Exposure exposure;
  if (request.map.shown)
    exposure.map = map_picture(frame.image, request.map).automatic;
  else if (request.mode != Mode::Classic)
    exposure.curve = request.tone
                         ? *request.tone
                         : choose_tone_curve(exposed_with_sets(light_quantiles(frame.image), sets));
  else if (request.brightness.empty())
    exposure.brightness = automatic_brightness(frame.image);
  return exposure;
}

Image8 display_picture(const RenderRequest& request, const ImageF& image,
                       const Exposure& exposure) {
  const bool white = request.white_ground.value_or(false);
  if (request.map.shown)
    return colored_map(map_values(image, !request.map.field.empty()), palette_of(request.map),
                       map_color(request.map, exposure.map), white);
  const double gamma = request.gamma.value_or(1);
  Image8 light = request.mode == Mode::Classic
                     ? classic_image(scaled_depths(request, image, exposure), false, {gamma, 0, 1})
                     : tone_map(image, exposure.curve, light_factor(request), gamma);
  return white ? on_white(std::move(light)) : light;
}

void write_picture(const RenderRequest& request, const ImageF& image, const Exposure& exposure,
                   const ImageText& text, const ShownSlice& slice, const splotch::View& view,
                   const FinishPicture& finish) {
  if (image_extension(request.output) != ".exr") {
    Image8 picture = with_slice(display_picture(request, image, exposure), slice, view);
    if (finish) picture = finish(picture);
    return write_image8(request.output, picture, text);
  }
  if (request.map.shown)
    return write_exr(request.output, map_values(image, !request.map.field.empty()),
                     ExrPrecision::Float, {}, text);
  ImageF light;
  if (request.mode == Mode::Classic) {
    light = scaled_depths(request, image, exposure);
    for (float& tau : light.pixels) tau = -std::expm1(-tau);
  } else {
    // Automatic white is 1, so that half precision holds faint and bright alike.
    light = image;
    const double factor = light_factor(request) / exposure.curve.white;
    for (float& value : light.pixels) value = float(value * factor);
  }
  write_exr(request.output, light, ExrPrecision::Half, {}, text);
}

std::vector<std::string> write_picture(const RenderRequest& request,
                                       const compute::splotch::Frame& frame, const ShownSets& sets,
                                       const ImageText& text, const ShownSlice& slice,
                                       const splotch::View& view, const FinishPicture& finish) {
  const Exposure exposure = choose_exposure(request, frame, sets);
  write_picture(request, frame.image, exposure, text, slice, view, finish);
  std::vector<std::string> said;
  if (request.mode == Mode::Classic && request.brightness.empty())
    said.push_back(fmt::format("Brightness chosen: --brightness {:.4g} gives the same picture.",
                               exposure.brightness));
  if (request.mode != Mode::Classic && image_extension(request.output) == ".exr")
    said.push_back("The .exr holds linear light; its automatic white is 1.");
  if (slice && image_extension(request.output) == ".exr")
    said.push_back("The .exr holds no slice of a grid, which is no light.");
  return said;
}

}  // namespace haloscope::render
