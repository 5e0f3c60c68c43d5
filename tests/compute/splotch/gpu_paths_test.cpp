#include "tests/catch.h"
#include "tests/oracles/shown_difference.h"
#include "tests/renderers.h"
#include "tests/skip.h"

#include <algorithm>
#include <cmath>
#include <random>

// Paths that only a GPU takes: particles streamed through a small budget, lists that grow, work
// shared with the CPU. Each is compared with the deterministic picture, which sums pixel by pixel.

using namespace haloscope;
using namespace haloscope::compute::splotch;
using haloscope::compute::Device;
using haloscope::compute::Wire;
using haloscope::test::most_shown;

namespace {

struct Scene {
  Domain domain = test::open_domain(0, 1);
  test::Particles particles;
  View view;
  Appearance look;
  float density_color = 0;  // in place of the color column

  // One of `spread` particles may be anywhere, others are in a clump.
  Scene(int count, double smallest, double decades, unsigned seed, int pixels, int spread = 2,
        double clump = 0.02) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::normal_distribution<double> normal;
    for (int i = 0; i < count; ++i) {
      std::array<double, 3> p;
      // So some runs fall into one pixel and others cross the image.
      for (double& x : p)
        x = i % spread == 1 ? uniform(random)
                            : std::min(0.999, std::max(0.001, 0.5 + clump * normal(random)));
      particles.add(domain, p, smallest * std::pow(10, decades * uniform(random)),
                    0.5 + uniform(random), {uniform(random)});
    }
    view.eye = {0.4, 0.3, 2.5};
    view.target = {0.5, 0.5, 0.5};
    view.width = pixels;
    view.height = pixels * 3 / 4;
    look.palette = {{0.1f, 0.2f, 1}, {1, 0.5f, 0.1f}};
  }

  Frame draw(Device device, const Options& options, std::uint64_t budget = 0) const {
    return draw(*test::make_renderer(device, budget), options);
  }
  Frame draw(Renderer& renderer, const Options& options, bool packed = false,
             const std::vector<const std::uint8_t*>& labels = {}) const {
    Progress progress;
    TypeInput input = particles.input();
    input.packed = input.rows_aside = packed;
    if (density_color > 0) {
      input.color = {};
      input.density_color = density_color;
    }
    renderer.set_particles(domain, {input, input}, progress);
    if (!labels.empty()) renderer.label(labels);
    Appearance second = look;
    second.brightness = 0.3f;
    return renderer.render(view, {look, second}, options, progress);
  }
};

// Of a pixel, over its own light and that of the mean pixel.
double largest_difference(const Frame& a, const Frame& b) {
  REQUIRE(a.image.pixels.size() == b.image.pixels.size());
  double sum = 0;
  for (float v : b.image.pixels) sum += std::abs(double(v));
  const double mean = sum / double(b.image.pixels.size());
  REQUIRE(mean > 0);
  double worst = 0;
  for (std::size_t i = 0; i < a.image.pixels.size(); ++i) {
    const double x = a.image.pixels[i], y = b.image.pixels[i];
    const double off = std::abs(x - y) / (std::abs(y) + mean);
    // std::max passes over a NaN.
    worst = std::max(worst, std::isfinite(off) ? off : HUGE_VAL);
  }
  return worst;
}

// float32 sums of up to some 10⁴ terms.
void require_same(const Frame& a, const Frame& b) {
  CHECK(largest_difference(a, b) < 1e-5);
}

bool has_gpu() {
  if (is_usable(Device::cuda())) return true;
  haloscope::test::skip(haloscope::test::Needs::Gpu, "there is no GPU");
  return false;
}

}  // namespace

TEST_CASE("particles beyond the GPU's budget are streamed into the same picture", "[gpu]") {
  if (!has_gpu()) return;
  const Scene scene(40000, 0.0005, 1.8, 3, 300);
  Options exact;
  exact.deterministic = true;
  const Frame expected = scene.draw(Device::cuda(), exact);
  for (const bool deterministic : {false, true})
    for (const Strategy strategy : {Strategy::Auto, Strategy::Paper}) {
      Options options;
      options.strategy = strategy;
      options.deterministic = deterministic;
      options.exact = true;
      // 40 000 particles of 24 bytes: a budget that holds an eighth of them.
      const Frame streamed = scene.draw(Device::cuda(), options, 120000);
      INFO((strategy == Strategy::Auto ? "auto" : "paper")
           << (deterministic ? ", deterministic" : ""));
      require_same(streamed, expected);
      CHECK(streamed.counts.particles == 80000);
      const Counts& c = streamed.counts;
      CHECK(c.small + c.medium + c.large + c.inactive == 80000);
    }
}

