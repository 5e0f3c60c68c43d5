#include "io/grids/stored_grid.h"

#include "core/error.h"
#include "io/bytes/positioned_file.h"
#include "io/bytes/saturating.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace haloscope::io {

namespace {

constexpr std::uint64_t kGridPiece = std::uint64_t(64) << 20;
// A disk reads on: of less between two wanted places it reads that anyway.
constexpr std::uint64_t kWorthSeeking = std::uint64_t(16) << 10;

// Calls f with a whole number of so many bytes: values are moved, not looked at.
template <class F>
void with_word(std::size_t bytes, const F& f) {
  switch (bytes) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    default:
      return f(std::uint64_t{});
  }
}

}  // namespace

void require_grid_memory(const std::array<std::uint64_t, 3>& cells, GridScalar scalar,
                         const std::string& path) {
  std::uint64_t bytes = grid_scalar_bytes(scalar);
  for (const std::uint64_t n : cells) {
    if (n == 0)
      throw Error(
          fmt::format("the grid of {} x {} x {} has no cells", cells[0], cells[1], cells[2]), path);
    bytes = saturating_product(bytes, n);
  }
  if (!has_host_memory(bytes))
    throw Error(fmt::format("the grid of {} x {} x {} does not fit into memory", cells[0], cells[1],
                            cells[2]),
                path, "cut a smaller one out of it");
}

std::uint64_t planes_at_once(const Grid& grid) {
  const std::uint64_t plane = grid.cells[0] * grid.cells[1] * grid_scalar_bytes(grid.scalar);
  return std::clamp<std::uint64_t>(kGridPiece / plane, 1, grid.cells[2]);
}

LinesOfX lines_of_x(const Grid& grid, const ChoosePlanes& planes) {
  if (!planes) return {grid.cells[0], 0, grid.cells[0]};
  const auto [begin, end] = planes(grid.cells[0]);
  return {grid.cells[0], begin, end};
}

void from_x_fastest(const void* planes_in, const LinesOfX& lines, std::uint64_t first,
                    std::uint64_t planes, Grid& grid) {
  const std::uint64_t ny = grid.cells[1], nz = grid.cells[2];
  with_word(grid_scalar_bytes(grid.scalar), [&](auto word) {
    using Word = decltype(word);
    const auto* const in = static_cast<const Word*>(planes_in) + lines.begin;
    auto* const out = grid.values<Word>();
    tbb::parallel_for(std::uint64_t(0), ny, [&](std::uint64_t y) {
      for (std::uint64_t x = 0; x < lines.taken(); ++x)
        for (std::uint64_t z = 0; z < planes; ++z)
          out[(x * ny + y) * nz + first + z] = in[(z * ny + y) * lines.length + x];
    });
  });
}

void to_x_fastest(const Grid& grid, std::uint64_t first, std::uint64_t planes, void* planes_out) {
  const auto [nx, ny, nz] = grid.cells;
  with_word(grid_scalar_bytes(grid.scalar), [&, nx = nx, ny = ny, nz = nz](auto word) {
    using Word = decltype(word);
    const auto* const in = grid.values<Word>();
    auto* const out = static_cast<Word*>(planes_out);
    tbb::parallel_for(std::uint64_t(0), ny, [&](std::uint64_t y) {
      for (std::uint64_t x = 0; x < nx; ++x)
        for (std::uint64_t z = 0; z < planes; ++z)
          out[(z * ny + y) * nx + x] = in[(x * ny + y) * nz + first + z];
    });
  });
}

void swap_grid_values(void* values, std::uint64_t count, std::size_t bytes_each) {
  auto* at = static_cast<unsigned char*>(values);
  for (std::uint64_t i = 0; i < count; ++i, at += bytes_each) std::reverse(at, at + bytes_each);
}

std::array<std::uint64_t, 3> planes_of_cells(std::array<std::uint64_t, 3> cells,
                                             const ChoosePlanes& planes) {
  if (!planes || cells[0] == 0) return cells;
  const auto [begin, end] = planes(cells[0]);
  cells[0] = std::max<std::uint64_t>(1, end - begin);
  return cells;
}

