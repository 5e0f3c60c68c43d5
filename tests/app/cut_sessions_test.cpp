// Clusters that are cut again in the window: while the cut is dragged, behind it, and when it is
// stopped.

#include "analysis/finder.h"
#include "app/session/recording.h"
#include "app/session/state_file.h"
#include "tests/app/cut_session.h"
#include "tests/output_folder.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace haloscope::test {

using analysis::ClustersOptions;
using Words = std::vector<std::string>;

TEST_CASE("a drag of the cut is one step, and shows pieces while it lasts", "[cuts][window]") {
  const OutputFolder folder;
  CutSession session;
  session.run("find clusters min_cluster_size=15");
  REQUIRE(session.shown());
  const auto first = session.shown()->pieces;
  const analysis::Finding found = *session.shown();
  const app::session::State before = session.viewer->state();
  session.viewer->record(folder.path("session.txt"));
  session.viewer->set_held(true);
  for (const double part : {0.3, 0.5, 0.7}) {
    session.frame("cut clusters " + height_of(found, part));
    // Something comes while the button is held, and is not measured.
    session.wait([&] {
      const analysis::Finding* shown = session.shown();
      return shown && !shown->measured &&
             shown->options.as<ClustersOptions>().cut == height_of(found, part);
    });
    CHECK(session.shown()->hierarchy == found.hierarchy);
  }
  for (int k = 0; k < 5; ++k) {
    session.frame();
    CHECK_FALSE(session.viewer->panel_input(1).jobs[app::session::JobKind::Find].busy);
  }
  CHECK_FALSE(session.shown()->measured);
  session.viewer->set_held(false);
  session.run({});
  REQUIRE(session.shown());
  CHECK(session.shown()->measured);
  CHECK(session.cut() == height_of(found, 0.7));
  const auto last = session.shown()->pieces;
  session.run("undo");
  CHECK((session.viewer->state() == before));
  REQUIRE(session.shown());
  CHECK(session.shown()->pieces == first);
  session.run("redo");
  CHECK(session.cut() == height_of(found, 0.7));
  CHECK(session.shown()->pieces == last);
  CHECK(session.shown()->measured);
  Words names;
  for (const auto& recorded : app::session::read_recording(folder.path("session.txt")))
    names.push_back(app::session::to_text(recorded.call));
  CHECK(names == Words{"one_step on", "cut clusters " + height_of(found, 0.3),
                       "cut clusters " + height_of(found, 0.5),
                       "cut clusters " + height_of(found, 0.7), "one_step off", "undo", "redo"});
}

TEST_CASE("what was cut is measured behind its picture in full", "[cuts][window]") {
  CutSession session;
  session.run("find clusters min_cluster_size=15");
  REQUIRE(session.shown());
  // So large that pictures in motion are coarse, once one in full has told what it costs.
  session.viewer->set_picture_size(2400, 1600);
  session.run("color_by clusters");
  const analysis::Finding found = *session.shown();
  const auto is_measured_early = [&] {
    const auto input = session.viewer->panel_input(1);
    const auto& job = input.jobs[app::session::JobKind::Find];
    const bool measuring = job.busy && job.name == "finding clusters";
    // On a fast machine pictures in motion may be full: then nothing is to be waited for.
    const bool full = input.picture && input.picture->divisor == 1 && input.picture->sample == 1;
    return (measuring || session.shown()->measured) && !full;
  };
  // No time goes by, so that the picture does not come to rest.
  const auto stay = [&](const std::string& line = {}) {
    if (!line.empty()) session.viewer->push(line);
    session.bell.wait(std::chrono::milliseconds(20));
    session.viewer->update(session.now);
  };
  // Bounded by time: pictures ring the bell too.
  const auto until_measured = [&](bool measured, const auto& step) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (session.shown()->measured != measured && std::chrono::steady_clock::now() < end) step();
    REQUIRE(session.shown()->measured == measured);
  };
  session.frame("cut clusters " + height_of(found, 0.5));
  until_measured(false, stay);
  for (int k = 0; k < 20; ++k) {
    stay();
    CHECK_FALSE(is_measured_early());
  }
  SECTION("it rests") {
    until_measured(true, [&] {
      session.bell.wait(std::chrono::milliseconds(20));
      session.frame();
      CHECK_FALSE(is_measured_early());
    });
  }
  SECTION("the camera goes on moving") {
    session.now += 0.9;
    for (int k = 0; k < 5; ++k) {
      stay("orbit 1 0");
      CHECK_FALSE(is_measured_early());
    }
    session.now += 0.2;
    until_measured(true, [&] { stay("orbit 1 0"); });
  }
}

