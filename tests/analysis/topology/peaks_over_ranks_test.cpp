// Peaks of grids over several ranks beside those of one, on threads.

#include "analysis/grids/grid_values.h"
#include "analysis/topology/field_statistics.h"
#include "analysis/topology/grid_peaks.h"
#include "compute/distributed/grid_slabs.h"
#include "compute/distributed/smooth_slabs.h"
#include "compute/exec/ranks.h"
#include "compute/grids/smoothing.h"
#include "core/error.h"
#include "core/progress.h"
#include "tests/catch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace haloscope;
using namespace haloscope::analysis;
using compute::Ranks;
namespace distributed = haloscope::compute::distributed;
namespace grids = haloscope::compute::grids;

namespace {

// Few different values, so that many neighbors are equal; odd sums of floats.
Grid made_grid(const std::array<std::uint64_t, 3>& cells, unsigned seed) {
  Grid grid;
  grid.cells = cells;
  grid.name = "made";
  grid.spacing = {0.5, 0.25, 2};
  grid.bytes = Array<std::byte>(std::size_t(grid.count()) * sizeof(float));
  std::mt19937 random(seed);
  for (std::uint64_t i = 0; i < grid.count(); ++i)
    grid.values<float>()[i] = float(random() % 50) * 0.37f + 0.011f;
  return grid;
}

Grid copy_of(const Grid& grid, std::uint64_t first_byte, std::uint64_t bytes) {
  Grid copy;
  copy.cells = grid.cells;
  copy.scalar = grid.scalar;
  copy.name = grid.name;
  copy.spacing = grid.spacing;
  copy.bytes = Array<std::byte>(std::size_t(bytes));
  if (bytes > 0) std::memcpy(copy.bytes.data(), grid.bytes.data() + first_byte, bytes);
  return copy;
}

Grid planes_of(const Grid& grid, const Ranks& ranks) {
  const auto own = distributed::planes_of_rank(grid.cells[0], ranks.rank(), ranks.size());
  const std::uint64_t plane = grid.bytes.size() / grid.cells[0];
  return copy_of(grid, own.begin * plane, own.count() * plane);
}

bool same_statistics(const FieldStatistics& a, const FieldStatistics& b) {
  return a.mean == b.mean && a.deviation == b.deviation && a.lowest == b.lowest &&
         a.highest == b.highest && a.finite == b.finite && a.negative == b.negative;
}

}  // namespace

TEST_CASE("statistics of a grid over ranks are those of one", "[topology][ranks]") {
  using compute::topology::Levels;
  // Stretches of sums that lie on one, two and several ranks.
  for (const std::array<std::uint64_t, 3>& cells : {std::array<std::uint64_t, 3>{7, 211, 197},
                                                    {5, 64, 1024},
                                                    {40, 61, 83},
                                                    {2, 3, 4},
                                                    {3, 5, 7},
                                                    {1, 300, 301}}) {
    Grid grid = made_grid(cells, 5);
    grid.values<float>()[0] = -std::numeric_limits<float>::infinity();
    const FieldStatistics one = measure_field(grid);
    for (const int size : {2, 3, 4, 7}) {
      CAPTURE(cells, size);
      std::array<int, 3> wrong{};
      compute::run_thread_ranks(size, [&](Ranks& ranks) {
        const Grid own = planes_of(grid, ranks);
        const std::array<bool, 3> right{
            same_statistics(measure_field(own, ranks), one),
            last_cell(own, Levels::Super, ranks) == last_cell(grid, Levels::Super),
            last_cell(own, Levels::Sub, ranks) == last_cell(grid, Levels::Sub)};
        for (std::size_t k = 0; k < right.size(); ++k) {
          const int sum = ranks.sum(right[k] ? 0 : 1);
          if (ranks.first()) wrong[k] = sum;
        }
      });
      CHECK((wrong == std::array<int, 3>{0, 0, 0}));
    }
  }
}

TEST_CASE("the first cell that is no number is told over ranks", "[topology][ranks]") {
  Grid grid = made_grid({5, 4, 3}, 6);
  grid.values<float>()[31] = std::numeric_limits<float>::infinity();
  grid.values<float>()[47] = std::numeric_limits<float>::quiet_NaN();
  CHECK_THROWS_WITH(compute::run_thread_ranks(
                        3, [&](Ranks& ranks) { measure_field(planes_of(grid, ranks), ranks); }),
                    Catch::Contains("(2, 2, 1) is infinite"));
}

TEST_CASE("a grid over ranks is smoothed to the bits of one", "[grids][ranks]") {
  for (const auto edge : {grids::Edge::Wrap, grids::Edge::Keep})
    for (const std::array<std::uint64_t, 3>& cells :
         {std::array<std::uint64_t, 3>{7, 5, 6}, {3, 1, 9}, {1, 8, 7}, {2, 2, 1}}) {
      const Grid grid = made_grid(cells, 7);
      grids::GridFrame frame;
      for (std::size_t a = 0; a < 3; ++a) {
        frame.cells[a] = std::uint32_t(cells[a]);
        frame.edge[a] = edge;
      }
      for (const std::array<double, 3>& sigma :
           {std::array<double, 3>{0.9, 0.7, 1}, {0, 1, 0.5}, {1, 0, 0}}) {
        Array<float> values(std::size_t(grid.count()));
        std::memcpy(values.data(), grid.bytes.data(), grid.bytes.size());
        const auto cpu = compute::Device::cpu();
        const Array<float> one = grids::smooth_grid(cpu, frame, sigma, values);
        for (const int size : {1, 2, 3, 5}) {
          CAPTURE(cells, sigma, size, int(edge));
          int wrong = -1;
          compute::run_thread_ranks(size, [&](Ranks& ranks) {
            const Grid own = planes_of(grid, ranks);
            Array<float> floats(own.bytes.size() / sizeof(float));
            if (floats.size() > 0) std::memcpy(floats.data(), own.bytes.data(), own.bytes.size());
            const Array<float> smooth = distributed::smooth_slabs(ranks, cpu, frame, sigma, floats);
            const auto all = ranks.gather<float>(std::span(smooth.data(), smooth.size()));
            if (!ranks.first()) return;
            wrong = all.size() != one.size() ||
                    std::memcmp(all.data(), one.data(), all.size() * sizeof(float)) != 0;
          });
          CHECK(wrong == 0);
        }
      }
    }
}

