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

void from_x_fastest(const void* planes_in, std::uint64_t first, std::uint64_t planes, Grid& grid) {
  const auto [nx, ny, nz] = grid.cells;
  with_word(grid_scalar_bytes(grid.scalar), [&, nx = nx, ny = ny, nz = nz](auto word) {
    using Word = decltype(word);
    const auto* const in = static_cast<const Word*>(planes_in);
    auto* const out = grid.values<Word>();
    tbb::parallel_for(std::uint64_t(0), ny, [&](std::uint64_t y) {
      for (std::uint64_t x = 0; x < nx; ++x)
        for (std::uint64_t z = 0; z < planes; ++z)
          out[(x * ny + y) * nz + first + z] = in[(z * ny + y) * nx + x];
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

void cut_planes(const ChoosePlanes& planes, Grid& grid) {
  if (!planes) return;
  const auto [begin, end] = planes(grid.cells[0]);
  const std::size_t plane = grid.bytes.size() / std::size_t(grid.cells[0]);
  Array<std::byte> kept(std::size_t(end - begin) * plane);
  if (kept.size() > 0) std::memcpy(kept.data(), grid.bytes.data() + begin * plane, kept.size());
  grid.bytes = std::move(kept);
}

void read_stored_grid(const StoredGrid& stored, const ChoosePlanes& planes, Grid& grid,
                      Progress& progress) {
  const std::size_t each = grid_scalar_bytes(stored.scalar);
  grid.cells = stored.cells;
  grid.scalar = stored.scalar;
  const bool in_order = !stored.x_fastest;
  require_grid_memory(in_order ? planes_of_cells(grid.cells, planes) : grid.cells, grid.scalar,
                      stored.path);
  const PositionedFile file(stored.path);
  std::uint64_t all = grid.count() * each, skipped = 0;
  // Before the memory is asked for, which a damaged head may want too much of.
  if (stored.offset > file.size() || file.size() - stored.offset < all)
    throw BadFile(fmt::format("the file ends before the {} x {} x {} values of its grid",
                              grid.cells[0], grid.cells[1], grid.cells[2]),
                  stored.path, "copy it again");
  if (planes && in_order) {
    const auto [begin, end] = planes(grid.cells[0]);
    const std::uint64_t of_plane = all / grid.cells[0];
    skipped = begin * of_plane;
    all = (end - begin) * of_plane;
  }
  grid.bytes = Array<std::byte>(std::size_t(all));
  const std::uint64_t plane = grid.cells[0] * grid.cells[1] * each;
  const std::uint64_t step = stored.x_fastest ? plane * planes_at_once(grid) : kGridPiece;
  std::vector<std::byte> piece(stored.x_fastest ? std::size_t(std::min(step, all)) : 0);
  for (std::uint64_t at = 0; at < all; at += step) {
    progress.report("reading the grid", double(at) / double(all));
    const auto bytes = std::size_t(std::min(step, all - at));
    std::byte* const to = stored.x_fastest ? piece.data() : grid.bytes.data() + at;
    file.read(stored.offset + skipped + at, bytes, to, "the grid");
    if (stored.swapped) swap_grid_values(to, bytes / each, each);
    if (stored.x_fastest) from_x_fastest(to, at / plane, bytes / plane, grid);
  }
  if (stored.x_fastest) cut_planes(planes, grid);
}

}  // namespace haloscope::io
