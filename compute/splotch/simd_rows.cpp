#include "compute/splotch/simd_rows.h"

#include "compute/splotch/simd_clones.h"

#include <algorithm>
#include <cmath>

// The inner loops of the CPU executor. A splat is drawn row by row in blocks of 16 pixels, held in
// one vector type that the compiler splits as the instruction set needs. Blocks may run over the
// splat's edge: the weight is zero there.
#define HALOSCOPE_INLINE inline __attribute__((always_inline))

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
  float x, y;                        // the splat's center
};

HALOSCOPE_INLINE Clip clip(const PlanarTile& tile, const Splat& s, float extent) {
  const PixelRange columns = pixel_range(s.ix - tile.x0, s.fx, extent, 0, tile.width);
  const PixelRange rows = pixel_range(s.iy - tile.y0, s.fy, extent, 0, tile.height);
  return {columns.first, columns.last, rows.first, rows.last, 0, 0};
}

// Unaligned, by memcpy: where a vector is wider than a register, GCC forgets an alignment
// attribute.
HALOSCOPE_INLINE Vector load(const float* p) {
  Vector v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
HALOSCOPE_INLINE void store(float* p, Vector v) {
  __builtin_memcpy(p, &v, sizeof(v));
}

HALOSCOPE_INLINE void add(float* row, Vector weight, float r, float g, float b) {
  store(row, load(row) + weight * r);
  store(row + PlanarTile::kPlane, load(row + PlanarTile::kPlane) + weight * g);
  store(row + 2 * PlanarTile::kPlane, load(row + 2 * PlanarTile::kPlane) + weight * b);
}

HALOSCOPE_INLINE void add_pixel(const PlanarTile& tile, int x, int y, const Splat& s,
                                float weight) {
  if (x < 0 || y < 0 || x >= tile.width || y >= tile.height) return;
  float* p = tile.planes + std::size_t(y) * PlanarTile::kStride + std::size_t(x);
  p[0] += weight * s.emission[0];
  p[PlanarTile::kPlane] += weight * s.emission[1];
  p[2 * PlanarTile::kPlane] += weight * s.emission[2];
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

HALOSCOPE_INLINE void add_integrated(const PlanarTile& tile, const Splat& s) {
  const Clip c = clip(tile, s, FluxProfile::extent(s.radius));
  if (c.column0 > c.column1 || c.row0 > c.row1) return;
  const float inverse = 1.f / (FluxProfile::kSupportRatio * s.radius);
  // At most 7 columns: one vector holds a row.
  const float dx0 = float(c.column0 - (s.ix - tile.x0)) - s.fx;
  Vector wx = half_cumulative((kLanes + (dx0 + 0.5f)) * inverse) -
              half_cumulative((kLanes + (dx0 - 0.5f)) * inverse);
  wx = where(kLanes < float(c.column1 - c.column0 + 1), wx);
  for (int row = c.row0; row <= c.row1; ++row) {
    const float dy = float(row - (s.iy - tile.y0)) - s.fy;
    const float wy = FluxProfile::integrated_axis(dy, inverse);
    float* p = tile.planes + std::size_t(row) * PlanarTile::kStride + std::size_t(c.column0);
    add(p, wx, wy * s.emission[0], wy * s.emission[1], wy * s.emission[2]);
  }
}

HALOSCOPE_INLINE void add_radial(const PlanarTile& tile, const Splat& s) {
  const Clip c = clip(tile, s, s.radius);
  if (c.column0 > c.column1 || c.row0 > c.row1) return;
  const float inverse = 1.f / (s.radius * s.radius);
  const float norm = inverse * 1.59154943f;  // 5/π
  const float r = norm * s.emission[0], g = norm * s.emission[1], b = norm * s.emission[2];
  const int ix = s.ix - tile.x0;
  const int iy = s.iy - tile.y0;
  const Vector zero = kLanes * 0.f;
  for (int row = c.row0; row <= c.row1; ++row) {
    const float dy = float(row - iy) - s.fy;
    const float rest = 1.f - dy * dy * inverse;
    if (rest <= 0) continue;
    const float half = std::sqrt(rest) * s.radius;
    const PixelRange span = pixel_range(ix, s.fx, half, 0, tile.width);
    float* p = tile.planes + std::size_t(row) * PlanarTile::kStride;
    for (int x = span.first; x <= span.last; x += kVector) {
      const Vector dx = kLanes + (float(x - ix) - s.fx);
      Vector q = rest - dx * dx * inverse;
      q = q > zero ? q : zero;
      q *= q;
      q *= q;
      add(p + x, q, r, g, b);
    }
  }
}

// exp on [−kClassicFalloff, 0], relative error below 2e-7: (Taylor of e^(t/8))⁸.
HALOSCOPE_INLINE Vector exp_in_kernel(Vector t) {
  t = t * 0.125f;
  Vector p = t * (1.f / 5040) + 1.f / 720;
  p = t * p + 1.f / 120;
  p = t * p + 1.f / 24;
  p = t * p + 1.f / 6;
  p = t * p + 0.5f;
  p = t * p + 1.f;
  p = t * p + 1.f;
  p *= p;
  p *= p;
  return p * p;
}

HALOSCOPE_INLINE void add_classic(const PlanarTile& tile, const Splat& s) {
  const Clip c = clip(tile, s, s.radius);
  if (c.column0 > c.column1 || c.row0 > c.row1) return;
  const float r2 = s.radius * s.radius;
  const float falloff = kClassicFalloff / r2;
  const int ix = s.ix - tile.x0;
  const int iy = s.iy - tile.y0;
  // Separable exponentials: one table for the columns, one for the rows. Lanes beyond the kernel's
  // square are clamped into the range where exp_in_kernel holds and masked below.
  alignas(64) float dx2[PlanarTile::kSide + kVector];
  alignas(64) float ex[PlanarTile::kSide + kVector];
  alignas(64) float ey[PlanarTile::kSide + kVector];
  const Vector limit = kLanes * 0.f + r2;
  auto tabulate = [&](int first, int last, int center, float fraction, float* squares,
                      float* exps) {
    for (int i = first; i <= last; i += kVector) {
      const Vector d = kLanes + (float(i - center) - fraction);
      const Vector d2 = d * d;
      const Vector inside = d2 < limit ? d2 : limit;
      if (squares) store(squares + i - first, d2);
      store(exps + i - first, exp_in_kernel(-inside * falloff));
    }
  };
  tabulate(c.column0, c.column1, ix, s.fx, dx2, ex);
  tabulate(c.row0, c.row1, iy, s.fy, nullptr, ey);
  for (int row = c.row0; row <= c.row1; ++row) {
    const float dy = float(row - iy) - s.fy;
    const float rest = r2 - dy * dy;
    if (rest <= 0) continue;
    const PixelRange span = pixel_range(ix, s.fx, std::sqrt(rest), 0, tile.width);
    // One pixel more on each side: the mask decides, not the rounding of the square root.
    const int first = std::max(span.first - 1, c.column0);
    const int last = std::min(span.last + 1, c.column1);
    const float e = ey[row - c.row0];
    const float r = e * s.emission[0], g = e * s.emission[1], b = e * s.emission[2];
    float* p = tile.planes + std::size_t(row) * PlanarTile::kStride;
    for (int x = first; x <= last; x += kVector) {
      const Vector d2 = load(dx2 + x - c.column0) + dy * dy;
      const Vector column = load(ex + x - c.column0);
      const Mask inside = (Mask)(d2 < limit) & (Mask)(kLanes < float(last - x + 1));
      add(p + x, where(inside, column), r, g, b);
    }
  }
}

}  // namespace

HALOSCOPE_SIMD_CLONES
void add_flux_splats(const PlanarTile& tile, const Splat* splats, const std::uint32_t* list,
                     std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
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
    const Splat& s = splats[list[k]];
    if (s.radius <= kSmallRadius)
      add_pixel(tile, s.ix - tile.x0, s.iy - tile.y0, s,
                ClassicProfile::small_weight(-s.fx, -s.fy, s.radius));
    else
      add_classic(tile, s);
  }
}

}  // namespace haloscope::compute::splotch
