// A scene whose particles get the colors of their halos, as a window asks for them with every
// picture.

#include "analysis/halos/halo_colors.h"

#include "core/error.h"
#include "render/scene/snapshot_scene.h"
#include "tests/catch.h"
#include "tests/test_paths.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope;
using namespace haloscope::analysis;
using namespace haloscope::render;

namespace {

RenderRequest gas_request() {
  RenderRequest request;
  request.snapshot = test::source_dir() + "/assets/sample.hdf5";
  request.types = {"0"};
  request.neighbors = 0;
  request.compute.device = "cpu";
  request.compute.deterministic = true;
  return request;
}

// The gas of the sample snapshot as a window draws it.
struct Gas {
  Progress progress;
  RunContext context{progress, [](const std::string&) {}, {}};
  SnapshotScene scene{gas_request(), context};

  Gas() { scene.load(); }
  std::vector<float> draw() { return scene.draw(scene.view({}, {32, 24}), progress).image.pixels; }
  // Made up: each thousand rows of the file are a halo. With more rows than the file has they are
  // those of another one.
  std::shared_ptr<const HaloColors> halos(std::size_t first, std::uint64_t rows_more = 0) const {
    auto colors = std::make_shared<HaloColors>();
    colors->halos = kHaloColors;
    auto& places = colors->places[0];
    places.resize(scene.info().types.at(0).count + rows_more);
    for (std::size_t row = 0; row < places.size(); ++row)
      places[row] = std::uint8_t(1 + (row / 1000 + first) % kHaloColors);
    return colors;
  }
};

}  // namespace

TEST_CASE("halos whose colors cannot be had are told once and leave particles their own",
          "[app][halos]") {
  Gas gas;
  const auto one = gas.halos(0), other = gas.halos(3), foreign = gas.halos(0, 1);
  const auto own = gas.draw();
  gas.scene.color_by_halo(one);
  const auto colored = gas.draw();
  CHECK(colored != own);
  CHECK_THROWS_AS(gas.scene.color_by_halo(foreign), Error);
  CHECK(gas.draw() == own);
  // As with every move of the camera.
  CHECK_NOTHROW(gas.scene.color_by_halo(foreign));
  CHECK(gas.draw() == own);
  gas.scene.color_by_halo(nullptr);
  CHECK(gas.draw() == own);
  // Asked for anew, so told anew.
  CHECK_THROWS_AS(gas.scene.color_by_halo(foreign), Error);
  gas.scene.color_by_halo(one);
  CHECK(gas.draw() == colored);
  gas.scene.color_by_halo(other);
  const auto others = gas.draw();
  CHECK(others != own);
  CHECK(others != colored);
  gas.scene.color_by_halo(nullptr);
  CHECK(gas.draw() == own);
}
