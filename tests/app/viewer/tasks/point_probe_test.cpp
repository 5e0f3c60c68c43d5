#include "app/viewer/tasks/point_probe.h"

#include "tests/catch.h"
#include "tests/test_paths.h"

#include <memory>
#include <string>
#include <vector>

// The point under the mouse.

namespace haloscope::app::viewer {

TEST_CASE("the point under the mouse comes once, and not for a question that was dropped",
          "[window][task]") {
  render::RenderRequest request;
  request.snapshot = test::sample_file();
  request.compute.device = "cpu";
  const auto scene = open_scene(request, std::make_shared<Progress>());
  const render::Bounds& bounds = scene->model.bounds;
  session::State state;
  DepthRequest question{
      session::first_camera(bounds, 64, 48), {0, 0}, 64, looks_of(scene->model, state, {})};
  std::vector<std::string> faults;
  PointProbe probe({}, [&](const std::string& fault) { faults.push_back(fault); });
  CHECK_FALSE(probe.receive());
  probe.look(scene, question);
  probe.wait();
  CHECK(probe.busy());
  const auto point = probe.receive();
  REQUIRE(point);
  REQUIRE(*point);
  for (std::size_t c = 0; c < 3; ++c) {
    CHECK((**point)[c] >= bounds.low[c]);
    CHECK((**point)[c] <= bounds.high[c]);
  }
  CHECK_FALSE(probe.receive());
  CHECK_FALSE(probe.busy());
  probe.look(scene, question);
  probe.wait();
  probe.cancel();
  CHECK_FALSE(probe.receive());
  // Where no particles are shown, no light is seen.
  for (const int type : scene->model.types) state.types[type].shown = false;
  question.looks = looks_of(scene->model, state, {});
  probe.look(scene, question);
  probe.wait();
  const auto dark = probe.receive();
  REQUIRE(dark);
  CHECK_FALSE(*dark);
  CHECK_FALSE(probe.busy());
  CHECK(faults.empty());
}

}  // namespace haloscope::app::viewer
