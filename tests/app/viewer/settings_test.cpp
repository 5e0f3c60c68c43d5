#include "app/viewer/recent_files.h"
#include "app/viewer/user_settings.h"
#include "app/viewer/viewer.h"
#include "tests/catch.h"
#include "tests/environment.h"
#include "tests/output_folder.h"

#include <filesystem>
#include <string>
#include <vector>

// What the user wants of every session, from one start of the window to the next.

namespace haloscope::app::viewer {

using io::KeepLengths;
using session::UserChoices;

TEST_CASE("settings are kept, and what makes no sense in their file is passed over", "[settings]") {
  const test::OutputFolder folder;
  const test::Variable own("XDG_CONFIG_HOME", folder.path("config"));
  CHECK(load_settings().choices == UserChoices{});
  CHECK(load_settings().start_size() == std::array<int, 2>{1280, 800});
  UserSettings settings;
  settings.choices.ui_scale = 1.5;
  settings.choices.keep_lengths = KeepLengths::Cache;
  settings.choices.start_size.reset();
  settings.last_size = {1600, 1000};
  save_settings(settings);
  const UserSettings read = load_settings();
  CHECK(read.choices == settings.choices);
  CHECK(read.start_size() == std::array<int, 2>{1600, 1000});
  const std::string file = folder.path("config/haloscope/window.toml");
  test::put_bytes(file,
                  "ui_scale = 99\nkeep_lengths = \"elsewhere\"\nstart_size = \"0x7\"\n"
                  "last_size = [-3, \"wide\"]\n");
  CHECK(load_settings().choices == UserChoices{});
  CHECK(load_settings().last_size == std::array<int, 2>{1280, 800});
  test::put_bytes(file, "start_size = \"1900x1000\"\n");
  CHECK(load_settings().start_size() == std::array<int, 2>{1900, 1000});
}

TEST_CASE("a series is one of the recent files", "[settings]") {
  const test::OutputFolder folder;
  std::vector<std::string> series;
  for (const char* const name : {"snap_2.hdf5", "snap_10.hdf5"}) {
    series.push_back(folder.path(name));
    test::put_bytes(series.back(), "x");
  }
  const std::string alone = folder.path("alone_1.hdf5"), all = folder.path("snap_*.hdf5");
  test::put_bytes(alone, "x");
  UserSettings settings;
  using Files = std::vector<std::string>;
  settings.remember(series[0], {series[0]});
  settings.remember(alone, {alone});
  CHECK(settings.recent == Files{alone, series[0]});
  settings.remember(series[1], series);
  CHECK(settings.recent == Files{all, alone});
  settings.remember(series[0], series);
  CHECK(settings.recent == Files{all, alone});
  CHECK(files_of_recent(all) == series);
  CHECK(files_of_recent(alone) == Files{alone});
  // Names that differ by more are no series of a folder.
  CHECK(recent_entry(alone, {alone, series[0]}) == alone);
  const test::Variable own("XDG_CONFIG_HOME", folder.path("config"));
  save_settings(settings);
  CHECK(load_settings().recent == Files{all, alone});
  for (const std::string& file : series) std::filesystem::remove(file);
  CHECK(files_of_recent(all).empty());
  CHECK(load_settings().recent == Files{alone});
}

TEST_CASE("only what the user himself chooses is kept for later sessions", "[settings]") {
  Viewer viewer({}, [] {});
  std::vector<UserChoices> kept;
  int forgotten = 0;
  UserChoices first;
  first.keep_lengths = KeepLengths::Nowhere;
  viewer.set_choices(
      first, [&](const UserChoices& choices) { kept.push_back(choices); },
      [&](session::Remembered) { ++forgotten; });
  viewer.set_recent({"a.hdf5"});
  viewer.update(1);
  // A recording chooses for its session alone.
  viewer.play(session::parse_recording("keep_lengths cache\nui_scale 2\nforget files\n", "r"),
              false);
  viewer.update(2);
  CHECK(viewer.choices().keep_lengths == KeepLengths::Cache);
  CHECK(viewer.choices().ui_scale == 2);
  CHECK(viewer.panel_input(1).recent.empty());
  CHECK(kept.empty());
  CHECK(forgotten == 0);
  viewer.push("keep_lengths beside");
  viewer.enter("start_size now");
  viewer.enter("start_size 12");
  viewer.enter("start_size 10x10");
  viewer.enter("forget commands");
  viewer.update(3);
  REQUIRE(kept.size() == 2);
  CHECK(kept[0].keep_lengths == KeepLengths::Beside);
  CHECK(kept[1].start_size == std::array<int, 2>{viewer.state().width, viewer.state().height});
  CHECK(forgotten == 1);
  CHECK(viewer.panel_input(1).line.history.empty());
}

}  // namespace haloscope::app::viewer
