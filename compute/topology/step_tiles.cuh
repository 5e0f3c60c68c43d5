#pragma once

#include "compute/exec/cuda.h"
#include "compute/topology/basins.inl"

#include <cstdint>

// Steps up from all cells, for the GPU. In the plain version each thread reads all cells around its
// own; here a block of threads reads a tile of the grid and a rim of one cell once. A warp goes
// through the tile along the first axis and keeps three planes of a cell's surroundings in
// registers. Ways inside a tile are followed to where they leave it, so that few steps are left.
// Pieces of links of 14 neighbors are told by a table.
namespace haloscope::compute::topology {

// Links of 14 neighbors are kept in 14 bits, as short_bit() has them, whose loop a GPU's compiler
// does not work out: a neighbor's three digits are 0 and 1 before the cell, 1 and 2 behind it.
template <int L>
__host__ __device__ constexpr int link_bit(int number) {
  if (L != 14) return number;
  const int x = number / 9, y = number / 3 % 3, z = number % 3;
  return number < kOwnNumber ? 4 * x + 2 * y + z : 4 * x + 2 * y + z - 1;
}
static_assert(link_bit<14>(0) == short_bit<14>(0) && link_bit<14>(12) == short_bit<14>(12) &&
              link_bit<14>(14) == short_bit<14>(14) && link_bit<14>(26) == short_bit<14>(26));

inline constexpr std::uint32_t kTableWords = (1u << 14) / 32;

// Which links are in pieces, a bit of each, of a table of zeros.
struct FillLinkTable {
  std::uint32_t* table;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    if (is_apart<14>(link_of_short<14>(std::uint32_t(i)))) atomic_or(table + i / 32, 1u << i % 32);
  }
};

struct StepTile {
  static constexpr std::uint32_t kX = 8, kY = 8, kZ = 32, kCells = kX * kY * kZ;
  static constexpr std::uint32_t kRows = (kX + 2) * (kY + 2), kRowLength = kZ + 2;
  static constexpr std::uint32_t kThreads = kY * kZ;

  std::uint32_t key[kRows * kRowLength];
  std::uint32_t exit[kCells];   // the cell that a way from here leads to if not in this tile
  std::uint16_t next[kCells];   // the place in the tile that a way leads to; its own: it ends
  std::uint16_t outer[kCells];  // places of cells at the ends of axes
  std::uint32_t outer_count;
  std::uint32_t saddles[kX * kY];  // a bit for each cell of a row
  std::uint32_t table[kTableWords];
  std::uint32_t begin_x[kX + 2], begin_y[kY + 2];  // what a row's place adds to its cells' indices
};

// The loops of one thread, which has a column of cells along the first axis.
template <int C>
class TileSteps {
  static constexpr int kLink = kLinkOf<C>;
  using Tile = StepTile;

 public:
  __device__ TileSteps(const GridView& grid, const SweepView& sweep, const AscentsView& ascents,
                       Tile& tile)
      : grid_(grid),
        sweep_(sweep),
        ascents_(ascents),
        tile_(tile),
        lane_(threadIdx.x % Tile::kZ),
        row_(threadIdx.x / Tile::kZ),
        corner_{blockIdx.z * Tile::kX, blockIdx.y * Tile::kY, blockIdx.x * Tile::kZ} {
    at_[1] = corner_[1] + row_;
    at_[2] = corner_[2] + lane_;
    is_there_ = at_[1] < grid.cells[1] && at_[2] < grid.cells[2];
  }

  // Before read(), with a barrier between.
  __device__ void place_rows() const {
    if (threadIdx.x < Tile::kX + 2)
      tile_.begin_x[threadIdx.x] = place(0, threadIdx.x) * grid_.cells[1] * grid_.cells[2];
    else if (threadIdx.x < Tile::kX + 2 + Tile::kY + 2)
      tile_.begin_y[threadIdx.x - (Tile::kX + 2)] =
          place(1, threadIdx.x - (Tile::kX + 2)) * grid_.cells[2];
  }

  // Rows of the tile and its rim; what is read for places beyond an end that does not wrap is not
  // looked at.
  __device__ void read() const {
    constexpr std::uint32_t kStep = Tile::kThreads / Tile::kZ, kY = Tile::kY + 2;
    static_assert(kStep < kY && 2 * Tile::kRows <= Tile::kThreads);
    const std::uint32_t* const from = sweep_.key + place(2, lane_ + 1);
    std::uint32_t x = row_ / kY, y = row_ % kY;
    for (std::uint32_t r = row_; r < Tile::kRows; r += kStep) {
      tile_.key[r * Tile::kRowLength + lane_ + 1] = from[tile_.begin_x[x] + tile_.begin_y[y]];
      y += kStep;
      if (y >= kY) {
        y -= kY;
        ++x;
      }
    }
    // The rim's two cells of each row.
    const std::uint32_t r = threadIdx.x / 2, k = threadIdx.x % 2 * (Tile::kZ + 1);
    if (r < Tile::kRows)
      tile_.key[r * Tile::kRowLength + k] =
          sweep_.key[tile_.begin_x[r / kY] + tile_.begin_y[r % kY] + place(2, k)];
  }

