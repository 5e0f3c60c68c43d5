// Particles packed into 16 bytes: the same pictures, and searches that find the same.
// Columns are compared in brackets: printing all that differs takes minutes.

#include "compute/clusters/cluster_tree.h"
#include "compute/clusters/clustering.h"
#include "compute/spatial/neighbors.h"
#include "tests/catch.h"
#include "tests/made/size.h"
#include "tests/oracles/shown_difference.h"
#include "tests/renderers.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute::splotch;
using haloscope::compute::Device;
using haloscope::test::most_shown;
namespace clusters = haloscope::compute::clusters;
namespace spatial = haloscope::compute::spatial;

namespace {

constexpr int kManyParticles = 200000;
constexpr int kCount = test::sized(kManyParticles, 20000);

// Clumps, of which blocks are packed, in a field of points far apart, of which they are loose.
// Radii follow the density, but scatter by three octaves, so that they must be rounded.
struct Clumps {
  Domain domain = test::periodic_domain(1);
  test::Particles particles;
  View view;
  Appearance look;

  explicit Clumps(bool estimated = false) {
    std::mt19937 random(61);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::normal_distribution<double> normal;
    std::vector<std::array<double, 3>> centers(12);
    for (auto& center : centers)
      for (double& x : center) x = uniform(random);
    centers.front() = {0, 0.5, 0};  // across the periodic seam
    // Fewer particles lie as close as many do, so that as many of their blocks are packed.
    const double spread = 0.004 * std::cbrt(double(kCount) / kManyParticles);
    for (int i = 0; i < kCount; ++i) {
      const bool field = i % 4 == 0;
      const std::size_t clump = std::size_t(i) % centers.size();
      std::array<double, 3> p;
      double distance = 0;
      for (std::size_t a = 0; a < 3; ++a) {
        const double off = spread * (1 + double(clump)) * normal(random);
        distance += off * off;
        p[a] = field ? uniform(random) : centers[clump][a] + off;
        p[a] -= std::floor(p[a]);
      }
      const double radius = (field ? 0.03 : 0.0003 + 0.1 * std::sqrt(distance)) *
                            std::exp2(3 * uniform(random) - 1.5);
      particles.add(domain, p, estimated && i % 5 ? 0 : radius, 0.5 + uniform(random),
                    {uniform(random)});
    }
    view.eye = {0.4, 0.3, 2.5};
    view.target = {0.5, 0.5, 0.5};
    view.width = 300;
    view.height = 220;
    look.palette = {{0.1f, 0.2f, 1}, {1, 0.1f, 0.1f}, {0.1f, 1, 0.3f}};
  }

  TypeInput input(bool packed) const {
    TypeInput in = particles.input();
    in.packed = in.rows_aside = packed;
    return in;
  }
  std::unique_ptr<Renderer> renderer(Device device, const TypeInput& input) const {
    auto made = test::make_renderer(device);
    Progress progress;
    made->set_particles(domain, {input}, progress);
    return made;
  }
  std::unique_ptr<Renderer> renderer(Device device, bool packed) const {
    return renderer(device, input(packed));
  }
};

Frame draw(Renderer& renderer, const View& view, const Appearance& look,
           const Options& options = {}) {
  Progress progress;
  return renderer.render(view, {look}, options, progress);
}

std::vector<View> views(const View& first) {
  std::vector<View> all{first};
  View closer = first;
  closer.eye = {0.1, 0.5, 0.2};
  closer.target = {0, 0.5, 0};
  all.push_back(closer);
  View parallel = first;
  parallel.perspective = false;
  parallel.ortho_width = 1.1;
  all.push_back(parallel);
  parallel.ortho_width = 0.05;
  parallel.target = {0, 0.5, 0};
  parallel.eye = {0, 0.5, 1};
  all.push_back(parallel);
  View small = first;  // many particles for each pixel
  small.width = 48;
  small.height = 36;
  all.push_back(small);
  return all;
}

// All radii as far off as packing may make them.
std::vector<float> farthest_radii(const Clumps& clumps) {
  std::vector<float> off = clumps.particles.radius;
  for (std::size_t i = 0; i < off.size(); ++i)
    off[i] *= 1.f + (i % 2 ? 1.f : -1.f) * std::exp2(-17.f);
  return off;
}

}  // namespace

