// Sets of a session: drawn the same wherever they are drawn, followed through a series, stopped and
// told.

#include "app/session/state_file.h"
#include "app/viewer/set_keeper.h"
#include "core/image.h"
#include "render/files/png_file.h"
#include "tests/app/viewer/window_context.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/set_snapshots.h"
#include "tests/output_folder.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace haloscope::app::viewer {

namespace {

using test::OutputFolder;
using test::SetSnapshot;
using Pixels = std::vector<std::uint8_t>;

// Two snapshots of a series in a folder, in which the program runs.
struct Series {
  OutputFolder folder;
  std::filesystem::path former = std::filesystem::current_path();

  Series() {
    SetSnapshot(false).write(folder.path("a.hdf5"));
    SetSnapshot(true).write(folder.path("b.hdf5"));
    std::filesystem::current_path(folder.path());
  }
  ~Series() { std::filesystem::current_path(former); }
  test::Outcome view(const std::vector<std::string>& more, const std::string& commands) const {
    test::put_bytes("run.txt", commands);
    std::vector<std::string> arguments{"view"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), {"--headless", "--device", "cpu", "--run", "run.txt"});
    return test::run_program(arguments);
  }
  static Pixels pixels(const std::string& name) { return render::read_png(name).pixels; }
};

// Files of the same pixels have the same letter, in the order of the alphabet.
std::string alike(const std::vector<std::string>& names) {
  std::vector<Pixels> seen;
  std::string letters;
  for (const std::string& name : names) {
    const Pixels picture = Series::pixels(name);
    const auto known = std::find(seen.begin(), seen.end(), picture);
    letters += char('a' + (known - seen.begin()));
    if (known == seen.end()) seen.push_back(picture);
  }
  return letters;
}

}  // namespace

TEST_CASE("sets are drawn the same in stills, films, renderings and loaded states",
          "[window][sets]") {
  if (!test::gl_context()) return;
  const Series series;
  const auto first = series.view(
      {"a.hdf5"},
      "screenshot own.png bare 160x120\n"
      "select_sphere 5 5 5 3\nset near orange\nselect_value Density 100 500\nset dense own\n"
      "combine_sets both near intersection dense\nset_color both 00ff80\n"
      "wait\nscreenshot off.png bare 160x120\n"
      "show_sets highlight\nscreenshot highlight.png bare 160x120\nsave_state highlight.toml\n"
      "add_key 0\nadd_key 1\nexport_frames f-%d.png 1 1 160x120 off\nwait\n"
      "show_sets dim\nscreenshot dim.png bare 160x120\nsave_state dim.toml\n"
      "export_frames d-%d.png 1 1 160x120 off\nwait\n"
      "show_sets only\nscreenshot only.png bare 160x120\nsave_state only.toml\n"
      "export_frames o-%d.png 1 1 160x120 off\nwait\n"
      "set_color near blue\nscreenshot blue.png bare 160x120\nundo\n"
      "screenshot undone.png bare 160x120\n"
      "show_set dense off\nscreenshot fewer.png bare 160x120\nundo\n"
      "remove_set both\nwait\nscreenshot two.png bare 160x120\nundo\nwait\n"
      "screenshot again.png bare 160x120\nshow_sets off\nscreenshot last.png bare 160x120\n");
  INFO(first.out + first.err);
  REQUIRE(first.code == 0);
  CHECK(alike({"own.png", "off.png", "last.png", "highlight.png", "dim.png", "only.png", "blue.png",
               "fewer.png", "two.png", "undone.png", "again.png"}) == "aaabcdefgdd");
  CHECK(alike({"highlight.png", "f-0.png", "dim.png", "d-0.png", "only.png", "o-0.png"}) ==
        "aabbcc");
  for (const std::string how : {"highlight", "dim", "only"}) {
    const auto rendered =
        test::run_program({"render", "a.hdf5", "--state", how + ".toml", "--size", "160x120",
                           "--device", "cpu", "-o", how + "-render.png"});
    INFO(how << rendered.out << rendered.err);
    REQUIRE(rendered.code == 0);
    CHECK(alike({how + ".png", how + "-render.png"}) == "aa");
    const auto loaded =
        series.view({"--state", how + ".toml"}, "screenshot loaded.png bare 160x120 overwrite\n");
    REQUIRE(loaded.code == 0);
    CHECK(alike({how + ".png", "loaded.png"}) == "aa");
  }
}

