#pragma once

#include "io/snapshot_reader.h"
#include "io/snapshots/generic_io_file.h"

#include <memory>
#include <string>
#include <vector>

namespace haloscope::io {

// HACC's snapshots: one GenericIO file, or `name` with a map of partitions beside name#0, name#1, …
// All particles are dm; x, y, z are the field "Coordinates", vx, vy, vz "Velocities", id
// "ParticleIDs", mass "Masses", the others go by their own names. Each variable of each rank ends
// with a checksum, which is verified while reading: rows may have been handed over before it fails.
class GenericIoReader : public SnapshotReader {
 public:
  // Throws BadFile for damage, missing parts and files without positions.
  GenericIoReader(const std::string& path, bool allow_missing);

  void read(int type, const std::string& field, const ChunkVisitor& visit,
            Progress& progress) const override;
  // Skips ranks of which no row is asked for; others are read whole for their checksum.
  void read_rows(int type, const std::string& field, const std::vector<RowRange>& rows,
                 const ChunkVisitor& visit, Progress& progress) const override;

 private:
  // One variable per component, or one variable of several components.
  struct Column {
    std::string field;
    std::vector<std::string> variables;
  };
  // One rank of one file, and the number of its first row in the whole.
  struct Part {
    std::size_t file = 0, rank = 0;
    std::uint64_t first = 0;
  };
  struct Reading;

  void compare_files() const;
  void list_fields();
  bool add_vector(const char* field, const std::vector<std::string>& variables, TypeInfo& type);
  void describe();
  void read_part(const Part& part, const Reading& reading) const;

  std::vector<GenericIoFile> files_;
  std::vector<Column> columns_;
  std::vector<Part> parts_;
};

// Factory for the registry.
std::unique_ptr<SnapshotReader> open_generic_io(const std::string& path,
                                                const OpenOptions& options);

}  // namespace haloscope::io
