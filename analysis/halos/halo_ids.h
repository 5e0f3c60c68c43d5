#pragma once

#include "analysis/halos/halo_search.h"
#include "compute/halos/properties/properties.h"
#include "core/halo_catalog.h"
#include "core/progress.h"
#include "io/snapshot_reader.h"

#include <cstddef>
#include <cstdint>
#include <future>
#include <map>
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

// That a type has none.
std::string no_ids_sentence(const std::string& type);

// IDs of all particles of the types that have members, by the types' places in the search; empty
// where a type has none.
using IdsOfKinds = std::map<std::size_t, std::vector<std::uint64_t>>;
IdsOfKinds read_all_ids(const io::SnapshotReader& reader, const HaloSearch& found,
                        Progress& progress);

// The same on a thread of its own, while a GPU works. Dropped before they are taken, it ends soon.
class IdsBeside {
 public:
  IdsBeside(const io::SnapshotReader& reader, const HaloSearch& found);
  ~IdsBeside();
  IdsBeside(const IdsBeside&) = delete;
  IdsBeside& operator=(const IdsBeside&) = delete;

  IdsOfKinds take();  // waits; throws what the reading threw

 private:
  Progress progress_;
  std::future<IdsOfKinds> read_;
};

// IDs of all members from `all`, or where that is null of the most bound ones alone, read from the
// file. `clusters`: properties of the clusters within halos, null where there are none.
HaloIds read_halo_ids(const io::SnapshotReader& reader, const HaloSearch& found,
                      const compute::halos::HaloProperties& halos,
                      const compute::halos::HaloProperties* clusters, IdsOfKinds* all,
                      Progress& progress);

}  // namespace haloscope::analysis
