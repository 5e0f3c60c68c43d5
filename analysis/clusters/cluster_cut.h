#pragma once

#include "analysis/clusters/cluster_hierarchy.h"

#include <cstdint>
#include <functional>
#include <string>

namespace haloscope::analysis {

// Where a hierarchy is cut into the clusters of one height.
struct ClusterCut {
  enum class Kind {
    Distance,  // at a height, in world lengths: components of the edges up to it
    Count,     // into so many clusters
    Spacings   // at a height in mean spacings of the points
  };
  Kind kind = Kind::Distance;
  double value = 0;
};

// "distance:0.2", "count:100", "spacings:0.2". Throws OptionError for another text, and for values
// that are not positive.
ClusterCut parse_cut(const std::string& text);

// Whether that text is a cut in mean spacings; an empty one is none. Throws as parse_cut().
bool is_in_spacings(const std::string& cut);

// Throws OptionError where so many points cannot be cut like that.
void check_cut(const ClusterCut& cut, std::uint64_t points);

// How many edges a cut takes, in the order of the tree, and the height that it is at.
struct CutEdges {
  std::uint32_t edges = 0;
  double height = 0;  // world lengths; of a cut by count that of its last edge
};

// Edges up to a length are those that friends-of-friends of that linking length takes for links.
// `mean_spacing`, in world lengths, is asked only where the cut is in its units. Throws OptionError
// for a height above the last edge, where all is one cluster. The cut is checked already.
CutEdges edges_of_cut(const ClusterCut& cut, const ClusterHierarchy& hierarchy,
                      const std::function<double()>& mean_spacing);

}  // namespace haloscope::analysis
