#include "compute/splotch/simd_rows.h"

#include "core/simd_clones.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

// The inner loops of the CPU executor. A splat is drawn row by row, 16 pixels at a time, in as many
// registers as those need: one of AVX-512, two of AVX2, four of others. Beyond the splat's edge the
// weight is zero.
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

template <int Bytes>
struct RegisterOf {
  typedef float type __attribute__((vector_size(Bytes)));
};

// Two that stand for one twice as wide.
template <class Half>
struct Pair {
  Half low, high;

  HALOSCOPE_INLINE friend Pair operator+(Pair a, Pair b) {
    return {a.low + b.low, a.high + b.high};
  }
  HALOSCOPE_INLINE friend Pair operator-(Pair a, Pair b) {
    return {a.low - b.low, a.high - b.high};
  }
  HALOSCOPE_INLINE friend Pair operator*(Pair a, Pair b) {
    return {a.low * b.low, a.high * b.high};
  }
  HALOSCOPE_INLINE friend Pair operator+(Pair a, float b) { return {a.low + b, a.high + b}; }
  HALOSCOPE_INLINE friend Pair operator-(Pair a, float b) { return {a.low - b, a.high - b}; }
  HALOSCOPE_INLINE friend Pair operator-(float a, Pair b) { return {a - b.low, a - b.high}; }
  HALOSCOPE_INLINE friend Pair operator*(Pair a, float b) { return {a.low * b, a.high * b}; }
};

// What differs between registers and pairs of them.
template <class V>
struct Of {
  static constexpr int kLanes = sizeof(V) / sizeof(float);

  HALOSCOPE_INLINE static V load(const float* p) {
    V v;
    __builtin_memcpy(&v, p, sizeof(v));
    return v;
  }
  HALOSCOPE_INLINE static void store(float* p, V v) { __builtin_memcpy(p, &v, sizeof(v)); }
  // first, first + 1, …
  HALOSCOPE_INLINE static V lanes(float first) {
    V v;
    for (int k = 0; k < kLanes; ++k) v[k] = float(k);
    return v + first;
  }
  HALOSCOPE_INLINE static V between(float low, V v, float high) {
    const V least = V{} + low, most = V{} + high;
    v = v < least ? least : v;
    return v > most ? most : v;
  }
  HALOSCOPE_INLINE static V at_least_zero(V v) { return v > V{} ? v : V{}; }
  // Of the values, those whose x lies below the limit; otherwise 0.
  HALOSCOPE_INLINE static V where_below(V x, float limit, V values) {
    return x < V{} + limit ? values : V{};
  }
};

template <class Half>
struct Of<Pair<Half>> {
  using V = Pair<Half>;
  using H = Of<Half>;
  static constexpr int kLanes = 2 * H::kLanes;

  HALOSCOPE_INLINE static V load(const float* p) { return {H::load(p), H::load(p + H::kLanes)}; }
  HALOSCOPE_INLINE static void store(float* p, V v) {
    H::store(p, v.low);
    H::store(p + H::kLanes, v.high);
  }
  HALOSCOPE_INLINE static V lanes(float first) {
    return {H::lanes(first), H::lanes(first + float(H::kLanes))};
  }
  HALOSCOPE_INLINE static V between(float low, V v, float high) {
    return {H::between(low, v.low, high), H::between(low, v.high, high)};
  }
  HALOSCOPE_INLINE static V at_least_zero(V v) {
    return {H::at_least_zero(v.low), H::at_least_zero(v.high)};
  }
  HALOSCOPE_INLINE static V where_below(V x, float limit, V values) {
    return {H::where_below(x.low, limit, values.low), H::where_below(x.high, limit, values.high)};
  }
};

// 16 pixels of a row.
template <class V, bool kWhole = Of<V>::kLanes == kWidth>
struct SixteenOf {
  using type = typename SixteenOf<Pair<V>>::type;
};
template <class V>
struct SixteenOf<V, true> {
  using type = V;
};

template <int Bytes>
struct Vectors {
  using R = typename RegisterOf<Bytes>::type;
  using V = typename SixteenOf<R>::type;
};

// What of a splat lies in a tile. Distances from its center to pixels are (whole number) −
// fraction, rounded once, as the profiles see them.
struct Clipped {
  float column, row;  // the tile's first column and the first row drawn, from the splat's pixel
  float fx, fy;
  float radius;
  float emission[3];
  int first_row, rows;

  template <class V>
  HALOSCOPE_INLINE V dx() const {
    return Of<V>::lanes(column) - fx;
  }

  // Calls f(k, dy of rows k and those after it) for all rows, as many at once as a register holds.
  template <class R, class F>
  HALOSCOPE_INLINE void for_rows(const F& f) const {
    constexpr int kLanes = Of<R>::kLanes;
    R whole = Of<R>::lanes(row);
    for (int k = 0; k < rows; k += kLanes, whole = whole + float(kLanes)) f(k, whole - fy);
  }
};

// A kernel is made for one splat: what depends on columns in vectors, what depends on rows in
// tables. weight(row) is a row of its weights over `constant`.
struct Rows {
  alignas(64) float values[kHeight];
};