  __device__ void step() {
    std::uint32_t around[3][9];
    read_plane(0, around[0]);
    read_plane(1, around[1]);
#pragma unroll 2
    for (std::uint32_t x = 0; x < Tile::kX; ++x) {
      read_plane(x + 2, around[2]);
      step_inner(x, around);
      for (int k = 0; k < 9; ++k) {
        around[0][k] = around[1][k];
        around[1][k] = around[2][k];
      }
    }
    // Few tiles have cells at the ends of axes, but of these each warp would have some: they are
    // listed, and shared out among all threads.
    if (has_outer()) {
      if (threadIdx.x == 0) tile_.outer_count = 0;
      __syncthreads();
      for (std::uint32_t x = 0; x < Tile::kX; ++x)
        if (is_there(x) && !is_inner(x))
          tile_.outer[atomicAdd(&tile_.outer_count, 1u)] = std::uint16_t(local(x));
      __syncthreads();
      for (std::uint32_t k = threadIdx.x; k < tile_.outer_count; k += Tile::kThreads)
        step_outer(tile_.outer[k]);
    }
    __syncthreads();
    if (!ascents_.all) {
      leave_out();
      __syncthreads();
    }
    shorten_ways();
  }

  __device__ void write() const {
    for (std::uint32_t x = 0; x < Tile::kX && corner_[0] + x < grid_.cells[0]; ++x) {
      const std::uint32_t v = index(x), own = local(x), end = end_of_way(own);
      const std::uint32_t exit = tile_.exit[end];
      if (is_there_) ascents_.up[v] = exit;
      put(ascents_.maxima, v, __ballot_sync(~0u, is_there_ && end == own && exit == v));
      put(ascents_.saddles, v, tile_.saddles[x * Tile::kY + row_]);
    }
  }

 private:
  __device__ std::uint32_t local(std::uint32_t x) const {
    return (x * Tile::kY + row_) * Tile::kZ + lane_;
  }
  __device__ std::uint32_t index(std::uint32_t x) const {
    return ((corner_[0] + x) * grid_.cells[1] + at_[1]) * grid_.cells[2] + at_[2];
  }
  __device__ bool is_there(std::uint32_t x) const {
    return is_there_ && corner_[0] + x < grid_.cells[0];
  }

