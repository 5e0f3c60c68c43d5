#pragma once

#include "io/gadget_hdf5_files.h"
#include "io/snapshot_reader.h"

#include <memory>
#include <string>
#include <vector>

namespace haloscope::io {

// Gadget-style HDF5 snapshots: Gadget-2/3, GADGET-4, and AREPO/TNG and GIZMO read by Gadget's
// conventions. Not read yet: integer positions (IntCoordinates), cell volumes of AREPO.
class GadgetHdf5Reader : public SnapshotReader {
 public:
  explicit GadgetHdf5Reader(GadgetFileSet files);

  void read(int type, const std::string& field, const ChunkVisitor& visit,
            Progress& progress) const override;

 private:
  void add_type(int type, const std::vector<std::size_t>& holders);
  void list_fields(int type, TypeInfo& info, const std::string& path, std::uint64_t rows);
  void find_smoothing_length(int type, const TypeInfo& info);
  void adopt_unit_attributes();
  void compare_totals();
  void describe_conventions();

  GadgetFileSet set_;
};

// Factory for the registry.
std::unique_ptr<SnapshotReader> open_gadget_hdf5(const std::string& path,
                                                 const OpenOptions& options);

}  // namespace haloscope::io
