#include "tests/catch.h"
#include "tests/renderers.h"

#include <tbb/global_control.h>

#include <cmath>
#include <cstring>
#include <random>

// What a map's pixels hold: all of the mass that fell into them, to 1e-6, in any order of the
// particles, on any number of threads and on every executor.

using namespace haloscope;
using namespace haloscope::compute::splotch;
using haloscope::compute::Device;

namespace {

constexpr int kPixels = 128;

// The box [0, 1]² is kPixels pixels wide. All that is projected is a dyadic number, so that float32
// holds it and a reference in double sees the same centers and radii.
View box_view() {
  View view;
  view.eye = {0.5, 0.5, 2};
  view.target = {0.5, 0.5, 0.5};
  view.up = {0, 1, 0};
  view.perspective = false;
  view.ortho_width = 1;
  view.width = view.height = kPixels;
  return view;
}

struct MapRun {
  Device device;
  Strategy strategy = Strategy::Auto;
  bool deterministic = false;
};

std::vector<MapRun> all_runs() {
  std::vector<MapRun> runs;
  for (const auto& device : test::devices())
    for (const Strategy strategy : {Strategy::Auto, Strategy::Paper})
      for (const bool deterministic : {false, true})
        runs.push_back({device, strategy, deterministic});
  return runs;
}

std::string in_words(const MapRun& run) {
  return run.device.word() + (run.strategy == Strategy::Paper ? ", paper" : ", auto") +
         (run.deterministic ? ", deterministic" : "");
}

Frame draw_map(const MapRun& run, const test::Particles& particles) {
  Progress progress;
  auto renderer = test::make_renderer(run.device);
  renderer->set_particles(test::open_domain(0, 1), {particles.input()}, progress);
  Options options;
  options.mode = Mode::Map;
  options.strategy = run.strategy;
  options.deterministic = run.deterministic;
  Appearance look;
  look.palette = {{1, 1, 1}};
  return renderer->render(box_view(), {look}, options, progress);
}

// A pixel's area in world units.
constexpr double kArea = 1.0 / kPixels / kPixels;

double mass_in(const Frame& map, int x, int y, int channel = 0) {
  return double(map.image.at(x, y)[channel]) * kArea;
}

double mass_in(const Frame& map, int channel = 0) {
  double sum = 0;
  for (int y = 0; y < kPixels; ++y)
    for (int x = 0; x < kPixels; ++x) sum += mass_in(map, x, y, channel);
  return sum;
}

// Adds a particle whose center and radius are given in pixels, y downwards as rows run.
void add(test::Particles& particles, double x, double y, double radius, double mass, double field) {
  static const Domain domain = test::open_domain(0, 1);
  particles.add(domain, {x / kPixels, 1 - y / kPixels, 0.5}, radius / kPixels, mass, {field});
}

// A multiple of 1/256.
double dyadic(double x) {
  return std::floor(256 * x) / 256;
}

// The kernels of maps in double, one pixel and one particle at a time, each divided by its sum over
// all pixels.
double axis_weight(double d, double support) {
  const auto cumulative = [&](double x) {
    x = std::min(1., std::max(-1., x / support));
    const double x3 = x * x * x, x5 = x3 * x * x, x7 = x5 * x * x, x9 = x7 * x * x;
    return 315. / 256 * (x - 4 * x3 / 3 + 6 * x5 / 5 - 4 * x7 / 7 + x9 / 9);
  };
  return cumulative(d + 0.5) - cumulative(d - 0.5);
}

double kernel(double dx, double dy, double radius) {
  if (radius <= 0.5) return std::abs(dx) <= 0.5 && std::abs(dy) <= 0.5 ? 1 : 0;
  if (radius <= 2.5) {
    const double support = std::sqrt(11. / 12) * radius;
    return axis_weight(dx, support) * axis_weight(dy, support);
  }
  return std::pow(std::max(0., 1 - (dx * dx + dy * dy) / (radius * radius)), 4);
}

struct Reference {
  std::vector<double> mass, moment;              // by pixel
  std::vector<double> mass_slack, moment_slack;  // what float32 particles and edges may be off by