TEST_CASE("the set alone is the picture of a file of its particles", "[window][sets]") {
  if (!test::gl_context()) return;
  const Series series;
  // Light per mass is that of all particles of a type: both files have all of the dark matter.
  const auto run = series.view({"a.hdf5"},
                               "hide gas\ntone 0.1 5\nselect_sphere 5 5 5 4\nshow_sets only\nwait\n"
                               "screenshot only.png bare 160x120\nselect_none\nwait\n"
                               "screenshot all.png bare 160x120\nselect_sphere 5 5 5 100\nwait\n"
                               "screenshot every.png bare 160x120\n"
                               "select_box 4 4 4 4.0001 4.0001 4.0001\nwait\n"
                               "screenshot none.png bare 160x120\n");
  INFO(run.out + run.err);
  REQUIRE(run.code == 0);
  const Pixels none = Series::pixels("none.png");
  CHECK(std::all_of(none.begin(), none.end(), [](std::uint8_t v) { return v == 0; }));
  const Pixels only = Series::pixels("only.png"), all = Series::pixels("all.png");
  CHECK(std::any_of(only.begin(), only.end(), [](std::uint8_t v) { return v > 0; }));
  const bool differ = only != all;
  CHECK(differ);
}

TEST_CASE("sets follow their particles through a series, in films too", "[window][sets]") {
  if (!test::gl_context()) return;
  const Series series;
  const auto first = series.view(
      {"a.hdf5", "b.hdf5"},
      "select_sphere 5 5 5 3\nfollow_ids on\nset near orange\nfollow_ids off\nset there blue\n"
      "show_sets only\nwait\nadd_key 0\nscreenshot a.png bare 160x120\n"
      "next_snapshot\nwait\nscreenshot b.png bare 160x120\nadd_key 1\nsave_state s.toml\n"
      "export_frames film-%d.png 2 3 160x120 off\nwait\n"
      "show_sets off\nexport_frames bare-%d.png 2 3 160x120 off\nwait\n");
  INFO(first.out + first.err);
  REQUIRE(first.code == 0);
  // Limits of colors and exposure are those of the film's latest snapshot.
  CHECK(alike({"b.png", "film-2.png"}) == "aa");
  CHECK(alike({"film-0.png", "film-1.png", "film-2.png", "bare-0.png", "bare-1.png",
               "bare-2.png"}) == "abcdef");
  const auto movie =
      test::run_program({"movie", "a.hdf5", "b.hdf5", "--state", "s.toml", "--size", "160x120",
                         "--fps", "2", "--device", "cpu", "-o", "movie-%d.png"});
  INFO(movie.out + movie.err);
  REQUIRE(movie.code == 0);
  CHECK(alike({"film-0.png", "movie-0.png", "film-1.png", "movie-1.png", "film-2.png",
               "movie-2.png"}) == "aabbcc");
  // The state shows the second snapshot; its selection was made in the first.
  const auto rendered = test::run_program({"render", "b.hdf5", "--state", "s.toml", "--size",
                                           "160x120", "--device", "cpu", "-o", "render.png"});
  INFO(rendered.out + rendered.err);
  REQUIRE(rendered.code == 0);
  CHECK(alike({"b.png", "render.png"}) == "aa");
}

TEST_CASE("a state draws its sets in another snapshot of its series", "[window][sets]") {
  if (!test::gl_context()) return;
  const Series series;
  const auto run = series.view(
      {"a.hdf5", "b.hdf5"},
      "next_snapshot\nselect_sphere 5 5 5 3\nfollow_ids on\nset near orange\nshow_sets only\n"
      "wait\nsave_state late.toml\nprevious_snapshot\nwait\nscreenshot early.png bare 160x120\n");
  INFO(run.out + run.err);
  REQUIRE(run.code == 0);
  const auto rendered = test::run_program({"render", "a.hdf5", "--state", "late.toml", "--size",
                                           "160x120", "--device", "cpu", "-o", "render.png"});
  INFO(rendered.out + rendered.err);
  REQUIRE(rendered.code == 0);
  CHECK(alike({"early.png", "render.png"}) == "aa");
}

