#include "render/files/png_file.h"
#include "tests/app/viewer/window_context.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/zoom_files.h"
#include "tests/output_folder.h"

#include <nlohmann/json.hpp>

#include <filesystem>

// Dark matter of low resolution in the window.

using namespace haloscope;
using haloscope::test::OutputFolder;
using haloscope::test::run_program;

namespace {

// Plays commands in the folder.
void play(const OutputFolder& folder, const std::vector<std::string>& options,
          const std::string& commands) {
  test::put_bytes(folder.path("commands.txt"), commands);
  const auto former = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  std::vector<std::string> words{"view", "zoom.hdf5", "--headless",  "--device",
                                 "cpu",  "--run",     "commands.txt"};
  words.insert(words.end(), options.begin(), options.end());
  const auto run = run_program(words);
  std::filesystem::current_path(former);
  INFO(run.err);
  REQUIRE(run.code == 0);
}

std::vector<std::uint8_t> pixels(const OutputFolder& folder, const std::string& name) {
  return render::read_png(folder.path(name)).pixels;
}

}  // namespace

TEST_CASE("the window switches dark matter of low resolution on and off", "[zoom][session]") {
  if (!test::gl_context()) return;
  const OutputFolder folder;
  zoom_files::write(folder.path("zoom.hdf5"));
  play(folder, {},
       "wait\nscreenshot first.png bare 160x120\nwait\nsave_state first.toml\n"
       "show 2\nwait\nscreenshot shown.png bare 160x120\nwait\nsave_state shown.toml\n"
       "add_key 0\nadd_key 1\nexport_frames film-%03d.png 1 1 160x120 off\nwait\n"
       "hide disk\nwait\nscreenshot hidden.png bare 160x120\nwait\n"
       "show all\nwait\nscreenshot all.png bare 160x120\nwait\n");
  CHECK(pixels(folder, "first.png") == pixels(folder, "hidden.png"));
  CHECK(pixels(folder, "first.png") != pixels(folder, "shown.png"));
  CHECK(pixels(folder, "all.png") != pixels(folder, "shown.png"));
  CHECK(pixels(folder, "film-000.png") == pixels(folder, "shown.png"));
  // The states are what render draws, and what the window begins with.
  for (const std::string name : {"first", "shown"}) {
    const auto run =
        run_program({"render", folder.path("zoom.hdf5"), "--state", folder.path(name + ".toml"),
                     "-o", folder.path("render.png"), "--size", "160x120", "--device", "cpu"});
    INFO(name << ": " << run.err);
    REQUIRE(run.code == 0);
    CHECK(pixels(folder, "render.png") == pixels(folder, name + ".png"));
    play(folder, {"--state", name + ".toml"}, "wait\nscreenshot again.png bare 160x120\nwait\n");
    CHECK(pixels(folder, "again.png") == pixels(folder, name + ".png"));
  }
}
