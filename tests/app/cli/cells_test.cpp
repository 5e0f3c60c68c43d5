// Maps by the cells of a moving mesh as a user asks for them, and beside those by kernels.

#include "render/files/exr_file.h"
#include "render/files/png_file.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

using Catch::Matchers::Contains;

namespace haloscope::test {

namespace {

constexpr std::size_t kMeshCells = 4096;  // 16 along each side
constexpr double kMeshBox = 16;

// Cells of one volume: a lattice, shifted a little. The masses grow along x.
std::string write_mesh(const OutputFolder& folder, bool with_density = true) {
  const std::string path = folder.path("mesh.hdf5");
  snapshot_files::FileWriter file(path);
  snapshot_files::write_header(file, {std::uint32_t(kMeshCells), 3, 0, 0, 0, 0}, kMeshBox);
  file.group("Config").text("Config", "VORONOI", "");
  std::vector<float> positions, masses, heat;
  const auto shift = snapshot_files::some_positions(kMeshCells, 0.4);
  for (std::size_t i = 0; i < kMeshCells; ++i) {
    const std::size_t cell[] = {i % 16, i / 16 % 16, i / 256};
    for (std::size_t c = 0; c < 3; ++c)
      positions.push_back(float(cell[c]) + 0.3f + shift[3 * i + c]);
    masses.push_back(1 + float(cell[0]));
    heat.push_back(100 * float(cell[1]));
  }
  file.group("PartType0");
  file.dataset("PartType0/Coordinates", {kMeshCells, 3}, positions);
  file.dataset("PartType0/Masses", {kMeshCells}, masses);
  if (with_density)
    file.dataset("PartType0/Density", {kMeshCells}, masses);
  else
    file.dataset("PartType0/SmoothingLength", {kMeshCells}, std::vector<float>(kMeshCells, 1));
  file.dataset("PartType0/Heat", {kMeshCells}, heat);
  file.group("PartType1");
  file.dataset("PartType1/Coordinates", {3, 3}, snapshot_files::some_positions(3, kMeshBox));
  file.dataset("PartType1/Masses", {3}, std::vector<float>{1, 1, 1});
  return path;
}

Outcome map_of_mesh(const std::string& mesh, const std::string& output,
                    const std::vector<std::string>& more) {
  std::vector<std::string> words{"render", mesh,     "-o",    output,       "--device",
                                 "cpu",    "--size", "64x64", "--overwrite"};
  words.insert(words.end(), more.begin(), more.end());
  return run_program(words);
}

double mean_of(const ImageF& map) {
  double sum = 0;
  for (const float value : map.pixels) sum += double(value);
  return sum / double(map.pixels.size());
}

// Also where there is no mean.
bool same_bytes(const ImageF& a, const ImageF& b) {
  return a.pixels.size() == b.pixels.size() &&
         std::memcmp(a.pixels.data(), b.pixels.data(), a.pixels.size() * sizeof(float)) == 0;
}

}  // namespace

TEST_CASE("a map by cells has the mass of that by kernels, and sharper edges", "[app][voronoi]") {
  const OutputFolder folder;
  const std::string mesh = write_mesh(folder);
  const auto draw = [&](const std::string& name, const std::vector<std::string>& more) {
    const Outcome outcome = map_of_mesh(mesh, folder.path(name), more);
    INFO(outcome.out << outcome.err);
    REQUIRE(outcome.code == 0);
    return render::read_exr(folder.path(name));
  };
  const ImageF kernels = draw("k.exr", {"--map", "surface-density", "--types", "gas"});
  const ImageF cells = draw("c.exr", {"--map", "surface-density", "--cells", "voronoi"});
  // 16 layers of 8.5 on the mean.
  CHECK(mean_of(cells) == Approx(136).epsilon(1e-5));
  CHECK(mean_of(kernels) == Approx(136).epsilon(1e-5));
  CHECK(cells.pixels != kernels.pixels);
  // Where masses go from 16 back to 1, over the edge of the box, kernels blur: they are as wide as
  // two cells and a half. A cell's surface is shifted by less than a third of it.
  float jump_of_cells = 0, jump_of_kernels = 0;
  for (int y = 0; y < 64; ++y) {
    CHECK(cells.at(1, y)[0] < 3 * 16);
    CHECK(cells.at(62, y)[0] > 13 * 16);
    jump_of_cells += cells.at(62, y)[0] - cells.at(1, y)[0];
    jump_of_kernels += kernels.at(62, y)[0] - kernels.at(1, y)[0];
  }
  CHECK(jump_of_cells > 1.05f * jump_of_kernels);
  const ImageF heat = draw("h.exr", {"--map", "mean:Heat", "--cells", "voronoi"});
  // Rows run downwards, y upwards.
  CHECK(double(heat.at(32, 62)[0]) < 100);
  CHECK(double(heat.at(32, 32)[0]) == Approx(750).margin(100));
  CHECK(double(heat.at(32, 1)[0]) > 1400);
}

TEST_CASE("cells are refused where there are none", "[app][voronoi]") {
  const OutputFolder folder;
  const std::string mesh = write_mesh(folder);
  const auto fault = [&](const std::string& snapshot, const std::vector<std::string>& more) {
    const Outcome outcome = map_of_mesh(snapshot, folder.path("a.png"), more);
    CHECK(outcome.is_fault());
    return outcome.err;
  };
  const std::vector<std::string> map{"--map", "surface-density", "--cells"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), map.begin(), map.end());
    return more;
  };
  CHECK_THAT(fault(mesh, with({"voronoy"})), Contains("use kernels or voronoi"));
  CHECK_THAT(fault(mesh, with({"voronoi", "--types", "gas,dm"})),
             Contains("cells are those of gas"));
  CHECK_THAT(fault(mesh, with({"voronoi", "--every", "8"})),
             Contains("has not the cells of the mesh"));
  CHECK_THAT(fault(mesh, {"--cells", "voronoi"}), Contains("add --map surface-density"));
  CHECK_THAT(fault(write_mesh(folder, false), with({"voronoi"})),
             Contains("the file tells no volumes of cells"));
}

