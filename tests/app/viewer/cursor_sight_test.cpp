#include "app/viewer/cursor_sight.h"

#include "tests/catch.h"
#include "tests/test_paths.h"

#include <memory>

// The point that is seen under the cursor, and the picture that it belongs to.

namespace haloscope::app::viewer {

namespace {

struct Sight {
  std::shared_ptr<OpenScene> scene;
  DepthRequest question;
  CursorSight cursor{{}};
  int looked = 0;

  Sight() {
    render::RenderRequest request;
    request.snapshot = test::sample_file();
    request.compute.device = "cpu";
    scene = open_scene(request, std::make_shared<Progress>());
    question = {session::first_camera(scene->model.bounds, 64, 48),
                {0, 0},
                64,
                looks_of(scene->model, {}, {})};
  }
  std::optional<Vec> point(session::PicturePoint at = {0, 0}) {
    return cursor.point(at, [&](PointProbe& probe) {
      ++looked;
      question.at = at;
      probe.look(scene, question);
    });
  }
  void find() {
    cursor.wait();
    cursor.receive();
  }
};

}  // namespace

TEST_CASE("a probe under the cursor ends when another picture is to come", "[window][cursor]") {
  Sight sight;
  CHECK_FALSE(sight.point());
  CHECK(sight.looked == 0);  // there is no picture
  sight.cursor.show(1);
  CHECK_FALSE(sight.point());
  CHECK(sight.cursor.busy());
  sight.cursor.show({});
  sight.cursor.wait();
  CHECK_FALSE(sight.cursor.busy());
  sight.cursor.receive();
  sight.cursor.show(2);
  CHECK_FALSE(sight.point());
  CHECK(sight.looked == 2);
}

TEST_CASE("what is seen under the cursor is looked for once per place and picture",
          "[window][cursor]") {
  Sight sight;
  sight.cursor.show(1);
  CHECK_FALSE(sight.point());
  sight.find();
  CHECK(sight.point());
  CHECK(sight.point());
  CHECK(sight.looked == 1);
  sight.cursor.show(1);
  CHECK(sight.point());
  CHECK_FALSE(sight.point({0.05, 0}));
  CHECK(sight.looked == 2);
  sight.find();
  sight.cursor.show(2);
  CHECK_FALSE(sight.point({0.05, 0}));
  CHECK(sight.looked == 3);
  // Stopped before it came: it may be asked for again.
  sight.cursor.cancel();
  sight.cursor.wait();
  CHECK_FALSE(sight.point({0.05, 0}));
  CHECK(sight.looked == 4);
}

}  // namespace haloscope::app::viewer
