#include "compute/splotch/simd_rows.h"

#include "core/simd_clones.h"

#include <algorithm>
#include <cmath>

// The inner loops of the CPU executor. A splat is drawn row by row in blocks of 16 pixels, held in
// one vector type that the compiler splits as the instruction set needs. Blocks may run over the
// splat's edge: the weight is zero there.
#define HALOSCOPE_INLINE inline __attribute__((always_inline))
#define HALOSCOPE_INLINE_LAMBDA __attribute__((always_inline))

#pragma GCC diagnostic ignored "-Wpsabi"

namespace haloscope::compute::splotch {

namespace {

constexpr int kVector = PlanarTile::kVector;
typedef float Vector __attribute__((vector_size(kVector * sizeof(float))));
typedef std::int32_t Mask __attribute__((vector_size(kVector * sizeof(float))));

constexpr Vector kLanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

HALOSCOPE_INLINE Vector where(Mask mask, Vector a) {
  return (Vector)(mask & (Mask)a);
}

// The rows and columns of a splat inside a tile, in the tile's coordinates.
struct Clip {
  int column0, column1, row0, row1;  // inclusive
};

HALOSCOPE_INLINE Clip clip(const PlanarTile& tile, const Splat& s, float extent) {
  const PixelRange columns = pixel_range(s.ix - tile.x0, s.fx, extent, 0, tile.width);
  const PixelRange rows = pixel_range(s.iy - tile.y0, s.fy, extent, 0, tile.height);
  return {columns.first, columns.last, rows.first, rows.last};
}

// By memcpy: where a vector is wider than a register, GCC forgets alignment attributes.
HALOSCOPE_INLINE Vector load(const float* p) {
  Vector v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
HALOSCOPE_INLINE void store(float* p, Vector v) {
  __builtin_memcpy(p, &v, sizeof(v));
}

// Adds to an aligned block of 16 pixels.
HALOSCOPE_INLINE void add(float* block, Vector weight, float r, float g, float b) {
  constexpr int kSide = PlanarTile::kSide;
  store(block, load(block) + weight * r);
  store(block + kSide, load(block + kSide) + weight * g);
  store(block + 2 * kSide, load(block + 2 * kSide) + weight * b);
}

HALOSCOPE_INLINE void add_pixel(const PlanarTile& tile, int x, int y, const Splat& s,
                                float weight) {
  if (x < 0 || y < 0 || x >= tile.width || y >= tile.height) return;
  float* p = tile.rows + y * PlanarTile::kRow + x;
  for (int c = 0; c < 3; ++c) p[c * PlanarTile::kSide] += weight * s.emission[c];
}

// G(x) of FluxProfile::half_cumulative, sixteen at a time.
HALOSCOPE_INLINE Vector half_cumulative(Vector x) {
  const Vector one = kLanes * 0.f + 1.f;
  x = x < -one ? -one : x;
  x = x > one ? one : x;
  const Vector x2 = x * x;
  constexpr float c = 315.f / 256.f;
  Vector p = x2 * (c / 9.f) - c * 4.f / 7.f;
  p = x2 * p + c * 6.f / 5.f;
  p = x2 * p - c * 4.f / 3.f;
  p = x2 * p + c;
  return x * p;
}

// The aligned blocks of 16 columns that a clipped splat touches, in the tile's coordinates.
struct Blocks {
  int first, last;
};
HALOSCOPE_INLINE Blocks blocks_of(int column0, int column1) {
  return {column0 / kVector, column1 / kVector};
}

// Distances of a block's pixel centers from the splat's, along x.
HALOSCOPE_INLINE Vector block_distances(const PlanarTile& tile, const Splat& s, int block) {
  return kLanes + (float(block * kVector - (s.ix - tile.x0)) - s.fx);
}

// Calls row(first pixel of the row in the tile, dy) for each row of a clipped splat.
template <class F>
HALOSCOPE_INLINE void for_rows(const PlanarTile& tile, const Splat& s, const Clip& c,
                               const F& row) {
  for (int y = c.row0; y <= c.row1; ++y)
    row(tile.rows + y * PlanarTile::kRow, float(y - (s.iy - tile.y0)) - s.fy);
}

// The columns' part of a kernel, for wide splats.
struct Columns16 {
  alignas(64) float values[PlanarTile::kSide];
};

HALOSCOPE_INLINE void add_integrated(const PlanarTile& tile, const Splat& s) {
  const Clip c = clip(tile, s, FluxProfile::extent(s.radius));
  if (c.column0 > c.column1 || c.row0 > c.row1) return;
  const float inverse = 1.f / (FluxProfile::kSupportRatio * s.radius);
  const Blocks blocks = blocks_of(c.column0, c.column1);
  for (int k = blocks.first; k <= blocks.last; ++k) {
    const Vector d = block_distances(tile, s, k);
    const Vector wx = half_cumulative((d + 0.5f) * inverse) - half_cumulative((d - 0.5f) * inverse);
    for_rows(tile, s, c, [&](float* row, float dy) HALOSCOPE_INLINE_LAMBDA {
      const float wy = FluxProfile::integrated_axis(dy, inverse);
      add(row + k * kVector, wx * wy, s.emission[0], s.emission[1], s.emission[2]);
    });
  }
}

// Blocks of a row that a chord of half-length `half` around the center can touch. A pixel of slack:
// the weights decide, not the rounding of a square root.
HALOSCOPE_INLINE Blocks touched_blocks(float half, float center, const Blocks& all) {
  half = half < 1e6f ? half : 1e6f;
  const int first = int((center - half - 1.f) * (1.f / kVector));
  const int last = int((center + half + 1.f) * (1.f / kVector));
  return {first < all.first ? all.first : first, last > all.last ? all.last : last};
}

HALOSCOPE_INLINE void add_radial(const PlanarTile& tile, const Splat& s) {
  const Clip c = clip(tile, s, s.radius);
  if (c.column0 > c.column1 || c.row0 > c.row1) return;
  const float inverse = 1.f / (s.radius * s.radius);
  const float norm = inverse * 1.59154943f;  // 5/π
  const float r = norm * s.emission[0], g = norm * s.emission[1], b = norm * s.emission[2];
  const Vector zero = kLanes * 0.f;
  const Blocks blocks = blocks_of(c.column0, c.column1);
  auto squares = [&](int block) HALOSCOPE_INLINE_LAMBDA {
    const Vector d = block_distances(tile, s, block);
    return d * d * inverse;
  };
  auto fourth_power = [&](Vector q) HALOSCOPE_INLINE_LAMBDA {
    q = q > zero ? q : zero;
    q *= q;
    return q * q;
  };
  if (blocks.last - blocks.first <= 1) {
    // One or two blocks: the columns' part of d²/H² stays in registers.
    float* const offset = tile.rows + blocks.first * kVector;
    const Vector x0 = squares(blocks.first), x1 = squares(blocks.last);
    const bool two = blocks.last > blocks.first;
    for (int y = c.row0; y <= c.row1; ++y) {
      const float dy = float(y - (s.iy - tile.y0)) - s.fy;
      const float rest = 1.f - dy * dy * inverse;
      float* p = offset + y * PlanarTile::kRow;
      add(p, fourth_power(rest - x0), r, g, b);
      if (two) add(p + kVector, fourth_power(rest - x1), r, g, b);
    }
    return;
  }
  Columns16 x2;
  for (int k = blocks.first; k <= blocks.last; ++k) store(x2.values + k * kVector, squares(k));
  const float center = float(s.ix - tile.x0) + s.fx;
  for_rows(tile, s, c, [&](float* row, float dy) HALOSCOPE_INLINE_LAMBDA {
    const float rest = 1.f - dy * dy * inverse;
    const Blocks touched =
        touched_blocks(rest > 0 ? std::sqrt(rest) * s.radius : 0.f, center, blocks);
    for (int k = touched.first; k <= touched.last; ++k)
      add(row + k * kVector, fourth_power(rest - load(x2.values + k * kVector)), r, g, b);
  });
}

// exp on [−kClassicFalloff, 0] as (Taylor of e^(t/8))⁸, relative error below 4e-6 (Splotch's own
// table: 2e-5). Even and odd terms apart: half the latency.
HALOSCOPE_INLINE Vector exp_in_kernel(Vector t) {
  t = t * 0.125f;
  const Vector t2 = t * t;
  const Vector even = t2 * (t2 * (t2 * (1.f / 720) + 1.f / 24) + 0.5f) + 1.f;
  const Vector odd = t2 * (t2 * (1.f / 120) + 1.f / 6) + 1.f;
  Vector p = t * odd + even;
  p *= p;
  p *= p;
  return p * p;
}

HALOSCOPE_INLINE void add_classic(const PlanarTile& tile, const Splat& s) {
  const Clip c = clip(tile, s, s.radius);
  if (c.column0 > c.column1 || c.row0 > c.row1) return;
  const float r2 = s.radius * s.radius;
  const float falloff = kClassicFalloff / r2;
  const Vector limit = kLanes * 0.f + r2;
  // Separable exponentials: exp(−(dx² + dy²)/σ²) from one table for columns and one for rows.
  // Beyond the kernel the argument is clamped to where exp_in_kernel holds; the mask removes those
  // pixels.
  auto exps = [&](Vector d2) HALOSCOPE_INLINE_LAMBDA {
    return exp_in_kernel((d2 < limit ? d2 : limit) * -falloff);
  };
  alignas(64) float ey[PlanarTile::kSide + kVector];
  const float dy0 = float(c.row0 - (s.iy - tile.y0)) - s.fy;
  for (int i = 0; i <= c.row1 - c.row0; i += kVector) {
    const Vector dy = kLanes + (dy0 + float(i));
    store(ey + i, exps(dy * dy));
  }
  const float red = s.emission[0], green = s.emission[1], blue = s.emission[2];
  auto add_block = [&](float* p, Vector x2, Vector ex, float dy, float e) HALOSCOPE_INLINE_LAMBDA {
    const Mask inside = (Mask)(x2 < limit - dy * dy);
    add(p, where(inside, ex * e), red, green, blue);
  };
  const Blocks blocks = blocks_of(c.column0, c.column1);
  if (blocks.last - blocks.first <= 1) {
    float* const offset = tile.rows + blocks.first * kVector;
    const Vector d0 = block_distances(tile, s, blocks.first),
                 d1 = block_distances(tile, s, blocks.last);
    const Vector x0 = d0 * d0, x1 = d1 * d1;
    const Vector e0 = exps(x0), e1 = exps(x1);
    const bool two = blocks.last > blocks.first;
    for (int y = c.row0; y <= c.row1; ++y) {
      const float dy = float(y - (s.iy - tile.y0)) - s.fy;
      float* p = offset + y * PlanarTile::kRow;
      add_block(p, x0, e0, dy, ey[y - c.row0]);
      if (two) add_block(p + kVector, x1, e1, dy, ey[y - c.row0]);
    }
    return;
  }
  Columns16 x2, ex;
  for (int k = blocks.first; k <= blocks.last; ++k) {
    const Vector d = block_distances(tile, s, k);
    store(x2.values + k * kVector, d * d);
    store(ex.values + k * kVector, exps(d * d));
  }
  const float center = float(s.ix - tile.x0) + s.fx;
  const float* e = ey;
  for_rows(tile, s, c, [&](float* row, float dy) HALOSCOPE_INLINE_LAMBDA {
    const float rest = r2 - dy * dy;
    const Blocks touched = touched_blocks(rest > 0 ? std::sqrt(rest) : 0.f, center, blocks);
    for (int k = touched.first; k <= touched.last; ++k)
      add_block(row + k * kVector, load(x2.values + k * kVector), load(ex.values + k * kVector), dy,
                *e);
    ++e;
  });
}

// A tile's splats lie scattered over the batch: without this, one cache miss each.
HALOSCOPE_INLINE void prefetch(const Splat* splats, const std::uint32_t* list, std::size_t k,
                               std::size_t count) {
  constexpr std::size_t kAhead = 12;
  if (k + kAhead >= count) return;
  const Splat* next = splats + list[k + kAhead];
  __builtin_prefetch(next);
  __builtin_prefetch(reinterpret_cast<const char*>(next + 1) - 1);
}

}  // namespace

HALOSCOPE_SIMD_CLONES
void add_flux_splats(const PlanarTile& tile, const Splat* splats, const std::uint32_t* list,
                     std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    prefetch(splats, list, k, count);
    const Splat& s = splats[list[k]];
    if (s.radius <= kSmallRadius)
      add_pixel(tile, s.ix - tile.x0, s.iy - tile.y0, s, 1.f);
    else if (FluxProfile::integrated(s.radius))
      add_integrated(tile, s);
    else
      add_radial(tile, s);
  }
}

HALOSCOPE_SIMD_CLONES
void add_classic_splats(const PlanarTile& tile, const Splat* splats, const std::uint32_t* list,
                        std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    prefetch(splats, list, k, count);
    const Splat& s = splats[list[k]];
    if (s.radius <= kSmallRadius)
      add_pixel(tile, s.ix - tile.x0, s.iy - tile.y0, s,
                ClassicProfile::small_weight(-s.fx, -s.fy, s.radius));
    else
      add_classic(tile, s);
  }
}

}  // namespace haloscope::compute::splotch
