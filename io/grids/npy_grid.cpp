#include "core/atomic_file.h"
#include "core/error.h"
#include "core/input_file.h"
#include "io/grids/grid_formats.h"
#include "io/grids/stored_grid.h"
#include "io/tables/npy_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

namespace haloscope::io {

namespace {

constexpr std::pair<const char*, GridScalar> kNpyKinds[] = {
    {"f4", GridScalar::Float32}, {"f8", GridScalar::Float64}, {"i1", GridScalar::Int8},
    {"u1", GridScalar::UInt8},   {"i2", GridScalar::Int16},   {"u2", GridScalar::UInt16},
    {"i4", GridScalar::Int32},   {"u4", GridScalar::UInt32},  {"i8", GridScalar::Int64},
    {"u8", GridScalar::UInt64}};

// "<f4", ">i8", "|u1": the first letter tells the order of the bytes.
GridScalar npy_scalar(const std::string& kind, const std::string& path) {
  for (const auto& [word, scalar] : kNpyKinds)
    if (kind.size() == 3 && kind.substr(1) == word) return scalar;
  if (kind == "|b1") return GridScalar::UInt8;  // truth values
  throw Error(fmt::format("the array's values are not numbers that a grid can have ({})", kind),
              path, "save it as numpy.save(FILE, array.astype('float32'))");
}

}  // namespace

Grid read_npy_grid(const std::string& path, const GridOpenOptions& options, Progress& progress) {
  std::ifstream file = open_input(path);
  const NpyHead head = read_npy_head(path, file);
  StoredGrid stored;
  stored.path = path;
  stored.offset = std::uint64_t(file.tellg());
  stored.scalar = npy_scalar(head.kind, path);
  stored.swapped = head.kind.front() == '>';
  if (head.shape.size() != 2 && head.shape.size() != 3)
    throw Error(fmt::format("the array has {} dimension{}, and a grid has three, or two",
                            head.shape.size(), head.shape.size() == 1 ? "" : "s"),
                path, "reshape it");
  std::copy(head.shape.begin(), head.shape.end(), stored.cells.begin());
  stored.x_fastest = head.fortran;
  Grid grid;
  grid.name = std::filesystem::path(path).stem().string();
  read_stored_grid(stored, options.planes, grid, progress);
  return grid;
}

namespace {

void write_npy_values(const std::string& path, const Grid& grid,
                      const std::vector<std::uint64_t>& shape, Progress& progress) {
  std::string kind;
  for (const auto& [word, scalar] : kNpyKinds)
    if (scalar == grid.scalar) kind = word;
  kind.insert(0, kind.back() == '1' ? "|" : "<");
  const std::string head = npy_head_bytes(kind, shape);
  AtomicFile file(path);
  file.require_space(head.size() + grid.bytes.size());
  file.write(head.data(), head.size());
  constexpr std::uint64_t kPiece = std::uint64_t(64) << 20;
  for (std::uint64_t at = 0; at < grid.bytes.size(); at += kPiece) {
    progress.report("writing the grid", double(at) / double(grid.bytes.size()));
    file.write(grid.bytes.data() + at,
               std::size_t(std::min<std::uint64_t>(kPiece, grid.bytes.size() - at)));
  }
  file.commit();
}

}  // namespace

void write_npy_grid(const std::string& path, const Grid& grid, Progress& progress) {
  write_npy_values(path, grid, {grid.cells.begin(), grid.cells.end()}, progress);
}

void write_npy_table(const std::string& path, const Grid& grid, Progress& progress) {
  write_npy_values(path, grid, {grid.cells[0], grid.cells[1]}, progress);
}

}  // namespace haloscope::io
