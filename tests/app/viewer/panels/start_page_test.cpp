#include "app/session/command_table.h"
#include "app/viewer/panels/panels.h"
#include "tests/app/viewer/dry_ui.h"
#include "tests/catch.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <imgui.h>
#include <iterator>
#include <string>
#include <vector>

// The page of a window without a snapshot: its sample, there and missing.

namespace haloscope::app::viewer {

namespace {

namespace fs = std::filesystem;

class StartPage {
 public:
  std::vector<std::string> emitted, told;

  // Down through the middle of the page, where its button is.
  void press_all() {
    frame({0, 0}, false);
    frame({0, 0}, false);
    for (float y = 4; y < kHeight; y += 6)
      for (const bool down : {false, true, false}) frame({kWidth / 2 - 120, y}, down);
  }

 private:
  static constexpr float kWidth = 600, kHeight = 400;

  void frame(const ImVec2& at, bool down) {
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = at;
    io.MouseDown[ImGuiMouseButton_Left] = down;
    ImGui::NewFrame();
    PanelInput input{
        state_, nullptr, nullptr, nullptr, {}, log_, memory_, {}, [this](const std::string& line) {
          session::parse_command(line);  // throws for what is none
          emitted.push_back(line);
        }};
    input.complain = [this](const std::string& fault) { told.push_back(fault); };
    show_start_page(input, kWidth / 2, kHeight / 2);
    ImGui::Render();
  }

  test::DryUi ui_{kWidth, kHeight};
  session::State state_;
  PanelMemory memory_;
  std::vector<LogLine> log_;
};

// A place of the test program that lies in no build tree of the sources, and is removed again.
class LoneProgram {
 public:
  static constexpr const char* kName = "lone";

  LoneProgram() {
    const fs::path own = fs::read_symlink("/proc/self/exe");
    top_ = own.parent_path() / "lone_program";
    fs::remove_all(top_);
    // Deeper than the program looks for the sources above it.
    fs::path folder = top_;
    for (int depth = 0; depth < 8; ++depth) folder /= "below";
    fs::create_directories(folder);
    program_ = folder / kName;
    fs::create_hard_link(own, program_);
  }
  ~LoneProgram() {
    std::error_code ignored;
    fs::remove_all(top_, ignored);
  }
  LoneProgram(const LoneProgram&) = delete;
  LoneProgram& operator=(const LoneProgram&) = delete;

  // Its exit code; what it says goes to a file.
  int run(const std::string& tests, const std::string& output) const {
    return std::system(
        ("HALOSCOPE_ASSETS= '" + program_.string() + "' '" + tests + "' > '" + output + "' 2>&1")
            .c_str());
  }

 private:
  fs::path top_, program_;
};

}  // namespace

TEST_CASE("the start page opens the sample", "[window]") {
  StartPage page;
  page.press_all();
  CHECK(page.told.empty());
  REQUIRE_FALSE(page.emitted.empty());
  CHECK_THAT(page.emitted.front(), Catch::StartsWith("open ") && Catch::Contains("/sample.hdf5\""));
}

// Run by the one below: where the sources' files are found there is nothing to see.
TEST_CASE("without its files the program tells that the sample is missing", "[.][lone_program]") {
  if (fs::read_symlink("/proc/self/exe").filename() != LoneProgram::kName) return;
  StartPage page;
  page.press_all();
  CHECK(page.emitted.empty());
  REQUIRE_FALSE(page.told.empty());
  CHECK_THAT(page.told.front(),
             Catch::StartsWith("assets/sample.hdf5: this file of the program's own is missing "
                               "(looked in ") &&
                 Catch::EndsWith("; set HALOSCOPE_ASSETS to the folder that holds it"));
}

TEST_CASE("the start page of a program that was copied alone tells what is missing", "[window]") {
  const test::OutputFolder folder;
  const std::string output = folder.path("said.txt");
  const int code = LoneProgram().run("[lone_program]", output);
  std::ifstream in(output);
  const std::string said{std::istreambuf_iterator<char>(in), {}};
  INFO(said);
  CHECK(code == 0);
  CHECK_THAT(said, Catch::Contains("All tests passed") && Catch::Contains("1 test case"));
}

}  // namespace haloscope::app::viewer