TEST_CASE("of many cuts at once the newest stays", "[cuts][window]") {
  CutSession session;
  session.run("find clusters linkage=single");
  REQUIRE(session.shown());
  CHECK(session.shown()->pieces == 0);
  const analysis::Finding found = *session.shown();
  for (int k = 1; k < 10; ++k)
    session.viewer->push("cut clusters " + height_of(found, 0.1 * k) + " 10");
  session.run({});
  CHECK(session.cut() == height_of(found, 0.9));
  REQUIRE(session.shown());
  CHECK(session.shown()->measured);
  ClustersOptions options;
  options.linkage = analysis::Linkage::Single;
  options.cut = height_of(found, 0.9);
  options.min_cluster_size = 10;
  CHECK((session.shown()->options == analysis::AnyOptions(options)));
  // Above the last merge all would be one cluster.
  const std::string above = fmt::format("distance:{}", 2 * found.cut->high);
  session.run("cut clusters " + above);
  CHECK(session.fault().starts_with("a height of "));
  CHECK(session.cut() == options.cut);
  CHECK((session.shown()->options == analysis::AnyOptions(options)));
}

TEST_CASE("cutting again is stopped, and the state is of what is shown", "[cuts][window]") {
  CutSession session;
  session.run("find clusters min_cluster_size=15");
  const analysis::Finding found = *session.shown();
  session.frame("cut clusters " + height_of(found, 0.6));
  session.run("cancel find");
  session.frame();
  REQUIRE(session.shown());
  CHECK((session.shown()->options == session.viewer->state().finding("clusters").options));
  CHECK(session.viewer->state().finding("clusters").searched);
}

TEST_CASE("what is not measured when the measuring is stopped gives way to what was",
          "[cuts][window]") {
  CutSession session;
  session.run("find clusters min_cluster_size=15");
  const analysis::Finding found = *session.shown();
  session.viewer->set_held(true);
  session.frame("cut clusters " + height_of(found, 0.6));
  session.wait([&] { return !session.shown()->measured; });
  SECTION("by the user") {
    session.run("cancel find");
  }
  SECTION("by a snapshot that is not there") {
    session.run("open " + source_dir() + "/assets/not_there.hdf5");
  }
  session.viewer->set_held(false);
  session.run({});
  REQUIRE(session.shown());
  CHECK(session.shown()->measured);
  CHECK((session.shown()->options == found.options));
  CHECK((session.viewer->state().finding("clusters").options == found.options));
  CHECK(session.viewer->state().finding("clusters").searched);
}

TEST_CASE("the members of a branch are selected and brought to the middle", "[cuts][window]") {
  CutSession session;
  session.run("find clusters min_cluster_size=30");
  REQUIRE(session.shown());
  REQUIRE(session.shown()->branches);
  const analysis::FoundBranches branches = *session.shown()->branches;
  REQUIRE(branches.count() > 3);
  // Branches that are clusters of their own among them.
  std::vector<std::uint64_t> numbers{0, 2, branches.count() - 1};
  for (std::uint64_t number = 0; number < branches.count() && numbers.size() < 5; ++number)
    if (branches.piece.at(number) != Labels::kNone) numbers.push_back(number);
  REQUIRE(numbers.size() == 5);
  for (const std::uint64_t number : numbers) {
    CAPTURE(number);
    session.run(fmt::format("select_branch clusters {}", number));
    session.wait([&] { return session.viewer->idle(); });
    const app::session::State state = session.viewer->state();
    CHECK(state.selection.kind == app::session::SelectionKind::Branch);
    CHECK(state.selection.piece == number);
    const std::vector<bool> within = branches.within(number);
    // What is a cluster of its own is selected in the table too, and nothing else is.
    const std::uint32_t piece = branches.piece.at(number);
    const auto selected = state.finding("clusters").selected;
    CHECK(selected.has_value() == (piece != Labels::kNone));
    if (selected) {
      CHECK(*selected == piece);
      std::uint64_t members = 0;
      for (const auto& [type, labels] : branches.innermost.of)
        for (const std::uint32_t branch : labels)
          members += branch != Labels::kNone && within[branch];
      CHECK(session.shown()->columns[0].values[piece] == double(members));
    }
    CHECK(state.camera->center[0] == branches.places[number].center[0]);
    const auto input = session.viewer->panel_input(1);
    REQUIRE(input.selected);
    std::uint64_t expected = 0;
    for (const auto& [type, labels] : branches.innermost.of)
      for (const std::uint32_t branch : labels) {
        // Up to the root, one parent after another.
        std::uint32_t up = branch;
        while (up != Labels::kNone && up != number) up = branches.parent[up];
        expected += up == number;
        CHECK(within[branch] == (up == number));
      }
    CHECK(input.selected->selected() == expected);
    CHECK(expected >= 30);
    const OutputFolder folder;
    app::session::save_state(state, folder.path("s.toml"));
    CHECK((app::session::load_state(folder.path("s.toml")).state.selection == state.selection));
  }
  CHECK(std::uint64_t(std::count_if(branches.piece.begin(), branches.piece.end(),
                                    [](std::uint32_t piece) { return piece != Labels::kNone; })) ==
        session.shown()->pieces);
  session.run(fmt::format("select_branch clusters {}", branches.count()));
  CHECK(session.fault() ==
        fmt::format("there is no branch {0}: there are {0}, from 0 on", branches.count()));
}

}  // namespace haloscope::test
