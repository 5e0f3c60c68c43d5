#include "compute/topology/grid_blocks.h"

#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace haloscope::compute::topology {

namespace {

GridView view_of(const GridShape& shape) {
  const auto& [x, y, z] = shape.cells;
  return {{x, y, z},
          {shape.periodic[0], shape.periodic[1], shape.periodic[2]},
          {x > 1 ? y * z : 0, y > 1 ? z : 0, z > 1 ? 1u : 0}};
}

}  // namespace

void require_shape(const GridShape& shape, const TreeSettings& settings) {
  const auto& cells = shape.cells;
  const std::string said = fmt::format("{} × {} × {}", cells[0], cells[1], cells[2]);
  for (const std::uint32_t along : cells)
    if (along == 0) throw Error("it has no cells: " + said, "grid");
  // Products of three numbers of 32 bits may be larger than 64 bits hold.
  constexpr double kMostInBlocks = 0x1p46;
  if (double(cells[0]) * cells[1] * cells[2] > kMostInBlocks)
    throw Error(fmt::format("{} cells are more than a merge tree can have", said), "grid",
                "choose a coarser grid or a part of it");
  if (settings.threshold && std::isnan(*settings.threshold))
    throw Error("the threshold is not a number", "grid");
}

GridBlock whole_grid(const GridShape& shape) {
  GridBlock block;
  block.view = view_of(shape);
  block.cells = shape.count();
  return block;
}

GridBlock block_of_planes(const GridShape& shape, std::uint32_t begin, std::uint32_t end) {
  const std::uint32_t planes = shape.cells[0];
  const bool wraps = shape.periodic[0], is_first = begin == 0, is_last = end == planes;
  const std::uint32_t rim[2] = {!is_first || wraps, !is_last || wraps};
  GridShape part = shape;
  part.cells[0] = end - begin + rim[0] + rim[1];
  part.periodic[0] = false;
  GridBlock block;
  block.view = view_of(part);
  const std::uint32_t plane = block.view.plane();
  for (int side = 0; side < 2; ++side) {
    block.view.rim[side] = rim[side];
    const bool is_across = wraps && (side == 0 ? is_first : is_last);
    if (is_across) block.view.outer[side] = 2;
  }
  // The rim across an end is the grid's last plane, or its first.
  if (wraps && is_first) block.begin = plane;
  if (wraps && is_last) block.begin = block.view.count() - plane;
  block.first = std::uint64_t(begin) * plane;
  block.cells = shape.count();
  return block;
}

std::vector<GridBlock> blocks_of(const GridShape& shape, const TreeSettings& settings) {
  return blocks_of_planes(shape, 0, shape.cells[0], settings);
}

std::vector<GridBlock> blocks_of_planes(const GridShape& shape, std::uint32_t begin,
                                        std::uint32_t end, const TreeSettings& settings) {
  constexpr std::uint64_t kBlockCells = std::uint64_t(1) << 30;
  const std::uint64_t asked = settings.block_cells;
  const std::uint64_t whole = asked > 0 ? std::min(asked, kMostCells) : kMostCells;
  // In blocks of one of two planes, across a periodic end, both planes of the rim would be one and
  // the same, which has two places in the order then.
  const bool is_flat = shape.cells[0] <= 2 && shape.count() <= kMostCells;
  const bool is_all = begin == 0 && end == shape.cells[0];
  if (is_all && (is_flat || shape.count() <= whole)) return {whole_grid(shape)};
  const std::uint64_t plane = std::uint64_t(shape.cells[1]) * shape.cells[2];
  const std::uint64_t own = (end - begin) * plane;
  if (!is_all && own <= whole && own + 2 * plane <= kMostCells)
    return {block_of_planes(shape, begin, end)};
  if (plane > kMostCells / 3)
    throw Error(fmt::format("three planes of {} × {} cells are more than a merge tree can look at "
                            "together ({})",
                            shape.cells[1], shape.cells[2], kMostCells),
                "grid", "exchange its axes, or choose a coarser grid");
  const std::uint64_t most = kMostCells / plane - 2;
  std::uint64_t planes =
      std::clamp<std::uint64_t>((asked > 0 ? asked : kBlockCells) / plane, 1, most);
  // Ends of blocks have numbers too: where these would be many, blocks are as large as can be.
  const auto ends = [&](std::uint64_t of_planes) {
    return 2 * plane * ((shape.cells[0] + of_planes - 1) / of_planes);
  };
  if (ends(planes) > kMostCells / 4) planes = most;
  if (ends(planes) > kMostCells / 2)
    throw Error(fmt::format("{} × {} × {} cells take more blocks than a merge tree can have",
                            shape.cells[0], shape.cells[1], shape.cells[2]),
                "grid", "choose a coarser grid or a part of it");
  std::vector<GridBlock> blocks;
  for (std::uint32_t at = begin; at < end;) {
    const std::uint32_t next = at + std::uint32_t(std::min<std::uint64_t>(planes, end - at));
    blocks.push_back(block_of_planes(shape, at, next));
    at = next;
  }
  return blocks;
}

}  // namespace haloscope::compute::topology
