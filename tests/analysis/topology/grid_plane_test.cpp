// A plane of a tree's grid: the right layer of cells, and where points of it lie.

#include "analysis/topology/grid_plane.h"

#include "tests/catch.h"

#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

using namespace haloscope;
using analysis::FoundPeaks;
using analysis::GridPlane;
using analysis::take_plane;

namespace {

// 3 x 4 x 5 cells of 2 x 1 x 0.5 from (10, 20, 30) on; each value tells its cell: 100 x + 10 y + z.
FoundPeaks some_peaks(double period = 0, float least = 0) {
  Grid grid;
  grid.cells = {3, 4, 5};
  grid.low = {10, 20, 30};
  grid.spacing = {2, 1, 0.5};
  grid.name = "overdensity";
  std::vector<float> values;
  for (int x = 0; x < 3; ++x)
    for (int y = 0; y < 4; ++y)
      for (int z = 0; z < 5; ++z) values.push_back(least + float(100 * x + 10 * y + z));
  grid.bytes = Array<std::byte>(values.size() * sizeof(float));
  std::memcpy(grid.bytes.data(), values.data(), grid.bytes.size());
  Progress progress;
  FoundPeaks found;
  found.tree = std::make_shared<const analysis::GridTree>(
      std::move(grid), false, analysis::PeaksOptions{}, std::array<bool, 3>{},
      compute::Device::cpu(), progress);
  found.period = period;
  return found;
}

}  // namespace

TEST_CASE("a plane of a grid holds the layer of cells at its place", "[peaks][slice]") {
  const FoundPeaks found = some_peaks();
  const auto plane = take_plane(found, 0, 13.9);
  REQUIRE(plane);
  CHECK(plane->cells == std::array<std::uint64_t, 2>{4, 5});
  CHECK(plane->low == std::array<double, 2>{20, 30});
  CHECK(plane->spacing == std::array<double, 2>{1, 0.5});
  CHECK(plane->values[0] == 100);
  CHECK(plane->values[5] == 110);
  CHECK(plane->values[19] == 134);
  const auto across_y = take_plane(found, 1, 20);
  REQUIRE(across_y);
  CHECK(across_y->cells == std::array<std::uint64_t, 2>{3, 5});
  CHECK(across_y->values[6] == 101);
  const auto across_z = take_plane(found, 2, 32.5);
  REQUIRE(across_z);  // the upper face is that of the last layer
  CHECK(across_z->cells == std::array<std::uint64_t, 2>{3, 4});
  CHECK(across_z->values[5] == 114);
  CHECK_FALSE(take_plane(found, 2, 32.6));
  CHECK_FALSE(take_plane(found, 0, 9.99));
}

TEST_CASE("points of a plane lie in its cells, or in their copies", "[peaks][slice]") {
  const auto plane = take_plane(some_peaks(), 2, 30);
  REQUIRE(plane);
  CHECK(plane->cell_at({10, 20}) == 0u);
  CHECK(plane->cell_at({15.9, 23.9}) == 11u);
  CHECK(plane->cell_at({12, 21}) == 5u);
  CHECK_FALSE(plane->cell_at({16, 20}));
  CHECK_FALSE(plane->cell_at({10, 19.9}));
  const auto periodic = take_plane(some_peaks(6), 2, 30);
  REQUIRE(periodic);
  CHECK(periodic->cell_at({16, 20}) == 0u);
  CHECK(periodic->cell_at({9.9, 26.5}) == 8u);
  // The grid may be a part of the box.
  CHECK_FALSE(periodic->cell_at({10, 24.5}));
}

TEST_CASE("a grid's color is logarithmic where no value is below 0", "[peaks][slice]") {
  using compute::splotch::Transform;
  const auto log = analysis::grid_color(*some_peaks().tree);
  CHECK(log.transform == Transform::Log);
  // Of the 59 values above 0, for 0 has no logarithm: a tenth is below 12.
  CHECK(log.low == Approx(std::log10(12.)));
  CHECK(log.high == Approx(std::log10(234.)));
  const auto linear = analysis::grid_color(*some_peaks(0, -50).tree);
  CHECK(linear.transform == Transform::Linear);
  CHECK(linear.low == Approx(-39));
}