TEST_CASE("the camera follows a set through a series, in films too", "[window][sets]") {
  if (!test::gl_context()) return;
  const Series series;
  const auto run = series.view(
      {"a.hdf5", "b.hdf5"},
      "select_sphere 3 3 3 1.5\nfollow_ids on\nset few orange\nadd_key 0\n"
      "next_snapshot\nadd_key 1\nprevious_snapshot\nwait\nsave_state still.toml\n"
      "export_frames still-%d.png 2 3 64x48 off\nwait\n"
      "follow few\nsave_state a.toml\nnext_snapshot\nsave_state b.toml\n"
      "export_frames moved-%d.png 2 3 64x48 off\nwait\nprevious_snapshot\nsave_state back.toml\n"
      "follow off\nnext_snapshot\nsave_state stays.toml\n");
  INFO(run.out + run.err);
  REQUIRE(run.code == 0);
  const auto center = [](const std::string& state) {
    return session::load_state(state).state.camera->center;
  };
  const Vec a = center("a.toml"), b = center("b.toml");
  CHECK(a != center("still.toml"));
  CHECK(a != b);
  CHECK(center("back.toml") == a);
  CHECK(center("stays.toml") == a);
  // All of a sphere's particles lie in it, so their middle does.
  for (std::size_t c = 0; c < 3; ++c) CHECK(std::abs(a[c] - 3) < 1.5);
  CHECK(alike({"still-0.png", "still-1.png", "still-2.png", "moved-0.png", "moved-1.png",
               "moved-2.png"}) == "abcdef");
}

TEST_CASE("sessions and films say whom of a set a snapshot lacks", "[window][sets]") {
  if (!test::gl_context()) return;
  const Series series;
  SetSnapshot bare(true), fewer(true);
  bare.without_ids = {"PartType0", "PartType1", "PartType4"};
  for (std::uint64_t& id : fewer.dark_ids) id += 5000;
  bare.write("bare.hdf5");
  fewer.write("fewer.hdf5");
  const auto run = series.view({"a.hdf5", "fewer.hdf5"},
                               "select_sphere 5 5 5 3\nfollow_ids on\nset near\nselect_none\n"
                               "show_sets only\nadd_key 0\nsave_state home.toml\n"
                               "next_snapshot\nwait\nadd_key 1\nsave_state s.toml\n"
                               "previous_snapshot\nwait\nnext_snapshot\nwait\n");
  INFO(run.out + run.err);
  REQUIRE(run.code == 0);
  const auto times = [](const test::Outcome& outcome, const std::string& part) {
    const std::string text = outcome.out + outcome.err;
    int count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
  };
  // In each visit of that snapshot.
  CHECK(times(run, "set 'near': fewer.hdf5 lacks ") == 2);
  CHECK(times(run, "set 'near': a.hdf5") == 0);
  const auto movie =
      test::run_program({"movie", "a.hdf5", "fewer.hdf5", "--state", "s.toml", "--size", "32x24",
                         "--fps", "3", "--device", "cpu", "-o", "movie-%d.png"});
  INFO(movie.out + movie.err);
  CHECK(movie.code == 0);
  CHECK(times(movie, "set 'near': fewer.hdf5 lacks ") == 1);
  // Without IDs the set is empty, the session ends with that fault, and the state still has it.
  const auto none =
      series.view({"a.hdf5", "bare.hdf5"},
                  "select_sphere 5 5 5 3\nfollow_ids on\nset near\nselect_none\nwait\n"
                  "save_state kept.toml\nnext_snapshot\nwait\n");
  INFO(none.out + none.err);
  CHECK(none.code == 2);
  CHECK(times(none, "set 'near': bare.hdf5: there are no particle IDs") > 0);
  const auto again = series.view({"--state", "kept.toml"}, "wait\nshow_sets only\nwait\n");
  CHECK(again.code == 0);
}

