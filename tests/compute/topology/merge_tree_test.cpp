// Merge trees of fields of every kind, by both methods, against a sweep over all cells.

#include "compute/topology/merge_tree.h"

#include "core/error.h"
#include "tests/catch.h"
#include "tests/compute/topology/check_tree.h"
#include "tests/made/fields.h"
#include "tests/made/size.h"
#include "tests/renderers.h"

#include <tbb/global_control.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute::topology;

namespace {

constexpr Connectivity kConnectivities[] = {Connectivity::Six, Connectivity::Fourteen,
                                            Connectivity::Eighteen, Connectivity::TwentySix};
constexpr std::array<bool, 3> kPeriods[] = {
    {false, false, false}, {true, true, true}, {true, false, true}, {false, true, false}};

void check(compute::Device device, const test::Field& field, const TreeSettings& settings) {
  CAPTURE(device, field.name, field.shape.cells, field.shape.periodic, int(settings.connectivity),
          int(settings.levels));
  test::check_tree(device, field.shape, field.value, settings);
}

std::string fault_of(const ScalarGrid& grid, const TreeSettings& settings, compute::Device device) {
  Progress progress;
  const auto tree = make_merge_tree(device, progress);
  std::string fault;
  try {
    tree->grow(grid, settings);
  } catch (const Error& error) {
    fault = error.what();
  }
  CHECK(tree->branches().count() == 0);
  try {
    make_triplets(device, grid, settings, progress);
  } catch (const Error& error) {
    CHECK(fault == error.what());
  }
  return fault;
}

template <class T>
void check_type() {
  using Limits = std::numeric_limits<T>;
  std::mt19937_64 random(36);
  const GridShape shape{{6, 7, 5}, {true, false, false}};
  std::vector<T> near_end, all_over;
  for (std::size_t i = 0; i < shape.count(); ++i) {
    // Neighbors in the type, which a float or a double would round to one value.
    if constexpr (Limits::is_integer) {
      near_end.push_back(
          T(random() % 2 ? Limits::max() - T(random() % 5) : Limits::min() + T(random() % 5)));
      all_over.push_back(T(random()));
    } else {
      T value = 1;
      for (auto steps = random() % 5; steps > 0; --steps) value = std::nextafter(value, T(2));
      near_end.push_back(random() % 2 ? value : -value);
      const T odd[] = {0,
                       -T(0),
                       Limits::denorm_min(),
                       -Limits::denorm_min(),
                       Limits::max(),
                       Limits::lowest(),
                       Limits::infinity(),
                       -Limits::infinity()};
      all_over.push_back(odd[random() % 8]);
    }
  }
  for (const auto& device : test::devices())
    for (const auto& value : {near_end, all_over})
      for (const Levels levels : {Levels::Super, Levels::Sub}) {
        CAPTURE(device, int(levels));
        const TreeSettings settings{Connectivity::Six, levels, {}};
        const auto slow = test::slow_tree(shape, value, settings);
        Progress progress;
        const auto tree = make_merge_tree(device, progress);
        const ScalarGrid grid{shape, std::span<const T>(value)};
        tree->grow(grid, settings);
        test::check_branches(tree->branches(), slow);
        const Triplets triplets = tree->triplets();
        CHECK((triplets.saddle == slow.saddle));
        CHECK((triplets.top == slow.top));
        CHECK((make_triplets(device, grid, settings, progress) == triplets));
      }
}

}  // namespace

TEST_CASE("merge trees are those of a sweep, whatever the field", "[topology][gpu]") {
  std::mt19937_64 random(31);
  for (const auto& device : test::devices())
    for (const auto& periodic : kPeriods)
      for (const test::Field& field : test::fields_on({{7, 9, 8}, periodic}, random))
        for (const Connectivity connectivity : kConnectivities)
          for (const Levels levels : {Levels::Super, Levels::Sub})
            check(device, field, {connectivity, levels, {}});
}

