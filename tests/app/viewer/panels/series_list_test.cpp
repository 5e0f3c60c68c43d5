#include "app/viewer/panels/series_list.h"

#include "tests/app/viewer/hand.h"
#include "tests/catch.h"

#include <string>
#include <vector>

// The snapshots of a series, one of which is chosen.

namespace haloscope::app::viewer {

TEST_CASE("a click in the list of a series shows that snapshot", "[window][series]") {
  SeriesMoments moments{SeriesMoment{0.5, "z = 1.00"}, std::nullopt, SeriesMoment{1, "z = 0.00"}};
  test::Hand hand([&](const PanelInput& input) {
    PanelInput with = input;
    with.moments = &moments;
    show_series_list(with);
  });
  hand.state.snapshots = {"/data/s_0.hdf5", "/data/s_1.hdf5", "/data/s_2.hdf5"};
  hand.state.current = 1;
  hand.rest(3);
  for (float y = 4; y < 200; y += 5) hand.click(100, y);
  std::vector<std::string> lines;
  for (const std::string& line : hand.emitted)
    if (lines.empty() || lines.back() != line) lines.push_back(line);
  // The one that is shown already asks for nothing.
  CHECK(lines == std::vector<std::string>{"show_snapshot 0", "show_snapshot 2"});
  // A long series is scrolled to the one that is shown.
  hand.state.snapshots.assign(5000, "/data/s.hdf5");
  hand.state.current = 4321;
  hand.rest(4);
  hand.emitted.clear();
  hand.click(100, 300);
  REQUIRE(hand.emitted.size() == 1);
  const int shown = std::stoi(hand.emitted[0].substr(std::string("show_snapshot ").size()));
  CHECK(std::abs(shown - 4321) < 60);
}

}  // namespace haloscope::app::viewer
