// --region, --every and --max-particles of `haloscope render`: maps measure what was selected.

#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"

#include <hdf5.h>

#include <cstdio>
#include <utility>

using namespace haloscope::test;
using namespace snapshot_files;

namespace {

constexpr int kPixels = 32;

// 20000 particles of mass 1 in a box of side 10.
void write_input(const std::string& path) {
  FileWriter file(path);
  write_header(file, {20000, 0, 0, 0, 0, 0}, 10);
  file.group("PartType0").dataset("PartType0/Coordinates", {20000, 3}, some_positions(20000, 10));
  file.dataset("PartType0/Masses", {20000}, std::vector<float>(20000, 1));
}

struct Map {
  double mass = 0;
  double extent[4] = {};
};

// Logarithmic limits of the automatic color range that a picture tells.
std::pair<double, double> density_range(const OutputFolder& folder,
                                        const std::vector<std::string>& options) {
  std::vector<std::string> arguments{"render",   folder.path("in.hdf5"),
                                     "-o",       folder.path("p.png"),
                                     "--size",   "32x32",
                                     "--device", "cpu",
                                     "--color",  "LocalDensity"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Outcome outcome = run_program(arguments);
  INFO(outcome.out + outcome.err);
  const std::string label = "color log LocalDensity ";
  const auto at = outcome.out.find(label);
  REQUIRE(at != std::string::npos);
  double low = 0, high = 0;
  REQUIRE(std::sscanf(outcome.out.c_str() + at + label.size(), "%lf … %lf", &low, &high) == 2);
  return {low, high};
}

Map draw(const OutputFolder& folder, const std::vector<std::string>& options) {
  const std::string path = folder.path("map.hdf5");
  std::vector<std::string> arguments{"render",   folder.path("in.hdf5"),
                                     "-o",       path,
                                     "--map",    "surface-density",
                                     "--size",   "32x32",
                                     "--device", "cpu"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Outcome outcome = run_program(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, "map", H5P_DEFAULT);
  std::vector<double> values(kPixels * kPixels);
  Map map;
  H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  const hid_t extent = H5Aopen(dataset, "extent", H5P_DEFAULT);
  H5Aread(extent, H5T_NATIVE_DOUBLE, map.extent);
  H5Aclose(extent);
  H5Dclose(dataset);
  H5Fclose(file);
  const double pixel = (map.extent[1] - map.extent[0]) / kPixels;
  for (const double value : values) map.mass += value * pixel * pixel;
  return map;
}

}  // namespace

TEST_CASE("a map of a sample holds all the mass") {
  const OutputFolder folder;
  write_input(folder.path("in.hdf5"));
  CHECK(draw(folder, {}).mass == Approx(20000).epsilon(1e-4));
  CHECK(draw(folder, {"--every", "7"}).mass == Approx(20000).epsilon(1e-4));
  CHECK(draw(folder, {"--max-particles", "1e3"}).mass == Approx(20000).epsilon(1e-4));
}

TEST_CASE("a map of a region shows the region") {
  const OutputFolder folder;
  write_input(folder.path("in.hdf5"));
  const Map map = draw(folder, {"--region", "2,4,0,7,9,10"});
  CHECK(map.extent[0] == 2);
  CHECK(map.extent[1] == 7);
  CHECK(map.extent[3] == 9);
  // A quarter of the box; kernels at its edges reach out of the map.
  CHECK(map.mass == Approx(5000).epsilon(0.15));
  CHECK(map.mass < 5200);
}

TEST_CASE("a map of a region across the edge of the box shows the region") {
  const OutputFolder folder;
  write_input(folder.path("in.hdf5"));
  const Map whole = draw(folder, {"--region", "2,4,0,6,8,10"});
  for (const char* region : {"8,8,0,12,12,10", "8,8,0,2,2,10", "-2,-12,0,2,-8,10"}) {
    const Map map = draw(folder, {"--region", region});
    CHECK(map.extent[1] - map.extent[0] == Approx(4));
    CHECK(map.extent[0] == Approx(8));
    CHECK(map.extent[2] == Approx(8));
    // As much as in a region of this size elsewhere, up to chance and the kernels at its edges.
    CHECK(map.mass == Approx(whole.mass).epsilon(0.1));
  }
}

TEST_CASE("the local density of a sample is that of the file") {
  const OutputFolder folder;
  write_input(folder.path("in.hdf5"));
  const auto all = density_range(folder, {});
  const auto sample = density_range(folder, {"--every", "10"});
  CHECK(sample.first == Approx(all.first).margin(0.25));
  CHECK(sample.second == Approx(all.second).margin(0.25));
}
