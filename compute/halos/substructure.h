#pragma once

#include "compute/halos/halo_finder.h"

#include <cstdint>
#include <vector>

namespace haloscope::compute::halos {

struct SubstructureSettings {
  // A second search among the members of halos: its length may not exceed theirs, nor its minPts be
  // below, so that it never leads from one halo to another.
  FinderSettings finder;
  std::uint64_t halos = ~std::uint64_t(0);  // of so many halos, the largest
};

// Clusters of members within halos, halo after halo, in each by decreasing size.
struct Substructure {
  HaloMembership members;
  std::vector<std::uint32_t> parent;  // by cluster: the halo
};

// Bytes of host memory that find_substructure takes at most beside its input and what its tools
// take.
std::uint64_t substructure_memory(std::uint64_t linked, std::uint64_t attached);

// Friends-of-friends or DBSCAN again inside halos, by linked kinds alone: what it gives in each
// halo by itself, whatever lies around. A halo's attached members join the cluster of the linked
// one nearest to them, as they joined the halo, if that is within attachment_reach() of the shorter
// length. Halos that are within reach of others are searched in
// several rounds (apart.h). `halo_settings`: by which the halos were found. Adds milliseconds of
// "substructure" to `timings`. Throws Error for a length or minPts that could lead out of a halo,
// and as Clustering::run does.
Substructure find_substructure(FinderTools& tools, const FinderInput& input,
                               const HaloMembership& halos, const FinderSettings& halo_settings,
                               const SubstructureSettings& settings, Timings& timings);

}  // namespace haloscope::compute::halos
