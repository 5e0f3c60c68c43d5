#include "tests/catch.h"
#include "tests/made/size.h"
#include "tests/renderers.h"

#include <cmath>
#include <cstring>
#include <random>

// Default and map mode at the renderer's level: flux, mass, agreement of strategies.

using namespace haloscope;
using namespace haloscope::compute::splotch;

namespace {

// One world length is `scale` pixels; the line of sight is −z through the middle of the box [0, 1].
View flat_view(int pixels, double width = 1) {
  View view;
  view.eye = {0.5, 0.5, 2};
  view.target = {0.5, 0.5, 0.5};
  view.up = {0, 1, 0};
  view.perspective = false;
  view.ortho_width = width;
  view.width = view.height = pixels;
  return view;
}

Appearance plain() {
  Appearance a;
  a.palette = {{1, 1, 1}, {1, 1, 1}};
  return a;
}

double sum_of(const ImageF& image, int channel) {
  double sum = 0;
  for (std::size_t i = std::size_t(channel); i < image.pixels.size(); i += 3)
    sum += double(image.pixels[i]);
  return sum;
}

// Clustered particles; radii from `smallest` world lengths upwards over `decades`.
test::Particles cloud(const Domain& domain, int count, double smallest, double decades,
                      unsigned seed, double margin) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  test::Particles particles;
  for (int i = 0; i < count; ++i) {
    std::array<double, 3> p;
    for (double& x : p) x = margin + (1 - 2 * margin) * uniform(random);
    const double radius = smallest * std::pow(10, decades * uniform(random));
    particles.add(domain, p, std::min(radius, 0.9 * margin), 0.1 + uniform(random),
                  {std::pow(10, 3 * uniform(random))});
  }
  return particles;
}

Frame draw(Renderer& renderer, const View& view, const Appearance& look, const Options& options) {
  Progress progress;
  return renderer.render(view, {look}, options, progress);
}

}  // namespace

TEST_CASE("an unresolved particle leaves the same total wherever it falls", "[default]") {
  constexpr int kPixels = 32, kSteps = test::sized(8, 4);
  const Domain domain = test::open_domain(0, 1);
  Progress progress;
  for (const auto& device : test::devices())
    for (const Strategy strategy : {Strategy::Auto, Strategy::Paper})
      for (double radius : {0.05, 0.2, 0.45, 0.55, 0.8, 1.0, 1.5, 2.0, 2.9, 3.0}) {
        double least = 1e30, most = 0;
        for (int step = 0; step < kSteps * kSteps; ++step) {
          const double fx = (step % kSteps + 0.5) / kSteps, fy = (step / kSteps + 0.5) / kSteps;
          test::Particles one;
          one.add(domain, {(15 + fx) / kPixels, (15 + fy) / kPixels, 0.5}, radius / kPixels, 1,
                  {1});
          auto renderer = test::make_renderer(device);
          renderer->set_particles(domain, {one.input()}, progress);
          Options options;
          options.strategy = strategy;
          const double total =
              sum_of(draw(*renderer, flat_view(kPixels), plain(), options).image, 1);
          REQUIRE(std::isfinite(total));  // std::min and std::max pass over a NaN
          least = std::min(least, total);
          most = std::max(most, total);
        }
        INFO(device << ", radius " << radius << " pixels: " << least << " to " << most);
        CHECK(most / least < 1.01);
        // Weight 1 in a world area of 1/kPixels² per pixel.
        CHECK(most == Approx(kPixels * kPixels).epsilon(0.01));
      }
}

TEST_CASE("maps conserve mass", "[default][map]") {
  const Domain domain = test::open_domain(0, 1);
  Progress progress;
  // Kernels from a twentieth of a pixel at 256² to some tens of pixels at 4096².
  const test::Particles particles = cloud(domain, 4000, 0.0002, 2, 5, 0.05);
  double mass = 0, moment = 0;
  for (std::size_t i = 0; i < particles.weight.size(); ++i) {
    mass += double(particles.weight[i]);
    moment += double(particles.weight[i]) * double(particles.color[0][i]);
  }
  for (const auto& device : test::devices())
    for (const Strategy strategy : {Strategy::Auto, Strategy::Paper})
      for (int pixels : {256, 1024, 4096}) {
        auto renderer = test::make_renderer(device);
        renderer->set_particles(domain, {particles.input()}, progress);
        Options options;
        options.mode = Mode::Map;
        options.strategy = strategy;
        const Frame frame = draw(*renderer, flat_view(pixels), plain(), options);
        const double area = 1.0 / pixels / pixels;
        INFO(device << ", " << pixels << " pixels, small " << frame.counts.small);
        CHECK(std::abs(sum_of(frame.image, 0) * area / mass - 1) < 1e-6);
        CHECK(std::abs(sum_of(frame.image, 1) * area / moment - 1) < 1e-6);
      }
}

