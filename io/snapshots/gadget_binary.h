#pragma once

#include "io/bytes/strided_column.h"
#include "io/snapshot_reader.h"
#include "io/snapshots/gadget_binary_fields.h"
#include "io/snapshots/gadget_binary_files.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::io {

// Binary Gadget snapshots of formats 1 and 2, in either byte order, of 4- or 8-byte values, in one
// file or several. Units are not in these files: kpc/h, 1e10 Msun/h and km/s*sqrt(a) are taken.
class GadgetBinaryReader : public SnapshotReader {
 public:
  explicit GadgetBinaryReader(GadgetBinaryFileSet set);

  void read(int type, const std::string& field, const ChunkVisitor& visit,
            Progress& progress) const override;
  void read_rows(int type, const std::string& field, const std::vector<RowRange>& rows,
                 const ChunkVisitor& visit, Progress& progress) const override;

 private:
  void describe_header(const GadgetBinaryHeader& header);
  void add_type(int type, const std::vector<GadgetField>& fields);
  void compare_totals();
  void say_missing_masses();
  void read_some(int type, const std::string& field, const std::vector<RowRange>* rows,
                 const ChunkVisitor& visit, Progress& progress) const;

  GadgetBinaryFileSet set_;
  std::map<std::pair<int, std::string>, StridedColumn> columns_;
};

// Factory for the registry.
std::unique_ptr<SnapshotReader> open_gadget_binary(const std::string& path,
                                                   const OpenOptions& options);

}  // namespace haloscope::io
