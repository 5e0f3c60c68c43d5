#include "app/session/camera_motion.h"
#include "app/viewer/frame/frame_parts.h"
#include "app/viewer/loops.h"
#include "app/viewer/viewer.h"
#include "tests/catch.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <chrono>
#include <memory>
#include <string>

// The first view stays one of all particles when the picture gets another size.

namespace haloscope::app::viewer {

namespace {

class Opened {
 public:
  Opened() {
    base_.compute.device = "cpu";
    viewer_ = std::make_unique<Viewer>(base_, [this] { bell_.ring(); });
    viewer_->set_headless();
    const Area picture = area();
    viewer_->set_picture_size(int(picture.width), int(picture.height));
    run("open " + test::source_dir() + "/assets/sample.hdf5");
  }
  ~Opened() { viewer_->stop(); }

  void run(const std::string& line) {
    viewer_->push(line);
    viewer_->update(now_ += 0.01);
    for (int k = 0; k < 1200 && !viewer_->settled(); ++k) {
      bell_.wait(std::chrono::milliseconds(50));
      viewer_->update(now_ += 0.01);
    }
    REQUIRE(viewer_->settled());
  }
  session::Camera camera() const { return *viewer_->state().camera; }
  // Of all particles in a picture of the size that it has now.
  session::Camera first_view() {
    const Area picture = area();
    return session::first_camera(viewer_->panel_input(1).scene->bounds, int(picture.width),
                                 int(picture.height));
  }
  bool can_undo() {
    const session::Camera before = camera();
    try {
      run("undo");
    } catch (const Error&) {
      return false;
    }
    return camera() != before;
  }

 private:
  Area area() const {
    const session::State& state = viewer_->state();
    return arrange(state.layout, float(state.width), float(state.height), 1).picture;
  }

  render::RenderRequest base_;
  Doorbell bell_;
  double now_ = 1;
  std::unique_ptr<Viewer> viewer_;
};

}  // namespace

TEST_CASE("all stays in the picture when layout, shelf or window change", "[window][layout]") {
  Opened session;
  REQUIRE(session.camera() == session.first_view());
  session::Camera former = session.camera();
  for (const char* line : {"layout analyse", "shelf_height 0.6", "inspector off", "size 900 900",
                           "layout present", "layout explore"}) {
    INFO(line);
    session.run(line);
    CHECK(session.camera() == session.first_view());
    CHECK(session.camera() != former);
    former = session.camera();
  }
  // A layout is no step of undo, nor is what follows from it.
  CHECK_FALSE(session.can_undo());
}

TEST_CASE("a camera that somebody has moved stays where it is", "[window][layout]") {
  Opened session;
  session.run("orbit 10 0");
  const session::Camera moved = session.camera();
  session.run("layout analyse");
  session.run("shelf_height 0.6");
  CHECK(session.camera() == moved);
  session.run("reset");
  CHECK(session.camera() == session.first_view());
  session.run("shelf off");
  CHECK(session.camera() == session.first_view());
}

TEST_CASE("the camera of a state is the state's, whatever its layout is", "[window][layout]") {
  const test::OutputFolder folder;
  Opened session;
  session.run("save_state " + folder.path("a.toml"));
  const session::Camera saved = session.camera();
  session.run("layout analyse");
  session.run("load_state " + folder.path("a.toml"));
  CHECK(session.camera() == saved);
}

}  // namespace haloscope::app::viewer
