#include "app/picture_output.h"

#include "core/atomic_file.h"
#include "core/error.h"
#include "render/classic_image.h"
#include "render/exr_file.h"
#include "render/tone_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace haloscope::app {

namespace {

using compute::splotch::Mode;

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

}  // namespace

void require_output(const RenderRequest& request) {
  if (request.mode == Mode::Map) {
    const std::string extension = render::lower_extension(request.output);
    if (extension != ".hdf5" && extension != ".h5" && extension != ".exr" && extension != ".png")
      throw Error(extension.empty() ? "the name of a map needs an extension"
                                    : "maps cannot be written as " + extension + " files",
                  request.output, "use .hdf5, .exr or .png");
  } else {
    if (const auto extension = render::lower_extension(request.output);
        extension == ".hdf5" || extension == ".h5")
      throw Error("a picture cannot be written as an " + extension + " file", request.output,
                  "add --map for a map, or use .png, .exr, .ppm or .tga");
    render::image_extension(request.output);
  }
  require_writable(request.output);
  if (!request.stats.empty()) require_writable(request.stats);
}

std::vector<std::string> write_picture(const RenderRequest& request,
                                       const compute::splotch::Frame& frame,
                                       const render::ImageText& text) {
  const bool exr = render::image_extension(request.output) == ".exr";
  const double exposure = std::exp2(request.exposure_ev);
  std::vector<std::string> said;
  if (request.mode == Mode::Classic) {
    ImageF depths = frame.image;
    double factor = exposure;
    if (request.brightness.empty()) {
      const double brightness = automatic_brightness(depths);
      factor *= brightness;
      said.push_back(fmt::format("Brightness chosen: --brightness {:.4g} gives the same picture.",
                                 brightness));
    }
    for (float& tau : depths.pixels) tau = float(factor * tau);
    if (exr) {
      for (float& tau : depths.pixels) tau = -std::expm1(-tau);
      render::write_exr(request.output, depths, render::ExrPrecision::Half, {}, text);
    } else {
      render::write_image8(request.output, render::classic_image(depths, false, {}), text);
    }
    return said;
  }
  const render::ToneCurve curve = render::choose_tone_curve(frame.image);
  // One value for all types is no balance between them but an exposure.
  const double factor =
      exposure * (request.brightness.size() == 1 ? request.brightness.front() : 1);
  if (exr) {
    // Automatic white is 1, so that half precision holds faint and bright alike.
    ImageF light = frame.image;
    for (float& value : light.pixels) value = float(value * (factor / curve.white));
    render::write_exr(request.output, light, render::ExrPrecision::Half, {}, text);
    said.push_back("The .exr holds linear light; its automatic white is 1.");
  } else {
    render::write_image8(request.output, render::tone_map(frame.image, curve, factor), text);
  }
  return said;
}

}  // namespace haloscope::app