TEST_CASE("packed particles have the places and nearly the radii of others", "[packed][gpu]") {
  for (const bool estimated : {false, true}) {
    const Clumps clumps(estimated);
    for (const Device device : test::devices()) {
      INFO(device << (estimated ? ", estimated radii" : ""));
      const auto usual = clumps.renderer(device, false), packed = clumps.renderer(device, true);
      CHECK(usual->points(0)->positions().blocks == nullptr);
      CHECK(packed->points(0)->positions().blocks != nullptr);
      CHECK(packed->estimated_radii() == usual->estimated_radii());
      std::array<std::vector<std::uint32_t>, 3> copied;
      for (auto& axis : copied) axis.resize(std::size_t(kCount));
      packed->points(0)->copy({copied[0].data(), copied[1].data(), copied[2].data()});
      CHECK((copied == clumps.particles.position));
      const auto worst = [](const std::vector<float>& a, const std::vector<float>& b) {
        REQUIRE(a.size() == b.size());
        double most = 0;
        for (std::size_t i = 0; i < a.size(); ++i)
          most = std::max(most, std::abs(double(a[i]) / double(b[i]) - 1));
        return most;
      };
      const double off = worst(packed->radii(0), usual->radii(0));
      CHECK(off <= std::exp2(-17.));
      CHECK(off > 0);  // some were rounded
      CHECK(worst(packed->radius_sample(0, 1000), usual->radius_sample(0, 1000)) <=
            std::exp2(-17.));
    }
  }
}

TEST_CASE("packed particles make the same pictures", "[packed][gpu]") {
  const Clumps clumps;
  for (const Device device : test::devices()) {
    const auto usual = clumps.renderer(device, false), packed = clumps.renderer(device, true);
    for (const Strategy strategy : {Strategy::Auto, Strategy::Paper})
      for (const Mode mode : {Mode::Default, Mode::Map, Mode::Classic})
        for (const int sample : {1, 2, 8}) {
          Options options;
          options.strategy = strategy;
          options.mode = mode;
          options.sample = sample;
          // On a GPU the order of additions decides which crowds are drawn as products, unless
          // pictures are exact.
          options.exact = device.is_gpu() && sample != 2;
          const bool products = mode == Mode::Default && device.is_gpu() && !options.exact;
          const double most = (products ? 1. : 0.1) / 255;
          for (const View& view : views(clumps.view)) {
            INFO(device << ", mode " << int(mode) << ", strategy " << int(strategy) << ", 1 of "
                        << sample);
            const Frame a = draw(*packed, view, clumps.look, options),
                        b = draw(*usual, view, clumps.look, options);
            CHECK(a.counts.particles == b.counts.particles);
            CHECK(most_shown(a, b) < most);
          }
        }
  }
}

TEST_CASE("maps of packed particles have nearly the same pixels", "[packed][gpu]") {
  const Clumps clumps;
  const std::vector<float> off = farthest_radii(clumps);
  for (const Device device : test::devices()) {
    TypeInput changed = clumps.input(false);
    changed.radius = off.data();
    const auto usual = clumps.renderer(device, false), packed = clumps.renderer(device, true),
               farthest = clumps.renderer(device, changed);
    Options options;
    options.mode = Mode::Map;
    for (const View& view : views(clumps.view)) {
      INFO(device);
      const Frame expected = draw(*usual, view, clumps.look, options);
      double mean = 0;
      for (const float v : expected.image.pixels) mean += v;
      mean /= double(expected.image.pixels.size());
      for (Renderer* renderer : {packed.get(), farthest.get()}) {
        const Frame frame = draw(*renderer, view, clumps.look, options);
        double worst = 0, sum = 0;
        for (std::size_t i = 0; i < frame.image.pixels.size(); ++i) {
          const double x = frame.image.pixels[i], y = expected.image.pixels[i];
          sum += x - y;
          worst = std::max(worst, std::abs(x - y) / (y + mean));
        }
        CHECK(worst < 1e-3);
        // Some mass is beyond the picture's edges.
        CHECK(std::abs(sum) < 1e-5 * mean * double(frame.image.pixels.size()));
      }
    }
  }
}