  explicit Reference(const test::Particles& p)
      : mass(kPixels * kPixels, 0.), moment(mass), mass_slack(mass), moment_slack(mass) {
    const Domain domain = test::open_domain(0, 1);
    for (std::size_t i = 0; i < p.weight.size(); ++i)
      add(domain.to_world(p.position[0][i], 0) * kPixels,
          (1 - domain.to_world(p.position[1][i], 1)) * kPixels, double(p.radius[i]) * kPixels,
          double(p.weight[i]), double(p.color[0][i]));
  }

 private:
  void add(double x, double y, double radius, double m, double field) {
    const int reach = int(radius) + 2, x0 = int(x), y0 = int(y);
    double sum = 0, peak = 0;
    for (int j = y0 - reach; j <= y0 + reach; ++j)
      for (int i = x0 - reach; i <= x0 + reach; ++i) {
        const double w = kernel(i + 0.5 - x, j + 0.5 - y, radius);
        sum += w;
        peak = std::max(peak, w);
      }
    for (int j = std::max(0, y0 - reach); j <= std::min(kPixels - 1, y0 + reach); ++j)
      for (int i = std::max(0, x0 - reach); i <= std::min(kPixels - 1, x0 + reach); ++i) {
        const double w = kernel(i + 0.5 - x, j + 0.5 - y, radius) / sum;
        const std::size_t at = std::size_t(j) * kPixels + std::size_t(i);
        const double slack = w > 0 ? 1e-6 * w + 1e-8 * peak / sum : 0;
        mass[at] += m * w;
        moment[at] += m * field * w;
        mass_slack[at] += m * slack;
        moment_slack[at] += m * std::abs(field) * slack;
      }
  }
};

// Kernels from a fiftieth of a pixel to 60 pixels, masses from 1e-3 to 1e3, a field of both signs.
test::Particles mixed(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  test::Particles particles;
  for (int i = 0; i < count; ++i) {
    // A pixel's edge belongs to one of two pixels: nobody stands there.
    const double x = dyadic(kPixels * uniform(random)) + 1. / 512;
    const double y = dyadic(kPixels * uniform(random)) + 1. / 512;
    add(particles, x, y, 0.02 * std::pow(3000, uniform(random)),
        1e-3 * std::pow(1e6, uniform(random)), 2 * uniform(random) - 1);
  }
  return particles;
}

bool same_bytes(const Frame& a, const Frame& b) {
  return a.image.pixels.size() == b.image.pixels.size() &&
         std::memcmp(a.image.pixels.data(), b.image.pixels.data(),
                     a.image.pixels.size() * sizeof(float)) == 0;
}

void check_crowded_pixels(int count, int pixels) {
  constexpr double kMass = 0.1, kField = -0.3;
  test::Particles particles;
  for (int i = 0; i < count; ++i)
    add(particles, 40.5 + i % pixels, 70.5 + 0.25 * (i / pixels % 2), 0.25, kMass, kField);
  const double expected = double(float(kMass)) * (count / pixels);
  for (const MapRun& run : all_runs()) {
    if (run.deterministic) continue;
    const Frame map = draw_map(run, particles);
    INFO(in_words(run));
    for (int x = 40; x < 40 + pixels; ++x) {
      CHECK(mass_in(map, x, 70) == Approx(expected).epsilon(1e-6).margin(0));
      CHECK(mass_in(map, x, 70, 1) == Approx(kField * expected).epsilon(1e-6).margin(0));
    }
    CHECK(mass_in(map) == Approx(pixels * expected).epsilon(1e-6).margin(0));
  }
}

}  // namespace

TEST_CASE("a pixel of a map holds the mass of all its particles, however many", "[map]") {
  for (const int count : {1, 7, 1000, 86000, 884736}) check_crowded_pixels(count, 1);
  check_crowded_pixels(1000000, 4);
}

