// What a GPU computes is the same on each of several, also where one thread uses them in turn and
// another lets go of what they made.

#include "compute/clusters/clustering.h"
#include "compute/exec/device.h"
#include "compute/spatial/neighbors.h"
#include "compute/splotch/renderer.h"
#include "tests/catch.h"
#include "tests/gpus.h"
#include "tests/made/fixed_points.h"
#include "tests/renderers.h"
#include "tests/skip.h"

#include <memory>
#include <random>
#include <thread>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute;

namespace {

class Painter {
 public:
  explicit Painter(Device device) : renderer_(splotch::make_renderer(device)) {
    const Domain domain = test::open_domain(0, 1);
    test::Particles particles;
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (int i = 0; i < 5000; ++i)
      particles.add(domain, {uniform(random), uniform(random), uniform(random)}, 0.03,
                    0.1 + uniform(random), {uniform(random)});
    Progress progress;
    renderer_->set_particles(domain, {particles.input()}, progress);
  }

  splotch::Frame draw(bool keep_on_device) {
    splotch::View view;
    view.eye = {0.4, 0.3, 2.5};
    view.target = {0.5, 0.5, 0.5};
    view.width = 96;
    view.height = 64;
    splotch::Appearance look;
    look.palette = {{0.1f, 0.2f, 1}, {1, 0.5f, 0.1f}};
    splotch::Options options;
    options.deterministic = true;
    options.keep_on_device = keep_on_device;
    Progress progress;
    return renderer_->render(view, {look}, options, progress);
  }

  std::string device_name() const { return renderer_->device_name(); }

 private:
  std::unique_ptr<splotch::Renderer> renderer_;
};

}  // namespace

TEST_CASE("two GPUs draw the same picture, in turn on one thread", "[gpu][devices]") {
  const auto gpus = test::two_gpus();
  if (gpus.empty()) return;
  Painter first(gpus[0]), second(gpus[1]);
  CHECK_THAT(second.device_name(), Catch::Contains("(" + gpus[1].word() + ")"));
  const auto expected = first.draw(false).image.pixels;
  for (int turn = 0; turn < 3; ++turn) {
    CHECK(second.draw(false).image.pixels == expected);
    CHECK(first.draw(false).image.pixels == expected);
  }
  // A kept picture tells its GPU, and is read and let go on a thread that has none.
  auto kept = second.draw(true).on_device;
  REQUIRE(kept);
  CHECK(kept->device() == gpus[1].number);
  std::vector<float> pixels;
  std::thread([&] {
    pixels = kept->to_host().pixels;
    kept.reset();
  }).join();
  CHECK(pixels == expected);
}

TEST_CASE("two GPUs search the same neighbors and clusters, each on a thread", "[gpu][devices]") {
  const auto gpus = test::two_gpus();
  if (gpus.empty()) return;
  std::mt19937_64 random(9);
  const auto points = test::make_points(test::Kind::Uniform, 4000, random);
  const std::array<const std::uint32_t*, 3> position{points[0].data(), points[1].data(),
                                                     points[2].data()};
  struct Found {
    std::vector<float> distances;
    std::vector<std::uint32_t> labels;
  };
  const auto search = [&](Device device, Found& found) {
    const auto neighbors = spatial::make_neighbors(device);
    neighbors->set_points(position, points[0].size());
    found.distances = neighbors->kth_squared_distance(8);
    const auto clustering = clusters::make_clustering(device);
    clustering->set_points(test::periodic_domain(1), position, points[0].size());
    Timings timings;
    clustering->run({0.02, 2, clusters::Algorithm::Auto}, timings);
    found.labels = clustering->labels();
  };
  Found expected, found[2];
  search(Device::cpu(), expected);
  std::thread one([&] { search(gpus[0], found[0]); }), other([&] { search(gpus[1], found[1]); });
  one.join();
  other.join();
  for (const Found& on_gpu : found) {
    CHECK(on_gpu.distances == expected.distances);
    CHECK(on_gpu.labels == expected.labels);
  }
}
