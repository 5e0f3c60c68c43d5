// Positions that a scene leaves on its device, for searches.

#include "core/error.h"
#include "io/loading/particle_loader.h"
#include "render/scene/snapshot_scene.h"
#include "tests/catch.h"
#include "tests/renderers.h"
#include "tests/test_paths.h"

#include <array>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace haloscope;
using namespace haloscope::analysis;
using namespace haloscope::render;

namespace {

RenderRequest request_on(compute::Device device) {
  RenderRequest request;
  request.snapshot = test::sample_file();
  request.types = {"0", "1"};
  request.neighbors = 0;
  request.compute.device = device.word();
  return request;
}

struct Opened {
  explicit Opened(const RenderRequest& request)
      : scene(std::make_unique<SnapshotScene>(request, context)) {
    scene->load();
  }
  Progress progress;
  RunContext context{progress, [](const std::string&) {}, {}};
  std::unique_ptr<SnapshotScene> scene;
};

ParticleSet loaded(const std::string& snapshot) {
  Progress progress;
  return io::load_particles(*io::open_snapshot(snapshot), {{{0, {}}, {1, {}}}}, progress);
}

bool same_positions(const compute::spatial::PointSet& points, const ParticleColumns& columns) {
  std::array<std::vector<std::uint32_t>, 3> found;
  for (auto& axis : found) axis.resize(std::size_t(points.count()));
  points.copy({found[0].data(), found[1].data(), found[2].data()});
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (!std::equal(found[axis].begin(), found[axis].end(), columns.position[axis].begin(),
                    columns.position[axis].end()))
      return false;
  return true;
}

}  // namespace

TEST_CASE("positions of a scene are the file's, and outlive it", "[render][few][gpu]") {
  for (const auto& device : test::devices()) {
    INFO(device);
    Opened opened(request_on(device));
    auto points = opened.scene->resident_points();
    REQUIRE(points);
    CHECK(is_current(*points));
    const ParticleSet expected = loaded(opened.scene->request().snapshot);
    CHECK(points->domain == expected.domain);
    REQUIRE(points->types.size() == 2);
    opened.scene.reset();
    // A search that goes on while the next snapshot is opened gives them up on a thread of its own.
    std::array<bool, 2> same{};
    std::thread searching([&, mine = std::move(points)]() mutable {
      for (std::size_t k = 0; k < 2; ++k)
        same[k] = mine->types.at(int(k)).points->device() == device &&
                  same_positions(*mine->types.at(int(k)).points, expected.types[k]);
      mine.reset();
    });
    searching.join();
    CHECK(same[0]);
    CHECK(same[1]);
  }
}

TEST_CASE("a scene of some of the particles, or of others, has no positions for searches",
          "[render]") {
  RenderRequest some = request_on(compute::Device::cpu());
  some.selection.every = 4;
  CHECK_FALSE(Opened(some).scene->resident_points());
  Opened whole(request_on(compute::Device::cpu()));
  REQUIRE(whole.scene->resident_points());
  const ParticleSet same = io::load_particles(*io::open_snapshot(whole.scene->request().snapshot),
                                              whole.scene->load_request(), whole.progress);
  whole.scene->show(same, {nullptr, nullptr}, whole.progress);
  CHECK_FALSE(whole.scene->resident_points());
}
