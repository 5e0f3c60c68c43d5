#pragma once

#include "analysis/halos/halo_ids.h"
#include "analysis/halos/halo_search.h"
#include "compute/distributed/gather_halos.h"
#include "compute/distributed/ranked_rows.h"
#include "compute/distributed/shared_halos.h"
#include "compute/exec/ranks.h"
#include "compute/halos/properties/properties.h"
#include "core/progress.h"
#include "io/snapshot_reader.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace haloscope::analysis {

// Halos that were measured where they were found, as make_catalog() would measure them.
struct MeasuredHalos {
  compute::halos::HaloProperties properties;
  HaloIds ids;
  bool moving = false;  // velocities of all members are known
};

// What rank 0 gets of the members beside their rows.
enum class MemberLists {
  None,
  Places,  // where they would stand in lists of IDs
  Ids
};

// Measures halos of all ranks' particles. All ranks make one, with the particles that each has read
// (`found`: linked and attached types, softening and device too), and call all its functions
// together. Reads the IDs of members.
class MeasureOverRanks {
 public:
  MeasureOverRanks(compute::Ranks& ranks, const io::SnapshotReader& reader, HaloSearch& found,
                   MemberLists lists, Progress& progress);

  const compute::distributed::RankedRows& rows() const { return rows_; }
  // Of this rank: whoever finds the halos fills in `groups` of the kinds that have members: the
  // label of the halo of each row.
  std::vector<compute::distributed::KindPart>& kinds() { return kinds_; }
  bool is_linked(std::size_t kind) const;
  bool has_members(std::size_t kind) const;

  // `halos`: of all ranks, the same on each; the catalog has them in this order. On rank 0 `found`
  // gets the members of all halos, their measurements, and the counts of all ranks' particles in
  // place of the particles; on the others it gets nothing. Once.
  void measure(const std::vector<compute::distributed::SharedHalo>& halos);

 private:
  void read_ids();
  bool has_ids(std::size_t kind) const;
  void describe_kinds();
  compute::halos::HaloProperties measure_own(const compute::distributed::GatheredHalos& gathered);
  void keep_counts();
  void give_back_columns(std::size_t kind);
  void place_ids(compute::distributed::CollectedMembers& members);
  void list_members(std::size_t kind, LargeVector<std::uint64_t>& ids, HaloIds& out) const;

  compute::Ranks& ranks_;
  const io::SnapshotReader& reader_;
  HaloSearch& found_;
  const MemberLists lists_;
  Progress& progress_;
  const compute::distributed::RankedRows rows_;
  std::vector<std::vector<std::uint64_t>> ids_;  // of this rank's rows, by kind
  std::vector<compute::distributed::KindPart> kinds_;
  std::shared_ptr<MeasuredHalos> measured_ = std::make_shared<MeasuredHalos>();
};

}  // namespace haloscope::analysis
