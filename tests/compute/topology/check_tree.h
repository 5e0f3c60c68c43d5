#pragma once

#include "compute/topology/merge_tree.h"
#include "compute/topology/persistence.h"
#include "core/progress.h"
#include "tests/catch.h"
#include "tests/oracles/slow_merge_tree.h"
#include "tests/renderers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

// Compares all that a merge tree tells with the sweep over all cells.
namespace haloscope::test {

namespace topology = haloscope::compute::topology;

template <class T>
SlowMergeTree<T> slow_tree(const topology::GridShape& shape, const std::vector<T>& value,
                           const topology::TreeSettings& settings) {
  SlowMergeTree<T> slow{shape,
                        value,
                        int(settings.connectivity),
                        settings.levels == topology::Levels::Super,
                        {},
                        {},
                        {},
                        {},
                        {}};
  if (settings.threshold)
    slow.sweep([&](const T& v) {
      return slow.superlevels ? double(v) >= *settings.threshold : double(v) <= *settings.threshold;
    });
  else
    slow.sweep();
  return slow;
}

template <class T>
void check_branches(const topology::Branches& branches, const SlowMergeTree<T>& slow) {
  REQUIRE(branches.count() == slow.maxima.size());
  bool same = true;
  for (std::size_t k = 0; k < branches.count(); ++k) {
    const std::uint32_t maximum = slow.maxima[k];
    same = same && branches.maximum[k] == maximum;
    same = same && topology::value_of<T>(branches.birth[k]) == slow.value[maximum];
    if (!slow.ends(maximum)) {
      same = same && branches.saddle[k] == topology::kNoCell;
      same = same && branches.parent[k] == topology::kNoBranch;
      continue;
    }
    same = same && branches.saddle[k] == slow.saddle[maximum];
    same = same && branches.parent[k] < branches.count() &&
           slow.maxima[branches.parent[k]] == slow.top[maximum];
    same = same && topology::value_of<T>(branches.death[k]) == slow.value[slow.saddle[maximum]];
  }
  CHECK(same);
}

// At the threshold; also that there are as many segments as branches that are no noise.
template <class T>
void check_segments(topology::MergeTree& tree, const SlowMergeTree<T>& slow,
                    const topology::Simplification& simplification) {
  const auto is_noise = [&](T birth, T death) {
    if (birth == death) return !simplification.zero_pairs;
    const double high = double(std::max(birth, death)), low = double(std::min(birth, death));
    if (simplification.measure == topology::Simplification::Measure::Difference)
      return high - low < simplification.threshold;
    return low > 0 && high < simplification.threshold * low;
  };
  std::size_t survivors = 0;
  for (const std::uint32_t maximum : slow.maxima)
    survivors +=
        !slow.ends(maximum) || !is_noise(slow.value[maximum], slow.value[slow.saddle[maximum]]);
  for (const bool by_branch : {true, false}) {
    CAPTURE(by_branch, simplification.threshold, int(simplification.measure));
    const topology::Segments found = tree.segments(
        simplification, by_branch ? topology::Labeling::Branch : topology::Labeling::Watershed);
    CHECK(found.branch.size() == survivors);
    CHECK(std::is_sorted(found.branch.begin(), found.branch.end()));
    const std::vector<std::uint32_t> expected = slow.segments(by_branch, is_noise);
    REQUIRE(found.label.size() == expected.size());
    bool same = true;
    std::set<std::uint32_t> met;
    for (std::size_t v = 0; v < expected.size(); ++v) {
      const std::uint32_t label = found.label[v];
      if (label == topology::kNoBranch || label >= found.branch.size()) {
        same = same && label == topology::kNoBranch && expected[v] == slow.kNobody;
        continue;
      }
      met.insert(label);
      same = same && slow.maxima[found.branch[label]] == expected[v];
    }
    CHECK(same);
    CHECK(met.size() == survivors);
  }
}

template <class T>
void check_tree(compute::Device device, const topology::GridShape& shape,
                const std::vector<T>& value, const topology::TreeSettings& settings) {
  const SlowMergeTree<T> slow = slow_tree(shape, value, settings);
  const topology::ScalarGrid grid{shape, std::span<const T>(value)};
  Progress progress;
  const auto tree = topology::make_merge_tree(device, progress);
  tree->grow(grid, settings);
  check_branches(tree->branches(), slow);
  bool same_across = true;
  for (std::size_t k = 0; k < tree->branches().count(); ++k) {
    const std::uint32_t across = tree->branches().across[k], maximum = slow.maxima[k];
    same_across = same_across &&
                  (slow.ends(maximum)
                       ? across < slow.maxima.size() && slow.maxima[across] == slow.across[maximum]
                       : across == topology::kNoBranch);
  }
  CHECK(same_across);
  const topology::Triplets reduced = tree->triplets();
  CHECK((reduced.saddle == slow.saddle));
  CHECK((reduced.top == slow.top));

  const topology::Triplets merged = topology::make_triplets(device, grid, settings, progress);
  CHECK((merged == reduced));
  check_branches(topology::branches_of(merged, grid, settings.levels), slow);

  using Measure = topology::Simplification::Measure;
  check_segments(*tree, slow, {Measure::Difference, 0, true});
  for (const double threshold : {0., 0.5, 1.5, 1e30})
    check_segments(*tree, slow, {Measure::Difference, threshold, false});
  check_segments(*tree, slow, {Measure::Ratio, 1.75, false});
}

}  // namespace haloscope::test