TEST_CASE("the window's map by cells is that of the command line", "[window][voronoi]") {
  const OutputFolder folder;
  const std::string mesh = write_mesh(folder);
  put_bytes(folder.path("commands.txt"),
            "projection orthographic\nzoom 0.4\nmap gas\nwait\nscreenshot " +
                folder.path("smooth.exr") + " bare 64x64\nwait\n" +
                "map gas surface_density voronoi\nwait\nscreenshot " + folder.path("still.exr") +
                " bare 64x64\nwait\n"
                "map gas Heat voronoi\nwait\nscreenshot " +
                folder.path("heat.exr") + " bare 64x64\nsave_state " + folder.path("s.toml") +
                "\nwait\n"
                "map gas Heat\nwait\nscreenshot " +
                folder.path("kernels.exr") + " bare 64x64\nwait\n");
  const Outcome outcome = run_program(
      {"view", mesh, "--headless", "--device", "cpu", "--run", folder.path("commands.txt")});
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.code == 0);
  const Outcome again =
      map_of_mesh(mesh, folder.path("again.exr"), {"--state", folder.path("s.toml")});
  INFO(again.out << again.err);
  REQUIRE(again.code == 0);
  const ImageF heat = render::read_exr(folder.path("heat.exr"));
  CHECK(same_bytes(heat, render::read_exr(folder.path("again.exr"))));
  CHECK_FALSE(same_bytes(heat, render::read_exr(folder.path("kernels.exr"))));
  const ImageF still = render::read_exr(folder.path("still.exr"));
  const ImageF smooth = render::read_exr(folder.path("smooth.exr"));
  CHECK(mean_of(still) == Approx(mean_of(smooth)).epsilon(1e-5));
  CHECK(still.pixels != smooth.pixels);
}

TEST_CASE("a state's map by cells in perspective shows kernels, and says so", "[app][voronoi]") {
  const OutputFolder folder;
  const std::string mesh = write_mesh(folder);
  put_bytes(folder.path("commands.txt"), "map gas surface_density voronoi\nwait\nsave_state " +
                                             folder.path("s.toml") + "\nwait\n");
  const Outcome saved = run_program(
      {"view", mesh, "--headless", "--device", "cpu", "--run", folder.path("commands.txt")});
  INFO(saved.out << saved.err);
  REQUIRE(saved.code == 0);
  const Outcome drawn = map_of_mesh(mesh, folder.path("p.png"), {"--state", folder.path("s.toml")});
  INFO(drawn.out << drawn.err);
  CHECK(drawn.code == 0);
  CHECK(drawn.says("The map shows kernels in place of cells: it is seen in perspective."));
}

}  // namespace haloscope::test
