#pragma once

#include "analysis/file_rows.h"
#include "analysis/selection/named_set.h"
#include "analysis/selection/selection_count.h"
#include "core/progress.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::analysis {

// Sets, and the snapshot in which their particles are sought.
struct SetsRequest {
  std::vector<NamedSet> sets;
  std::string snapshot;
  std::vector<std::string> series;  // that SelectionChoice.made_in counts
  SnapshotOptions said;
  compute::Device device;  // of a search for pieces
  // Known already: what was found that selections of that finder speak of.
  struct KnownFinding {
    SelectionChoice of;
    std::shared_ptr<const Finding> finding;
  };
  std::vector<KnownFinding> findings = {};

  // A set that cannot be found is empty, and SetMembers::faults says why; else that is an Error.
  bool leaves_out_faulty = false;

  // Of the same particles in the same snapshot, whatever they look like.
  bool same_as(const SetsRequest& other) const;
};

// IDs of selections that were read already, for the next snapshot of a series. Not thread-safe.
class KnownIds {
 public:
  std::shared_ptr<const FollowedIds> of(const SelectionRequest& request) const;
  void keep(const SelectionRequest& request, std::shared_ptr<const FollowedIds> ids);
  // Gives up those that these sets do not need.
  void keep_only(const SetsRequest& request);

 private:
  std::vector<std::pair<SelectionRequest, std::shared_ptr<const FollowedIds>>> known_;
};

// Which particles of a snapshot are in which sets.
struct SetMembers {
  std::vector<NamedSet> sets;
  std::string snapshot;
  // By type, of each row of the file: bit k where it is in sets[k].
  std::map<int, std::vector<std::uint16_t>> of;
  std::vector<std::uint64_t> counts;  // of each set, over all types
  std::vector<std::string> said;      // sentences: who could not be followed
  std::vector<std::string> faults;    // of sets that are empty for want of what tells them
};

// Reads what tells the particles of each set; `known` gets the IDs that were read. Throws Error,
// which names the set, and Cancelled.
SetMembers members_of_sets(const SetsRequest& request, KnownIds& known, Progress& progress);

// A number per particle of a type as it was read, without the rows `rejected`: 0 in no set, else 1
// and the place of the last set in the list that holds it; bits of `shown` tell which sets count.
// Throws Error where the file has other particles than those that were sought.
std::vector<std::uint8_t> set_labels(const SetMembers& members, int type, std::uint64_t count,
                                     const std::vector<std::uint64_t>& rejected,
                                     std::uint16_t shown, const OwnRows& own = {});

}  // namespace haloscope::analysis
