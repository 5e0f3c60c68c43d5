// What is drawn over picture and plots selects the particles that it should, counted here.

#include "analysis/snapshot/open_snapshot.h"
#include "app/session/camera_motion.h"
#include "app/session/state_file.h"
#include "core/image.h"
#include "render/files/png_file.h"
#include "tests/app/viewer/window_context.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/set_snapshots.h"
#include "tests/output_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

namespace {

using test::OutputFolder;
using test::SetSnapshot;

struct OneSnapshot {
  OutputFolder folder;
  SetSnapshot made{false};

  OneSnapshot() { made.write(folder.path("a.hdf5")); }
  test::Outcome view(const std::string& commands) const {
    test::put_bytes(folder.path("run.txt"), commands);
    return test::run_program({"view", folder.path("a.hdf5"), "--headless", "--device", "cpu",
                              "--run", folder.path("run.txt"), "--keep-going"});
  }
  std::string file(const std::string& name) const { return folder.path(name); }
};

// How many of a type a selection that was written has.
std::uint64_t written(const std::string& path, int type) {
  const auto reader = analysis::open_snapshot(path, {});
  const auto found = reader->info().types.find(type);
  return found == reader->info().types.end() ? 0 : found->second.count;
}

template <class Test>
std::uint64_t count_places(const std::vector<float>& at, const Test& test) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < at.size(); i += 3)
    count += test(Vec{double(at[i]), double(at[i + 1]), double(at[i + 2])});
  return count;
}

}  // namespace

TEST_CASE("a lasso selects what the camera sees inside it", "[brush][window]") {
  const OneSnapshot one;
  const auto run = one.view(
      "wait\norbit 30 20\nselect_lasso -0.2 -0.1 0.1 -0.1 0.1 0.2 -0.2 0.2\n"
      "save_state " +
      one.file("s.toml") + "\nexport_selection " + one.file("in.hdf5") + "\nundo\nsave_state " +
      one.file("u.toml") + "\n");
  INFO(run.out + run.err);
  REQUIRE(run.code == 0);
  const session::Camera camera = *session::load_state(one.file("s.toml")).state.camera;
  const auto is_inside = [&](Vec point) {
    for (std::size_t c = 0; c < 3; ++c)
      point[c] -= SetSnapshot::kBox * std::round((point[c] - camera.center[c]) / SetSnapshot::kBox);
    const auto at = session::project(camera, point);
    return at && at->x > -0.2 && at->x < 0.1 && at->y > -0.1 && at->y < 0.2;
  };
  const std::uint64_t gas = count_places(one.made.gas, is_inside);
  CHECK(gas > 20);
  CHECK(written(one.file("in.hdf5"), 0) == gas);
  CHECK(written(one.file("in.hdf5"), 1) == count_places(one.made.dark, is_inside));
  CHECK(session::load_state(one.file("u.toml")).state.selection.kind ==
        session::SelectionKind::None);
}

TEST_CASE("a brush in a plot selects by fields, radii and masses", "[brush][window]") {
  const OneSnapshot one;
  const auto run = one.view(
      "phase x=Density y=Coordinates[0] weight=count\nprofile at 5 5 5 bins=8\nwait\n"
      "brush phase 100 300 0 10\nexport_selection " +
      one.file("phase.hdf5") +
      "\nwait\nphase x=Density weight=count\nwait\nbrush histogram 100 200\nexport_selection " +
      one.file("histogram.hdf5") + "\nwait\nbrush profile_density 1 3\nexport_selection " +
      one.file("shell.hdf5") +
      "\nwait\nfind halos linking_length=0.9 min_members=5 attach=none types=dm\nwait\n"
      "brush mass_function 1e-3 1e30\nexport_selection " +
      one.file("halos.hdf5") + "\nwait\n");
  INFO(run.out + run.err);
  REQUIRE(run.code == 0);
  // The gas has its IDs, 1 to 900, as Density.
  CHECK(written(one.file("phase.hdf5"), 0) == 200);
  CHECK(written(one.file("phase.hdf5"), 1) == 0);
  CHECK(written(one.file("histogram.hdf5"), 0) == 100);
  const auto in_shell = [](const Vec& point) {
    double square = 0;
    for (const double x : point) square += (x - 5) * (x - 5);
    return square >= 1 && square < 9;
  };
  CHECK(written(one.file("shell.hdf5"), 0) == count_places(one.made.gas, in_shell));
  CHECK(written(one.file("shell.hdf5"), 1) == count_places(one.made.dark, in_shell));
  CHECK(written(one.file("halos.hdf5"), 1) > 20);
  CHECK(written(one.file("halos.hdf5"), 0) == 0);
}