TEST_CASE("merge trees of small grids are those of a sweep", "[topology][gpu][few]") {
  std::mt19937_64 random(30);
  unsigned turn = 0;
  for (const auto& device : test::devices())
    for (const test::Field& field : test::fields_on({{5, 4, 6}, {false, true, false}}, random))
      check(device, field, {kConnectivities[turn++ % 4], Levels::Super, {}});
}

TEST_CASE("merge trees are those of a sweep, whatever the shape", "[topology][gpu]") {
  const std::array<std::uint32_t, 3> shapes[] = {
      {1, 1, 1}, {1, 1, 2}, {2, 1, 1}, {1, 1, 90}, {90, 1, 1}, {1, 13, 9}, {13, 9, 1}, {9, 1, 13},
      {2, 7, 5}, {5, 2, 2}, {3, 3, 3}, {2, 2, 2},  {3, 40, 4}, {1, 2, 65}, {64, 1, 4}};
  std::mt19937_64 random(32);
  unsigned turn = 0;
  for (const auto& device : test::devices())
    for (const auto& cells : shapes)
      for (const auto& periodic : kPeriods)
        for (const test::Field& field : test::fields_on({cells, periodic}, random))
          check(device, field,
                {kConnectivities[turn / 2 % 4], turn % 2 ? Levels::Super : Levels::Sub, {}}),
              ++turn;
}

TEST_CASE("a merge tree above a threshold knows nothing of what lies below",
          "[topology][gpu][few]") {
  std::mt19937_64 random(33);
  for (const auto& device : test::devices())
    for (const test::Field& field : test::fields_on({{8, 7, 9}, {true, false, true}}, random))
      for (const double threshold : {-HUGE_VAL, -0.5, 0., 0.3, 1., 2.5, 1e9})
        for (const Levels levels : {Levels::Super, Levels::Sub}) {
          CAPTURE(threshold);
          check(device, field, {Connectivity::Fourteen, levels, threshold});
        }
}

TEST_CASE("merge trees of larger grids are those of a sweep", "[topology][gpu]") {
  std::mt19937_64 random(34);
  const std::uint32_t side = test::sized(40u, 16u);
  const GridShape shape{{side, side + 3, side - 1}, {true, true, false}};
  for (const auto& device : test::devices())
    for (const Connectivity connectivity : kConnectivities) {
      check(device, {"white noise", shape, test::white_noise(shape.count(), random)},
            {connectivity, Levels::Super, {}});
      check(device, {"Gaussian random field", shape, test::gaussian_random_field(shape, random)},
            {connectivity, Levels::Super, {}});
    }
}

TEST_CASE("a merge tree is the same whatever the threads", "[topology]") {
  std::mt19937_64 random(35);
  const GridShape shape{{48, 40, 44}, {false, true, true}};
  std::vector<float> value = test::white_noise(shape.count(), random);
  for (std::size_t i = 0; i < value.size(); i += 3) value[i] = std::round(value[i]);
  const ScalarGrid grid{shape, std::span<const float>(value)};
  Progress progress;
  struct Told {
    Branches branches;
    Triplets reduced, merged;
    Segments branch, watershed;
  };
  const auto tell = [&](std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    const auto tree = make_merge_tree(compute::Device::cpu(), progress);
    tree->grow(grid, {});
    const Simplification simplification{Simplification::Measure::Difference, 0.7, false};
    return Told{tree->branches(), tree->triplets(),
                make_triplets(compute::Device::cpu(), grid, {}, progress),
                tree->segments(simplification, Labeling::Branch),
                tree->segments(simplification, Labeling::Watershed)};
  };
  const Told one = tell(1);
  CHECK(one.branches.count() > 1000);
  CHECK((one.merged == one.reduced));
  for (const std::size_t threads : {2u, 16u})
    for (int again = 0; again < 3; ++again) {
      CAPTURE(threads, again);
      const Told other = tell(threads);
      CHECK((other.branches.maximum == one.branches.maximum));
      CHECK((other.branches.saddle == one.branches.saddle));
      CHECK((other.branches.parent == one.branches.parent));
      CHECK((other.branches.across == one.branches.across));
      CHECK((other.branches.birth == one.branches.birth));
      CHECK((other.branches.death == one.branches.death));
      CHECK((other.reduced == one.reduced));
      CHECK((other.merged == one.reduced));
      CHECK((other.branch.label == one.branch.label));
      CHECK((other.watershed.label == one.watershed.label));
      CHECK((other.watershed.branch == one.watershed.branch));
    }
}