TEST_CASE("absorption of streamed particles is refused in one sentence", "[gpu]") {
  if (!has_gpu()) return;
  const Scene scene(40000, 0.0005, 1.8, 3, 100);
  Options options;
  options.mode = Mode::Classic;
  options.absorption = true;
  CHECK_THROWS_AS(scene.draw(Device::cuda(), options, 120000), Error);
}

TEST_CASE("lists of wide splats grow as they must", "[gpu]") {
  if (!has_gpu()) return;
  // Splats of 2 to 8 pixels, more than the lists first hold.
  const Scene scene(3000000, 0.02, 0.5, 4, 200);
  Options own, exact;
  own.exact = true;
  exact.deterministic = true;
  const Frame truth = scene.draw(Device::cuda(), exact);
  require_same(scene.draw(Device::cuda(), own), truth);
  // In groups of runs, with shorter lists, none is drawn twice when the lists grow.
  CHECK(most_shown(scene.draw(Device::cuda(), Options{}), truth) < 1. / 255);
  // The same while bins are drawn beside lists, since the picture before had some.
  const auto kept = test::make_renderer(Device::cuda());
  Progress progress;
  kept->set_particles(scene.domain, {scene.particles.input()}, progress);
  Appearance look = scene.look;
  for (const float factor : {0.5f, 1.6f, 0.5f}) {
    CAPTURE(factor);
    look.radius_factor = factor * scene.look.radius_factor;
    const Frame frame = kept->render(scene.view, {look}, Options{}, progress);
    CHECK(most_shown(frame, kept->render(scene.view, {look}, exact, progress)) < 1. / 255);
  }
}

TEST_CASE("pictures do not show how many wide splats there were in the one before", "[gpu]") {
  if (!has_gpu()) return;
  // So many for each pixel that plain runs are drawn apart.
  Scene scene(200000, 0.0025, 1.2, 12, 200);
  scene.view.perspective = false;
  const bool exact = GENERATE(false, true);
  CAPTURE(exact);
  Options options;
  options.exact = exact;
  Progress progress;
  const std::vector<Appearance> looks{scene.look, scene.look};
  const auto made = [&] {
    auto renderer = test::make_renderer(Device::cuda());
    renderer->set_particles(scene.domain, {scene.particles.input(), scene.particles.input()},
                            progress);
    return renderer;
  };
  const auto kept = made();
  // A quarter of the splats is wide; nearly all, and some on levels; none.
  constexpr double kFew = 1.5, kMany = 0.25, kNone = 30;
  for (const double ortho_width : {kFew, kMany, kMany, kFew, kNone, kMany, kFew}) {
    CAPTURE(ortho_width);
    scene.view.ortho_width = ortho_width;
    const Frame frame = kept->render(scene.view, looks, options, progress);
    const Frame fresh = made()->render(scene.view, looks, options, progress);
    CHECK(frame.counts.small == fresh.counts.small);
    CHECK(frame.counts.medium == fresh.counts.medium);
    CHECK(frame.counts.large == fresh.counts.large);
    if (exact)
      require_same(frame, fresh);
    else
      CHECK(most_shown(frame, fresh) < 1. / 255);
  }
}

TEST_CASE("large splats are the same on the CPU, on the GPU and shared", "[gpu]") {
  if (!has_gpu()) return;
  const Scene scene(20000, 0.001, 2.4, 5, 256);
  Options options;
  options.exact = true;
  options.large = LargeOn::Gpu;
  const Frame gpu = scene.draw(Device::cuda(), options);
  CHECK(gpu.counts.large > 50);
  for (const LargeOn where : {LargeOn::Cpu, LargeOn::Auto}) {
    options.large = where;
    const Frame frame = scene.draw(Device::cuda(), options);
    require_same(frame, gpu);
    if (where == LargeOn::Cpu) CHECK(frame.counts.large_on_cpu == frame.counts.large);
  }
}

