// Grids of particles: what each cell holds, that nothing is lost, and that all runs are alike.

#include "compute/grids/density_grid.h"

#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/size.h"
#include "tests/oracles/slow_grid.h"
#include "tests/renderers.h"

#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

using namespace haloscope;
using namespace haloscope::compute::grids;
using haloscope::compute::Device;
using haloscope::test::SlowGrid;
using haloscope::test::SlowParticle;

namespace {

constexpr Assign kAll[] = {Assign::Nearest, Assign::CloudInCell, Assign::Triangular,
                           Assign::Kernel};
constexpr Assign kWithoutKernel[] = {Assign::Nearest, Assign::CloudInCell, Assign::Triangular};

// Particles as columns, at places that the lattice of their domain holds exactly.
struct Columns {
  Domain domain;
  std::array<std::vector<std::uint32_t>, 3> position;
  std::vector<float> mass, field, radius;

  GridPoints points() const {
    GridPoints points;
    points.count = mass.size();
    for (std::size_t a = 0; a < 3; ++a) points.position[a] = position[a].data();
    points.mass = mass.data();
    points.field = field.data();
    points.radius = radius.data();
    return points;
  }
  void add(const std::array<double, 3>& at, double m, double f = 0, double r = 0) {
    for (std::size_t a = 0; a < 3; ++a) position[a].push_back(domain.to_fixed(at[a], int(a)));
    mass.push_back(float(m));
    field.push_back(float(f));
    radius.push_back(float(r));
  }
  std::size_t count() const { return mass.size(); }
  SlowParticle at(std::size_t i) const {
    SlowParticle particle{{}, double(mass[i]), double(field[i]), double(radius[i])};
    for (std::size_t a = 0; a < 3; ++a) particle.at[a] = domain.to_world(position[a][i], int(a));
    return particle;
  }
  double mass_of_all() const { return std::accumulate(mass.begin(), mass.end(), 0.); }
  // The same particles, the last one first.
  Columns reversed() const {
    Columns other = *this;
    for (auto& axis : other.position) std::reverse(axis.begin(), axis.end());
    for (auto* column : {&other.mass, &other.field, &other.radius})
      std::reverse(column->begin(), column->end());
    return other;
  }
};

// A box of side 16 that is periodic, half of its particles in a clump across a corner.
Columns made_box(std::size_t count, double largest_radius = 1) {
  Columns columns{test::periodic_domain(16), {}, {}, {}, {}};
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> anywhere(0, 16), unit(0, 1);
  std::normal_distribution<double> near(0, 0.5);
  for (std::size_t i = 0; i < count; ++i) {
    std::array<double, 3> at;
    for (double& x : at) x = i % 2 ? anywhere(random) : near(random);
    columns.add(at, 0.5 + unit(random), 100 * near(random), largest_radius * unit(random));
  }
  return columns;
}

GridRequest request_for(const Columns& columns, const GridBox& box, Assign assign,
                        Quantity quantity = Quantity::Mass) {
  GridRequest request;
  request.frame = make_frame(columns.domain, box);
  request.assign = assign;
  request.quantity = quantity;
  return request;
}

GridBox whole_box(const std::array<std::uint32_t, 3>& cells) {
  return {{0, 0, 0}, {16, 16, 16}, cells, Edge::Cut};
}

DensityGrid make(Device device, const GridRequest& request, const Columns& columns) {
  Progress progress;
  return make_density_grid(device, request, {columns.points()}, progress);
}

double sum_of(const DensityGrid& grid) {
  return std::accumulate(grid.values.begin(), grid.values.end(), 0.);
}

bool same_bytes(const DensityGrid& a, const DensityGrid& b) {
  return a.values.size() == b.values.size() &&
         std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(float)) == 0;
}

double amount(Quantity quantity, const SlowParticle& particle) {
  switch (quantity) {
    case Quantity::Count:
      return 1;
    case Quantity::Sum:
      return particle.field;
    default:
      return particle.mass;
  }
}

SlowGrid slow(const GridBox& box, double period, Edge edge) {
  std::array<double, 3> side;
  std::array<std::int64_t, 3> cells;
  for (std::size_t a = 0; a < 3; ++a) {
    cells[a] = box.cells[a];
    side[a] = (box.high[a] - box.low[a]) / double(box.cells[a]);
  }
  return SlowGrid(box.low, side, cells, edge, period);
}

