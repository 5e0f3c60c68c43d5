// What --stats tells of the pictures that came onto the screen.

#include "app/viewer/frame_log.h"

#include "tests/catch.h"
#include "tests/output_folder.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace haloscope::app::viewer {

TEST_CASE("a change of what was found is timed until it is shown, and until it is in full",
          "[window]") {
  const test::OutputFolder folder;
  FrameLog log;
  log.want({}, 0);
  log.shown(0.1, 5, 1, true);
  // Two changes, of which the first is shown coarsely; in full comes the last one. Before each
  // comes a picture that was asked for earlier and does not show it.
  log.asked_for_pieces(1);
  log.want_pieces(3, 1.004);
  log.shown(1.01, 5, 2, false);
  log.shown(1.02, 5, 3, false);
  log.asked_for_pieces(1.05);
  log.want_pieces(5, 1.052);
  log.shown(1.055, 5, 4, false);
  log.shown(1.065, 5, 5, true);
  log.shown(1.2, 5, 6, true);
  log.asked_for_pieces(2);
  log.want_pieces(7, 2.009);
  log.shown(2.018, 6, 7, false);
  log.write(folder.path("stats.json"), false, "none");
  std::ifstream file(folder.path("stats.json"));
  const auto stats = nlohmann::json::parse(file);
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
