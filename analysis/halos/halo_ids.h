#pragma once

#include "analysis/halos/halo_search.h"
#include "compute/halos/properties/properties.h"
#include "core/halo_catalog.h"
#include "core/progress.h"
#include "io/snapshot_reader.h"

#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::analysis {

// IDs of members. A type without IDs has its rows in their place, counted from 0.
struct HaloIds {
  // Halo after halo; in each those of its clusters first, one cluster after the other. Empty unless
  // asked for.
  HaloMembers halos;
  HaloMembers clusters;                                           // their offsets in the same lists
  std::vector<std::uint64_t> most_bound, most_bound_of_clusters;  // by halo, by cluster
  std::vector<std::string> said;  // sentences: what was taken for granted
};

// Reads the IDs of all members, or where `members` is false of the most bound ones alone.
// `clusters`: properties of the clusters within halos, null where there are none.
HaloIds read_halo_ids(const io::SnapshotReader& reader, const HaloSearch& found,
                      const compute::halos::HaloProperties& halos,
                      const compute::halos::HaloProperties* clusters, bool members,
                      Progress& progress);

}  // namespace haloscope::analysis
