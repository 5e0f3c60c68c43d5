// What --stats tells of the pictures that came onto the screen.

#include "app/viewer/frame_log.h"

#include "tests/catch.h"
#include "tests/output_folder.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace haloscope::app::viewer {

namespace {

nlohmann::json written(const FrameLog& log) {
  const test::OutputFolder folder;
  log.write(folder.path("stats.json"), false, "none");
  std::ifstream file(folder.path("stats.json"));
  return nlohmann::json::parse(file);
}

session::Camera turned(int step) {
  session::Camera camera;
  camera.center[0] = step;
  return camera;
}

}  // namespace

TEST_CASE("pictures at rest belong to no motion", "[window]") {
  FrameLog log;
  log.want(turned(0), 0);
  log.shown(0.1, {70, 1, true, true});
  // Two motions of three changes, the second soon after the first one's picture in full.
  double now = 1;
  std::uint64_t serial = 1;
  for (int motion = 0; motion < 2; ++motion) {
    for (int step = 1; step <= 3; ++step, now += 0.016) {
      log.want(turned(3 * motion + step), now);
      Timings phases;
      phases.add("medium", 3);
      phases.add("medium", 2);
      log.shown(now + 0.01, {8, ++serial, false, false, 4, &phases});
    }
    log.shown(now + 0.05, {47, ++serial, true, true});
    now += 0.06;
  }
  const auto stats = written(log);
  const auto& intervals = stats.at("moving_interval_ms");
  CHECK(intervals.at("count") == 5);
  CHECK(intervals.at("median").get<double>() == Approx(16));
  // From the last picture of the one to the first of the other: the wait is not hidden.
  CHECK(intervals.at("longest").get<double>() == Approx(76));
  CHECK(stats.at("moving_drawing_ms").at("count") == 6);
  CHECK(stats.at("moving_drawing_ms").at("longest").get<double>() == Approx(8));
  CHECK(stats.at("moving_phases_ms").at("medium").at("median").get<double>() == Approx(5));
  CHECK(stats.at("moving_phases_ms").at("medium").at("count") == 6);
  CHECK(stats.at("moving_sample").at("longest") == 4);
}

TEST_CASE("a change of what was found is timed until it is shown, and until it is in full",
          "[window]") {
  FrameLog log;
  log.want({}, 0);
  log.shown(0.1, {5, 1, true});
  // Two changes, of which the first is shown coarsely; in full comes the last one. Before each
  // comes a picture that was asked for earlier and does not show it.
  log.asked_for_pieces(1);
  log.want_pieces(3, 1.004);
  log.shown(1.01, {5, 2, false});
  log.shown(1.02, {5, 3, false});
  log.asked_for_pieces(1.05);
  log.want_pieces(5, 1.052);
  log.shown(1.055, {5, 4, false});
  log.shown(1.065, {5, 5, true});
  log.shown(1.2, {5, 6, true});
  log.asked_for_pieces(2);
  log.want_pieces(7, 2.009);
  log.shown(2.018, {6, 7, false});
  const auto stats = written(log);
  const auto& shown = stats.at("pieces_shown_after_ms");
  CHECK(shown.at("count") == 3);
  CHECK(shown.at("median").get<double>() == Approx(18));
  CHECK(shown.at("longest").get<double>() == Approx(20));
  CHECK(stats.at("pieces_taking_ms").at("count") == 3);
  CHECK(stats.at("pieces_taking_ms").at("median").get<double>() == Approx(4));
  CHECK(stats.at("pieces_drawing_ms").at("count") == 3);
  CHECK(stats.at("pieces_drawing_ms").at("longest").get<double>() == Approx(6));
  const auto& full = stats.at("pieces_in_full_after_ms");
  CHECK(full.at("count") == 1);
  CHECK(full.at("median").get<double>() == Approx(15));
}

}  // namespace haloscope::app::viewer