TEST_CASE("what cannot show sets says so", "[window][sets]") {
  if (!test::gl_context()) return;
  const Series series;
  const auto view =
      series.view({"a.hdf5"},
                  "projection orthographic\nselect_sphere 5 5 5 3\nset near\nshow_sets only\nwait\n"
                  "save_state s.toml\n");
  REQUIRE(view.code == 0);
  const auto render = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"render", "a.hdf5",   "--state", "s.toml",     "--size",
                                       "32x24",  "--device", "cpu",     "--overwrite"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return test::run_program(arguments);
  };
  const auto map = render({"--map", "surface-density", "-o", "m.exr"});
  INFO(map.err);
  CHECK(map.code == 0);
  CHECK(map.says("A map has no colors of particles: no set is shown."));
  const auto classic = render({"--mode", "classic", "-o", "c.png"});
  CHECK(classic.code == 0);
  CHECK(classic.says("Classic pictures have Splotch's colors alone: no set is shown."));
  const auto part = render({"--every", "4", "-o", "p.png"});
  CHECK(part.code == 0);
  CHECK(part.says("Sets are of all particles, of which a part is drawn: no set is shown."));
  const auto in_part =
      series.view({"a.hdf5", "--every", "4"}, "select_sphere 5 5 5 3\nshow_sets only\nwait\n");
  CHECK(in_part.says("no set is shown. Open the snapshot without"));
  // Members of a structure are those of one snapshot.
  const auto film = series.view(
      {"a.hdf5", "b.hdf5"},
      "find halos linking_length=0.9 min_members=5\nwait\nselect halos 0\nselect_members\nset one\n"
      "select_none\nshow_sets dim\nadd_key 0\nnext_snapshot\nwait\nadd_key 1\n"
      "export_frames x-%d.png 1 2 32x24 off\n");
  INFO(film.out + film.err);
  CHECK(film.code == 2);
  CHECK(film.says("set 'one'"));
}

TEST_CASE("sets are gathered once, stopped, and gathered again when asked", "[window][sets]") {
  const Series series;
  SetKeeper keeper([] {});
  analysis::SetsRequest request;
  request.snapshot = "a.hdf5";
  request.series = {"a.hdf5"};
  request.device = compute::Device::cpu();
  analysis::NamedSet set;
  set.name = "near";
  set.first.selection.kind = analysis::SelectionKind::Sphere;
  set.first.selection.radius = 2;
  request.sets = {set};
  const auto gathered = [&] {
    keeper.want(request);
    while (keeper.busy() && !keeper.receive())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return keeper.shown().members;
  };
  const auto first = gathered();
  REQUIRE(first);
  CHECK(keeper.is_known());
  CHECK(first->counts.at(0) > 0);
  // Another color is no other request.
  request.sets[0].color = std::array<double, 3>{1, 0, 0};
  CHECK(gathered() == first);
  // Others: the former ones stand until they come.
  request.sets[0].first.selection.radius = 3;
  keeper.want(request);
  CHECK(keeper.shown().members == first);
  CHECK_FALSE(keeper.is_known());
  keeper.cancel();
  keeper.wait();
  CHECK_FALSE(keeper.receive());
  keeper.want(request);
  CHECK_FALSE(keeper.busy());
  CHECK(keeper.shown().members == first);
  keeper.forget();
  CHECK(gathered()->counts.at(0) > first->counts.at(0));
  // Of another snapshot nothing is known.
  request.snapshot = "b.hdf5";
  keeper.want(request);
  CHECK_FALSE(keeper.shown().members);
  while (keeper.busy() && !keeper.receive())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(keeper.is_known());
  request.snapshot = "none.hdf5";
  CHECK_FALSE(gathered());
  CHECK(keeper.shown().fault.find("none.hdf5") != std::string::npos);
  keeper.want_nothing();
  CHECK(keeper.shown().fault.empty());
}

}  // namespace haloscope::app::viewer
