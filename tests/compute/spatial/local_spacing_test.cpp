#include "tests/catch.h"
#include "tests/renderers.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace haloscope;
using namespace haloscope::compute::splotch;

namespace {

// Radius that holds 32 particles at the density of the 8 nearest, by looking at all of them.
std::vector<double> true_lengths(const std::vector<std::array<double, 3>>& points) {
  std::vector<double> lengths;
  for (const auto& p : points) {
    std::vector<double> d2;
    for (const auto& q : points) {
      double sum = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        double d = std::abs(p[c] - q[c]);
        d = std::min(d, 1 - d);
        sum += d * d;
      }
      d2.push_back(sum);
    }
    std::nth_element(d2.begin(), d2.begin() + 8, d2.end());  // the 0th is the point itself
    lengths.push_back(std::sqrt(d2[8]) * std::cbrt(32.0 / 8));
  }
  return lengths;
}

}  // namespace

TEST_CASE("estimated smoothing lengths follow the density over a factor of a million",
          "[spatial][gpu]") {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal;
  const Domain domain = test::periodic_domain(1);
  std::vector<std::array<double, 3>> points;
  test::Particles particles;
  for (int i = 0; i < 4000; ++i) {
    std::array<double, 3> p;
    for (double& x : p) {
      x = i % 2 ? uniform(random) : 0.3 + 0.005 * normal(random);
      x -= std::floor(x);
    }
    points.push_back(p);
    particles.add(domain, p, 0, 1, {1});
  }
  const std::vector<double> expected = true_lengths(points);
  std::vector<std::vector<float>> results;
  for (const auto& device : test::devices()) {
    INFO(device);
    auto renderer = test::make_renderer(device);
    Progress progress;
    TypeInput input = particles.input();
    input.radius = nullptr;
    renderer->set_particles(domain, {input}, progress);
    CHECK(renderer->estimated_radii().front() == points.size());
    const std::vector<float> h = renderer->radii(0);
    std::vector<double> ratios;
    for (std::size_t i = 0; i < h.size(); ++i) ratios.push_back(double(h[i]) / expected[i]);
    std::sort(ratios.begin(), ratios.end());
    // Missed neighbors can only lengthen it: the nearest are a subset of all.
    CHECK(ratios.front() > 0.999);
    CHECK(ratios[ratios.size() / 2] < 1.25);
    CHECK(ratios[ratios.size() * 95 / 100] < 2.2);
    CHECK(std::isfinite(ratios.back()));
    results.push_back(h);
  }
  // The same arithmetic on both executors, but for the last bit of roots.
  for (const auto& h : results)
    for (std::size_t i = 0; i < h.size(); ++i)
      CHECK(double(h[i]) == Approx(double(results.front()[i])).epsilon(1e-5));
}
