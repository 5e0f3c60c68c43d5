#pragma once

#include "compute/distributed/domains.h"
#include "compute/exec/device.h"
#include "compute/exec/ranks.h"
#include "core/array.h"
#include "core/progress.h"

#include <cstdint>

namespace haloscope::compute::distributed {

// On one rank.
struct KthWork {
  std::uint64_t open = 0;    // points whose k-th nearest may have been another rank's
  std::uint64_t others = 0;  // points that other ranks sent for these
};

// Of each of this rank's points, in their order, the distance to the k-th nearest of all other
// points of all ranks, in units of which a lattice step has `step`: to the bit what
// spatial::Neighbors::kth_distance() finds among all points on one device, infinite where there are
// not so many others. All ranks call it. Throws Error as that does, and where a rank has no room
// for what it needs of others; and Cancelled. `work`: what this rank's part took, if it is asked.
//
// Each rank searches among the points in its stretch of the Morton order. What it finds is a bound
// for those whose k-th nearest may be another rank's: among these, all that lies within their
// bounds, and the points of other ranks that do, it searches once more. Known weakness: a bound may
// hold much of what other ranks have, as that of a lone point beside a clump that several ranks
// share; a rank with no more than k points has no bound and takes all points of all ranks.
Array<float> kth_distances(Ranks& ranks, Device device, const PointPart& own, int k, double step,
                           Progress& progress, KthWork* work = nullptr);

}  // namespace haloscope::compute::distributed
