#pragma once

#include "io/snapshot_reader.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace haloscope::io {

// Splotch's simtype 0: rows of float32 without any header; which column is what is the user's
// knowledge. All particles are type 0, with fields "Coordinates" (3), "Radius", "Intensity" and
// "Color" (1 or 3), as far as their columns are given. Splotch's radius r reaches 1.5 r (its kernel
// is cut there), which is what smoothing_lengths says.
class SplotchTableReader : public SnapshotReader {
 public:
  // Throws Error for columns that cannot be, BadFile when the file is not a whole number of rows.
  SplotchTableReader(const std::string& path, const OpenOptions::RawTable& table);

  void read(int type, const std::string& field, const ChunkVisitor& visit,
            Progress& progress) const override;

 private:
  std::vector<int> columns_of(const std::string& field) const;  // 1-based

  OpenOptions::RawTable table_;
};

// Factory for the registry; NotThisFormat unless the user asked for a raw table.
std::unique_ptr<SnapshotReader> open_splotch_table(const std::string& path,
                                                   const OpenOptions& options);

}  // namespace haloscope::io
