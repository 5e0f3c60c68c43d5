#include "compute/clusters/cluster_sizes.h"

#include <algorithm>
#include <cmath>

namespace haloscope::compute::clusters {

namespace {

// At a size, leaves begin or end.
struct SizeEvent {
  double size = 0, persistence = 0;  // negative where a leaf ends
};

std::vector<SizeEvent> events_of_leaves(const CondensedTree& tree, double above) {
  // A cluster is a leaf above `begin` and up to `end`.
  std::vector<double> begin(tree.clusters(), above), end(tree.clusters(), above);
  // The two sides of a split stand side by side, behind the cluster that splits.
  for (std::size_t c = tree.clusters(); c > 2; c -= 2) {
    const std::size_t first = c - 2, second = c - 1;
    const double smaller = std::min(tree.weight_of(first), tree.weight_of(second));
    end[first] = end[second] = smaller;
    double& last_split = begin[tree.parent[first]];
    last_split = std::max({last_split, smaller, begin[first], begin[second]});
  }
  std::vector<SizeEvent> events;
  for (std::size_t c = 1; c < tree.clusters(); ++c) {
    const double persistence = end[c] - begin[c];
    if (!(persistence > 0)) continue;
    events.push_back({begin[c], persistence});
    events.push_back({end[c], -persistence});
  }
  std::sort(events.begin(), events.end(),
            [](const SizeEvent& p, const SizeEvent& q) { return p.size < q.size; });
  return events;
}

}  // namespace

double SizeRange::usual_size() const {
  const double whole = std::floor(above) + 1;
  return whole <= up_to ? whole : up_to;
}

std::vector<SizeRange> size_ranges(const CondensedTree& tree, double above) {
  std::vector<SizeRange> ranges;
  SizeRange now;
  for (const SizeEvent& event : events_of_leaves(tree, above)) {
    if (event.size > now.above && now.leaves > 0) {
      now.up_to = event.size;
      ranges.push_back(now);
    }
    now.above = event.size;
    now.persistence += event.persistence;
    if (event.persistence > 0)
      ++now.leaves;
    else
      --now.leaves;
  }
  return ranges;
}

std::vector<std::size_t> most_persistent(const std::vector<SizeRange>& ranges, std::size_t most) {
  std::vector<std::size_t> peaks;
  for (std::size_t first = 0, next = 0; first < ranges.size(); first = next) {
    const double height = ranges[first].persistence;
    while (next < ranges.size() && ranges[next].persistence == height) ++next;
    const bool rises = first == 0 || ranges[first - 1].persistence < height;
    const bool falls = next == ranges.size() || ranges[next].persistence < height;
    if (rises && falls) peaks.push_back(first);
  }
  std::stable_sort(peaks.begin(), peaks.end(), [&](std::size_t p, std::size_t q) {
    return ranges[p].persistence > ranges[q].persistence;
  });
  peaks.resize(std::min(peaks.size(), most));
  return peaks;
}

}  // namespace haloscope::compute::clusters
