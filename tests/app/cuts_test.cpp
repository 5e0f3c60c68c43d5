// Clusters that are cut again without a search: they are those of a search, in the window, its
// files and its states.

#include "analysis/clusters/clusters_options.h"
#include "analysis/finder.h"
#include "analysis/particle_colors.h"
#include "analysis/snapshot/open_snapshot.h"
#include "app/session/command_table.h"
#include "app/session/recording.h"
#include "app/session/state_file.h"
#include "app/viewer/loops.h"
#include "app/viewer/viewer.h"
#include "render/files/png_file.h"
#include "tests/app/session/fake_actions.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/oracles/hdf5_contents.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace haloscope {

namespace {

using Words = std::vector<std::string>;
using analysis::ClustersOptions;

std::string cut_sample() {
  return test::source_dir() + "/assets/sample.hdf5";
}

// A session without a display, and other commands, in a folder of their own.
class CutFolder {
 public:
  test::Outcome view(const std::string& commands) const {
    test::put_bytes(folder.path("commands.txt"), commands);
    return run({"view", cut_sample(), "--headless", "--device", "cpu", "--run", "commands.txt"});
  }
  test::Outcome run(const Words& words) const {
    const auto former = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    test::Outcome outcome = test::run_program(words);
    std::filesystem::current_path(former);
    return outcome;
  }
  std::vector<std::uint8_t> pixels(const std::string& name) const {
    return render::read_png(folder.path(name)).pixels;
  }
  test::OutputFolder folder;
};

// A session that somebody watches.
class CutSession {
 public:
  CutSession() {
    base.compute.device = "cpu";
    viewer = std::make_unique<app::viewer::Viewer>(base, [this] { bell.ring(); });
    viewer->set_picture_size(64, 48);
    run("open " + cut_sample());
  }
  ~CutSession() { viewer->stop(); }

  void frame(const std::string& line = {}) {
    if (!line.empty()) viewer->push(line);
    viewer->update(now += 0.01);
  }
  // `until` is not asked before the next frame.
  template <class F>
  void wait(const F& until) {
    for (int k = 0; k < 1200 && !until(); ++k) {
      bell.wait(std::chrono::milliseconds(50));
      frame();
    }
    REQUIRE(until());
  }
  void run(const std::string& line) {
    frame(line);
    wait([&] { return viewer->settled() && !viewer->animating(now); });
  }
  const analysis::Finding* shown() { return viewer->panel_input(1).finding; }
  std::string cut() const {
    return viewer->state().finding("clusters").options.as<ClustersOptions>().cut;
  }
  std::string fault() { return viewer->panel_input(1).notice; }

  render::RenderRequest base;
  app::viewer::Doorbell bell;
  double now = 1;
  std::unique_ptr<app::viewer::Viewer> viewer;
};

// A height that so many of the tree's merges are below, with few digits.
std::string height_of(const analysis::Finding& found, double part) {
  const analysis::CutScale& cut = found.cut.value();
  const double height = cut.low * std::pow(cut.high / cut.low, part);
  return fmt::format("distance:{:.4g}", height);
}

// The search of the window's first cuts.
const char* const kFind = "find clusters min_cluster_size=15\nwait\ncolor_by clusters\nwait\n";

}  // namespace

TEST_CASE("bad cuts and branches are told in one sentence", "[cuts]") {
  app::session::State state;
  test::FakeActions actions;
  const auto run = [&](const std::string& line) {
    app::session::run_command(line, state, actions);
  };
  const app::session::State before = state;
  CHECK_THROWS_WITH(run("cut halos distance:1"),
                    "cut: what halos finds is no hierarchy that could be cut");
  CHECK_THROWS_WITH(run("cut clusters distance:1"),
                    "cut: no clusters have been searched for: find clusters first");
  CHECK_THROWS_WITH(run("cut clusters 12"),
                    "cut: WHERE: '12' is no cut; write distance:LENGTH, count:N or spacings:B");
  CHECK_THROWS_WITH(run("cut clusters distance:0"),
                    "cut: WHERE: a height of 0 is not above 0; give a positive one");
  CHECK_THROWS_WITH(run("cut clusters count:2.5"),
                    "cut: WHERE: '2.5' is no number of clusters; give a whole number of 1 or more");
  CHECK_THROWS_WITH(run("cut clusters distance:nan"), Catch::Contains("WHERE"));
  CHECK_THROWS_WITH(run("cut clusters distance:1 0"), "cut: MEMBERS must be 1 or more");
  CHECK_THROWS_WITH(run("select_branch clusters 1"),
                    "select_branch: no clusters have been searched for: find clusters first");
  state.finding("clusters").searched = true;
  CHECK_THROWS_WITH(run("select_branch clusters 1"),
                    "select_branch: these clusters have no branches: find clusters without a cut");
  state.finding("clusters").searched = false;
  CHECK((state == before));
}

