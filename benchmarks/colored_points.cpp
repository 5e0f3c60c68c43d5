#include "benchmarks/colored_points.h"

#include "core/progress.h"
#include "core/timings.h"

#include <fmt/core.h>

#include <vector>

namespace haloscope::benchmarks {

namespace splotch = compute::splotch;

namespace {

constexpr std::uint32_t kColors = 8;  // as the window's

void print(const char* name, const std::vector<double>& samples) {
  const Statistics s = statistics(samples);
  fmt::print("{} {:.2f} ms ({:.2f} to {:.2f})", name, s.median, s.low, s.high);
}

}  // namespace

std::unique_ptr<splotch::Renderer> draw_points(const Universe& u, compute::Device device) {
  auto renderer = splotch::make_renderer(device);
  const std::vector<float> radius(u.count(), float(1e-3 * u.domain.side));
  splotch::TypeInput in;
  in.count = u.count();
  for (std::size_t c = 0; c < 3; ++c) in.position[c] = u.position[c].data();
  in.radius = radius.data();
  Progress progress;
  renderer->set_particles(u.domain, {in}, progress);
  return renderer;
}

void measure_colors(splotch::Renderer& renderer, int repeats,
                    const std::function<std::shared_ptr<const compute::ResidentLabels>()>& label) {
  std::vector<double> labels, colors, both;
  for (int k = -1; k < repeats; ++k) {
    Timings timings;
    bool colored = false;
    {
      std::shared_ptr<const compute::ResidentLabels> made;
      {
        const ScopedTimer timer(timings, "labels");
        made = label();
      }
      const ScopedTimer timer(timings, "colors");
      colored = renderer.recolor_by({{made.get(), 0, made->count(), kColors}});
    }
    if (k < 0) continue;  // warm-up
    labels.push_back(timings.samples().at("labels").front());
    if (!colored) continue;
    colors.push_back(timings.samples().at("colors").front());
    both.push_back(labels.back() + colors.back());
  }
  print("labels", labels);
  if (colors.empty()) return;
  print("; colors", colors);
  print("; both", both);
}

}  // namespace haloscope::benchmarks
