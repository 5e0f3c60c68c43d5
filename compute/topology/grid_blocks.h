#pragma once

#include "compute/topology/cells.inl"
#include "compute/topology/grid.h"
#include "compute/topology/tree_settings.h"

#include <cstdint>
#include <vector>

// Grids in blocks of whole planes across the first axis, each with a rim: the plane before and the
// plane behind it, where the grid has them. In a block cells are numbered in 32 bits. What a cell
// does is decided in its own block, where all cells around it are; a way that leads into the rim
// goes on in another block.
namespace haloscope::compute::topology {

struct GridBlock {
  GridView view;            // the rim included
  std::uint32_t begin = 0;  // where the order of the indices of `view` begins (SweepView)
  std::uint64_t first = 0;  // the cell of the grid that comes first of its own ones
  std::uint64_t cells = 0;  // of the whole grid

  // Of its own cells the first in `view`, and how many there are.
  std::uint32_t own_begin() const { return view.rim[0] * view.plane(); }
  std::uint32_t own() const { return view.count() - (view.rim[0] + view.rim[1]) * view.plane(); }
  // What is added to an own cell's number in `view` for its number in the grid, modulo 2⁶⁴.
  std::uint64_t shift() const { return first - own_begin(); }
};

// Throws Error unless there is a tree of grids of such a shape.
void require_shape(const GridShape& shape, const TreeSettings& settings);

// The whole grid as one block. At most kMostCells.
GridBlock whole_grid(const GridShape& shape);

// Planes from `begin` to `end` of a grid with more of them than two.
GridBlock block_of_planes(const GridShape& shape, std::uint32_t begin, std::uint32_t end);

// A grid of at most settings.block_cells cells (0: kMostCells) is one block, and so is one of two
// planes. Larger ones become blocks of whole planes with about so many own cells (0: a billion),
// one plane at least. Throws Error where a plane is too large for a block, or the blocks are too
// many.
std::vector<GridBlock> blocks_of(const GridShape& shape, const TreeSettings& settings);

// The same of the planes from `begin` to `end`, which are one block where 32 bits number their
// cells and those of the rim. Planes of two or fewer are taken together.
std::vector<GridBlock> blocks_of_planes(const GridShape& shape, std::uint32_t begin,
                                        std::uint32_t end, const TreeSettings& settings);

// Calls f<C>() for the number of neighbors.
template <class F>
void with_neighbors(Connectivity connectivity, const F& f) {
  switch (connectivity) {
    case Connectivity::Six:
      return f.template operator()<6>();
    case Connectivity::Fourteen:
      return f.template operator()<14>();
    case Connectivity::Eighteen:
      return f.template operator()<18>();
    case Connectivity::TwentySix:
      return f.template operator()<26>();
  }
}

}  // namespace haloscope::compute::topology