// FluxProfile::integrated_axis by columns and by rows.
template <int Bytes>
struct Integrated {
  using R = typename Vectors<Bytes>::R;
  using V = typename Vectors<Bytes>::V;
  static constexpr float constant = 1;
  V wx;
  Rows wy;
  HALOSCOPE_INLINE explicit Integrated(const Clipped& s) {
    const float inverse = 1.f / (FluxProfile::kSupportRatio * s.radius);
    wx = axis(s.dx<V>(), inverse);
    s.for_rows<R>([&](int k, R dy)
                      HALOSCOPE_INLINE_LAMBDA { Of<R>::store(wy.values + k, axis(dy, inverse)); });
  }
  HALOSCOPE_INLINE V weight(int row) const { return wx * wy.values[row]; }

 private:
  template <class T>
  HALOSCOPE_INLINE static T axis(T d, float inverse) {
    return half_cumulative((d + 0.5f) * inverse) - half_cumulative((d - 0.5f) * inverse);
  }
  // G(x) of FluxProfile::half_cumulative, many at a time.
  template <class T>
  HALOSCOPE_INLINE static T half_cumulative(T x) {
    x = Of<T>::between(-1.f, x, 1.f);
    const T x2 = x * x;
    constexpr float c = 315.f / 256.f;
    T p = x2 * (c / 9.f) - c * 4.f / 7.f;
    p = x2 * p + c * 6.f / 5.f;
    p = x2 * p - c * 4.f / 3.f;
    p = x2 * p + c;
    return x * p;
  }
};

// FluxProfile::radial.
template <int Bytes>
struct Radial {
  using R = typename Vectors<Bytes>::R;
  using V = typename Vectors<Bytes>::V;
  float constant;
  V x2;
  Rows rest;
  HALOSCOPE_INLINE explicit Radial(const Clipped& s) {
    const float inverse = 1.f / (s.radius * s.radius);
    constant = inverse * 1.59154943f;  // 5/π
    const V dx = s.dx<V>();
    x2 = dx * dx * inverse;
    s.for_rows<R>([&](int k, R dy) HALOSCOPE_INLINE_LAMBDA {
      Of<R>::store(rest.values + k, 1.f - dy * dy * inverse);
    });
  }
  HALOSCOPE_INLINE V weight(int row) const {
    V q = Of<V>::at_least_zero(rest.values[row] - x2);
    q = q * q;
    return q * q;
  }
};

// ClassicProfile: exp(−(dx² + dy²)/σ²) as a product. Beyond the edge the factors are wrong, even
// infinite: the comparison removes those pixels.
template <int Bytes>
struct Classic {
  using R = typename Vectors<Bytes>::R;
  using V = typename Vectors<Bytes>::V;
  static constexpr float constant = 1;
  V x2, ex;
  Rows limit, ey;
  HALOSCOPE_INLINE explicit Classic(const Clipped& s) {
    const float r2 = s.radius * s.radius;
    const float falloff = -0.25f * kClassicFalloff / r2;
    const V dx = s.dx<V>();
    x2 = dx * dx;
    ex = exp4(x2 * falloff);
    s.for_rows<R>([&](int k, R dy) HALOSCOPE_INLINE_LAMBDA {
      const R y2 = dy * dy;
      Of<R>::store(limit.values + k, r2 - y2);
      Of<R>::store(ey.values + k, exp4(y2 * falloff));
    });
  }
  HALOSCOPE_INLINE V weight(int row) const {
    return Of<V>::where_below(x2, limit.values[row], ex * ey.values[row]);
  }

 private:
  // e^(4t) on 4t ∈ [−kClassicFalloff, 0]: the minimax polynomial of e^t, to the fourth power.
  // Relative error below 2e-6 (Splotch's own table: 2e-5).
  template <class T>
  HALOSCOPE_INLINE static T exp4(T t) {
    const T t2 = t * t;
    const T low = t * 0.999983452f + 0.999999789f;
    const T middle = t * 0.165574362f + 0.499780909f;
    const T high = t * 0.00548642655f + 0.0391310397f;
    T p = t2 * (t2 * high + middle) + low;
    p = p * p;
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
    using V = typename Kernel::V;
    const V w = kernel.weight(k);
    Of<V>::store(p, Of<V>::load(p) + w * r);
    Of<V>::store(p + kWidth, Of<V>::load(p + kWidth) + w * g);
    Of<V>::store(p + 2 * kWidth, Of<V>::load(p + 2 * kWidth) + w * b);
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

template <int Bytes>
HALOSCOPE_INLINE void add_flux(const PlanarTile& tile, const Splat* splats,
                               const std::uint32_t* list, std::size_t count) {
  add_splats<FluxProfile, Integrated<Bytes>, Radial<Bytes>>(tile, splats, list, count,
                                                            FluxProfile::kIntegratedRadius);
}

template <int Bytes>
HALOSCOPE_INLINE void add_classic(const PlanarTile& tile, const Splat* splats,
                                  const std::uint32_t* list, std::size_t count) {
  add_splats<ClassicProfile, Classic<Bytes>, Classic<Bytes>>(tile, splats, list, count, 0.f);
}

}  // namespace

HALOSCOPE_BY_REGISTER(add_flux_splats, add_flux,
                      (const PlanarTile& tile, const Splat* splats, const std::uint32_t* list,
                       std::size_t count),
                      (tile, splats, list, count))
HALOSCOPE_BY_REGISTER(add_classic_splats, add_classic,
                      (const PlanarTile& tile, const Splat* splats, const std::uint32_t* list,
                       std::size_t count),
                      (tile, splats, list, count))

}  // namespace haloscope::compute::splotch