TEST_CASE("a cut keeps the options of the tree, and those of the smallest cluster", "[cuts]") {
  app::session::State state;
  test::FakeActions actions;
  const auto run = [&](const std::string& line) {
    app::session::run_command(line, state, actions);
  };
  const auto options = [&] { return state.finding("clusters").options.as<ClustersOptions>(); };
  run("find clusters types=dm min_samples=7 select=leaf");
  run("cut clusters distance:12.5");
  ClustersOptions expected;
  expected.types = {"dm"};
  expected.min_samples = 7;
  expected.min_cluster_size = 20;
  expected.cut = "distance:12.5";
  CHECK((options() == expected));
  run("cut clusters count:9 3");
  expected.cut = "count:9";
  expected.min_cluster_size = 3;
  CHECK((options() == expected));
  run("cut clusters spacings:0.2 1");
  expected.cut = "spacings:0.2";
  expected.min_cluster_size.reset();
  CHECK((options() == expected));
  state.finding("clusters").color_field = "probability";
  run("cut clusters off 20");
  CHECK(state.finding("clusters").color_field == "probability");
  expected.cut.clear();
  CHECK((options() == expected));
  const auto asked = actions.asked.size();
  run("cut clusters off");
  CHECK(actions.asked.size() == asked);
  run("find clusters linkage=single");
  run("cut clusters distance:3 1");
  CHECK(state.finding("clusters").color_field.empty());
  run("cut clusters off");
  CHECK((options() == [] {
    ClustersOptions single;
    single.linkage = analysis::Linkage::Single;
    return single;
  }()));
}

