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
  log.shown(0.1, 5, true);
  // Two changes, of which the first is shown coarsely; in full comes the last one.
  log.asked_for_pieces(1);
  log.want_pieces();
  log.shown(1.02, 5, false);
  log.asked_for_pieces(1.05);
  log.want_pieces();
  log.shown(1.08, 5, true);
  log.shown(1.2, 5, true);
  log.write(folder.path("stats.json"), false, "none");
  std::ifstream file(folder.path("stats.json"));
  const auto stats = nlohmann::json::parse(file);
  const auto& shown = stats.at("pieces_shown_after_ms");
  CHECK(shown.at("count") == 2);
  CHECK(shown.at("longest").get<double>() == Approx(30));
  CHECK(shown.at("median").get<double>() == Approx(30));
  const auto& full = stats.at("pieces_in_full_after_ms");
  CHECK(full.at("count") == 1);
  CHECK(full.at("median").get<double>() == Approx(30));
}

}  // namespace haloscope::app::viewer
