#include "app/viewer/exporter.h"

#include "app/session/camera_motion.h"
#include "tests/catch.h"
#include "tests/test_paths.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>

// The text of a still, while the window draws the same scene otherwise.

namespace haloscope::app::viewer {

namespace {

// Of the window and of the still: between the drawing of a large one and its writing others draw.
constexpr int kSide = 16, kStillSide = 512;

session::State slab_of(const OpenScene& scene, double thickness) {
  session::State state;
  state.camera = session::first_camera(scene.model.bounds, kSide, kSide);
  state.slab.thickness = thickness;
  return state;
}

}  // namespace

TEST_CASE("a still's text tells the scene of its pixels, whatever the window draws meanwhile",
          "[window][export]") {
  render::RenderRequest request;
  request.snapshot = test::sample_file();
  request.compute.device = "cpu";
  const auto scene = open_scene(request, std::make_shared<Progress>());
  const session::State still = slab_of(*scene, 3), window = slab_of(*scene, 7);
  std::atomic<bool> ended = false;
  std::thread drawing([&] {
    Progress progress;
    const auto view = session::to_view(*window.camera, kSide, kSide);
    while (!ended)
      draw_sample(*scene, looks_of(scene->model, window, {}), view, 1, false, progress);
  });
  Exporter exporter([] {}, [](const auto&) {}, [](const auto&, const auto&) {},
                    [](const std::string& fault) { FAIL(fault); });
  session::StillRequest asked;
  asked.path = "still.png";
  asked.width = asked.height = kStillSide;
  asked.overlays = false;
  int others = 0;
  for (int k = 0; k < 10; ++k) {
    std::string png;
    exporter.picture(scene, {}, still, asked, [&](const std::string& bytes) { png = bytes; });
    exporter.wait();
    exporter.receive();
    others += png.find("\"thickness\":3.0") == std::string::npos;
  }
  ended = true;
  drawing.join();
  CHECK(others == 0);
}

}  // namespace haloscope::app::viewer