TEST_CASE("clusters that are taken again are those of a search", "[cuts]") {
  const analysis::Finder& finder = analysis::require_finder("clusters");
  const auto reader = analysis::open_snapshot(cut_sample(), {});
  analysis::FindRequest request;
  Progress progress;
  const auto find = [&](const ClustersOptions& options) {
    return analysis::find_in(*reader, "clusters", options, request, progress);
  };
  for (const auto linkage : {analysis::Linkage::Hdbscan, analysis::Linkage::Single}) {
    ClustersOptions options;
    options.linkage = linkage;
    const auto first = find(options);
    REQUIRE(first->cut);
    CHECK_FALSE(first->cut->at);
    std::vector<ClustersOptions> asked;
    for (const double part : {0.3, 0.6, 0.9}) {
      asked.push_back(options);
      asked.back().cut = height_of(*first, part);
    }
    asked.push_back(options);
    asked.back().cut = "spacings:0.3";
    asked.push_back(options);
    asked.back().cut = "count:50";
    for (ClustersOptions& one : asked) one.min_cluster_size = 5;
    asked.back().min_cluster_size.reset();
    if (linkage == analysis::Linkage::Hdbscan) {
      asked.push_back(options);
      asked.back().min_cluster_size = 40;
      asked.push_back(options);
      asked.back().selection = compute::clusters::Selection::Leaf;
    }
    auto former = first;
    for (const ClustersOptions& one : asked) {
      CAPTURE(one.cut, int(linkage));
      REQUIRE(finder.shares_work(*former, one));
      const auto fresh = find(one);
      // The tree alone was found without the masses that tell a mean spacing.
      const bool reads = linkage == analysis::Linkage::Single && one.cut.starts_with("spacings");
      CHECK(finder.needs_reading(*former, one) == reads);
      if (reads) {
        analysis::FindRequest with_tree = request;
        with_tree.known = former;
        const auto read = analysis::find_in(*reader, "clusters", one, with_tree, progress);
        CHECK(read->hierarchy == first->hierarchy);
        CHECK((read->labels->of == fresh->labels->of));
        continue;
      }
      const auto again = analysis::take_again(*former, one);
      CHECK_FALSE(again->measured);
      CHECK(fresh->measured);
      CHECK((again->options == fresh->options));
      CHECK(again->files == fresh->files);
      CHECK(again->hierarchy == first->hierarchy);
      CHECK(again->pieces == fresh->pieces);
      CHECK(again->pieces > 0);
      CHECK(again->summary == fresh->summary);
      REQUIRE(again->labels);
      CHECK((again->labels->of == fresh->labels->of));
      CHECK((again->columns.at(0).values == fresh->columns.at(0).values));
      CHECK(again->places.empty());
      CHECK(again->plots.size() == fresh->plots.size());
      for (std::size_t k = 0; k < again->plots.size(); ++k) {
        CHECK(again->plots[k].name == fresh->plots[k].name);
        REQUIRE(again->plots[k].marks.size() == fresh->plots[k].marks.size());
        for (std::size_t m = 0; m < again->plots[k].marks.size(); ++m)
          CHECK(again->plots[k].marks[m].at == fresh->plots[k].marks[m].at);
        REQUIRE(again->plots[k].layers.size() == fresh->plots[k].layers.size());
        for (std::size_t l = 0; l < again->plots[k].layers.size(); ++l)
          CHECK(again->plots[k].layers[l].name == fresh->plots[k].layers[l].name);
      }
      CHECK((again->fields.size() == fresh->fields.size()));
      for (const auto& [name, field] : fresh->fields)
        CHECK((again->fields.at(name).values.at(1) == field.values.at(1)));
      // And measured, of the same tree: all that a search of its own finds.
      analysis::FindRequest with_tree = request;
      with_tree.known = former;
      const auto measured = analysis::find_in(*reader, "clusters", one, with_tree, progress);
      CHECK(measured->hierarchy == first->hierarchy);
      CHECK((measured->labels->of == fresh->labels->of));
      REQUIRE(measured->columns.size() == fresh->columns.size());
      for (std::size_t k = 0; k < fresh->columns.size(); ++k)
        CHECK((measured->columns[k].values == fresh->columns[k].values));
      former = again;
    }
    ClustersOptions other = options;
    other.types = {"gas"};
    CHECK_FALSE(finder.shares_work(*first, other));
    other = options;
    other.linkage = linkage == analysis::Linkage::Single ? analysis::Linkage::Hdbscan
                                                         : analysis::Linkage::Single;
    CHECK_FALSE(finder.shares_work(*first, other));
  }
}

TEST_CASE("what was cut again is drawn and written as a search finds it", "[cuts][window]") {
  const CutFolder again, fresh;
  const std::string tail =
      "wait\nscreenshot cut.png overlays 160x120\nwait\nexport clusters cut.hdf5\nwait\n"
      "save_state cut.toml\n";
  for (const std::string& at : Words{"spacings:0.25", "count:4000"}) {
    CAPTURE(at);
    const auto one = again.view(
        std::string(kFind) + "screenshot own.png overlays 160x120\nwait\n" + "cut clusters " + at +
        "\n" + tail + "cut clusters off\nwait\nscreenshot back.png overlays 160x120\nwait\n");
    INFO(one.out << one.err);
    REQUIRE(one.code == 0);
    const auto other = fresh.view("find clusters min_cluster_size=15 cut=" + at +
                                  "\nwait\ncolor_by clusters\n" + tail);
    INFO(other.out << other.err);
    REQUIRE(other.code == 0);
    const bool same_pixels = again.pixels("cut.png") == fresh.pixels("cut.png");
    CHECK(same_pixels);
    const bool changed = again.pixels("cut.png") != again.pixels("own.png");
    CHECK(changed);
    const bool back = again.pixels("back.png") == again.pixels("own.png");
    CHECK(back);
    CHECK(test::differences(again.folder.path("cut.hdf5"), fresh.folder.path("cut.hdf5")).empty());
    CHECK(test::file_bytes(again.folder.path("cut.toml")) ==
          test::file_bytes(fresh.folder.path("cut.toml")));
    for (const char* const name : {"cut.png", "cut.hdf5", "cut.toml", "own.png", "back.png"}) {
      std::filesystem::remove(again.folder.path(name));
      if (std::filesystem::exists(fresh.folder.path(name)))
        std::filesystem::remove(fresh.folder.path(name));
    }
  }
}