  // Each way leads four steps further: what most need within a tile.
  __device__ void shorten_ways() const {
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
      std::uint16_t beyond[Tile::kX];
#pragma unroll
      for (std::uint32_t x = 0; x < Tile::kX; ++x) beyond[x] = tile_.next[tile_.next[local(x)]];
      __syncthreads();
#pragma unroll
      for (std::uint32_t x = 0; x < Tile::kX; ++x) tile_.next[local(x)] = beyond[x];
      __syncthreads();
    }
  }
  __device__ std::uint32_t end_of_way(std::uint32_t from) const {
    std::uint32_t to = tile_.next[from];
    for (std::uint32_t beyond = tile_.next[to]; beyond != to; beyond = tile_.next[to]) to = beyond;
    return to;
  }

  // The cell of a place on an axis of the tile with its rim; a cell at the end for places beyond
  // it.
  __device__ std::uint32_t place(int axis, std::uint32_t in_rim) const {
    const std::uint32_t cells = grid_.cells[axis], at = corner_[axis] + in_rim;  // plus one
    if (at == 0) return grid_.periodic[axis] ? cells - 1 : 0;
    if (at <= cells) return at - 1;
    return at == cells + 1 && grid_.periodic[axis] ? 0 : cells - 1;
  }

  __device__ void read_plane(std::uint32_t x, std::uint32_t (&plane)[9]) const {
#pragma unroll
    for (int k = 0; k < 9; ++k)
      plane[k] = tile_.key[(x * (Tile::kY + 2) + row_ + k / 3) * Tile::kRowLength + lane_ + k % 3];
  }

  // As if the cell were an inner one: of neighbors those of smaller numbers have smaller indices.
  __device__ void step_inner(std::uint32_t x, const std::uint32_t (&around)[3][9]) {
    const std::uint32_t own = around[1][4];
    std::uint32_t link = 0, least = own;
    int number = kOwnNumber;
#pragma unroll
    for (int n = kOwnNumber - 1; n >= 0; --n) {
      if (!is_neighbor<kLink>(n)) continue;
      const std::uint32_t key = around[n / 9][n % 9];
      link |= key <= own ? 1u << link_bit<kLink>(n) : 0;
      if (!is_neighbor<C>(n)) continue;
      number = key <= least ? n : number;
      least = key <= least ? key : least;
    }
#pragma unroll
    for (int n = kOwnNumber + 1; n < 27; ++n) {
      if (!is_neighbor<kLink>(n)) continue;
      const std::uint32_t key = around[n / 9][n % 9];
      link |= key < own ? 1u << link_bit<kLink>(n) : 0;
      if (!is_neighbor<C>(n)) continue;
      number = key < least ? n : number;
      least = key < least ? key : least;
    }
    keep(local(x), index(x), number);
    const std::uint32_t bits = __ballot_sync(~0u, is_there_ && is_in_pieces(number, link));
    if (lane_ == 0) tile_.saddles[x * Tile::kY + row_] = bits;
  }

  // Whether some cells of the tile lie at the ends of axes.
  __device__ bool has_outer() const {
    constexpr std::uint32_t kSides[3] = {Tile::kX, Tile::kY, Tile::kZ};
    bool has =
        corner_[0] < grid_.outer[0] || corner_[0] + Tile::kX + grid_.outer[1] > grid_.cells[0];
    for (int axis = 1; axis < 3; ++axis)
      has = has || corner_[axis] == 0 || corner_[axis] + kSides[axis] + 1 > grid_.cells[axis];
    return has;
  }
  __device__ bool is_inner(std::uint32_t x) const {
    const std::uint32_t at[3] = {corner_[0] + x, at_[1], at_[2]};
    bool inner = true;
    for (int axis = 0; axis < 3; ++axis) inner = inner && grid_.is_inner_along(axis, at[axis]);
    return inner;
  }

  // Again, for a cell at the ends of axes.
  __device__ void step_outer(std::uint32_t place) {
    const std::uint32_t in[3] = {place / (Tile::kY * Tile::kZ), place / Tile::kZ % Tile::kY,
                                 place % Tile::kZ};
    const std::uint32_t at[3] = {corner_[0] + in[0], corner_[1] + in[1], corner_[2] + in[2]};
    const std::uint32_t v = (at[0] * grid_.cells[1] + at[1]) * grid_.cells[2] + at[2];
    const std::uint64_t own = moment(in, kOwnNumber, v);
    std::uint64_t least = own;
    std::uint32_t link = 0;
    int number = kOwnNumber, bit = 0;
    // Ways end in the rim.
    const int neighbors = grid_.is_rim(at[0]) ? 0 : 27;
#pragma unroll 1
    for (int n = 0; n < neighbors; ++n) {
      if (!is_neighbor<kLink>(n)) continue;
      const int own_bit = kLink == 14 ? bit++ : n;
      std::uint32_t to[3] = {at[0], at[1], at[2]};
      if (!grid_.step(0, offset_of(n, 0), to[0]) || !grid_.step(1, offset_of(n, 1), to[1]) ||
          !grid_.step(2, offset_of(n, 2), to[2]))
        continue;
      const std::uint64_t there =
          moment(in, n, (to[0] * grid_.cells[1] + to[1]) * grid_.cells[2] + to[2]);
      link |= std::uint32_t(there < own) << own_bit;
      if (!is_neighbor<C>(n) || there >= least) continue;
      least = there;
      number = n;
    }
    keep(place, v, number);
    std::uint32_t* const saddles = tile_.saddles + place / Tile::kZ;
    if (is_in_pieces(number, link))
      atomicOr(saddles, 1u << in[2]);
    else
      atomicAnd(saddles, ~(1u << in[2]));
    // What lies across an end is not in the tile.
    if (!leaves_grid(at, number)) return;
    tile_.next[place] = std::uint16_t(place);
    tile_.exit[place] = sweep_.cell_of(least);
  }

  __device__ bool leaves_grid(const std::uint32_t (&at)[3], int number) const {
    bool leaves = false;
    for (int axis = 0; axis < 3; ++axis)
      leaves = leaves || at[axis] + std::uint32_t(offset_of(number, axis)) >= grid_.cells[axis];
    return leaves;
  }

  __device__ std::uint64_t moment(const std::uint32_t (&in)[3], int n, std::uint32_t v) const {
    const std::uint32_t r =
        (in[0] + 1 + offset_of(n, 0)) * (Tile::kY + 2) + in[1] + 1 + offset_of(n, 1);
    return std::uint64_t(tile_.key[r * Tile::kRowLength + in[2] + 1 + offset_of(n, 2)]) << 32 |
           (v - sweep_.begin);
  }

  // The step of the cell v at a place of the tile.
  __device__ void keep(std::uint32_t place, std::uint32_t v, int number) {
    const int dx = offset_of(number, 0), dy = offset_of(number, 1), dz = offset_of(number, 2);
    const std::uint32_t x = place / (Tile::kY * Tile::kZ), y = place / Tile::kZ % Tile::kY,
                        z = place % Tile::kZ;
    const bool in_tile = x + dx < Tile::kX && y + dy < Tile::kY && z + dz < Tile::kZ;
    tile_.next[place] =
        std::uint16_t(in_tile ? place + (dx * int(Tile::kY) + dy) * int(Tile::kZ) + dz : place);
    tile_.exit[place] = v + std::uint32_t(dx) * grid_.cells[1] * grid_.cells[2] +
                        std::uint32_t(dy) * grid_.cells[2] + std::uint32_t(dz);
  }

  // Of a maximum the link has no neighbors.
  __device__ bool is_in_pieces(int number, std::uint32_t link) const {
    if (number == kOwnNumber) return false;
    if constexpr (kLink == 14)
      return tile_.table[link / 32] >> link % 32 & 1;
    else
      return is_apart<C>(link);
  }

  // Cells that are not looked at lead nowhere.
  __device__ void leave_out() {
    for (std::uint32_t x = 0; x < Tile::kX; ++x) {
      const bool leaves = !is_there(x) || ascents_.up[index(x)] == kNone;
      const std::uint32_t bits = __ballot_sync(~0u, leaves);
      if (lane_ == 0) tile_.saddles[x * Tile::kY + row_] &= ~bits;
      if (!leaves || !is_there(x)) continue;
      tile_.next[local(x)] = std::uint16_t(local(x));
      tile_.exit[local(x)] = kNone;
    }
  }

  // The cells of a row of the tile, from v on in the first lane.
  __device__ void put(const CellSetView& set, std::uint32_t v, std::uint32_t bits) const {
    if (grid_.cells[2] % Tile::kZ != 0) {
      if (is_there_ && bits >> lane_ & 1) set.add(v);
    } else if (lane_ == 0 && is_there_) {
      set.words[v / 32].bits = bits;
    }
  }

  const GridView& grid_;
  const SweepView& sweep_;
  const AscentsView& ascents_;
  Tile& tile_;
  std::uint32_t lane_, row_;
  std::uint32_t corner_[3], at_[3] = {0, 0, 0};
  bool is_there_;  // the column
};