TEST_CASE("both executors draw the same light", "[gpu]") {
  if (!has_gpu()) return;
  const Scene scene(50000, 0.0003, 2.2, 6, 320);
  for (const Mode mode : {Mode::Default, Mode::Map, Mode::Classic}) {
    // On levels the processor draws batches of few wide splats exactly: levels_test.cpp.
    Options options;
    options.mode = mode;
    options.exact = true;
    require_same(scene.draw(Device::cuda(), options), scene.draw(Device::cpu(), options));
  }
}

TEST_CASE("small splats drawn in groups of runs look as those drawn one by one", "[gpu]") {
  if (!has_gpu()) return;
  // Radii of 0.2 to 2.9 pixels, so that small splats and narrow ones of both kernels are in a run;
  // and so many that runs are sorted.
  Scene scene(1500000, 0.0007, 1.14, 7, 300, 24, 0.1);
  const auto [log, parallel, density] = GENERATE(table<bool, bool, bool>(
      {{false, false, false}, {true, false, false}, {true, true, false}, {true, false, true}}));
  CAPTURE(log, parallel, density);
  scene.look.uses_color = true;
  scene.look.color = {log ? Transform::Log : Transform::Linear, log ? -2.f : 0.1f,
                      log ? 0.f : 0.9f};
  if (density) {
    scene.density_color = 1;
    scene.look.color = {Transform::Log, 6.5f, 10.5f};
  }
  if (parallel) {
    scene.view.perspective = false;
    scene.view.ortho_width = 1.3;
  }
  Options own, exact;
  exact.exact = true;
  const Frame a = scene.draw(Device::cuda(), own), b = scene.draw(Device::cuda(), exact);
  CHECK(a.counts.small == b.counts.small);
  CHECK(a.counts.medium == b.counts.medium);
  // It was drawn in another way at all.
  CHECK(a.image.pixels != b.image.pixels);
  double sum_a = 0, sum_b = 0;
  for (const float v : a.image.pixels) sum_a += v;
  for (const float v : b.image.pixels) sum_b += v;
  // Each splat's light is rounded to 12 bits, up and down alike, and its sum is kept.
  CHECK(sum_a == Approx(sum_b).epsilon(1e-5));
  // A tenth of the 1/255 that may be seen.
  CHECK(most_shown(a, b) < 0.1 / 255);
}

TEST_CASE("narrow splats of any one radius have their light and their place", "[gpu]") {
  if (!has_gpu()) return;
  Scene scene(1500000, 0.001, 0, 11, 300, 24, 0.1);
  scene.view.perspective = false;
  scene.view.ortho_width = 1.5;
  const double pixel = scene.view.ortho_width / scene.view.width;
  // Of one or two pixels; where the kernels meet; the widest that are narrow, and wider ones.
  const double radius = GENERATE(0.501, 0.9, 1.7, 2.4999, 2.5001, 2.7, 2.9999, 3.0001);
  CAPTURE(radius);
  scene.look.fixed_radius = float(radius * pixel);
  Options own, exact;
  exact.exact = true;
  const Frame a = scene.draw(Device::cuda(), own), b = scene.draw(Device::cuda(), exact);
  // Sum, and center of the light in pixels.
  const auto moments = [&](const Frame& frame) {
    std::array<double, 3> m{};
    const auto width = std::size_t(frame.image.width);
    for (std::size_t i = 0; i < frame.image.pixels.size(); ++i) {
      const double light = frame.image.pixels[i];
      m[0] += light;
      m[1] += light * double(i / 3 % width);
      m[2] += light * double(i / 3 / width);
    }
    return std::array<double, 3>{m[0], m[1] / m[0], m[2] / m[0]};
  };
  const auto of_a = moments(a), of_b = moments(b);
  CHECK(of_a[0] == Approx(of_b[0]).epsilon(1e-5));
  // Places are rounded to 2⁻¹⁸ of a pixel, supports to 3e-4 of themselves.
  CHECK(std::abs(of_a[1] - of_b[1]) < 3e-5);
  CHECK(std::abs(of_a[2] - of_b[2]) < 3e-5);
  CHECK(most_shown(a, b) < 1. / 255);
}

