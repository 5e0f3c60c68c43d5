// A scene whose particles get the colors of their halos, as a window asks for them with every
// picture.

#include "analysis/particle_colors.h"
#include "core/error.h"
#include "render/scene/snapshot_scene.h"
#include "tests/catch.h"
#include "tests/made/labeled.h"
#include "tests/test_paths.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::analysis;
using namespace haloscope::render;

namespace {

RenderRequest gas_request() {
  RenderRequest request;
  request.snapshot = test::sample_file();
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
  ParticleColors halos(std::size_t first, std::uint64_t rows_more = 0) const {
    std::vector<std::uint32_t> labels(scene.info().types.at(0).count + rows_more);
    for (std::size_t row = 0; row < labels.size(); ++row)
      labels[row] = std::uint32_t((row / 1000 + first) % kPieceColors);
    return test::labeled(0, std::move(labels), kPieceColors);
  }
};

}  // namespace

TEST_CASE("halos whose colors cannot be had are told once and leave particles their own",
          "[app][halos]") {
  Gas gas;
  const auto one = gas.halos(0), other = gas.halos(3), foreign = gas.halos(0, 1);
  const auto own = gas.draw();
  gas.scene.color_by(one);
  const auto colored = gas.draw();
  CHECK(colored != own);
  CHECK_THROWS_AS(gas.scene.color_by(foreign), Error);
  CHECK(gas.draw() == own);
  // As with every move of the camera.
  CHECK_NOTHROW(gas.scene.color_by(foreign));
  CHECK(gas.draw() == own);
  gas.scene.color_by({});
  CHECK(gas.draw() == own);
  // Asked for anew, so told anew.
  CHECK_THROWS_AS(gas.scene.color_by(foreign), Error);
  gas.scene.color_by(one);
  CHECK(gas.draw() == colored);
  gas.scene.color_by(other);
  const auto others = gas.draw();
  CHECK(others != own);
  CHECK(others != colored);
  gas.scene.color_by({});
  CHECK(gas.draw() == own);
}