TEST_CASE("light particles among many heavy ones keep their mass in a map", "[map]") {
  test::Particles particles;
  for (int i = 0; i < 300000; ++i) {
    add(particles, 40.5, 70.5, 0.25, 1000, 1);
    add(particles, 41.5, 70.5, 0.25, 1e-3, 1);
    if (i % 1000 == 0) add(particles, 80.5, 70.5, 3.25, 1e-3, 1);
  }
  // One light particle as wide as the map, far above its floor of quanta.
  add(particles, 64.5, 20.5, 20, 1e-3, 1);
  const Reference expected(particles);
  for (const MapRun& run : all_runs()) {
    const Frame map = draw_map(run, particles);
    INFO(in_words(run));
    CHECK(mass_in(map, 40, 70) == Approx(3e8).epsilon(1e-6).margin(0));
    CHECK(mass_in(map, 41, 70) == Approx(300).epsilon(1e-6).margin(0));
    for (const int y : {1, 10, 20, 70})
      for (const int x : {64, 70, 79, 80, 81}) {
        const std::size_t at = std::size_t(y) * kPixels + std::size_t(x);
        CHECK(std::abs(mass_in(map, x, y) - expected.mass[at]) <= expected.mass_slack[at]);
      }
  }
}

TEST_CASE("a kernel of any width leaves its mass in a map", "[map]") {
  // All at the same place in a pixel, as particles on a grid are: nothing averages out.
  for (const MapRun& run : all_runs()) {
    double worst = 0;
    for (double radius = 0.125; radius < 40; radius *= 1.09) {
      test::Particles particles;
      add(particles, 64.5, 64.5, radius, 3, 1);
      worst = std::max(worst, std::abs(mass_in(draw_map(run, particles)) / 3 - 1));
    }
    INFO(in_words(run));
    CHECK(worst < 1e-6);
  }
}

TEST_CASE("each pixel of a map agrees with sums in double", "[map]") {
  for (const unsigned seed : {1u, 2u}) {
    const test::Particles particles = mixed(20000, seed);
    const Reference expected(particles);
    double largest_mean = 0;
    for (std::size_t i = 0; i < expected.mass.size(); ++i)
      largest_mean = std::max(largest_mean, std::abs(expected.moment[i] / expected.mass[i]));
    CHECK(largest_mean > 0.5);
    for (const MapRun& run : all_runs()) {
      if (run.deterministic) continue;
      const Frame map = draw_map(run, particles);
      int wrong_masses = 0, wrong_moments = 0;
      for (int y = 0; y < kPixels; ++y)
        for (int x = 0; x < kPixels; ++x) {
          const std::size_t at = std::size_t(y) * kPixels + std::size_t(x);
          wrong_masses +=
              !(std::abs(mass_in(map, x, y) - expected.mass[at]) <= expected.mass_slack[at]);
          wrong_moments +=
              !(std::abs(mass_in(map, x, y, 1) - expected.moment[at]) <= expected.moment_slack[at]);
        }
      INFO(in_words(run) << ", scene " << seed);
      CHECK(map.counts.small > 1000);
      CHECK(map.counts.medium > 1000);
      CHECK(map.counts.large > 1000);
      CHECK(wrong_masses == 0);
      CHECK(wrong_moments == 0);
    }
  }
}

TEST_CASE("a map has the same bytes in any run, order, number of threads and executor", "[map]") {
  const test::Particles particles = mixed(10000, 3);
  // The same particles from the last to the first.
  test::Particles reversed = particles;
  for (auto& axis : reversed.position) std::reverse(axis.begin(), axis.end());
  for (auto* column : {&reversed.radius, &reversed.weight, &reversed.color[0]})
    std::reverse(column->begin(), column->end());

  const Frame expected = draw_map({}, particles);
  CHECK(mass_in(expected) > 0);
  for (const MapRun& run : all_runs()) {
    INFO(in_words(run));
    CHECK(same_bytes(draw_map(run, particles), expected));
    CHECK(same_bytes(draw_map(run, reversed), expected));
    for (const std::size_t threads : {1u, 2u, 5u}) {
      const ::tbb::global_control limit(::tbb::global_control::max_allowed_parallelism, threads);
      INFO(threads << " threads");
      CHECK(same_bytes(draw_map(run, particles), expected));
    }
  }
}