TEST_CASE("particles drawn in parts make the same picture", "[gpu]") {
  if (!has_gpu()) return;
  // Wide splats too, so that each part has its lists.
  Scene scene(200000, 0.0007, 2.9, 9, 120, 24, 0.1);
  const auto [packed, labeled, exact] = GENERATE(table<bool, bool, bool>({{false, false, true},
                                                                          {false, false, false},
                                                                          {true, false, true},
                                                                          {true, false, false},
                                                                          {false, true, true},
                                                                          {true, true, false}}));
  CAPTURE(packed, labeled, exact);
  std::vector<std::uint8_t> label(scene.particles.input().count);
  for (std::size_t i = 0; i < label.size(); ++i) label[i] = std::uint8_t(i % 3);
  std::vector<const std::uint8_t*> labels;
  Options options;
  options.exact = exact;
  if (labeled) {
    labels = {label.data(), label.data()};
    scene.look.tints = {{}, {{1, 0, 0}, 1, 1}, {{0, 0, 1}, 0.5f, 1}};
  }
  const Frame whole = scene.draw(*make_cuda_renderer(Device::cuda()), options, packed, labels);
  REQUIRE(whole.counts.large > 0);
  // Two parts, of whole runs; and more than two, the last of them a part of one.
  for (const std::uint64_t at_once : {100096, 65000}) {
    const auto renderer = make_cuda_renderer(Device::cuda(), 0, nullptr, Wire::Auto, at_once);
    const Frame parts = scene.draw(*renderer, options, packed, labels);
    CHECK(parts.counts.small == whole.counts.small);
    CHECK(parts.counts.medium == whole.counts.medium);
    CHECK(parts.counts.large == whole.counts.large);
    CHECK(parts.counts.inactive == whole.counts.inactive);
    if (exact)
      require_same(parts, whole);
    else
      CHECK(most_shown(parts, whole) < 1. / 255);
  }
}

TEST_CASE("runs across the picture's edge and beyond windows look as those drawn one by one",
          "[gpu]") {
  if (!has_gpu()) return;
  // So few particles that their runs cover much of the picture, of which half lie outside.
  Scene scene(60000, 0.0015, 1.05, 10, 100, 2, 0.3);
  const bool weights = GENERATE(false, true);
  if (weights)
    for (std::size_t i = 0; i < scene.particles.weight.size(); i += 3)
      scene.particles.weight[i] *= -0.5f;
  scene.view.eye = {0.5, 0.45, 1.1};
  scene.view.target = {0.3, 0.2, 0.5};
  Options own, exact;
  exact.exact = true;
  const Frame a = scene.draw(Device::cuda(), own), b = scene.draw(Device::cuda(), exact);
  REQUIRE(b.counts.inactive > 10000);
  CHECK(a.counts.small == b.counts.small);
  CHECK(a.counts.medium == b.counts.medium);
  CHECK(a.counts.large == b.counts.large);
  CHECK(a.counts.mean_radius_pixels == Approx(b.counts.mean_radius_pixels).epsilon(1e-6));
  if (!weights) {
    // It was drawn in another way at all, which runs with negative weights are not.
    CHECK(a.image.pixels != b.image.pixels);
    CHECK(most_shown(a, b) < 1. / 255);
    return;
  }
  // What a tone curve makes of light below 0 tells nothing. Splats on levels are within 0.02 % of
  // their peak.
  CHECK(largest_difference(a, b) < 1e-3);
}

TEST_CASE("light splats keep their light beside a thousand times heavier ones", "[gpu]") {
  if (!has_gpu()) return;
  Scene scene(1200000, 0.0007, 1.3, 8, 300, 24);
  for (std::size_t i = 0; i < scene.particles.weight.size(); ++i)
    if (i % 24 != 1) scene.particles.weight[i] *= 1000;  // those of the clump
  Options own, exact;
  exact.exact = true;
  const Frame a = scene.draw(Device::cuda(), own), b = scene.draw(Device::cuda(), exact);
  double sum = 0;
  for (const float v : b.image.pixels) sum += v;
  const double mean_of_light_ones = sum / double(b.image.pixels.size()) / 1000;
  double worst = 0;
  for (std::size_t i = 0; i < a.image.pixels.size(); ++i) {
    const double x = a.image.pixels[i], y = b.image.pixels[i];
    worst = std::max(worst, std::abs(x - y) / (5e-3 * y + 2e-4 * mean_of_light_ones));
  }
  // Wide ones are drawn as products, within 0.55 %. A step of light ones is 2⁻¹⁷ of one splat, of
  // which a pixel has about half; one of heavy splats would be a thousand times that.
  CHECK(worst < 1);
}
