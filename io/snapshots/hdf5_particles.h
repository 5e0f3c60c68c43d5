#pragma once

#include "io/snapshot_reader.h"
#include "io/snapshots/hdf5_particle_files.h"
#include "io/snapshots/swift_cells.h"
#include "io/snapshots/swift_header.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace haloscope::io {

// HDF5 snapshots whose particles lie in PartTypeN groups: Gadget-2/3, GADGET-4, AREPO/TNG and
// cut-outs of it, GIZMO, EAGLE and SWIFT. What the codes do differently is in files of its own:
// hdf5_dialect (who wrote it), hdf5_particle_header and swift_header (what the header says),
// field_scaling (units), hdf5_smoothing_lengths, integer_coordinates, swift_cells.
class Hdf5ParticleReader : public SnapshotReader {
 public:
  explicit Hdf5ParticleReader(Hdf5ParticleFiles files);

  void read(int type, const std::string& field, const ChunkVisitor& visit,
            Progress& progress) const override;

  // Reads only the chunks, or stretches of contiguous data, that hold the rows.
  void read_rows(int type, const std::string& field, const std::vector<RowRange>& rows,
                 const ChunkVisitor& visit, Progress& progress) const override;

  // By SWIFT's cells; all rows in the other dialects. (EAGLE's /HashTable is not used.)
  std::vector<RowRange> rows_in(int type, const Region& region) const override;

 private:
  void add_type(int type, const std::vector<std::size_t>& holders);
  void list_fields(int type, TypeInfo& info, const Hdf5ParticleFile& one);
  bool lacks_rows(int type, const std::string& field, hid_t dataset, const Hdf5ParticleFile& one,
                  const std::string& type_name);
  void check_positions(int type, const TypeInfo& info, const std::vector<std::size_t>& holders);
  std::optional<FieldScaling> position_scaling() const;
  void adopt_unit_attributes();
  void say_uncounted();
  void compare_totals();
  void describe_conventions();
  void read_cells();
  void read_columns(int type, const std::string& field, const std::vector<RowRange>* rows,
                    const ChunkVisitor& visit, Progress& progress) const;

  Hdf5ParticleFiles set_;
  SwiftKernel kernel_;
  double file_box_ = 0;  // side by which the file's own integers and cells count
  std::map<int, std::string> positions_;
  std::map<int, std::vector<SwiftCell>> cells_;
};

// Factory for the registry: these, and bare positions in a file without groups.
std::unique_ptr<SnapshotReader> open_hdf5_particles(const std::string& path,
                                                    const OpenOptions& options);

}  // namespace haloscope::io
