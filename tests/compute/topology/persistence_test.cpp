// Persistence pairs, Betti curves and segments of grids that can be looked through.

#include "compute/topology/persistence.h"

#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/fields.h"
#include "tests/oracles/slow_merge_tree.h"
#include "tests/renderers.h"

#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute::topology;

namespace {

using Indices = std::vector<std::uint64_t>;

std::unique_ptr<MergeTree> tree_of(const GridShape& shape, const std::vector<float>& value,
                                   const TreeSettings& settings, compute::Device device,
                                   Progress& progress) {
  auto tree = make_merge_tree(device, progress);
  tree->grow({shape, std::span<const float>(value)}, settings);
  return tree;
}

// Components of {f ≥ level} (sublevels: ≤) by flooding.
std::uint64_t components_at(const test::SlowMergeTree<float>& grid, float level) {
  const auto is_in = [&](std::uint32_t v) {
    return grid.superlevels ? grid.value[v] >= level : grid.value[v] <= level;
  };
  std::vector<bool> seen(grid.value.size(), false);
  std::uint64_t components = 0;
  for (std::uint32_t v = 0; v < seen.size(); ++v) {
    if (seen[v] || !is_in(v)) continue;
    ++components;
    std::vector<std::uint32_t> todo{v};
    seen[v] = true;
    while (!todo.empty()) {
      const std::uint32_t from = todo.back();
      todo.pop_back();
      for (const std::uint32_t to : grid.neighbors_of(from))
        if (!seen[to] && is_in(to)) {
          seen[to] = true;
          todo.push_back(to);
        }
    }
  }
  return components;
}

}  // namespace

TEST_CASE("pairs of a row of peaks", "[topology][gpu]") {
  //                              0  1  2  3  4  5  6  7  8
  const std::vector<float> value{1, 5, 2, 2, 4, 4, 1, 9, 0};
  const GridShape shape{{1, 1, 9}, {}};
  Progress progress;
  for (const auto& device : test::devices()) {
    const auto tree = tree_of(shape, value, {}, device, progress);
    const Pairs<float> pairs = pairs_of<float>(tree->branches(), Levels::Super);
    CHECK(pairs.birth == std::vector<float>{9, 5, 4});
    CHECK(pairs.death == std::vector<float>{-HUGE_VALF, 1, 2});
    CHECK(pairs.birth_index == Indices{7, 1, 4});
    CHECK(pairs.death_index == Indices{kNoCell, 6, 3});
    const BettiCurve<float> curve = betti_0_curve(pairs, Levels::Super);
    CHECK(curve.level == std::vector<float>{9, 5, 4, 2, 1});
    CHECK(curve.components == Indices{1, 2, 3, 2, 1});

    using Labels = std::vector<std::uint32_t>;
    const auto labels = [&](double threshold, Labeling labeling) {
      return tree->segments({Simplification::Measure::Difference, threshold, false}, labeling)
          .label;
    };
    CHECK(labels(1, Labeling::Watershed) == Labels{1, 1, 1, 2, 2, 2, 0, 0, 0});
    CHECK(labels(1, Labeling::Branch) == Labels{1, 1, 1, 1, 2, 2, 0, 0, 0});
    CHECK(labels(3, Labeling::Watershed) == Labels{1, 1, 1, 1, 1, 1, 0, 0, 0});
    CHECK(labels(4.5, Labeling::Branch) == Labels{0, 0, 0, 0, 0, 0, 0, 0, 0});

    const auto below =
        tree_of(shape, value, {Connectivity::Fourteen, Levels::Sub, {}}, device, progress);
    const Pairs<float> valleys = pairs_of<float>(below->branches(), Levels::Sub);
    CHECK(valleys.birth == std::vector<float>{0, 1, 1, 2});
    CHECK(valleys.death == std::vector<float>{HUGE_VALF, 9, 5, 4});
    CHECK(valleys.birth_index == Indices{8, 0, 6, 2});
    CHECK(valleys.death_index == Indices{kNoCell, 7, 1, 5});
  }
}

TEST_CASE("pairs of zero persistence are told where they are asked for", "[topology]") {
  // Cells 4 and 6 both begin a component of value 1, and meet in cell 7, of value 1 too.
  const std::vector<std::uint8_t> value{1, 0, 1,  //
                                        0, 1, 0,  //
                                        1, 1, 1};
  Progress progress;
  const auto tree = make_merge_tree(compute::Device::cpu(), progress);
  tree->grow({{{1, 3, 3}, {}}, std::span<const std::uint8_t>(value)},
             {Connectivity::Six, Levels::Super, {}});
  const auto all = pairs_of<std::uint8_t>(tree->branches(), Levels::Super, true);
  CHECK(all.birth_index == Indices{0, 2, 4, 6});
  CHECK(all.death_index == Indices{kNoCell, 1, 1, 7});
  const auto some = pairs_of<std::uint8_t>(tree->branches(), Levels::Super);
  CHECK(some.birth_index == Indices{0, 2, 4});
  // The type has no infinity.
  CHECK(int(some.death.front()) == 0);
}

TEST_CASE("a Betti curve counts components", "[topology]") {
  std::mt19937_64 random(41);
  const GridShape shape{{4, 5, 6}, {true, false, false}};
  Progress progress;
  for (const test::Field& field : test::fields_on(shape, random))
    for (const Levels levels : {Levels::Super, Levels::Sub}) {
      CAPTURE(field.name, int(levels));
      const auto tree = tree_of(shape, field.value, {Connectivity::Six, levels, {}},
                                compute::Device::cpu(), progress);
      test::SlowMergeTree<float> slow{shape, field.value, 6, levels == Levels::Super, {}, {},
                                      {},    {},          {}};
      for (const bool zero_pairs : {false, true}) {
        const auto curve =
            betti_0_curve(pairs_of<float>(tree->branches(), levels, zero_pairs), levels);
        bool same = true;
        for (std::size_t i = 0; i < curve.level.size(); ++i)
          same = same && curve.components[i] == components_at(slow, curve.level[i]);
        CHECK(same);
        CHECK(curve.components.back() == 1);
      }
    }
}

TEST_CASE("persistence of whole numbers is exact", "[topology]") {
  const std::uint64_t high = ordered_bits(std::int64_t(9007199254740993)),
                      low = ordered_bits(std::int64_t(9007199254740992));
  const Simplification one{Simplification::Measure::Difference, 1, false};
  CHECK(persists(one, ValueKind::Signed, high, low));
  CHECK(difference_of(ValueKind::Signed, ordered_bits(std::int64_t(-3)),
                      ordered_bits(std::int64_t(-7))) == 4);
  CHECK(difference_of(ValueKind::Real, ordered_bits(HUGE_VALF), ordered_bits(HUGE_VALF)) == 0);
  CHECK(difference_of(ValueKind::Real, ordered_bits(2.5f), ordered_bits(-0.f)) == 2.5);
}

TEST_CASE("a threshold of persistence that means nothing is refused", "[topology]") {
  Progress progress;
  const auto tree = tree_of({{1, 1, 2}, {}}, {1, 2}, {}, compute::Device::cpu(), progress);
  const auto fault = [&](Simplification::Measure measure, double threshold) -> std::string {
    try {
      tree->segments({measure, threshold, false}, Labeling::Branch);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  CHECK(fault(Simplification::Measure::Difference, std::nan("")) ==
        "persistence: the threshold is not a number");
  CHECK(fault(Simplification::Measure::Ratio, 0.5) ==
        "persistence: a ratio of 0.5 is below 1, which every branch has; choose 1 or more");
  CHECK(fault(Simplification::Measure::Difference, 0).empty());
}