TEST_CASE("the paper's strategy and our own draw the same light", "[default]") {
  const Domain domain = test::open_domain(0, 1);
  Progress progress;
  for (unsigned seed : {1u, 2u, 3u})
    for (const auto& device : test::devices()) {
      const test::Particles particles = cloud(domain, 3000, 0.001, 2.3, seed, 0.2);
      auto renderer = test::make_renderer(device);
      renderer->set_particles(domain, {particles.input()}, progress);
      Appearance look;
      look.palette = {{0.1f, 0.2f, 0.9f}, {0.9f, 0.4f, 0.1f}, {1, 1, 0.9f}};
      look.color = {Transform::Log, 0, 3};
      View view = flat_view(256);
      view.perspective = seed != 2;
      view.eye = {0.5, -0.6, 0.9};
      view.up = {0, 0, 1};
      view.fov_degrees = 60;
      for (const Mode mode : {Mode::Default, Mode::Map}) {
        Options options;
        options.mode = mode;
        options.exact = true;
        const Frame own = draw(*renderer, view, look, options);
        options.strategy = Strategy::Paper;
        const Frame paper = draw(*renderer, view, look, options);
        CHECK(paper.counts.small > 20);
        CHECK(paper.counts.medium > 20);
        CHECK(paper.counts.large > 20);
        double lit = 0;
        for (float v : own.image.pixels) lit += v > 0;
        double mean = 0;
        for (float v : own.image.pixels) mean += double(v) / lit;
        double worst = 0;
        // A pixel sums hundreds of terms in float32, each rounded to 6e-8 of the largest partial
        // sum, in another order: an error relative to itself where it is bright, and to the
        // kernels' faint edges (cancellation in 1 − d²/H²) where it is far below the mean.
        for (std::size_t i = 0; i < own.image.pixels.size(); ++i) {
          const double a = double(own.image.pixels[i]), b = double(paper.image.pixels[i]);
          const double off = std::abs(a - b) / (1e-5 * std::abs(b) + 1e-5 * mean);
          worst = std::max(worst, std::isfinite(off) ? off : HUGE_VAL);
        }
        INFO(device << ", scene " << seed << ", " << (mode == Mode::Map ? "map" : "default"));
        CHECK(mean > 0);
        CHECK(worst <= 1);
      }
    }
}

TEST_CASE("mean maps hold fields of any size", "[default][map]") {
  const Domain domain = test::open_domain(0, 1);
  Progress progress;
  for (const double unit : {1e-9, 1., 1e9}) {
    test::Particles particles = cloud(domain, 5000, 0.001, 2, 11, 0.2);
    std::mt19937 random(12);
    std::uniform_real_distribution<double> uniform(0.5, 1.5);
    for (float& value : particles.color[0]) value = float(unit * uniform(random));
    for (const auto& device : test::devices())
      for (const Strategy strategy : {Strategy::Auto, Strategy::Paper}) {
        auto renderer = test::make_renderer(device);
        renderer->set_particles(domain, {particles.input()}, progress);
        Options options;
        options.mode = Mode::Map;
        options.strategy = strategy;
        const Frame frame = draw(*renderer, flat_view(256), plain(), options);
        options.deterministic = true;
        const Frame exact = draw(*renderer, flat_view(256), plain(), options);
        REQUIRE(frame.image.pixels.size() == exact.image.pixels.size());
        int with_mass = 0, exact_with_mass = 0, impossible = 0;
        double worst = 0, worst_mass = 0;
        for (std::size_t i = 0; i < frame.image.pixels.size(); i += 3) {
          const double mass = double(frame.image.pixels[i]);
          const double exact_mass = double(exact.image.pixels[i]);
          exact_with_mass += exact_mass > 0;
          if (mass == 0) continue;
          ++with_mass;
          const double mean = double(frame.image.pixels[i + 1]) / mass;
          const double expected = double(exact.image.pixels[i + 1]) / exact_mass;
          impossible += !(expected > 0.499 * unit && expected < 1.501 * unit);
          double off = std::abs(mean / expected - 1);
          if (!std::isfinite(off)) off = HUGE_VAL;
          if (off > worst) worst_mass = mass;
          worst = std::max(worst, off);
        }
        INFO(device << (strategy == Strategy::Paper ? ", paper" : ", auto") << ", values around "
                    << unit << ": off by " << worst << " in a pixel with " << worst_mass
                    << " of the total " << sum_of(frame.image, 0));
        CHECK(with_mass > 10000);
        CHECK(with_mass >= 0.99 * exact_with_mass);
        CHECK(impossible == 0);
        CHECK(worst < 1e-4);
      }
  }
}

TEST_CASE("a deterministic run gives the same bytes twice", "[default]") {
  const Domain domain = test::open_domain(0, 1);
  Progress progress;
  const test::Particles particles = cloud(domain, 20000, 0.001, 2, 9, 0.2);
  for (const auto& device : test::devices())
    for (const Strategy strategy : {Strategy::Auto, Strategy::Paper}) {
      Options options;
      options.deterministic = true;
      options.strategy = strategy;
      std::vector<float> first;
      for (int run = 0; run < 3; ++run) {
        auto renderer = test::make_renderer(device);
        renderer->set_particles(domain, {particles.input()}, progress);
        Appearance look = plain();
        look.color = {Transform::Log, 0, 3};
        const Frame frame = draw(*renderer, flat_view(200), look, options);
        if (run == 0) first = frame.image.pixels;
        INFO(device << (strategy == Strategy::Paper ? ", paper" : ", auto"));
        CHECK(sum_of(frame.image, 0) > 0);
        REQUIRE(first.size() == frame.image.pixels.size());
        CHECK(std::memcmp(first.data(), frame.image.pixels.data(), first.size() * sizeof(float)) ==
              0);
      }
    }
}