TEST_CASE("a brush in plots of comparisons and hierarchies selects members", "[brush][window]") {
  const OneSnapshot one;
  const std::string find = "linking_length=0.9 min_members=5 attach=none types=dm\nwait\n";
  const auto run = one.view(
      "find halos linking_length=0.8 min_members=5 attach=none types=dm\nwait\nfind halos " + find +
      "compare halos\nwait\nbrush mass_ratios 1e-30 1e30 1e-30 1e30\nexport_selection " +
      one.file("pairs.hdf5") + "\nwait\nbrush compared_counts 1e-30 1e30\nexport_selection " +
      one.file("all.hdf5") + "\nwait\nexport_plot mass_ratios " + one.file("pairs.csv") +
      "\nexport halos " + one.file("halos.csv") + "\nwait\ncompare off\n" +
      "find clusters min_cluster_size=5 types=dm\nwait\nbrush dendrogram -1e3 1e3 1e-30 1e30\n" +
      "export_selection " + one.file("root.hdf5") + "\nwait\nsave_state " + one.file("s.toml") +
      "\n");
  INFO(run.out + run.err);
  REQUIRE(run.code == 0);
  // Column by its name, of rows behind the comments.
  const auto sum_of = [&](const std::string& file, const std::string& name, double& rows) {
    std::istringstream lines(test::file_bytes(one.file(file)));
    std::string line;
    while (std::getline(lines, line) && line.starts_with("#")) continue;
    const auto cells = [](const std::string& text) {
      std::vector<std::string> all;
      std::istringstream from(text);
      for (std::string cell; std::getline(from, cell, ',');) all.push_back(cell);
      return all;
    };
    const auto titles = cells(line);
    const auto at = std::find(titles.begin(), titles.end(), name) - titles.begin();
    REQUIRE(std::size_t(at) < titles.size());
    double sum = 0;
    for (rows = 0; std::getline(lines, line); ++rows)
      sum += std::stod(cells(line)[std::size_t(at)]);
    return sum;
  };
  double halos = 0, pairs = 0;
  const double members = sum_of("halos.csv", "GroupLen", halos);
  CHECK(halos > 5);
  CHECK(double(written(one.file("all.hdf5"), 1)) == members);
  sum_of("pairs.csv", "row_first", pairs);
  CHECK(pairs > 0);
  CHECK(pairs < halos);
  CHECK(written(one.file("pairs.hdf5"), 1) > 5);
  CHECK(double(written(one.file("pairs.hdf5"), 1)) < members);
  // All branches hold what is in any cluster.
  CHECK(session::load_state(one.file("s.toml")).state.selection.kind ==
        session::SelectionKind::Branch);
  CHECK(written(one.file("root.hdf5"), 1) > members / 4);
}

TEST_CASE("one set that cannot be found leaves the others, and maps say that they show none",
          "[brush][sets][window]") {
  if (!test::gl_context()) return;
  const OneSnapshot one;
  const auto good =
      one.view("select_sphere 5 5 5 3\nset near orange\nshow_sets only\nwait\nsave_state " +
               one.file("s.toml") + "\nmap gas\nwait\n");
  INFO(good.out + good.err);
  REQUIRE(good.code == 0);
  CHECK(good.says("A map has no colors of particles: no set is shown."));
  // As a state of another run would have it.
  std::string state = test::file_bytes(one.file("s.toml"));
  const auto at = state.rfind("[[set]]");
  REQUIRE(at != std::string::npos);
  std::string bad = state.substr(at, state.find("\n[window", at) - at) + "\n";
  bad.replace(bad.find("\"near\""), 6, "\"odd\"");
  bad.replace(bad.find("\"sphere\""), 8, "\"value\"");
  state.insert(at, bad);
  test::put_bytes(one.file("bad.toml"), state);
  const auto run = one.view("load_state " + one.file("bad.toml") + "\nwait\nscreenshot " +
                            one.file("a.png") + " bare 64x48\nremove_set odd\nwait\nscreenshot " +
                            one.file("b.png") + " bare 64x48\nshow_sets off\nwait\nscreenshot " +
                            one.file("c.png") + " bare 64x48\n");
  INFO(run.out + run.err);
  CHECK(run.says("set 'odd'"));
  CHECK(run.says("the other sets are shown"));
  const bool same =
      render::read_png(one.file("a.png")).pixels == render::read_png(one.file("b.png")).pixels;
  const bool shown =
      render::read_png(one.file("a.png")).pixels != render::read_png(one.file("c.png")).pixels;
  CHECK(same);
  CHECK(shown);
}

TEST_CASE("a file beside a state of another file is told of", "[brush][window]") {
  const OneSnapshot one;
  SetSnapshot(true).write(one.file("b.hdf5"));
  const auto made = one.view("save_state " + one.file("s.toml") + "\n");
  REQUIRE(made.code == 0);
  const auto open = [&](const std::string& file) {
    return test::run_program(
        {"view", one.file(file), "--state", one.file("s.toml"), "--headless", "--device", "cpu"});
  };
  CHECK(open("b.hdf5").says("shows its own snapshot"));
  CHECK_FALSE(open("a.hdf5").says("shows its own snapshot"));
}

}  // namespace haloscope::app::viewer