TEST_CASE("values are ordered in their own type", "[topology][gpu][few]") {
  check_type<float>();
  check_type<double>();
  check_type<std::int8_t>();
  check_type<std::uint8_t>();
  check_type<std::int16_t>();
  check_type<std::uint16_t>();
  check_type<std::int32_t>();
  check_type<std::uint32_t>();
  check_type<std::int64_t>();
  check_type<std::uint64_t>();
}

TEST_CASE("thresholds of whole numbers are exact", "[topology]") {
  constexpr std::int64_t kBig = (std::int64_t(1) << 53) + 1;
  const std::vector<std::int64_t> value{kBig, 0, kBig - 1, -5, 7, std::int64_t(1) << 62};
  const GridShape shape{{6, 1, 1}, {}};
  Progress progress;
  const auto maxima = [&](Levels levels, double threshold) {
    const auto tree = make_merge_tree(compute::Device::cpu(), progress);
    tree->grow({shape, std::span<const std::int64_t>(value)},
               {Connectivity::Six, levels, threshold});
    return tree->branches().maximum;
  };
  using Cells = LargeVector<std::uint64_t>;
  CHECK(maxima(Levels::Super, double(kBig - 1)) == Cells{5, 0, 2});
  CHECK(maxima(Levels::Super, 6.5) == Cells{5, 0, 2});
  CHECK(maxima(Levels::Super, 7.5) == Cells{5, 0, 2});
  CHECK(maxima(Levels::Sub, 7.5) == Cells{3, 1});
  CHECK(maxima(Levels::Sub, -4.5) == Cells{3});
  CHECK(maxima(Levels::Super, 1e19).empty());
  CHECK(maxima(Levels::Sub, -1e19).empty());
  CHECK(maxima(Levels::Sub, 1e19) == Cells{3, 1});
}

TEST_CASE("what is no grid is refused", "[topology][gpu]") {
  for (const auto& device : test::devices()) {
    const float nan = std::nanf("");
    const std::vector<float> value{1, 2, 3, 4, nan, 6};
    const auto fault = [&](std::array<std::uint32_t, 3> cells, std::span<const float> values,
                           std::optional<double> threshold = {}) {
      return fault_of({{cells, {}}, values}, {Connectivity::Six, Levels::Super, threshold}, device);
    };
    CHECK(fault({1, 2, 3}, value) ==
          "grid: the value of cell (0, 1, 1) is not a number; put a number there first");
    CHECK(fault({1, 0, 3}, {}) == "grid: it has no cells: 1 × 0 × 3");
    CHECK(fault({1, 2, 2}, value) == "grid: 1 × 2 × 2 cells have 6 values");
    CHECK(fault({65536, 65536, 65536}, value) ==
          "grid: 65536 × 65536 × 65536 cells are more than a merge tree can have; choose a coarser "
          "grid or a part of it");
    CHECK(fault({1, 2, 2}, std::span(value).first(4), double(nan)) ==
          "grid: the threshold is not a number");
  }
}

TEST_CASE("a merge tree that is cancelled is none", "[topology]") {
  const GridShape shape{{64, 64, 64}, {}};
  const std::vector<float> value(shape.count(), 1.f);
  for (const double when : {0., 0.1, 0.4, 0.8}) {
    CAPTURE(when);
    Progress* job = nullptr;
    Progress progress([&](const std::string&, double fraction) {
      if (fraction >= when) job->cancel();
    });
    job = &progress;
    const auto tree = make_merge_tree(compute::Device::cpu(), progress);
    CHECK_THROWS_AS(tree->grow({shape, std::span<const float>(value)}, {}), Cancelled);
    CHECK(tree->branches().count() == 0);
  }
}

