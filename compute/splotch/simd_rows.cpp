#include "compute/splotch/simd_rows.h"

#include "core/simd_clones.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

// The inner loops of the CPU executor. A splat is drawn row by row, 16 pixels at a time, held in
// one vector type that the compiler splits as the instruction set needs; beyond the splat's edge
// the weight is zero.
//
// Most splats are a few rows high, so that a mispredicted branch costs as much as the drawing. They
// are therefore clipped first, many at once and without branches, and drawn in order of their
// heights: loops over rows then have the same length many times running.
#define HALOSCOPE_INLINE inline __attribute__((always_inline))
#define HALOSCOPE_INLINE_LAMBDA __attribute__((always_inline))

#pragma GCC diagnostic ignored "-Wpsabi"

namespace haloscope::compute::splotch {

namespace {

constexpr int kWidth = PlanarTile::kWidth, kHeight = PlanarTile::kHeight, kRow = PlanarTile::kRow;
typedef float Vector __attribute__((vector_size(kWidth * sizeof(float))));
typedef std::int32_t Mask __attribute__((vector_size(kWidth * sizeof(float))));

constexpr Vector kZero = {};
constexpr Vector kLanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// By memcpy: where a vector is wider than a register, GCC forgets alignment attributes.
HALOSCOPE_INLINE Vector load(const float* p) {
  Vector v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
HALOSCOPE_INLINE void store(float* p, Vector v) {
  __builtin_memcpy(p, &v, sizeof(v));
}

// What of a splat lies in a tile. Distances from its center to pixels are (whole number) −
// fraction, rounded once, as the profiles see them.
struct Clipped {
  float column, row;  // the tile's first column and the first row drawn, from the splat's pixel
  float fx, fy;
  float radius;
  float emission[3];
  int first_row, rows;

  HALOSCOPE_INLINE Vector dx() const { return kLanes + column - fx; }

  // Calls f(k, dy) for rows k … k + 15.
  template <class F>
  HALOSCOPE_INLINE void for_rows(const F& f) const {
    Vector whole = kLanes + row;
    for (int k = 0; k < rows; k += kWidth, whole += float(kWidth)) f(k, whole - fy);
  }
};

// A kernel is made for one splat: what depends on columns in vectors, what depends on rows in
// tables. weight(row) is a row of its weights over `constant`.
struct Rows {
  alignas(64) float values[kHeight];
};

// FluxProfile::integrated_axis by columns and by rows.
struct Integrated {
  static constexpr float constant = 1;
  Vector wx;
  Rows wy;
  HALOSCOPE_INLINE explicit Integrated(const Clipped& s) {
    const float inverse = 1.f / (FluxProfile::kSupportRatio * s.radius);
    wx = axis(s.dx(), inverse);
    s.for_rows([&](int k, Vector dy)
                   HALOSCOPE_INLINE_LAMBDA { store(wy.values + k, axis(dy, inverse)); });
  }
  HALOSCOPE_INLINE Vector weight(int row) const { return wx * wy.values[row]; }

 private:
  HALOSCOPE_INLINE static Vector axis(Vector d, float inverse) {
    return half_cumulative((d + 0.5f) * inverse) - half_cumulative((d - 0.5f) * inverse);
  }
  // G(x) of FluxProfile::half_cumulative, sixteen at a time.
  HALOSCOPE_INLINE static Vector half_cumulative(Vector x) {
    const Vector one = kZero + 1.f;
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
};

// FluxProfile::radial.
struct Radial {
  float constant;
  Vector x2;
  Rows rest;
  HALOSCOPE_INLINE explicit Radial(const Clipped& s) {
    const float inverse = 1.f / (s.radius * s.radius);
    constant = inverse * 1.59154943f;  // 5/π
    const Vector dx = s.dx();
    x2 = dx * dx * inverse;
    s.for_rows([&](int k, Vector dy)
                   HALOSCOPE_INLINE_LAMBDA { store(rest.values + k, 1.f - dy * dy * inverse); });
  }
  HALOSCOPE_INLINE Vector weight(int row) const {
    Vector q = rest.values[row] - x2;
    q = q > kZero ? q : kZero;
    q *= q;
    return q * q;
  }
};

// GCC takes comparisons of vectors wider than a register apart into floats, so that only AVX-512
// compares; narrower sets look at the sign bit of a difference.
inline bool compares_vectors() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f");
#else
  return false;
#endif
}

// ClassicProfile: exp(−(dx² + dy²)/σ²) as a product. Beyond the edge the factors are wrong, even
// infinite: the comparison removes those pixels.
template <bool kCompare>
struct Classic {
  static constexpr float constant = 1;
  Vector x2, ex;
  Rows limit, ey;
  HALOSCOPE_INLINE explicit Classic(const Clipped& s) {
    const float r2 = s.radius * s.radius;
    const float falloff = -0.25f * kClassicFalloff / r2;
    const Vector dx = s.dx();
    x2 = dx * dx;
    ex = exp4(x2 * falloff);
    s.for_rows([&](int k, Vector dy) HALOSCOPE_INLINE_LAMBDA {
      const Vector y2 = dy * dy;
      store(limit.values + k, r2 - y2);
      store(ey.values + k, exp4(y2 * falloff));
    });
  }
  HALOSCOPE_INLINE Vector weight(int row) const {
    if constexpr (kCompare) return x2 < limit.values[row] ? ex * ey.values[row] : kZero;
    const Mask inside = (Mask)(x2 - limit.values[row]) >> 31;
    return (Vector)(inside & (Mask)(ex * ey.values[row]));
  }

 private:
  // e^(4t) on 4t ∈ [−kClassicFalloff, 0]: the minimax polynomial of e^t, to the fourth power.
  // Relative error below 2e-6 (Splotch's own table: 2e-5).
  HALOSCOPE_INLINE static Vector exp4(Vector t) {
    const Vector t2 = t * t;
    const Vector low = t * 0.999983452f + 0.999999789f;
    const Vector middle = t * 0.165574362f + 0.499780909f;
    const Vector high = t * 0.00548642655f + 0.0391310397f;
    Vector p = t2 * (t2 * high + middle) + low;
    p *= p;
    return p * p;
  }
};

template <class Kernel>
HALOSCOPE_INLINE void draw(const PlanarTile& tile, const Clipped& s) {
  const Kernel kernel(s);
  const float r = kernel.constant * s.emission[0], g = kernel.constant * s.emission[1],
              b = kernel.constant * s.emission[2];
  float* p = tile.rows + s.first_row * kRow;
  const int rows = s.rows;
  for (int k = 0; k < rows; ++k, p += kRow) {
    const Vector w = kernel.weight(k);
    store(p, load(p) + w * r);
    store(p + kWidth, load(p + kWidth) + w * g);
    store(p + 2 * kWidth, load(p + 2 * kWidth) + w * b);
  }
}

// Half the height of a disc where it meets the tile's columns, with some slack: the weights decide,
// not the rounding of a square root.
HALOSCOPE_INLINE float half_chord(float column, float fx, float radius) {
  const float left = column - fx, right = fx - (column + float(kWidth - 1));
  const float d = larger(0.f, larger(left, right));
  return std::sqrt(larger(0.f, radius * radius * 1.000001f - d * d));
}

// Some splats of a tile, field by field, so that many are clipped at once.
class Batch {
 public:
  HALOSCOPE_INLINE bool full() const { return count_ == kMost; }

  HALOSCOPE_INLINE void add(const PlanarTile& tile, const Splat& s) {
    const int k = count_++;
    column_[k] = float(tile.x0 - s.ix);
    y_[k] = s.iy - tile.y0;
    fx_[k] = s.fx;
    fy_[k] = s.fy;
    radius_[k] = s.radius;
    for (int c = 0; c < 3; ++c) emission_[c][k] = s.emission[c];
  }

  // Draws the splats up to radius `most_box` with kernel Box, whose support is a square, the others
  // with Disc.
  template <class Box, class Disc>
  HALOSCOPE_INLINE void draw_all(const PlanarTile& tile, float most_box) {
    clip(tile.height, most_box);
    sort();
    if constexpr (!std::is_same_v<Box, Disc>) draw_bins<Box>(tile, 0);
    draw_bins<Disc>(tile, kBins);
    count_ = 0;
  }

 private:
  static constexpr int kMost = 512;
  static constexpr int kBins = kHeight + 1;  // one for each number of rows

  HALOSCOPE_INLINE void clip(int height, float most_box) {
    for (int k = 0; k < count_; ++k) {
      const bool box = radius_[k] <= most_box;
      const float chord = half_chord(column_[k], fx_[k], radius_[k]);
      const float side = FluxProfile::kSupportRatio * radius_[k] + 0.5f;
      const PixelRange rows = pixel_range(y_[k], fy_[k], box ? side : chord, 0, height);
      row_[k] = float(rows.first - y_[k]);
      first_row_[k] = rows.first;
      rows_[k] = rows.last < rows.first ? 0 : rows.last - rows.first + 1;
      bin_[k] = (box ? 0 : kBins) + rows_[k];
    }
  }

  // By counting; splats of one bin stay in their order.
  HALOSCOPE_INLINE void sort() {
    for (auto& n : ends_) n = 0;
    for (int k = 0; k < count_; ++k) ++ends_[bin_[k]];
    int sum = 0;
    for (auto& n : ends_) {
      const int own = n;
      n = sum;
      sum += own;
    }
    for (int k = 0; k < count_; ++k) order_[ends_[bin_[k]]++] = k;
  }

  template <class Kernel>
  HALOSCOPE_INLINE void draw_bins(const PlanarTile& tile, int bin) const {
    // The first bin has no rows.
    for (int n = ends_[bin]; n < ends_[bin + kHeight]; ++n) {
      const int k = order_[n];
      draw<Kernel>(tile, {column_[k],
                          row_[k],
                          fx_[k],
                          fy_[k],
                          radius_[k],
                          {emission_[0][k], emission_[1][k], emission_[2][k]},
                          first_row_[k],
                          rows_[k]});
    }
  }

  int count_ = 0;
  float column_[kMost], row_[kMost], fx_[kMost], fy_[kMost], radius_[kMost], emission_[3][kMost];
  int y_[kMost], first_row_[kMost], rows_[kMost], bin_[kMost], order_[kMost];
  int ends_[2 * kBins];
};

HALOSCOPE_INLINE void add_pixel(const PlanarTile& tile, const Splat& s, float weight) {
  const int x = s.ix - tile.x0, y = s.iy - tile.y0;
  if (x < 0 || y < 0 || x >= tile.width || y >= tile.height) return;
  float* p = tile.rows + y * kRow + x;
  for (int c = 0; c < 3; ++c) p[c * kWidth] += weight * s.emission[c];
}

// A tile's splats lie scattered: without this, one cache miss each.
HALOSCOPE_INLINE void prefetch(const Splat* splats, const std::uint32_t* list, std::size_t k,
                               std::size_t count) {
  constexpr std::size_t kAhead = 32;
  if (k + kAhead >= count) return;
  const Splat* next = splats + list[k + kAhead];
  __builtin_prefetch(next);
  __builtin_prefetch(reinterpret_cast<const char*>(next + 1) - 1);
}

template <class P, class Box, class Disc>
HALOSCOPE_INLINE void add_splats(const PlanarTile& tile, const Splat* splats,
                                 const std::uint32_t* list, std::size_t count, float most_box) {
  Batch batch;
  for (std::size_t k = 0; k < count; ++k) {
    prefetch(splats, list, k, count);
    const Splat& s = splats[list[k]];
    if (s.radius <= kSmallRadius)
      add_pixel(tile, s, P::small_weight(-s.fx, -s.fy, s.radius));
    else
      batch.add(tile, s);
    if (batch.full()) batch.draw_all<Box, Disc>(tile, most_box);
  }
  batch.draw_all<Box, Disc>(tile, most_box);
}

}  // namespace

HALOSCOPE_SIMD_CLONES
void add_flux_splats(const PlanarTile& tile, const Splat* splats, const std::uint32_t* list,
                     std::size_t count) {
  add_splats<FluxProfile, Integrated, Radial>(tile, splats, list, count,
                                              FluxProfile::kIntegratedRadius);
}

HALOSCOPE_SIMD_CLONES
void add_classic_splats(const PlanarTile& tile, const Splat* splats, const std::uint32_t* list,
                        std::size_t count) {
  if (compares_vectors())
    add_splats<ClassicProfile, Classic<true>, Classic<true>>(tile, splats, list, count, 0.f);
  else
    add_splats<ClassicProfile, Classic<false>, Classic<false>>(tile, splats, list, count, 0.f);
}

}  // namespace haloscope::compute::splotch
