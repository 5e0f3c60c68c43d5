#include "app/cli/selftest/checks.h"
#include "app/cli/selftest/made_particles.h"
#include "compute/splotch/renderer.h"

#include <array>

namespace haloscope::app::cli {

namespace {

namespace splotch = compute::splotch;

// Sums over the channels, each as it is and with a weight for each pixel that has no pattern: light
// that moves elsewhere changes the second ones.
std::vector<double> sums_of(const ImageF& image) {
  std::vector<double> sums(6, 0);
  std::uint32_t pattern = 1;
  for (std::size_t i = 0; i < image.pixels.size(); i += 3) {
    pattern = pattern * 1664525u + 1013904223u;
    for (std::size_t c = 0; c < 3; ++c) {
      sums[c] += double(image.pixels[i + c]);
      sums[3 + c] += double(image.pixels[i + c]) * double(pattern >> 8) * 0x1p-24;
    }
  }
  return sums;
}

Result draw(splotch::Mode mode, compute::Device device, Progress& progress) {
  const MadeParticles made = make_open_particles();
  splotch::TypeInput input;
  input.count = made.count();
  input.position = made.positions();
  input.radius = made.radius.data();
  input.weight = made.weight.data();
  input.color[0] = made.color.data();
  splotch::View view;
  view.eye = {0.4, 0.3, 2.5};
  view.target = {0.5, 0.5, 0.5};
  view.width = 256;
  view.height = 192;
  if (mode == splotch::Mode::Map) {
    view.perspective = false;
    view.ortho_width = 1.2;
  }
  splotch::Appearance look;
  look.palette = {{0.1f, 0.2f, 1}, {1, 0.5f, 0.1f}};
  splotch::Options options;
  options.mode = mode;
  options.exact = true;
  const auto renderer = splotch::make_renderer(device);
  renderer->set_particles(made.domain, {input}, progress);
  Result result;
  const splotch::Frame frame = renderer->render(view, {look}, options, progress);
  result.image = frame.image.pixels;
  result.figures = sums_of(frame.image);
  return result;
}

Check picture(const char* name, splotch::Mode mode, std::vector<double> figures) {
  return {
      name,
      [mode](compute::Device device, Progress& progress) { return draw(mode, device, progress); },
      {checksum({}), std::move(figures)}};
}

}  // namespace

std::vector<Check> picture_checks() {
  return {
      picture("picture in default mode", splotch::Mode::Default,
              {251626067.657, 160392623.146, 253387863.714, 127187413.878, 81065513.1677,
               128032656.717}),
      picture("picture in classic mode", splotch::Mode::Classic,
              {525020.44737, 335223.522296, 532409.746887, 258802.821653, 165237.566749,
               262398.864809}),
      picture("map of surface density", splotch::Mode::Map,
              {740305023.527, 369301602.47, 0, 383501743.661, 191545172.73, 0}),
  };
}

}  // namespace haloscope::app::cli
