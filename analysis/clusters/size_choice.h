#pragma once

#include "compute/clusters/cluster_sizes.h"

#include <cstdint>
#include <vector>

namespace haloscope::analysis {

// The clusters of one least size, of several that were tried.
struct SizeResolution {
  double size = 0;                     // the least size
  compute::clusters::SizeRange range;  // all least sizes that have the same clusters
  std::uint64_t clusters = 0;
};

// How the least size of clusters was chosen from a tree: all ranges of sizes, none where nothing
// splits, and the best ones that were asked for, that of the clusters first.
struct SizeChoice {
  std::vector<compute::clusters::SizeRange> ranges;
  std::vector<SizeResolution> resolutions;

  std::uint64_t bytes() const {
    return ranges.size() * sizeof(compute::clusters::SizeRange) +
           resolutions.size() * sizeof(SizeResolution);
  }
};

}  // namespace haloscope::analysis
