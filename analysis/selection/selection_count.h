#pragma once

#include "analysis/finding.h"
#include "analysis/selection/followed_ids.h"
#include "analysis/selection/selection_choice.h"
#include "analysis/snapshot/snapshot_options.h"
#include "compute/exec/device.h"
#include "core/progress.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

// A selection, and the snapshot in which its particles are sought.
struct SelectionRequest {
  SelectionChoice chosen;
  std::string snapshot;
  std::string made_in;  // the snapshot whose particles and pieces `chosen` means
  SnapshotOptions said;
  compute::Device device;  // of a search for pieces
  // Known already, or null: what was found in `made_in` that `chosen` speaks of, and its IDs.
  std::shared_ptr<const Finding> finding = nullptr;
  std::shared_ptr<const FollowedIds> ids = nullptr;

  bool follows() const { return chosen.follow_ids && snapshot != made_in; }
  // Of the same particles in the same snapshot.
  bool same_as(const SelectionRequest& other) const;
  // Of the same IDs, wherever they are sought.
  bool same_ids_as(const SelectionRequest& other) const;
};

// How many particles are selected.
struct SelectionCount {
  struct OfType {
    std::string name;
    std::uint64_t selected = 0, in_file = 0;
    std::optional<double> mass;  // code units, total; nothing: masses are not known
  };
  std::vector<OfType> types;
  std::string mass_unit;
  // Of the particles that are followed by ID.
  std::optional<std::uint64_t> sought;
  std::uint64_t found = 0;
  std::vector<std::string> said;
  std::shared_ptr<const FollowedIds> ids;  // where they were needed

  std::uint64_t selected() const;
  std::optional<double> mass() const;  // of all types, where all of them are known
};

// Reads what tells the particles, and their masses. Throws Error and Cancelled.
SelectionCount count_selection(const SelectionRequest& request, Progress& progress);

// Writes them as `haloscope convert` does; `say` gets its sentences. Throws Error, for a selection
// that holds nothing too, and Cancelled.
void export_selection(const SelectionRequest& request, const std::string& path,
                      const std::function<void(const std::string&)>& say, Progress& progress);

}  // namespace haloscope::analysis
