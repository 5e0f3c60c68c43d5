#pragma once

#include "analysis/snapshot/file_stamps.h"
#include "compute/spatial/points.h"
#include "core/domain.h"
#include "core/known_positions.h"
#include "core/particles.h"
#include "core/snapshot_info.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace haloscope::analysis {

// Positions, on a device, of the snapshot that is drawn: all particles of the types that are drawn.
// A search in the same snapshot with the same overrides need not read them again.
struct ResidentPoints {
  struct Type {
    std::shared_ptr<const compute::spatial::PointSet> points;
    LoadCounts counts;
    std::vector<std::uint64_t> rejected_rows;  // of the file, ascending
  };
  Domain domain;
  std::map<int, Type> types;
  std::vector<std::string> files;  // files_behind() the snapshot
  FileStamps stamps;               // of them, before they were read
};

// The files of a snapshot, and those that say otherwise about it (sidecars, which need not exist).
std::vector<std::string> files_behind(const std::string& snapshot, const SnapshotInfo& info);

// Whether no file has changed since.
bool is_current(const ResidentPoints& points);

// For loading other columns; it holds the points.
KnownPositions known_positions(std::shared_ptr<const ResidentPoints> points);

}  // namespace haloscope::analysis
