#pragma once

#include "compute/splotch/wide_tiles.cuh"

// The tiles that a wide splat touches. Who counts splats and who lists them must find the same
// ones: nvcc contracts no sums here (--fmad=false), so that kernels round alike.
namespace haloscope::compute::splotch {

inline constexpr int kFewTiles = 4;

// The tiles that a splat may touch; none to begin with.
struct Span {
  int x0 = 0, x1 = -1, y0 = 0, y1 = -1;
  float cx = 0, cy = 0, r2 = 0;
  unsigned index = 0;  // of the splat
  int columns = 0;     // of tiles in the splat's level
  unsigned first = 0;  // tile of that level

  // Squares of the distances from the center to the nearest pixel of column `tx` of tiles, and of
  // row `ty`, with a pixel of slack.
  __device__ float beside(int tx) const { return squared_gap(float(tx * kTile) - cx); }
  __device__ float above(int ty) const { return squared_gap(float(ty * kTile) - cy); }
  __device__ unsigned tile(int tx, int ty) const {
    return first + unsigned(ty) * unsigned(columns) + unsigned(tx);
  }
  // Whether they lie within 2 × 2: those of discs of up to kTile / 2 do.
  __device__ bool has_few() const { return x1 - x0 <= 1 && y1 - y0 <= 1; }

 private:
  __device__ static float squared_gap(float to_first) {
    const float gap = fmaxf(0.f, fmaxf(to_first, -to_first - float(kTile - 1)) - 1.f);
    return gap * gap;
  }
};

template <class S>
__device__ Span span_of(const TilingStack& stack, const S& splat, unsigned index) {
  WideSplat s = unpacked(splat);
  const int k = stack.level_of(s.radius);
  if (k > 0) s = on_level(s, k);
  const WideTiling& tiling = stack.level[k];
  const PixelRange x = pixel_range(s.ix, s.fx, s.radius, 0, tiling.width);
  const PixelRange y = pixel_range(s.iy, s.fy, s.radius, 0, tiling.height);
  if (x.first > x.last || y.first > y.last) return {};
  return {x.first / kTile,    x.last / kTile,     y.first / kTile,     y.last / kTile,
          float(s.ix) + s.fx, float(s.iy) + s.fy, s.radius * s.radius, index,
          tiling.columns,     tiling.first};
}

// The tiles that a splat touches where they lie within 2 × 2.
struct FewTiles {
  unsigned first = 0, columns = 0;  // of tiles in the splat's level
  bool touched[kFewTiles] = {};     // the first, that beside it, that below it, that below that

  __device__ unsigned tile(int k) const { return first + unsigned(k % 2) + (k < 2 ? 0u : columns); }
};

// The same of a span that has few.
__device__ inline FewTiles few_of(const Span& span) {
  FewTiles out{span.tile(span.x0, span.y0), unsigned(span.columns), {}};
  const float beside[2] = {span.beside(span.x0), span.beside(span.x0 + 1)};
  const float above[2] = {span.above(span.y0), span.above(span.y0 + 1)};
#pragma unroll
  for (int k = 0; k < kFewTiles; ++k)
    out.touched[k] = span.x0 + k % 2 <= span.x1 && span.y0 + k / 2 <= span.y1 &&
                     beside[k % 2] + above[k / 2] <= span.r2;
  return out;
}

// Most splats are packed ones of the picture itself, up to this radius. Their tiles are told by
// their code alone: those that the square around the disc touches, 2 % more than the disc does.
inline constexpr float kFewRadius = 15.9f;
static_assert(kFewRadius < kLevelRadius && 2 * kFewRadius < kTile);

// The tiles that such a splat may touch along an axis.
struct FewAlong {
  int first, last;

  // `radius` in steps of the code.
  __device__ FewAlong(unsigned word, int radius, int tiles) {
    constexpr int kStep = 1 << PackedRange::kFractionBits;
    constexpr int kTileBits = PackedRange::kFractionBits + 5;
    constexpr int kTilesBefore = PackedRange::kBefore / kTile;
    static_assert(kTile == 32 && PackedRange::kBefore % kTile == 0);
    const int center = int(word & PackedRange::kCenterMask);
    // Of the first pixel at or behind the near edge, and of the last one before the far edge.
    first = max(((center - radius + kStep - 1) >> kTileBits) - kTilesBefore, 0);
    last = min(((center + radius) >> kTileBits) - kTilesBefore, tiles - 1);
  }
};

// Finds them, or returns false.
__device__ inline bool find_few(const WideTiling& picture, const PackedSplat& s, FewTiles& few) {
  const float pixels = radius_of(s);
  if (!(pixels <= kFewRadius)) return false;
  const int radius = __float2int_ru(pixels * float(1 << PackedRange::kFractionBits));
  const FewAlong x(s.words[0], radius, picture.columns), y(s.words[1], radius, picture.rows);
  const bool any = x.first <= x.last && y.first <= y.last;
  const bool right = any && x.first < x.last, below = any && y.first < y.last;
  few = {unsigned(y.first * picture.columns + x.first),
         unsigned(picture.columns),
         {any, right, below, right && below}};
  return true;
}
__device__ inline bool find_few(const WideTiling&, const WideSplat&, FewTiles&) {
  return false;
}

// What a splat touches: few tiles, or else a span of more.
struct Touched {
  FewTiles few;
  Span span;

  template <class S>
  __device__ Touched(const TilingStack& stack, const S& splat, unsigned index) {
    const Span all = span_of(stack, splat, index);
    if (all.has_few())
      few = few_of(all);
    else
      span = all;
  }
};

// Calls f(tile, splat) for each tile that the disc of a splat touches that has not few. All lanes
// of a warp come together, and share the tiles of each such splat.
template <class F>
__device__ void for_many_tiles(const Span& span, const F& f) {
  unsigned shared = __ballot_sync(~0u, !span.has_few());
  while (shared) {
    const int lane = __ffs(int(shared)) - 1;
    shared &= shared - 1;
    Span p;
    p.x0 = __shfl_sync(~0u, span.x0, lane);
    p.x1 = __shfl_sync(~0u, span.x1, lane);
    p.y0 = __shfl_sync(~0u, span.y0, lane);
    p.y1 = __shfl_sync(~0u, span.y1, lane);
    p.cx = __shfl_sync(~0u, span.cx, lane);
    p.cy = __shfl_sync(~0u, span.cy, lane);
    p.r2 = __shfl_sync(~0u, span.r2, lane);
    p.index = __shfl_sync(~0u, span.index, lane);
    p.columns = __shfl_sync(~0u, span.columns, lane);
    p.first = __shfl_sync(~0u, span.first, lane);
    const int w = p.x1 - p.x0 + 1, n = w * (p.y1 - p.y0 + 1);
    for (int k = int(threadIdx.x % 32); k < n; k += 32) {
      const int tx = p.x0 + k % w, ty = p.y0 + k / w;
      if (p.beside(tx) + p.above(ty) <= p.r2) f(p.tile(tx, ty), p.index);
    }
  }
}

}  // namespace haloscope::compute::splotch