TEST_CASE("cells around a grid over ranks are cut off", "[grids][ranks]") {
  using Cells = std::array<std::uint64_t, 3>;
  struct Case {
    Cells cells, margin;
  };
  for (const Case& one : {Case{{9, 8, 7}, {2, 3, 1}},
                          {{13, 4, 5}, {5, 0, 2}},
                          {{13, 4, 5}, {6, 1, 1}},
                          {{6, 4, 5}, {2, 1, 0}},
                          {{5, 6, 3}, {0, 2, 0}},
                          {{2, 6, 3}, {0, 2, 1}}}) {
    const Cells &cells = one.cells, &margin = one.margin;
    const Grid grid = made_grid(cells, 10);
    const auto floats = [](const Grid& of) {
      Array<float> values(of.bytes.size() / sizeof(float));
      if (values.size() > 0) std::memcpy(values.data(), of.bytes.data(), of.bytes.size());
      return values;
    };
    const Array<float> whole = without_margins(floats(grid), cells, margin);
    for (const int size : {1, 2, 3, 4, 7}) {
      CAPTURE(cells, margin, size);
      int wrong = -1;
      compute::run_thread_ranks(size, [&](Ranks& ranks) {
        const Array<float> own =
            without_margins(floats(planes_of(grid, ranks)), cells, margin, ranks);
        const auto planes =
            distributed::planes_of_rank(cells[0] - 2 * margin[0], ranks.rank(), size);
        const std::size_t plane = whole.size() / std::size_t(cells[0] - 2 * margin[0]);
        int bad = own.size() != planes.count() * plane ||
                  !std::equal(own.begin(), own.end(), whole.begin() + planes.begin * plane);
        bad = ranks.sum(bad);
        if (ranks.first()) wrong = bad;
      });
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("peaks of a grid over ranks are those of one", "[topology][ranks]") {
  const auto search = [](const char* smooth, const char* threshold, const char* voids, bool log) {
    PeaksOptions options;
    options.smooth = smooth;
    options.threshold = threshold;
    options.voids = voids;
    options.log = log;
    options.closed = "x,z";
    return options;
  };
  const PeaksOptions searches[] = {search("", "", "", false),
                                   search("1cells", "mean:0.9", "", true),
                                   search("0cells", "", "0.9,0.8", false)};
  for (const std::array<std::uint64_t, 3>& cells :
       {std::array<std::uint64_t, 3>{9, 8, 7}, {2, 9, 8}, {3, 21, 1}, {1, 14, 13}}) {
    const Grid grid = made_grid(cells, 8);
    for (const PeaksOptions& options : searches) {
      Progress progress;
      const auto cpu = compute::Device::cpu();
      const GridPeaks one =
          find_grid_peaks(copy_of(grid, 0, grid.bytes.size()), "made.npy", options, cpu, progress);
      for (const int size : {2, 3, 4}) {
        CAPTURE(cells, options.smooth, options.voids, options.log, size);
        compute::run_thread_ranks(size, [&](Ranks& ranks) {
          Progress own;
          const GridPeaks several = find_grid_peaks(planes_of(grid, ranks), "made.npy", options,
                                                    cpu, own, ranks, {true, true});
          if (!ranks.first()) return;
          const Structures &a = one.found.structures, &b = several.found.structures;
          CHECK(several.summary == one.summary);
          CHECK((b.branch == a.branch));
          CHECK((b.parent == a.parent));
          CHECK((b.cells == a.cells));
          CHECK((b.sum == a.sum));
          CHECK((b.by_branch == a.by_branch));
          CHECK((b.by_watershed == a.by_watershed));
          CHECK(several.found.tree->last() == one.found.tree->last());
          CHECK(several.found.tree->knows_basins());
          const Grid &x = one.found.tree->grid(), &y = several.found.tree->grid();
          REQUIRE(y.bytes.size() == x.bytes.size());
          CHECK(std::memcmp(y.bytes.data(), x.bytes.data(), x.bytes.size()) == 0);
        });
      }
    }
  }
}

TEST_CASE("ranks that see other grids are told", "[topology][ranks]") {
  CHECK_THROWS_WITH(
      compute::run_thread_ranks(2,
                                [&](Ranks& ranks) {
                                  const Grid grid = made_grid({5, 4, ranks.first() ? 3u : 2u}, 9);
                                  Progress progress;
                                  find_grid_peaks(planes_of(grid, ranks), "made.npy", {},
                                                  compute::Device::cpu(), progress, ranks, {});
                                }),
      Catch::Contains("rank 1 sees made (5 x 4 x 2 cells"));
}