void add(SlowGrid& grid, Assign assign, const SlowParticle& particle, double what) {
  if (assign == Assign::Kernel)
    grid.add_kernel(particle, what);
  else
    grid.add(assign, particle, what);
}

// Shares are off by 3.5 quanta, weights by some roundings to double of places in cells (2^-42 with
// 2^11 cells), the cell by one to float32. The units of a wide kernel's weights are 2^-30, and up
// to 2^15 of them make up one cell's neighborhood.
void check(const DensityGrid& grid, const SlowGrid& expected, Assign assign, double largest) {
  REQUIRE(grid.values.size() == expected.sums.size());
  const double of_weight = assign == Assign::Kernel ? 1e-8 : 1e-12;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < expected.sums.size(); ++i) {
    const double bound =
        double(expected.shares[i] + 1) * (3.5 * grid.quantum + of_weight * largest) +
        std::fabs(double(expected.sums[i])) * 6e-8;
    if (!(std::fabs(double(grid.values[i]) - double(expected.sums[i])) <= bound)) ++wrong;
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("each cell holds its shares of the particles", "[compute][grids]") {
  const Columns columns = made_box(test::sized(200, 60));
  const GridBox box = whole_box({7, 12, 5});
  for (const Assign assign : kAll)
    for (const Quantity quantity : {Quantity::Count, Quantity::Mass, Quantity::Sum}) {
      SlowGrid expected = slow(box, 16, Edge::Wrap);
      for (std::size_t i = 0; i < columns.count(); ++i)
        add(expected, assign, columns.at(i), amount(quantity, columns.at(i)));
      for (const Device device : test::devices()) {
        INFO(int(assign) << " " << int(quantity) << " " << device.word());
        const auto grid = make(device, request_for(columns, box, assign, quantity), columns);
        check(grid, expected, assign, quantity == Quantity::Sum ? 300 : 2);
        CHECK(grid.total == Approx(sum_of(grid)).epsilon(1e-6).margin(1e-3));
      }
    }
}

TEST_CASE("kernels wider than cells are the pictures' kernels", "[compute][grids]") {
  const Columns columns = made_box(test::sized(10, 4), 9);
  for (const auto& cells : {std::array<std::uint32_t, 3>{16, 16, 16}, {20, 9, 24}}) {
    const GridBox box = whole_box(cells);
    SlowGrid expected = slow(box, 16, Edge::Wrap);
    for (std::size_t i = 0; i < columns.count(); ++i)
      expected.add_kernel(columns.at(i), columns.at(i).mass);
    for (const Device device : test::devices()) {
      const auto grid = make(device, request_for(columns, box, Assign::Kernel), columns);
      check(grid, expected, Assign::Kernel, 2);
      CHECK(std::fabs(grid.total - columns.mass_of_all()) <=
            double(columns.count()) * grid.quantum);
    }
  }
}

TEST_CASE("the mean of a field is weighted by mass", "[compute][grids]") {
  Columns columns{test::periodic_domain(16), {}, {}, {}, {}};
  columns.add({1, 1, 1}, 3, 10);
  columns.add({1.5, 1.5, 1.5}, 1, 30);
  columns.add({9, 9, 9}, 0, 7);
  for (const Device device : test::devices()) {
    const auto grid =
        make(device, request_for(columns, whole_box({2, 2, 2}), Assign::Nearest, Quantity::Mean),
             columns);
    CHECK(grid.values[0] == 15);
    CHECK(grid.total == 4);
    for (std::size_t i = 1; i < 8; ++i) CHECK(std::isnan(grid.values[i]));
  }
  // One value everywhere is the mean everywhere, smoothed or not.
  Columns even = made_box(400);
  std::fill(even.field.begin(), even.field.end(), 0.1f);
  for (const Device device : test::devices())
    for (const double sigma : {0., 1.5}) {
      auto request = request_for(even, whole_box({8, 8, 8}), Assign::CloudInCell, Quantity::Mean);
      request.smoothing = {sigma, sigma, sigma};
      const auto grid = make(device, request, even);
      double furthest = 0;
      for (const float value : grid.values)
        if (!std::isnan(value)) furthest = std::max(furthest, std::fabs(double(value) / 0.1f - 1));
      CHECK(furthest < 3e-7);
    }
}

TEST_CASE("all mass is in the grid", "[compute][grids]") {
  const Columns columns = made_box(test::sized(40000, 2000), 2);
  for (const Device device : test::devices())
    for (const Assign assign : kAll)
      for (const auto& cells : {std::array<std::uint32_t, 3>{1, 1, 1},
                                {1, 2, 3},
                                {32, 32, 32},
                                {100, 3, 11},
                                {2, 64, 1}}) {
        INFO(int(assign) << " " << cells[0] << "x" << cells[1] << "x" << cells[2]);
        auto request = request_for(columns, whole_box(cells), assign);
        const auto grid = make(device, request, columns);
        // Each particle is rounded to whole quanta, no share is lost.
        CHECK(std::fabs(grid.total - columns.mass_of_all()) <=
              0.5 * double(columns.count()) * grid.quantum + 1e-9 * columns.mass_of_all());
        CHECK(sum_of(grid) == Approx(columns.mass_of_all()).epsilon(1e-6));
        for (std::size_t a = 0; a < 3; ++a) request.smoothing[a] = std::min(1.5, double(cells[a]));
        CHECK(sum_of(make(device, request, columns)) ==
              Approx(columns.mass_of_all()).epsilon(1e-6));
      }
}

TEST_CASE("not one quantum is lost", "[compute][grids]") {
  // So few that a double holds the sum of their quanta, and masses that are whole numbers of them.
  Columns columns{test::periodic_domain(16), {}, {}, {}, {}};
  columns.add({0.3, 5.1, 15.9}, 1.5, 0, 0.7);
  columns.add({7.77, 0.01, 3.3}, 0.875, 0, 3);
  columns.add({11.1, 8.2, 0.2}, 1, 0, 6.5);
  for (const Device device : test::devices())
    for (const Assign assign : kAll)
      for (const std::uint32_t cells : {1u, 2u, 7u, 24u}) {
        INFO(int(assign) << " " << cells);
        const auto request = request_for(columns, whole_box({cells, cells + 1, cells}), assign);
        CHECK(make(device, request, columns).total == 3.375);
      }
}

TEST_CASE("a large grid becomes values in the memory of its sums", "[compute][grids]") {
  const Columns columns = made_box(test::sized(20000, 2000));
  for (const Device device : test::devices()) {
    const auto request =
        request_for(columns, whole_box({128, 128, 128}), Assign::Nearest, Quantity::Count);
    const auto grid = make(device, request, columns);
    CHECK(sum_of(grid) == double(columns.count()));
  }
}

TEST_CASE("grids are the same to the bit in every run", "[compute][grids]") {
  const Columns columns = made_box(test::sized(30000, 2000), 2);
  const Columns reversed = columns.reversed();
  for (const Assign assign : kAll)
    for (const Quantity quantity : {Quantity::Mass, Quantity::Mean}) {
      auto request = request_for(columns, whole_box({17, 32, 9}), assign, quantity);
      request.smoothing = {0.7, 1.2, 0};
      const auto expected = make(Device::cpu(), request, columns);
      for (const Device device : test::devices()) {
        INFO(int(assign) << " " << int(quantity) << " " << device.word());
        CHECK(same_bytes(make(device, request, columns), expected));
        CHECK(same_bytes(make(device, request, reversed), expected));
        for (const std::size_t threads : {1u, 2u, 16u}) {
          const ::tbb::global_control limit(::tbb::global_control::max_allowed_parallelism,
                                            threads);
          CHECK(same_bytes(make(device, request, columns), expected));
        }
      }
    }
}

TEST_CASE("particles on borders of cells and on edges of the box", "[compute][grids]") {
  Columns columns{test::periodic_domain(16), {}, {}, {}, {}};
  columns.add({0, 4, 8}, 8);   // on borders of 4 cells of side 4
  columns.add({16, 6, 2}, 8);  // the far edge is the near one; 6 and 2 are centers
  for (const Device device : test::devices()) {
    const auto in = [&](Assign assign) {
      return make(device, request_for(columns, whole_box({4, 4, 4}), assign), columns);
    };
    const auto at = [](const DensityGrid& grid, std::size_t x, std::size_t y, std::size_t z) {
      return grid.values[(x * 4 + y) * 4 + z];
    };
    const auto nearest = in(Assign::Nearest);
    CHECK(at(nearest, 0, 1, 2) == 8);
    CHECK(at(nearest, 0, 1, 0) == 8);
    const auto cloud = in(Assign::CloudInCell);
    for (const std::size_t x : {3u, 0u})
      for (const std::size_t y : {0u, 1u})
        for (const std::size_t z : {1u, 2u}) CHECK(at(cloud, x, y, z) == 1);
    CHECK(at(cloud, 0, 1, 0) == 4);
    CHECK(at(cloud, 3, 1, 0) == 4);
    const auto triangular = in(Assign::Triangular);
    CHECK(at(triangular, 3, 0, 1) == 1.0625);  // 1 of the first, 8 · 0.5 · 0.125² of the second
    CHECK(at(triangular, 0, 1, 2) == 1);
    CHECK(at(triangular, 3, 1, 0) == Approx(8 * 0.5 * 0.75 * 0.75));
    CHECK(at(triangular, 0, 0, 3) == Approx(8 * 0.5 * 0.125 * 0.125));
  }
}

TEST_CASE("the grid of a region is cut out of the whole one", "[compute][grids]") {
  const Columns columns = made_box(test::sized(3000, 300), 3);
  for (const Device device : test::devices())
    for (const Assign assign : kAll) {
      INFO(int(assign) << " " << device.word());
      const auto whole =
          make(device, request_for(columns, whole_box({32, 32, 32}), assign), columns);
      // Across the edge in x and y, and all but one cell in z.
      const GridBox box{{-2, 14.5, 0.5}, {3, 18, 16}, {10, 7, 31}, Edge::Cut};
      const auto part = make(device, request_for(columns, box, assign), columns);
      std::size_t wrong = 0;
      for (std::size_t x = 0; x < 10; ++x)
        for (std::size_t y = 0; y < 7; ++y)
          for (std::size_t z = 0; z < 31; ++z) {
            const std::size_t there = (((x + 28) % 32) * 32 + (y + 29) % 32) * 32 + (z + 1) % 32;
            // A copy of a particle a period away sees other roundings than the particle.
            const float a = part.values[(x * 7 + y) * 31 + z], b = whole.values[there];
            if (std::fabs(a - b) > 1e-6f * b + 1e-8f) ++wrong;
          }
      CHECK(wrong == 0);
    }
}

TEST_CASE("a region that is no whole number of cells of the box", "[compute][grids]") {
  const Columns columns = made_box(test::sized(100, 30), 2);
  const GridBox box{{-3.3, 2, 0}, {4.4, 9.5, 15.9}, {9, 5, 11}, Edge::Cut};
  for (const Assign assign : kAll) {
    SlowGrid expected = slow(box, 16, Edge::Cut);
    for (std::size_t i = 0; i < columns.count(); ++i)
      add(expected, assign, columns.at(i), columns.at(i).mass);
    for (const Device device : test::devices()) {
      INFO(int(assign) << " " << device.word());
      check(make(device, request_for(columns, box, assign), columns), expected, assign, 2);
    }
  }
}

TEST_CASE("edges that keep hold all mass of a set without a box", "[compute][grids]") {
  Columns columns{test::open_domain(0, 8), {}, {}, {}, {}};
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> anywhere(0, 8);
  for (int i = 0; i < test::sized(200, 40); ++i)
    columns.add({anywhere(random), anywhere(random), anywhere(random)}, 1 + i % 3, 0,
                i % 5 ? 0.5 : 4);
  const GridBox box{{0, 0, 0}, {8, 8, 8}, {6, 8, 7}, Edge::Keep};
  for (const Assign assign : kAll) {
    SlowGrid expected = slow(box, 0, Edge::Keep);
    for (std::size_t i = 0; i < columns.count(); ++i)
      add(expected, assign, columns.at(i), columns.at(i).mass);
    for (const Device device : test::devices()) {
      INFO(int(assign) << " " << device.word());
      auto request = request_for(columns, box, assign);
      const auto grid = make(device, request, columns);
      check(grid, expected, assign, 3);
      CHECK(sum_of(grid) == Approx(columns.mass_of_all()).epsilon(1e-6));
      request.smoothing = {2, 1, 3};
      CHECK(sum_of(make(device, request, columns)) == Approx(columns.mass_of_all()).epsilon(1e-6));
    }
  }
}

TEST_CASE("values that are no finite numbers are left out and counted", "[compute][grids]") {
  Columns columns = made_box(100);
  for (const Device device : test::devices()) {
    Columns bad = columns;
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    constexpr float kInfinite = std::numeric_limits<float>::infinity();
    bad.add({1, 1, 1}, kNan, 1, 1);
    bad.add({2, 1, 1}, 1, kInfinite, 1);
    bad.add({3, 1, 1}, -kInfinite, kNan, 1);
    const GridBox box = whole_box({8, 8, 8});
    for (const Assign assign : kWithoutKernel) {
      const auto good = make(device, request_for(columns, box, assign, Quantity::Mean), columns);
      const auto grid = make(device, request_for(bad, box, assign, Quantity::Mean), bad);
      CHECK(same_bytes(grid, good));
      CHECK(grid.left_out == 3);
      CHECK(good.left_out == 0);
    }
    CHECK(make(device, request_for(bad, box, Assign::Nearest), bad).left_out == 2);
    CHECK(make(device, request_for(bad, box, Assign::Nearest, Quantity::Count), bad).total == 103);
    // A radius that is no number is that of a point.
    Columns one{test::periodic_domain(16), {}, {}, {}, {}};
    for (const float radius : {kNan, kInfinite, 0.f, -1.f, 1e30f}) {
      one.add({5, 5, 5}, 1, 0, radius);
      const auto grid = make(device, request_for(one, box, Assign::Kernel), one);
      CHECK(grid.total == double(one.count()));
    }
  }
}

TEST_CASE("a heavy particle takes nothing from light ones", "[compute][grids]") {
  Columns columns{test::periodic_domain(16), {}, {}, {}, {}};
  columns.add({1, 1, 1}, 1e10);
  for (int i = 0; i < 1000; ++i) columns.add({9 + 0.001 * i, 9, 9}, 1 + 1e-3 * i);
  for (const Device device : test::devices())
    for (const Assign assign : kWithoutKernel) {
      const auto grid = make(device, request_for(columns, whole_box({2, 2, 2}), assign), columns);
      CHECK(sum_of(grid) == Approx(1e10 + 1499.5).epsilon(1e-7));
      if (assign == Assign::Nearest) CHECK(double(grid.values[7]) == Approx(1499.5).epsilon(1e-6));
      CHECK(grid.quantum <= 1e10 * std::ldexp(1., -49));
    }
}

TEST_CASE("several types, types without the field, and no particles", "[compute][grids]") {
  const Columns columns = made_box(50);
  GridPoints with = columns.points(), without = with, none = with;
  without.field = nullptr;
  without.mass = nullptr;
  without.uniform_mass = 2;
  none.count = 0;
  Progress progress;
  for (const Device device : test::devices()) {
    const GridBox box = whole_box({4, 4, 4});
    const auto masses = make_density_grid(device, request_for(columns, box, Assign::CloudInCell),
                                          {with, without, none}, progress);
    CHECK(masses.total == Approx(columns.mass_of_all() + 100));
    const auto request = request_for(columns, box, Assign::CloudInCell, Quantity::Sum);
    CHECK(same_bytes(make_density_grid(device, request, {with, without}, progress),
                     make_density_grid(device, request, {with}, progress)));
    const auto empty = make_density_grid(device, request, {none}, progress);
    CHECK(sum_of(empty) == 0);
    CHECK(make_density_grid(device, request, {}, progress).total == 0);
  }
}

TEST_CASE("what no grid can be made of is said", "[compute][grids]") {
  const Domain box = test::periodic_domain(16);
  CHECK_THROWS_WITH(make_frame(box, {{0, 0, 0}, {16, 0, 16}, {4, 4, 4}, Edge::Cut}),
                    Catch::Contains("empty along y"));
  CHECK_THROWS_WITH(make_frame(box, {{0, 0, 0}, {16, 16, 17}, {4, 4, 4}, Edge::Cut}),
                    Catch::Contains("longer along z than the periodic box"));
  CHECK_THROWS_WITH(make_frame(box, {{0, 0, 0}, {16, 16, 16}, {0, 4, 4}, Edge::Cut}),
                    Catch::Contains("0 cells along x"));
  CHECK_THROWS_WITH(make_frame(box, {{0, 0, 0}, {16, 16, 16}, {4, 4, 65537}, Edge::Cut}),
                    Catch::Contains("65537 cells along z"));
  Columns columns{box, {}, {}, {}, {}};
  columns.add({1, 1, 1}, 3e38);
  columns.add({1, 1, 1}, 3e38);
  for (const Device device : test::devices())
    CHECK_THROWS_WITH(
        make(device, request_for(columns, whole_box({4, 4, 4}), Assign::Nearest), columns),
        Catch::Contains("beyond float32"));
}