TEST_CASE("merge trees of grids with long rows are those of a sweep", "[topology][gpu][few]") {
  const std::array<std::uint32_t, 3> shapes[] = {{9, 17, 64}, {8, 8, 32},  {17, 1, 96}, {2, 9, 33},
                                                 {1, 1, 200}, {1, 18, 40}, {3, 4, 300}};
  std::mt19937_64 random(37);
  unsigned turn = 0;
  for (const auto& device : test::devices())
    for (const auto& cells : shapes)
      for (const auto& periodic : kPeriods)
        for (const test::Field& field : test::fields_on({cells, periodic}, random)) {
          check(device, field,
                {kConnectivities[turn / 2 % 4], turn % 2 ? Levels::Super : Levels::Sub,
                 turn % 3 ? std::optional<double>() : 0.3});
          ++turn;
        }
}

TEST_CASE("long ways up are followed to their end", "[topology][gpu]") {
  // A ridge that winds through the grid: one basin, and a way as long as half of all cells.
  const GridShape shape{{33, 40, 1}, {}};
  std::vector<float> value(shape.count(), 0.f);
  float height = 1;
  for (std::uint32_t x = 0; x < 33; ++x)
    for (std::uint32_t y = 0; y < 40; ++y) {
      const std::uint32_t at = x / 2 % 2 ? 39 - y : y;
      if (x % 2 == 0)
        value[x * 40 + at] = ++height;
      else if (y == 39)
        value[x * 40 + at] = ++height;
    }
  for (const auto& device : test::devices())
    for (const Connectivity connectivity : {Connectivity::Six, Connectivity::TwentySix})
      check(device, {"ridge", shape, value}, {connectivity, Levels::Super, {}});
}

TEST_CASE("the branch of a cell is found behind many that have ended", "[topology][gpu][few]") {
  // A row of peaks, each a little higher than the one before, and the saddles between them lower
  // and lower. The branch of each peak ends in the next one: from the first cell 99 steps lead to
  // the last branch.
  constexpr std::uint32_t kPeaks = 100;
  const GridShape shape{{1, 1, 2 * kPeaks + 1}, {}};
  std::vector<float> value(shape.count(), 0.f);
  for (std::uint32_t k = 0; k < kPeaks; ++k) {
    value[2 * k + 1] = 1000.f + float(k);
    if (k + 1 < kPeaks) value[2 * k + 2] = 500.f - float(k);
  }
  for (const auto& device : test::devices())
    check(device, {"staircase", shape, value}, {Connectivity::Six, Levels::Super, {}});
}

TEST_CASE("a tree of values in place, and its segments there", "[topology]") {
  std::mt19937_64 random(38);
  Progress progress;
  // One tree after another, whose labels take the place of the last ones where the size is theirs.
  const auto here = make_merge_tree(compute::Device::cpu(), progress);
  for (const std::uint32_t rows : {20, 20, 7, 31}) {
    CAPTURE(rows);
    const GridShape shape{{12, rows, 33}, {true, false, true}};
    const std::vector<float> value = test::white_noise(shape.count(), random);
    const auto there = make_merge_tree(compute::Device::cpu(), progress);
    there->grow({shape, std::span<const float>(value)}, {});
    here->grow_in_place(shape, value.data(), {});
    CHECK((here->branches().maximum == there->branches().maximum));
    CHECK((here->branches().death == there->branches().death));
    for (const Labeling labeling : {Labeling::Branch, Labeling::Watershed}) {
      const Segments expected = there->segments({Simplification::Measure::Difference, 1}, labeling);
      const SegmentsView view =
          here->segments_in_place({Simplification::Measure::Difference, 1}, labeling);
      REQUIRE(view.count == expected.branch.size());
      CHECK(std::equal(expected.label.begin(), expected.label.end(), view.label));
    }
    const std::vector<float> none(shape.count(), NAN);
    CHECK_THROWS_AS(here->grow_in_place(shape, none.data(), {}), Error);
    here->grow_in_place(shape, value.data(), {});
    CHECK((here->branches().death == there->branches().death));
    here->segments_in_place({Simplification::Measure::Difference, 1}, Labeling::Branch);
  }
}
