#pragma once

#include "compute/exec/cuda.h"
#include "compute/splotch/wide_tiles.cuh"

// Tiles of many faint splats as products of matrices. The radial kernel (1 − x² − y²)⁴ is close to
// a sum of two products, u₁(x) u₁(y) − u₂(x) u₂(y); with one column per splat, a tile's light is
// then Σ u(y) · (u(x) light), which tensor cores add up 16 splats at a time.
namespace haloscope::compute::splotch {

// Whether this GPU has the tensor cores that draw_tile_products() needs.
bool can_draw_products(const Cuda& exec);

// What is to be drawn so, and what was not.
struct ProductTask {
  TileLight light;
  TileItem* left;  // pieces of tiles
  unsigned* left_count;
};

// Most pieces that may be left of so many pairs of a splat and a tile.
std::size_t most_left(unsigned long long pairs, unsigned items);

// Draws up to `items` blocks of tiles of the picture. A splat is within 0.55 % of its own peak:
// 0.31 % by the two products, the rest by 16-bit factors. What is left: all on levels and in tiles
// that the picture's edge cuts, tiles that tell too little of their light, batches of which many
// splats or most of the light are not faint beside the rest of their tile (fewer are added one by
// one, as they are), and pieces whose errors add up to 1 % of the light of a pixel, as far as the
// darkest ones show.
template <class S>
void draw_tile_products(Cuda& exec, const TilingStack& stack, const TileLists<S>& lists,
                        unsigned items, const ProductTask& task);

}  // namespace haloscope::compute::splotch
