#pragma once

#include "io/snapshot_reader.h"
#include "io/snapshots/raw_description.h"

#include <memory>
#include <string>
#include <vector>

namespace haloscope::io {

// A binary table by the user's description. All particles are dm, or gas where there are smoothing
// lengths. Single columns go together by their names as those of a text table do (x, y, z are
// Coordinates); other fields keep the names of the description.
class RawTableReader : public SnapshotReader {
 public:
  // Throws Error for a description without positions, BadFile when it does not fit the file.
  RawTableReader(const std::string& path, RawDescription description);

  void read(int type, const std::string& field, const ChunkVisitor& visit,
            Progress& progress) const override;
  void read_rows(int type, const std::string& field, const std::vector<RowRange>& rows,
                 const ChunkVisitor& visit, Progress& progress) const override;

 private:
  // A field of the snapshot, from one field of the description or from one per component.
  struct Column {
    std::string name;
    std::vector<std::size_t> sources;
  };

  void say_triples();
  void count_rows(std::uint64_t file_bytes);
  void list_fields();

  RawDescription description_;
  std::vector<std::uint64_t> starts_;  // of each field's first value
  std::vector<Column> columns_;
  std::uint64_t count_ = 0;
  int type_ = 1;
};

// Factory for the registry; NotThisFormat unless the user described a table.
std::unique_ptr<SnapshotReader> open_raw_table(const std::string& path, const OpenOptions& options);

}  // namespace haloscope::io
