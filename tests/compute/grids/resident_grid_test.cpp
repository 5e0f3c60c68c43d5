// Grids of points that lie on a device, against those of columns on the CPU.

#include "compute/grids/resident_grid.h"

#include "compute/spatial/points.h"
#include "tests/catch.h"
#include "tests/made/size.h"
#include "tests/renderers.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute;
using namespace haloscope::compute::grids;

namespace {

using Columns = std::array<std::vector<std::uint32_t>, 3>;

// Half of them in a clump across a corner, the others anywhere.
Columns made_points(std::size_t count, std::uint64_t side) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> near(0, 0.03);
  Columns columns;
  for (std::size_t i = 0; i < count; ++i)
    for (auto& column : columns)
      column.push_back(std::uint32_t(
          (i % 2 ? random() : std::uint64_t(std::int64_t(near(random) * double(side)))) % side));
  return columns;
}

bool same_values(const Array<float>& a, const Array<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

TEST_CASE("grids of resident points are those of their columns", "[grids][gpu]") {
  const std::size_t count = test::sized(60000u, 6000u);
  const Columns columns = made_points(count, std::uint64_t(1) << 32);
  const GridBox boxes[] = {{{0, 0, 0}, {16, 16, 16}, {32, 40, 24}, Edge::Cut},
                           {{0, 0, 0}, {16, 16, 16}, {12, 16, 256}, Edge::Cut},
                           {{-3, 5, 1}, {6, 11, 16}, {9, 11, 128}, Edge::Keep},
                           {{0, 0, 0}, {16, 16, 16}, {7, 3, 300}, Edge::Cut},
                           {{-3, 5, 1}, {6, 11, 16}, {90, 30, 17}, Edge::Cut},
                           {{0.3, 5, 1}, {6, 11, 15}, {40, 30, 128}, Edge::Cut},
                           {{-3, 5, 1}, {6, 11, 16}, {20, 33, 70}, Edge::Keep}};
  Progress progress;
  for (const Device& device : test::devices())
    for (const Domain& domain : {test::periodic_domain(16), test::open_domain(4, 12)}) {
      const auto points = spatial::place_points(
          device, domain, {columns[0].data(), columns[1].data(), columns[2].data()}, count);
      for (const GridBox& box : boxes)
        for (const Assign assign : {Assign::Nearest, Assign::CloudInCell, Assign::Triangular})
          for (const std::array<double, 3>& smoothing : {std::array<double, 3>{0, 0, 0},
                                                         {1, 0.5, 2},
                                                         {0.5, 1, 1},
                                                         {1, 1, 0.5},
                                                         {0.3, 1.5, 0}}) {
            CAPTURE(device, domain.periodic, box.cells, int(box.inside), int(assign), smoothing);
            GridRequest request;
            request.frame = make_frame(domain, box);
            request.assign = assign;
            request.smoothing = smoothing;
            GridPoints rows;
            rows.count = count;
            for (std::size_t a = 0; a < 3; ++a) rows.position[a] = columns[a].data();
            rows.uniform_mass = 0.37;
            const DensityGrid expected =
                make_density_grid(Device::cpu(), request, {rows}, progress);
            const auto made = make_resident_grid(request, *points, 0.37, progress);
            CHECK(same_values(made->copy(), expected.values));
            CHECK(made->total() == expected.total);
          }
    }
}

TEST_CASE("grids of very many resident points are those of their columns", "[grids][gpu]") {
  // Of so many points each has few quanta, for which a GPU has a way of its own.
  const std::vector<Device> devices = test::devices();
  if (devices.size() < 2) return;
  const Domain domain = test::periodic_domain(16);
  const std::size_t count = (std::size_t(1) << 24) + 12345;
  const Columns columns = made_points(count, std::uint64_t(1) << 32);
  Progress progress;
  GridRequest request;
  request.frame = make_frame(domain, {{0, 0, 0}, {16, 16, 16}, {128, 64, 128}, Edge::Cut});
  GridPoints rows;
  rows.count = count;
  for (std::size_t a = 0; a < 3; ++a) rows.position[a] = columns[a].data();
  rows.uniform_mass = 0.4999;  // 2^36.9997 quanta each, just below the limit
  const auto points = spatial::place_points(
      devices[1], domain, {columns[0].data(), columns[1].data(), columns[2].data()}, count);
  for (const Assign assign : {Assign::Nearest, Assign::CloudInCell, Assign::Triangular}) {
    CAPTURE(int(assign));
    request.assign = assign;
    const DensityGrid expected = make_density_grid(Device::cpu(), request, {rows}, progress);
    const auto made = make_resident_grid(request, *points, 0.4999, progress);
    CHECK(same_values(made->copy(), expected.values));
    CHECK(made->total() == expected.total);
  }
}
