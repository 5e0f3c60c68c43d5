// How much light types have beside one another in a picture.

#include "analysis/run_context.h"
#include "render/scene/snapshot_scene.h"
#include "tests/catch.h"
#include "tests/test_paths.h"

#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::render;

namespace {

// All light of the sample's types in the same view.
double light_of(const std::vector<std::string>& types) {
  Progress progress;
  analysis::RunContext context{progress, [](const std::string&) {}, {}};
  RenderRequest request;
  request.snapshot = test::sample_file();
  request.types = types;
  request.neighbors = 0;
  request.compute.device = "cpu";
  request.compute.deterministic = true;
  SnapshotScene scene(request, context);
  scene.load();
  CameraChoice camera;
  camera.target = {9000, 9000, 9000};
  camera.ortho_width = 40000;
  double sum = 0;
  for (const float value : scene.draw(scene.view(camera, {64, 48}), progress).image.pixels)
    sum += double(value);
  return sum;
}

}  // namespace

TEST_CASE("dark matter is half as bright beside gas as it is alone, and stars are not",
          "[render][looks]") {
  const double gas = light_of({"0"}), dm = light_of({"1"}), stars = light_of({"4"});
  CHECK(light_of({"0", "1"}) == Approx(gas + dm / 2).epsilon(1e-3));
  CHECK(light_of({"0", "4"}) == Approx(gas + stars).epsilon(1e-3));
  CHECK(light_of({"1", "4"}) == Approx(dm + stars).epsilon(1e-3));
}