namespace {

class StoredGridReader {
 public:
  StoredGridReader(const StoredGrid& stored, const ChoosePlanes& planes, Grid& grid,
                   Progress& progress)
      : stored_(stored),
        grid_(grid),
        progress_(progress),
        file_(stored.path),
        each_(grid_scalar_bytes(stored.scalar)),
        lines_(lines_of_x(grid, planes)) {
    // Before the memory is asked for, which a damaged head may want too much of.
    if (stored.offset > file_.size() || file_.size() - stored.offset < grid.count() * each_)
      throw BadFile(fmt::format("the file ends before the {} x {} x {} values of its grid",
                                grid.cells[0], grid.cells[1], grid.cells[2]),
                    stored.path, "copy it again");
    const std::uint64_t plane_of_x = grid.cells[1] * grid.cells[2] * each_;
    grid_.bytes = Array<std::byte>(std::size_t(lines_.taken() * plane_of_x));
    skipped_ = lines_.begin * plane_of_x;
  }

  void read() {
    if (grid_.bytes.empty()) return;
    if (stored_.x_fastest)
      read_planes_of_z();
    else
      read_in_order();
  }

 private:
  void read_in_order() {
    const std::uint64_t all = grid_.bytes.size();
    for (std::uint64_t at = 0; at < all; at += kGridPiece) {
      progress_.report("reading the grid", double(at) / double(all));
      read_values(skipped_ + at, std::min(kGridPiece, all - at), grid_.bytes.data() + at);
    }
  }

  // Lines are read whole, unless so much of each is not wanted that it pays to skip that.
  void read_planes_of_z() {
    const bool skips = (lines_.length - lines_.taken()) * each_ >= kWorthSeeking;
    const LinesOfX read = skips ? LinesOfX{lines_.taken(), 0, lines_.taken()} : lines_;
    const std::uint64_t ny = grid_.cells[1], nz = grid_.cells[2];
    const std::uint64_t plane = read.length * ny * each_;
    const std::uint64_t most = std::clamp<std::uint64_t>(kGridPiece / plane, 1, nz);
    std::vector<std::byte> piece(std::size_t(most * plane));
    for (std::uint64_t z = 0; z < nz; z += most) {
      progress_.report("reading the grid", double(z) / double(nz));
      const std::uint64_t some = std::min(most, nz - z);
      if (skips)
        read_parts_of_lines(z * ny, some * ny, piece.data());
      else
        read_values(z * plane, some * plane, piece.data());
      from_x_fastest(piece.data(), read, z, some, grid_);
    }
  }

  void read_parts_of_lines(std::uint64_t first, std::uint64_t count, std::byte* to) const {
    const std::uint64_t part = lines_.taken() * each_;
    for (std::uint64_t line = first; line < first + count; ++line, to += part)
      read_values((line * lines_.length + lines_.begin) * each_, part, to);
  }

  void read_values(std::uint64_t from, std::uint64_t bytes, std::byte* to) const {
    file_.read(stored_.offset + from, std::size_t(bytes), to, "the grid");
    if (stored_.swapped) swap_grid_values(to, bytes / each_, each_);
  }

  const StoredGrid& stored_;
  Grid& grid_;
  Progress& progress_;
  const PositionedFile file_;
  const std::size_t each_;
  const LinesOfX lines_;
  std::uint64_t skipped_ = 0;  // bytes of the planes before, where x is the slowest
};

}  // namespace

void read_stored_grid(const StoredGrid& stored, const ChoosePlanes& planes, Grid& grid,
                      Progress& progress) {
  grid.cells = stored.cells;
  grid.scalar = stored.scalar;
  require_grid_memory(planes_of_cells(grid.cells, planes), grid.scalar, stored.path);
  StoredGridReader(stored, planes, grid, progress).read();
}

}  // namespace haloscope::io
