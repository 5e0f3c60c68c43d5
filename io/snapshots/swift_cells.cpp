#include "io/snapshots/swift_cells.h"

#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_handle.h"
#include "io/hdf5/hdf5_values.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace haloscope::io {

namespace {

// SWIFT's largest runs have some hundred cells a side.
constexpr std::size_t kMostCells = std::size_t(1) << 25;

// What one file says of the cells of a type.
struct CellTable {
  std::vector<double> centers;
  std::array<double, 3> size{};
  std::vector<std::uint64_t> counts, offsets, files;
  std::vector<double> lowest, highest;  // of the particles; empty in older files

  std::size_t cells() const { return counts.size(); }
};

std::optional<CellTable> read_table(const std::string& path, int type) {
  const Hdf5Handle file = open_hdf5_file(path);
  const Hdf5Handle group = open_hdf5_group(file.id(), "Cells");
  const Hdf5Handle about = open_hdf5_group(group.id(), "Meta-data");
  const std::string of_type = "/PartType" + std::to_string(type);
  CellTable table;
  const auto counts = count_dataset(group.id(), "Counts" + of_type, kMostCells);
  auto offsets = count_dataset(group.id(), "OffsetsInFile" + of_type, kMostCells);
  if (!offsets) offsets = count_dataset(group.id(), "Offsets" + of_type, kMostCells);
  const auto centers = number_dataset(group.id(), "Centres", 3 * kMostCells);
  const auto size = number_attribute(about.id(), "size");
  if (!counts || !offsets || !centers || !size || size->size() != 3) return {};
  const std::size_t n = counts->size();
  if (offsets->size() != n || centers->size() != 3 * n) return {};
  table.counts = *counts, table.offsets = *offsets, table.centers = *centers;
  std::copy(size->begin(), size->end(), table.size.begin());
  auto optional_of = [n](auto values, std::size_t per_cell) {
    if (!values || values->size() != per_cell * n) values.emplace();
    return *values;
  };
  table.files = optional_of(count_dataset(group.id(), "Files" + of_type, kMostCells), 1);
  table.lowest =
      optional_of(number_dataset(group.id(), "MinPositions" + of_type, 3 * kMostCells), 3);
  table.highest =
      optional_of(number_dataset(group.id(), "MaxPositions" + of_type, 3 * kMostCells), 3);
  return table;
}

// Particles drift out of their cells between rebuilds of the tree, never by a whole cell; where the
// file tells the extremes of their positions, a margin for rounded (lossily compressed) positions
// is enough.
SwiftCell space_of(const CellTable& table, std::size_t i) {
  SwiftCell cell;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double size = std::abs(table.size[axis]);
    cell.low[axis] = table.centers[3 * i + axis] - size;
    cell.high[axis] = table.centers[3 * i + axis] + size;
    if (table.lowest.empty() || table.highest.empty()) continue;
    const double low = table.lowest[3 * i + axis], high = table.highest[3 * i + axis];
    if (!(low <= high) || !std::isfinite(low) || !std::isfinite(high)) continue;
    cell.low[axis] = low - 1e-3 * size;
    cell.high[axis] = high + 1e-3 * size;
  }
  return cell;
}

// True where the cells, once sorted by row, follow one another from row 0 to `total`.
bool cover(std::vector<SwiftCell>& cells, std::uint64_t total) {
  std::sort(cells.begin(), cells.end(),
            [](const SwiftCell& a, const SwiftCell& b) { return a.rows.begin < b.rows.begin; });
  std::uint64_t next = 0;
  for (const SwiftCell& cell : cells) {
    if (cell.rows.begin != next) return false;
    next = cell.rows.end;
  }
  return next == total;
}

// Adds the cells whose rows start at first[file] + offset; false where they leave their file.
template <class FileOf>
bool place(const CellTable& table, const std::vector<std::uint64_t>& first,
           const std::vector<std::uint64_t>& counts, FileOf&& file_of,
           std::vector<SwiftCell>& cells) {
  for (std::size_t i = 0; i < table.cells(); ++i) {
    if (table.counts[i] == 0) continue;
    const std::uint64_t file = file_of(i);
    if (file >= counts.size() || table.counts[i] > counts[file] ||
        table.offsets[i] > counts[file] - table.counts[i])
      return false;
    SwiftCell cell = space_of(table, i);
    cell.rows.begin = first[file] + table.offsets[i];
    cell.rows.end = cell.rows.begin + table.counts[i];
    cells.push_back(cell);
  }
  return true;
}

}  // namespace

// Offsets count from the start of the file that Files names (distributed snapshots), or over the
// whole snapshot (one file, and virtual ones); or each file of a set lists its own cells alone.
std::vector<SwiftCell> read_swift_cells(const std::string& whole,
                                        const std::vector<std::string>& files, int type,
                                        const std::vector<std::uint64_t>& counts,
                                        bool& contradiction) {
  std::vector<std::uint64_t> first;
  std::uint64_t total = 0;
  for (const std::uint64_t count : counts) {
    first.push_back(total);
    total += count;
  }
  const auto table = read_table(whole, type);
  if (!table) return {};
  std::vector<SwiftCell> cells;
  if (!table->files.empty() &&
      place(
          *table, first, counts, [&](std::size_t i) { return table->files[i]; }, cells) &&
      cover(cells, total))
    return cells;
  cells.clear();
  const auto in_first = [](std::size_t) { return std::uint64_t(0); };
  if (place(*table, {0}, {total}, in_first, cells) && cover(cells, total)) return cells;
  cells.clear();
  bool fits = true;
  for (std::size_t file = 0; file < files.size() && fits; ++file) {
    const auto own = read_table(files[file], type);
    fits = own && place(
                      *own, first, counts, [&](std::size_t) { return file; }, cells);
  }
  if (fits && cover(cells, total)) return cells;
  contradiction = true;
  return {};
}

namespace {

// Whether [a, b] and [low, high] meet, the latter also one or more periods away.
bool meets(double a, double b, double low, double high, double period) {
  if (period <= 0) return b >= low && a <= high;
  if (low > high) high += period;
  if (high - low + (b - a) >= period) return true;
  // The first copy of [low, high] that ends at or after a.
  const double shift = std::ceil((a - high) / period) * period;
  return low + shift <= b;
}

}  // namespace

std::vector<RowRange> rows_of_cells(const std::vector<SwiftCell>& cells, const Region& region,
                                    double period) {
  std::vector<RowRange> rows;
  for (const SwiftCell& cell : cells) {
    bool inside = true;
    for (std::size_t axis = 0; axis < 3; ++axis)
      inside = inside &&
               meets(cell.low[axis], cell.high[axis], region.low[axis], region.high[axis], period);
    if (!inside) continue;
    if (!rows.empty() && rows.back().end == cell.rows.begin)
      rows.back().end = cell.rows.end;
    else
      rows.push_back(cell.rows);
  }
  return rows;
}

}  // namespace haloscope::io
