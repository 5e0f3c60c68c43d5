#include "render/files/png_file.h"
#include "tests/app/viewer/window_context.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <algorithm>
#include <filesystem>
#include <string>

// The command export_plot in a session without a window.

namespace haloscope {

namespace {

test::Outcome view(const test::OutputFolder& folder, const std::string& commands) {
  test::put_bytes(folder.path("commands.txt"), commands);
  const auto former = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  auto outcome = test::run_program(
      {"view", test::sample_file(), "--headless", "--device", "cpu", "--run", "commands.txt"});
  std::filesystem::current_path(former);
  return outcome;
}

const std::string kFind = "find_halos 0.2 100\nwait\n";

}  // namespace

TEST_CASE("the mass function is written as numbers and as SVG", "[window][plot]") {
  const test::OutputFolder folder;
  const auto run = view(folder, kFind +
                                    "export_plot mass_function m.csv\nwait\n"
                                    "export_plot mass_function m.svg\nwait\n"
                                    "export_plot mass_function m.svg\nwait\n");
  INFO(run.out << run.err);
  REQUIRE(run.code == 0);
  const std::string csv = test::file_bytes(folder.path("m.csv"));
  CHECK(csv.find("\nx,x_low,x_high,y,y_low,y_high\n") != std::string::npos);
  CHECK(csv.find("sample.hdf5") != std::string::npos);
  CHECK(csv.find("find halos") != std::string::npos);
  const std::string svg = test::file_bytes(folder.path("m.svg"));
  CHECK(svg.find("<svg") != std::string::npos);
  CHECK(svg.find(">100 members</text>") != std::string::npos);
  CHECK(svg.find("find halos") != std::string::npos);
}

TEST_CASE("the mass function is written as a picture on white", "[window][plot]") {
  if (!test::gl_context()) return;
  const test::OutputFolder folder;
  const auto run = view(folder, kFind + "export_plot mass_function m.png\nwait\n");
  INFO(run.out << run.err);
  REQUIRE(run.code == 0);
  render::ImageText text;
  const Image8 picture = render::read_png(folder.path("m.png"), &text);
  CHECK(picture.width == 960);
  CHECK(picture.height == 720);
  CHECK(picture.channels == 3);
  CHECK(text.at("Description").find("find halos") != std::string::npos);
  const auto dark = std::count_if(picture.pixels.begin(), picture.pixels.end(),
                                  [](std::uint8_t value) { return value < 100; });
  CHECK(dark > 10000);
  CHECK(dark < 300000);
  CHECK(*picture.at(2, 2) == 255);
  if (const char* pictures = std::getenv("HALOSCOPE_TEST_PICTURES"))
    render::write_png(std::string(pictures) + "/mass_function.png", picture);
}

TEST_CASE("a plot replaces no file of others, and its name must be one of its formats",
          "[window][plot][bad]") {
  const test::OutputFolder folder;
  const std::string theirs = "<html>not a plot</html>\n";
  test::put_bytes(folder.path("m.svg"), theirs);
  const auto guarded = view(folder, kFind + "export_plot mass_function m.svg\nwait\n");
  CHECK(guarded.code == 2);
  CHECK(guarded.says("not SVG"));
  CHECK(test::file_bytes(folder.path("m.svg")) == theirs);
  const auto run = view(folder, kFind + "export_plot mass_function m.svg overwrite\nwait\n");
  INFO(run.err);
  CHECK(run.code == 0);
  CHECK(test::file_bytes(folder.path("m.svg")).find("<svg") != std::string::npos);
  const auto wrong = view(folder, kFind + "export_plot mass_function m.pdf\nwait\n");
  CHECK(wrong.code == 2);
  CHECK(wrong.says("name it .csv, .svg or .png"));
  const auto early = view(folder, "export_plot mass_function m.csv\n");
  CHECK(early.code == 2);
  CHECK(early.says("find halos first"));
  CHECK_FALSE(std::filesystem::exists(folder.path("m.csv")));
}

}  // namespace haloscope
