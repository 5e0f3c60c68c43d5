#pragma once

#include "core/progress.h"
#include "io/loading/particle_filter.h"
#include "io/loading/select_rows.h"
#include "io/loading/selection.h"
#include "io/snapshot_reader.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace haloscope::io {

// The particles that a region and a filter take of a snapshot, as a snapshot that holds no others:
// row n of a type is its n-th row that is taken. Box, units and all else are those of the whole. A
// column is read as far as it is wanted, and not kept.
class SelectedSnapshot : public SnapshotReader {
 public:
  // Reads positions, and what else tells which rows are taken; says how many these are. Throws as
  // select_rows().
  SelectedSnapshot(std::unique_ptr<SnapshotReader> whole, const Selection& selection,
                   const ParticleFilter& filter, Progress& progress);

  void read(int type, const std::string& field, const ChunkVisitor& visit,
            Progress& progress) const override;

  const SnapshotReader& whole() const { return *whole_; }
  // Rows of the whole, ascending.
  std::vector<std::uint64_t> rows_of(int type) const;

 private:
  std::unique_ptr<SnapshotReader> whole_;
  SelectedRows selected_;
};

// A snapshot as one that was selected of another; null: it is whole.
const SelectedSnapshot* as_selected(const SnapshotReader& reader);

}  // namespace haloscope::io
