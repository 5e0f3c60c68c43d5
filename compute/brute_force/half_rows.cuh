#pragma once

#include "compute/brute_force/row_distance.h"
#include "compute/brute_force/rows.h"
#include "compute/exec/atomics.h"
#include "compute/exec/buffer.h"
#include "compute/exec/cuda.h"
#include "compute/exec/sort.h"

#include <cuda_fp16.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/sequence.h>
#include <thrust/transform_reduce.h>

#include <cmath>
#include <cstdint>
#include <limits>

// Rows in half precision, with bounds that tell which pairs may be near.
//
// Let s be a scale and m the means of the columns, x and y two rows, X = s (x − m), and h(X) its
// halves. Then s |x − y| ≥ |h(X) − h(Y)| − |X − h(X)| − |Y − h(Y)|, and |h(X) − h(Y)|² is the sum
// of the norms' squares less twice a product of halves, which tensor cores add up in float32. A
// pair is left out only where that proves it farther than a limit; what is kept is measured again.
namespace haloscope::compute::brute_force {

// Rows lie in a shuffled order, each at a place, so that any stretch of places is a fair sample.
// The order is a fixed one.
struct HalfRowsView {
  const float* values;       // as they were given, by place
  const std::uint32_t* row;  // of each place
  std::uint32_t count, dimensions;

  const __half* half;               // padded_dimensions of each place, zeros behind the last
  const float* half_norm;           // |h|² / 2 of each place; infinite behind the last
  const float* error;               // |X − h|, no less
  std::uint32_t padded_dimensions;  // a multiple of 16
  float largest_norm, largest_error;
  double scale;

  __device__ const float* at(std::uint32_t place) const {
    return values + std::size_t(place) * dimensions;
  }
};

// A number of a place: only places whose product of halves with it is at least this and their own
// half_norm together may lie within `distance`. −∞: all may.
struct RowLimit {
  HalfRowsView rows;

  __device__ float operator()(std::uint32_t place, float distance) const {
    const double norm = 2 * double(rows.half_norm[place]);
    const double most = double(rows.largest_norm) * rows.largest_norm;
    const double reach =
        double(distance) * rows.scale * (1 + 0x1p-20) + rows.error[place] + rows.largest_error;
    // Sums of exact products, each cut off where float32 ends, in whatever order; and what this
    // number and the sum with half_norm round.
    const double sums = rows.padded_dimensions * 0x1p-21 * sqrt(norm) * rows.largest_norm;
    const double rounding = 0x1p-21 * (norm + reach * reach + most);
    return float((norm - reach * reach) / 2 - sums - rounding);
  }
};

struct ShuffleKeys {
  std::uint64_t* keys;
  // A bijection of 32 bits: shifts and odd factors.
  HALOSCOPE_HD void operator()(std::size_t i) const {
    auto x = std::uint32_t(i);
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    keys[i] = x ^ x >> 16;
  }
};

struct GatherRows {
  const float* from;
  const std::uint32_t* row;
  std::uint32_t dimensions;
  float* to;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    to[i] = from[std::size_t(row[i / dimensions]) * dimensions + i % dimensions];
  }
};

// Any number near the mean serves.
struct AddColumn {
  static constexpr std::uint32_t kStretch = 1024;
  const float* values;
  std::uint32_t count, dimensions;
  double* sum;
  __device__ void operator()(std::size_t i) const {
    const std::size_t first = i / dimensions * kStretch, column = i % dimensions;
    double part = 0;
    for (std::size_t row = first; row < first + kStretch && row < count; ++row)
      part += values[row * dimensions + column];
    atomicAdd(sum + column, part);
  }
};

struct Centered {
  const float* values;
  const double* sum;
  std::uint32_t count, dimensions;
  __device__ double operator()(std::size_t i) const {
    return values[i] - sum[i % dimensions] / count;
  }
};

struct SizeOfCentered {
  Centered centered;
  __device__ double operator()(std::size_t i) const { return fabs(centered(i)); }
};