template <int C>
__global__ void __launch_bounds__(StepTile::kThreads)
    step_tiles_kernel(GridView grid, SweepView sweep, AscentsView ascents,
                      const std::uint32_t* table) {
  __shared__ StepTile tile;
  TileSteps<C> steps(grid, sweep, ascents, tile);
  if constexpr (kLinkOf<C> == 14)
    for (std::uint32_t w = threadIdx.x; w < kTableWords; w += StepTile::kThreads)
      tile.table[w] = table[w];
  steps.place_rows();
  __syncthreads();
  steps.read();
  __syncthreads();
  steps.step();
  steps.write();
}

// In place of the plain way where rows are long enough for warps.
template <int C>
void step_up(Cuda& exec, const GridView& grid, const SweepView& sweep, const AscentsView& ascents) {
  const auto tiles = [&](int axis, std::uint32_t side) {
    return (grid.cells[axis] + side - 1) / side;
  };
  const dim3 blocks(tiles(2, StepTile::kZ), tiles(1, StepTile::kY), tiles(0, StepTile::kX));
  constexpr std::uint32_t kMostBlocks = 65535;
  if (grid.cells[2] < StepTile::kZ / 2 || blocks.y > kMostBlocks || blocks.z > kMostBlocks) {
    for_cells(exec, "ascents", grid, StepUp<C>{grid, sweep, ascents});
    return;
  }
  Buffer<std::uint32_t, Cuda> table(exec, kTableWords, "ascents");
  if (kLinkOf<C> == 14) {
    exec.zero(table.data(), kTableWords * sizeof(std::uint32_t));
    parallel_for(exec, "ascents", kTableWords * 32, FillLinkTable{table.data()});
  }
  const NamedRange range("ascents");
  step_tiles_kernel<C>
      <<<blocks, StepTile::kThreads, 0, exec.stream()>>>(grid, sweep, ascents, table.data());
  check_cuda(cudaGetLastError(), "ascents");
}

}  // namespace haloscope::compute::topology
