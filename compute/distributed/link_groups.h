#pragma once

#include "compute/clusters/clustering.h"
#include "compute/distributed/domains.h"
#include "compute/exec/ranks.h"
#include "core/domain.h"
#include "core/timings.h"

#include <cstdint>
#include <span>
#include <vector>

namespace haloscope::compute::distributed {

// Some points of this rank that are numbered from `first` on.
struct NumberedPart {
  PointPart points;
  std::uint32_t first = 0;
};

// Friends-of-friends groups of the points of all ranks: for each point of this one, part after
// part, the smallest number in its group; a point without friends is a group of its own. The same
// for any number of ranks, and whatever points each has. Numbers of all points are distinct, fewer
// than 2³² − 1.
//
// Points go to the rank of their part of space and, within the linking length of another part, to
// that one too. Each rank links what it has with `clustering`. What the ranks say of points that
// several of them have joins the groups. A rank holds 20 bytes for each of its points and ghosts
// beside what the clustering takes, and all pairs of groups that touch at edges.
std::vector<std::uint32_t> link_groups(Ranks& ranks, clusters::Clustering& clustering,
                                       const haloscope::Domain& domain,
                                       std::span<const NumberedPart> parts,
                                       const clusters::ClusterSettings& settings, Timings& timings);

}  // namespace haloscope::compute::distributed