TEST_CASE("a state keeps the newest cut, which render draws to the same pixels", "[cuts][window]") {
  const CutFolder folder;
  const auto seen = folder.view(std::string(kFind) +
                                "cut clusters count:4000\ncut clusters spacings:0.3 8\nwait\n"
                                "screenshot seen.png bare 160x120\nwait\nsave_state s.toml\n");
  INFO(seen.out << seen.err);
  REQUIRE(seen.code == 0);
  const app::session::State state = app::session::load_state(folder.folder.path("s.toml")).state;
  const auto& options = state.finding("clusters").options.as<ClustersOptions>();
  CHECK(options.cut == "spacings:0.3");
  CHECK(options.min_cluster_size == 8u);
  const auto drawn = folder.run({"render", cut_sample(), "-o", "drawn.png", "--state", "s.toml",
                                 "--size", "160x120", "--device", "cpu"});
  INFO(drawn.out << drawn.err);
  REQUIRE(drawn.code == 0);
  const bool same_pixels = folder.pixels("drawn.png") == folder.pixels("seen.png");
  CHECK(same_pixels);
}

TEST_CASE("a drag of the cut is one step, and shows pieces while it lasts", "[cuts][window]") {
  const test::OutputFolder folder;
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
  const auto is_measuring = [&] {
    const auto jobs = session.viewer->panel_input(1).jobs;
    const auto& job = jobs[app::session::JobKind::Find];
    return job.busy && job.name == "finding clusters";
  };
  // No time goes by, so that the picture does not come to rest.
  const auto stay = [&](const std::string& line = {}) {
    if (!line.empty()) session.viewer->push(line);
    session.bell.wait(std::chrono::milliseconds(20));
    session.viewer->update(session.now);
  };
  // Bounded by time: pictures ring the bell too.
  const auto stay_until = [&](bool measured, const std::string& line = {}) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (session.shown()->measured != measured && std::chrono::steady_clock::now() < end)
      stay(line);
  };
  session.frame("cut clusters " + height_of(found, 0.5));
  stay_until(false);
  REQUIRE_FALSE(session.shown()->measured);
  // Of a fast machine pictures in motion may be full: then nothing is to be waited for.
  const auto is_full = [&] {
    const auto* const picture = session.viewer->panel_input(1).picture;
    return picture && picture->divisor == 1 && picture->sample == 1;
  };
  for (int k = 0; k < 20; ++k) {
    stay();
    CHECK((!is_measuring() || is_full()));
  }
  CHECK((!session.shown()->measured || is_full()));
  SECTION("it rests") {
    session.run({});
    CHECK(session.shown()->measured);
  }
  SECTION("the camera goes on moving") {
    session.now += 1.1;
    stay_until(true, "orbit 1 0");
    CHECK(session.shown()->measured);
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
  CHECK(session.fault().starts_with("cut: WHERE: a height of "));
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
    const test::OutputFolder folder;
    app::session::save_state(state, folder.path("s.toml"));
    CHECK((app::session::load_state(folder.path("s.toml")).state.selection == state.selection));
  }
  CHECK(std::uint64_t(std::count_if(branches.piece.begin(), branches.piece.end(),
                                    [](std::uint32_t piece) { return piece != Labels::kNone; })) ==
        session.shown()->pieces);
  session.run(fmt::format("select_branch clusters {}", branches.count()));
  CHECK(session.fault() ==
        fmt::format("select_branch: there is no branch {0}: there are {0}, from 0 on",
                    branches.count()));
}

}  // namespace haloscope
