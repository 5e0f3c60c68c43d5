#pragma once

#include "io/snapshot_reader.h"
#include "io/snapshots/table_columns.h"
#include "io/snapshots/text_table_blocks.h"
#include "io/snapshots/text_table_units.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::io {

// CSV and other tables in text form. Columns are known by their names, without names the first
// three are x, y and z; a column of particle types makes several types, else all are gas where
// there are smoothing lengths and dm where there are none. Opening reads the whole file once, to
// count and check its rows: an unusable row stays, with positions that are no numbers, so that it
// is counted as rejected when loading.
class TextTableReader : public SnapshotReader {
 public:
  // Throws NotThisFormat where the file is no text; BadFile where it holds no table of particles,
  // is a halo catalog, or where most rows are unusable. `hubble` is what the user says that h is.
  explicit TextTableReader(const std::string& path, std::optional<double> hubble = {});

  void read(int type, const std::string& field, const ChunkVisitor& visit,
            Progress& progress) const override;
  void read_rows(int type, const std::string& field, const std::vector<RowRange>& rows,
                 const ChunkVisitor& visit, Progress& progress) const override;

 private:
  struct Reading;

  void choose_kinds();
  bool samples_hold(std::size_t column, CellKind kind) const;
  void drop_text_columns();
  void say_mapping(const TableMapping& mapping);
  void say_bad_rows();
  void say_commented_rows();
  void list_types();
  ScalarType scalar_of_field(const TableField& field) const;
  std::string field_unit(const TableField& field) const;
  TableUnits header_units() const;
  template <class T>
  void read_block(const TextBlock& block, std::uint64_t rows, const Reading& reading,
                  std::string& buffer) const;

  std::string path_;
  PositionedFile file_;
  TextTableLayout layout_;
  std::vector<TableField> fields_;
  std::vector<CellKind> kinds_;
  int default_type_ = 1;
  std::vector<TextBlock> blocks_;
};

// Factory for the registry.
std::unique_ptr<SnapshotReader> open_text_table(const std::string& path,
                                                const OpenOptions& options);

}  // namespace haloscope::io
