#pragma once

#include "io/bytes/strided_column.h"
#include "io/snapshot_reader.h"
#include "io/snapshots/tipsy_arrays.h"
#include "io/snapshots/tipsy_header.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::io {

// Tipsy snapshots (Gasoline, ChaNGa, PKDGRAV) in either byte order, with the arrays beside them as
// further fields and units from the run's .param file. Gas is type 0, dark matter 1, stars 4. The
// records' softening is gravity's and no smoothing length.
class TipsyReader : public SnapshotReader {
 public:
  TipsyReader(const std::string& path, const TipsyHeader& header);

  void read(int type, const std::string& field, const ChunkVisitor& visit,
            Progress& progress) const override;
  void read_rows(int type, const std::string& field, const std::vector<RowRange>& rows,
                 const ChunkVisitor& visit, Progress& progress) const override;

 private:
  struct Records;

  void add_type(const Records& records);
  void add_arrays(const std::vector<TipsyArray>& arrays);
  FieldInfo field_info(const std::string& name, int components, ScalarType scalar) const;
  void read_some(int type, const std::string& field, const std::vector<RowRange>* rows,
                 const ChunkVisitor& visit, Progress& progress) const;

  TipsyHeader header_;
  bool units_known_ = false;
  std::map<int, std::uint64_t> first_;  // of a type's particles among all
  std::map<std::pair<int, std::string>, StridedColumn> columns_;
  std::map<std::string, TipsyArray> text_arrays_;
};

// Factory for the registry.
std::unique_ptr<SnapshotReader> open_tipsy(const std::string& path, const OpenOptions& options);

}  // namespace haloscope::io
