#pragma once

#include "compute/clusters/condensed_tree.h"

#include <cstddef>
#include <cstdint>
#include <vector>

// The choice of a least cluster size from a condensed tree: PLSCAN (Bot, McInnes and Aerts 2025,
// arXiv 2512.16558).
//
// As the least size grows, splits stop being splits, and clusters that split before become leaves:
// clusters that do not split. A leaf is one from the size at which the last split inside it is none
// any more up to the size of the smaller side of the split that it comes from. The length of this
// range is its persistence. All leaves at one least size have a total persistence, and sizes at
// which it is high tell clusters that stay the same for long. (The paper measures persistence in
// distance or density too; this is its package's default.)
namespace haloscope::compute::clusters {

// A range of least sizes that all have the same leaves. Of points that have weights, sizes are sums
// of weights.
struct SizeRange {
  double above = 0, up_to = 0;  // without the first, with the second
  double persistence = 0;       // of all its leaves together
  std::uint32_t leaves = 0;

  bool holds(double size) const { return size > above && size <= up_to; }
  // The smallest whole number in it; where it has none, its largest size.
  double usual_size() const;
};

// The ranges of all least sizes larger than `above`, ascending and without gaps; none where nothing
// splits. The tree is condensed with the smallest of these sizes. Sizes and persistences are exact.
// Takes time O(c log c) for c clusters.
std::vector<SizeRange> size_ranges(const CondensedTree& tree, double above);

// The ranges whose persistence is a local maximum, the highest first, of equal ones that of the
// smaller sizes; `most` of them at most. Neighbors of equal persistence are one maximum, whose
// first range counts.
std::vector<std::size_t> most_persistent(const std::vector<SizeRange>& ranges, std::size_t most);

}  // namespace haloscope::compute::clusters
