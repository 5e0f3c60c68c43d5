// Commands of a file: each waits for what those before it have begun, and faults of jobs name the
// line.

#include "analysis/loaded_halos/loaded_halos_options.h"
#include "render/files/png_file.h"
#include "tests/app/viewer/sample_window.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <filesystem>
#include <string>

namespace haloscope::app::viewer {

namespace {

// In a folder of its own.
test::Outcome play(const test::OutputFolder& folder, const std::string& commands) {
  test::put_bytes(folder.path("commands.txt"), commands);
  const auto former = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const test::Outcome outcome = test::run_program(
      {"view", test::sample_file(), "--headless", "--device", "cpu", "--run", "commands.txt"});
  std::filesystem::current_path(former);
  return outcome;
}

}  // namespace

TEST_CASE("a still behind another field shows it without `wait`", "[window]") {
  const test::OutputFolder folder;
  const test::Outcome outcome =
      play(folder,
           "size 320 240\nwait\nfield gas Density\nscreenshot at_once.png "
           "bare\nwait\nscreenshot waited.png bare\n"
           "field gas Temperature\nwait\nscreenshot former.png bare\n");
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.code == 0);
  const auto pixels = [&](const char* name) { return render::read_png(folder.path(name)).pixels; };
  const bool waits = pixels("at_once.png") == pixels("waited.png");
  const bool differs = pixels("waited.png") != pixels("former.png");
  CHECK(waits);
  CHECK(differs);
}

TEST_CASE("the fault of a search names the line of the file that has begun it", "[window]") {
  const test::OutputFolder folder;
  test::put_bytes(folder.path("junk.csv"), "a,b\n1,2\n");
  const test::Outcome outcome = play(folder, "fit\nload_halos junk.csv\nwait\n");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.is_fault());
  CHECK(outcome.says("commands.txt:2: "));
  CHECK(outcome.says("junk.csv"));
  const test::Outcome profile = play(folder, "profile at 1 1 1 radii=1e-5,1e-4\n");
  INFO(profile.out << profile.err);
  CHECK(profile.says("commands.txt:1: "));
}

TEST_CASE("the fault of a snapshot that the command line names tells no line", "[window]") {
  const test::OutputFolder folder;
  test::put_bytes(folder.path("commands.txt"), "wait\n");
  const std::string junk = folder.path("junk.hdf5");
  test::put_bytes(junk, "junk");
  const test::Outcome outcome = test::run_program(
      {"view", junk, "--headless", "--device", "cpu", "--run", folder.path("commands.txt")});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.is_fault());
  CHECK(outcome.err.starts_with("haloscope: error: " + junk));
  // It is told, not that of a later command which fails because of it.
  test::put_bytes(folder.path("commands.txt"), "find halos\nfly_to halos 0\n");
  const test::Outcome lacking = test::run_program(
      {"view", junk, "--headless", "--device", "cpu", "--run", folder.path("commands.txt")});
  INFO(lacking.out << lacking.err);
  CHECK(lacking.err.starts_with("haloscope: error: " + junk));
  CHECK_FALSE(lacking.says("no snapshot is open"));
}

TEST_CASE("a catalog that cannot be loaded leaves the one before it", "[window]") {
  const test::OutputFolder folder;
  const std::string catalog = folder.path("h.csv"), junk = folder.path("junk.csv");
  test::put_bytes(junk, "a,b\n1,2\n");
  test::SampleWindow window;
  window.viewer.push("find halos");
  REQUIRE(window.comes_to_rest());
  window.viewer.push("export halos " + catalog);
  REQUIRE(window.comes([&] { return std::filesystem::exists(catalog); }));
  REQUIRE(window.comes_to_rest());
  const auto incomplete = [&] {
    return window.viewer.state()
        .finding("loaded_halos")
        .options.as<analysis::LoadedHalosOptions>()
        .incomplete;
  };
  window.viewer.push("find loaded_halos incomplete=on file=" + catalog);
  REQUIRE(window.comes_to_rest());
  CHECK(incomplete());
  window.viewer.push("load_halos " + catalog);
  REQUIRE(window.comes_to_rest());
  // Another catalog is not taken in part because the one before it was.
  CHECK_FALSE(incomplete());
  window.viewer.push("structures loaded_halos");
  REQUIRE(window.comes_to_rest());
  const analysis::Finding* const before = window.viewer.panel_input(1).finding;
  REQUIRE(before);
  window.viewer.push("load_halos " + junk);
  REQUIRE(window.comes_to_rest());
  CHECK(window.viewer.panel_input(1).notice.find("junk.csv") != std::string::npos);
  CHECK(window.viewer.panel_input(1).finding == before);
  CHECK(window.viewer.state().finding("loaded_halos").searched);
  CHECK(window.viewer.state().finding("loaded_halos").options == before->options);
}

}  // namespace haloscope::app::viewer
