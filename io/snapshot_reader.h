#pragma once

#include "core/progress.h"
#include "core/snapshot_info.h"
#include "io/snapshots/raw_description.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::io {

// A run of rows of one dataset as they lie in memory after reading: `rows` rows of `components`
// values of type `scalar`, native byte order; `first` counts from the type's first particle over
// all files.
struct ColumnChunk {
  std::uint64_t first = 0;
  std::uint64_t rows = 0;
  int components = 1;
  ScalarType scalar = ScalarType::Float32;
  const void* data = nullptr;

  // One value, converted to double. (IDs above 2^53 need `data` itself.)
  double value(std::uint64_t row, int component) const;
};

// Rows begin … end-1 of a type, counted over all files.
struct RowRange {
  std::uint64_t begin = 0, end = 0;
};

// A box in the file's own lengths; in a periodic snapshot it may reach over the edge, and low >
// high means around it.
struct Region {
  std::array<double, 3> low{}, high{};
};

// Called with chunks in any order, and from several threads at once.
using ChunkVisitor = std::function<void(const ColumnChunk&)>;

// An open snapshot: what it holds, and its columns. Reading never changes the object.
class SnapshotReader {
 public:
  virtual ~SnapshotReader() = default;

  const SnapshotInfo& info() const { return info_; }

  // Puts what the user knows in the place of what the file says or lacks.
  void override_facts(const struct Overrides& overrides);

  // Says of the types that are dark matter of low resolution what they are.
  void tell_zoom_types();

  // Reads all rows of one field of one type and hands them to `visit` chunk by chunk, so that the
  // visitor puts them straight where they go. Throws BadFile naming file, dataset and type.
  virtual void read(int type, const std::string& field, const ChunkVisitor& visit,
                    Progress& progress) const = 0;

  // The same for a part of the rows (ascending, disjoint). A format that cannot skip hands over
  // further rows around them, or all: the visitor takes what it asked for.
  virtual void read_rows(int type, const std::string& field, const std::vector<RowRange>& rows,
                         const ChunkVisitor& visit, Progress& progress) const;

  // Rows among which all particles of `type` in `region` are; all rows where the file has no index
  // of space.
  virtual std::vector<RowRange> rows_in(int type, const Region& region) const;

 protected:
  SnapshotInfo info_;
};

// Facts that replace the file's own, or what was assumed in their absence.
struct Overrides {
  std::optional<double> unit_length_cm, unit_mass_g, unit_velocity_cm_per_s;
  // Peculiar velocities are the stored ones times this power of a; without it the power stays what
  // the file or its format's custom says.
  std::optional<double> velocity_power_of_a;
  std::optional<double> hubble_param;
  std::optional<double> box_size;  // code units
  std::optional<bool> periodic;
  // Whether lengths are comoving: said in so many words, else by the unit's word ("ckpc").
  std::optional<bool> comoving, comoving_by_unit;
  std::optional<bool> length_per_h, mass_per_h;  // whether the units above carry 1/h
  // H = this times the stored smoothing length: 1 when it means the support radius.
  std::optional<double> support_per_smoothing_length;
  std::optional<SmoothingLengthMeaning::Kind> smoothing_kind;
  // Where they come from, if not from where the user looks: a sentence for `assumed`.
  std::string source;
};

// What the user knows better than the file.
struct OpenOptions {
  // Splotch's raw float table (simtype 0) has no header: it is read only by explicit choice.
  struct RawTable {
    int columns_per_row = 0;  // num_blocks
    int x = 0, y = 0, z = 0;  // 1-based columns; 0: absent
    int radius = 0, intensity = 0;
    int color[3] = {0, 0, 0};
    bool swap_endian = false;
  };
  const RawTable* raw_table = nullptr;
  // Any other table without a header is read only by description.
  std::optional<RawDescription> raw;
  // Go on when chunks of a multi-file snapshot are missing (said in `assumed`).
  bool allow_missing_files = false;
  // A periodic box is repeated so many times along each axis.
  int replicate = 1;
  Overrides overrides;
};

// Opens a snapshot file, or the first or any file of a multi-file set, or its directory, with the
// first registered reader that knows the format. Throws Error in one sentence when none does.
std::unique_ptr<SnapshotReader> open_snapshot(const std::string& path,
                                              const OpenOptions& options = {});

// The registry: a reader's factory throws NotThisFormat to pass a file on to the next one, BadFile
// to stop. A later format adds one entry in snapshot_registry.cpp.
using ReaderFactory = std::unique_ptr<SnapshotReader> (*)(const std::string& path,
                                                          const OpenOptions& options);
struct RegisteredReader {
  const char* name;
  ReaderFactory open;
};
const std::vector<RegisteredReader>& registered_readers();

}  // namespace haloscope::io