TEST_CASE("packed particles have the same colors between limits a thousandfold closer",
          "[packed][gpu]") {
  const Clumps clumps;
  const std::vector<float> off = farthest_radii(clumps);
  for (const bool density : {false, true})
    for (const Device device : test::devices()) {
      TypeInput input = clumps.input(false);
      Appearance look = clumps.look;
      look.color = {Transform::Linear, 0.5f, 0.501f};
      if (density) {
        input.color = {};
        input.density_color = 1;
        // Of radii from 0.0003 to 0.03 six decades, of which 0.006 about the middle one.
        look.color = {Transform::Log, 6.997f, 7.003f};
      }
      const auto usual = clumps.renderer(device, input);
      TypeInput changed = input;
      changed.radius = off.data();
      const auto farthest = clumps.renderer(device, changed);
      input.packed = true;
      const auto packed = clumps.renderer(device, input);
      for (const View& view : views(clumps.view)) {
        INFO(device << (density ? ", by density" : ""));
        const Frame expected = draw(*usual, view, look);
        CHECK(most_shown(draw(*packed, view, look), expected) < 1. / 255);
        CHECK(most_shown(draw(*farthest, view, look), expected) < 1. / 255);
      }
    }
}

TEST_CASE("packed particles take other colors and labels as others do", "[packed][gpu]") {
  const Clumps clumps;
  std::vector<float> values(kCount);
  std::vector<std::uint8_t> labels(kCount);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = float(i % 1000) / 1000;
    labels[i] = std::uint8_t(i % 3);
  }
  Appearance look = clumps.look;
  look.tints = {{}, {{1, 0, 0}, 0.5f, 1}, {{0, 0, 0}, 0, 0.1f}};
  for (const Device device : test::devices()) {
    INFO(device);
    const auto usual = clumps.renderer(device, false), packed = clumps.renderer(device, true);
    const Frame before = draw(*usual, clumps.view, look);
    for (Renderer* renderer : {usual.get(), packed.get()}) {
      renderer->recolor({values.data()});
      renderer->label({labels.data()});
    }
    Options exact;
    exact.exact = true;
    const Frame after = draw(*usual, clumps.view, look, exact);
    CHECK(most_shown(before, after) > 10. / 255);
    CHECK(most_shown(draw(*packed, clumps.view, look, exact), after) < 0.1 / 255);
  }
}

TEST_CASE("searches among packed particles find what they find among others", "[packed][gpu]") {
  const Clumps clumps;
  for (const Device device : test::devices()) {
    const auto usual = clumps.renderer(device, false), packed = clumps.renderer(device, true);
    const auto labels = [&](const Renderer& of, clusters::Algorithm algorithm, int min_points) {
      const auto clustering = clusters::make_clustering(device);
      clustering->set_points({of.points(0)});
      clusters::ClusterSettings settings;
      settings.linking_length = 0.002;
      settings.min_points = min_points;
      settings.algorithm = algorithm;
      Timings timings;
      clustering->run(settings, timings);
      return clustering->labels();
    };
    for (const auto algorithm :
         {clusters::Algorithm::Grid, clusters::Algorithm::FdbScan, clusters::Algorithm::DenseBox})
      for (const int min_points : {2, 5}) {
        INFO(device << ", algorithm " << int(algorithm) << ", " << min_points << " points");
        const auto found = labels(*usual, algorithm, min_points);
        CHECK(std::count(found.begin(), found.end(), clusters::kNoise) < kCount);
        CHECK((labels(*packed, algorithm, min_points) == found));
      }
    INFO(device);
    const auto lengths = [&](const Renderer& of) {
      const auto neighbors = spatial::make_neighbors(device);
      neighbors->set_points({of.points(0)});
      return neighbors->kth_squared_distance(8);
    };
    CHECK((lengths(*packed) == lengths(*usual)));
    // Several sets are copied together.
    const auto together = [&](const Renderer& of) {
      const auto clustering = clusters::make_clustering(device);
      clustering->set_points({of.points(0), of.points(0)});
      clusters::ClusterSettings settings;
      settings.linking_length = 0.001;
      Timings timings;
      clustering->run(settings, timings);
      return clustering->labels();
    };
    CHECK((together(*packed) == together(*usual)));
  }
}

TEST_CASE("the cluster tree of packed particles is that of others", "[packed][gpu]") {
  const Clumps clumps;
  for (const Device device : test::devices()) {
    INFO(device);
    const auto grown = [&](bool packed, int samples) {
      const auto renderer = clumps.renderer(device, packed);
      Progress progress;
      const auto tree = clusters::make_cluster_tree(device, progress);
      clusters::SpanningTreeSettings settings;
      settings.min_samples = samples;
      tree->grow({renderer->points(0)}, settings);
      return tree->spanning_tree();
    };
    for (const int samples : {1, 5}) {
      const auto a = grown(true, samples), b = grown(false, samples);
      CHECK((a.a == b.a));
      CHECK((a.b == b.b));
      CHECK((a.squared_weight == b.squared_weight));
    }
  }
}