struct WriteHalves {
  Centered centered;
  double scale;
  std::uint32_t padded_dimensions;
  __half* half;
  float *half_norm, *error;
  __device__ void operator()(std::size_t place) const {
    __half* const to = half + place * padded_dimensions;
    double norm = 0, lost = 0;
    for (std::uint32_t d = 0; d < padded_dimensions; ++d) {
      __half h = __float2half_rn(0.f);
      if (place < centered.count && d < centered.dimensions) {
        const double x = centered(place * centered.dimensions + d) * scale;
        h = __float2half_rn(float(x));
        const double rounded = __half2float(h);
        norm += rounded * rounded;
        lost += (x - rounded) * (x - rounded);
      }
      to[d] = h;
    }
    half_norm[place] = place < centered.count ? float(norm / 2) : INFINITY;
    error[place] = float(sqrt(lost) * (1 + 0x1p-20)) + FLT_MIN;
  }
};

struct NormOfPlace {
  const float* half_norm;
  __device__ double operator()(std::size_t place) const {
    return sqrt(2 * double(half_norm[place])) * (1 + 0x1p-20);
  }
};
struct ErrorOfPlace {
  const float* error;
  __device__ double operator()(std::size_t place) const { return error[place]; }
};

class HalfRows {
 public:
  static constexpr std::uint32_t kTile = 128;  // places are padded to a multiple

  HalfRows(Cuda& exec, const Rows& rows) : count_(rows.count), dimensions_(rows.dimensions) {
    const std::size_t size = std::size_t(count_) * dimensions_;
    const std::size_t places = (std::size_t(count_) + kTile - 1) / kTile * kTile;
    padded_dimensions_ = (dimensions_ + 15) / 16 * 16;
    shuffle(exec);
    values_ = Buffer<float, Cuda>(exec, size, "rows");
    {
      Buffer<float, Cuda> given(exec, size, "rows");
      exec.upload(given.data(), rows.values, size * sizeof(float));
      parallel_for(exec, "rows", size,
                   GatherRows{given.data(), row_.data(), dimensions_, values_.data()});
    }
    Buffer<double, Cuda> sum(exec, dimensions_, "rows");
    exec.zero(sum.data(), sum.size() * sizeof(double));
    const std::size_t stretches =
        (std::size_t(count_) + AddColumn::kStretch - 1) / AddColumn::kStretch;
    parallel_for(exec, "means", stretches * dimensions_,
                 AddColumn{values_.data(), count_, dimensions_, sum.data()});
    const Centered centered{values_.data(), sum.data(), count_, dimensions_};
    const double largest = largest_of(exec, size, SizeOfCentered{centered});
    // Halves reach to 65504, and are 2⁻²⁴ apart at 0.
    scale_ = largest > 0 ? std::ldexp(1., 12 - std::ilogb(largest)) : 1;
    half_ = Buffer<__half, Cuda>(exec, places * padded_dimensions_, "rows");
    half_norm_ = Buffer<float, Cuda>(exec, places, "rows");
    error_ = Buffer<float, Cuda>(exec, places, "rows");
    parallel_for(exec, "halves", places,
                 WriteHalves{centered, scale_, padded_dimensions_, half_.data(), half_norm_.data(),
                             error_.data()});
    largest_norm_ = float(largest_of(exec, count_, NormOfPlace{half_norm_.data()}));
    largest_error_ = float(largest_of(exec, count_, ErrorOfPlace{error_.data()}));
    exec.synchronize();
  }

  HalfRowsView view() const {
    return {values_.data(), row_.data(),       count_,        dimensions_,
            half_.data(),   half_norm_.data(), error_.data(), padded_dimensions_,
            largest_norm_,  largest_error_,    scale_};
  }

 private:
  void shuffle(Cuda& exec) {
    Buffer<std::uint64_t, Cuda> keys(exec, count_, "rows");
    row_ = Buffer<std::uint32_t, Cuda>(exec, count_, "rows");
    parallel_for(exec, "rows", count_, ShuffleKeys{keys.data()});
    thrust::sequence(exec.policy(), row_.begin(), row_.end());
    sort_pairs(exec, keys, row_, 32);
  }

  template <class Of>
  static double largest_of(Cuda& exec, std::size_t size, const Of& of) {
    const thrust::counting_iterator<std::size_t> first(0);
    return thrust::transform_reduce(exec.policy(), first, first + size, of, 0.,
                                    thrust::maximum<double>());
  }

  std::uint32_t count_, dimensions_, padded_dimensions_ = 0;
  double scale_ = 1;
  float largest_norm_ = 0, largest_error_ = 0;
  Buffer<float, Cuda> values_, half_norm_, error_;
  Buffer<std::uint32_t, Cuda> row_;
  Buffer<__half, Cuda> half_;
};

}  // namespace haloscope::compute::brute_force
