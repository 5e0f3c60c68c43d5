#pragma once

#include "compute/clusters/clustering.h"
#include "compute/distributed/numbered_points.h"
#include "compute/exec/ranks.h"
#include "core/domain.h"
#include "core/timings.h"

#include <cstdint>
#include <span>
#include <vector>

namespace haloscope::compute::distributed {

// Friends-of-friends groups of the points of all ranks: for each point of this one, part after
// part, the smallest number in its group; a point without friends is a group of its own. With
// min_points above 2 clusters of DBSCAN: the smallest number of a core point in each point's
// cluster, or kNoise; a border point belongs to its core neighbor with the smallest number. The
// same for any number of ranks, and whatever points each has. Numbers of all points are distinct,
// fewer than 2³² − 1.
//
// Points go to the rank of their part of space and, within the linking length of another part, to
// that one too: for DBSCAN within two linking lengths, so that each rank knows which points next to
// its own are core. Each rank clusters what it has with `clustering`. A point is what the rank of
// its part of space says; what others say of core points joins the clusters. A rank holds 36
// bytes for each of its points and ghosts while they are sent, 8 beside what the clustering takes,
// and all pairs of groups that touch at edges.
std::vector<std::uint32_t> link_groups(Ranks& ranks, clusters::Clustering& clustering,
                                       const haloscope::Domain& domain,
                                       std::span<const NumberedPart> parts,
                                       const clusters::ClusterSettings& settings, Timings& timings);

}  // namespace haloscope::compute::distributed
