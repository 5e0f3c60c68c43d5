#include "app/viewer/loops.h"
#include "app/viewer/viewer.h"
#include "tests/catch.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

// The preview of a path in a session that somebody watches: its time, and what its camera follows.

namespace haloscope::app::viewer {

namespace {

class Session {
 public:
  Session() : viewer(base(), [this] { bell.ring(); }) { viewer.set_picture_size(64, 48); }
  void run(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      viewer.push(line);
      viewer.update(now);
      REQUIRE(until([&] { return viewer.settled(); }));
    }
  }
  template <class Good>
  bool until(const Good& good) {
    for (int k = 0; k < 600 && !good(); ++k) {
      bell.wait(std::chrono::milliseconds(20));
      viewer.update(now += moves ? 1 : 0);
    }
    return good();
  }
  std::string time() { return viewer.panel_input(1).path_time; }

  Doorbell bell;
  Viewer viewer;
  double now = 1;
  bool moves = true;  // so that glides end

 private:
  static render::RenderRequest base() {
    render::RenderRequest base;
    base.compute.device = "cpu";
    base.keep_lengths = io::KeepLengths::Nowhere;
    return base;
  }
};

}  // namespace

TEST_CASE("the preview tells its time, and goes along with the set that is followed",
          "[window][path]") {
  Session session;
  session.run({"open " + test::sample_file(), "add_key 0", "orbit 30 0", "add_key 4",
               "select_sphere 30% 30% 30% 20%", "set core", "follow core"});
  REQUIRE(session.until([&] { return session.viewer.followed_middle().has_value(); }));
  const Vec middle = *session.viewer.followed_middle();
  REQUIRE(session.viewer.state().path.size() == 2);
  REQUIRE(session.viewer.state().path[0].camera.center != middle);
  session.run({"pan 0.3 0"});
  CHECK(session.time().empty());
  session.moves = false;
  session.viewer.push("preview_path");
  session.viewer.update(session.now);
  session.viewer.update(session.now += 1);
  CHECK(session.time() == "1.0 of 4.0 s, z = 0.00");
  CHECK(session.until([&] {
    const auto input = session.viewer.panel_input(1);
    return input.picture && input.picture->camera.center == middle;
  }));
  session.moves = true;
  session.run({"cancel", "go_to_key 1"});
  CHECK(session.time().empty());
  CHECK(session.viewer.state().camera->center == middle);
}

TEST_CASE("the preview of a film through a series tells where in it the film is",
          "[window][path]") {
  const test::OutputFolder folder;
  const std::string sample = test::sample_file();
  for (const char* name : {"a.hdf5", "b.hdf5"})
    std::filesystem::copy_file(sample, folder.path(name));
  Session session;
  session.run({"open " + folder.path("a.hdf5") + " " + folder.path("b.hdf5"), "add_key 0",
               "next_snapshot", "orbit 30 0", "add_key 4", "previous_snapshot"});
  session.viewer.push("preview_path");
  session.viewer.update(session.now);
  CHECK(session.time() == "0.0 of 4.0 s, snapshot 1 of 2, z = 0.00");
  session.viewer.update(session.now += 1);
  CHECK(session.time() == "1.0 of 4.0 s, between snapshots 1 and 2 of 2, z = 0.00");
}

}  // namespace haloscope::app::viewer
