// Clusters that are cut again without a search: they are those of a search, in the window, its
// files and its states.

#include "analysis/clusters/clusters_options.h"
#include "analysis/finder.h"
#include "analysis/particle_colors.h"
#include "analysis/snapshot/open_snapshot.h"
#include "app/session/command_table.h"
#include "app/session/state_file.h"
#include "render/files/png_file.h"
#include "tests/app/cut_session.h"
#include "tests/app/session/fake_actions.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/oracles/hdf5_contents.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

namespace haloscope {

namespace {

using Words = std::vector<std::string>;
using analysis::ClustersOptions;
using test::cut_sample;
using test::height_of;

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

}  // namespace haloscope
