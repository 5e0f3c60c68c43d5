// A film of a series from the window: what its overlays tell is what its frames were drawn with.

#include "render/files/png_file.h"
#include "tests/app/viewer/window_context.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"

#include <filesystem>
#include <string>
#include <vector>

namespace haloscope {

namespace {

using namespace snapshot_files;

// Gas whose temperatures reach from `low` to a thousand times as much.
void write_gas(const std::string& path, double time, float low) {
  constexpr std::uint32_t kGas = 2000;
  FileWriter file(path);
  const std::vector<std::uint32_t> counts{kGas, 0, 0, 0, 0, 0};
  file.group("Header").attribute("Header", "NumPart_ThisFile", counts);
  file.attribute("Header", "NumPart_Total", counts);
  file.attribute("Header", "MassTable", std::vector<double>(6, 0.0));
  file.attribute<std::int32_t>("Header", "NumFilesPerSnapshot", {1}, false);
  file.number("Header", "BoxSize", 10).number("Header", "Time", time);
  std::vector<std::uint64_t> ids;
  std::vector<float> temperature;
  for (std::uint64_t i = 0; i < kGas; ++i) {
    ids.push_back(1 + i);
    temperature.push_back(low * (1 + float(i % 1000)));
  }
  file.group("PartType0").dataset("PartType0/Coordinates", {kGas, 3}, some_positions(kGas, 10));
  file.dataset("PartType0/ParticleIDs", {kGas}, ids);
  file.dataset("PartType0/Masses", {kGas}, std::vector<float>(kGas, 0.5f));
  file.dataset("PartType0/Temperature", {kGas}, temperature);
}

}  // namespace

TEST_CASE("a film's color bar is that of its frames, whichever snapshot is in the window",
          "[window][session]") {
  if (!test::gl_context()) return;
  const test::OutputFolder folder;
  write_gas(folder.path("a.hdf5"), 1, 10);
  write_gas(folder.path("b.hdf5"), 2, 4000);
  test::put_bytes(folder.path("run.txt"),
                  "field gas Temperature\nwait\nadd_key 0\nnext_snapshot\nwait\nadd_key 1\n"
                  "export_frames late-%d.png 2 2 320x240 on\nwait\nprevious_snapshot\nwait\n"
                  "export_frames early-%d.png 2 2 320x240 on\nwait\n"
                  "overlay color_bar off\nexport_frames bare-%d.png 2 2 320x240 on\nwait\n");
  const auto former = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const test::Outcome outcome = test::run_program(
      {"view", "a.hdf5", "b.hdf5", "--headless", "--device", "cpu", "--run", "run.txt"});
  std::filesystem::current_path(former);
  INFO(outcome.out + outcome.err);
  REQUIRE(outcome.code == 0);
  for (const char* frame : {"0.png", "1.png"}) {
    const auto pixels = [&](const std::string& name) {
      return render::read_png(folder.path(name + frame)).pixels;
    };
    INFO(frame);
    CHECK(pixels("late-") == pixels("early-"));
    CHECK(pixels("late-") != pixels("bare-"));
  }
}

}  // namespace haloscope
