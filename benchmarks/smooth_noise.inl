#pragma once

#include "benchmarks/smooth_noise.h"
#include "compute/exec/buffer.h"
#include "core/host_device.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

// Smoothed noise for either executor.
namespace haloscope::benchmarks {

// A number of mean 0 and variance 1, as the sum of four is: within 3.5.
HALOSCOPE_HD inline float bell_at(std::uint64_t i) {
  // SplitMix64 (Steele, Lea, Flood 2014).
  std::uint64_t z = i * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  const auto sum = std::int32_t((z & 65535) + (z >> 16 & 65535) + (z >> 32 & 65535) + (z >> 48));
  return float(sum - 2 * 65535) * (1.7320508f / 65536);
}

struct NoiseWeights {
  static constexpr std::uint32_t kMost = 32;
  std::uint32_t reach;
  float of[kMost + 1];  // by distance
};

inline NoiseWeights weights_of(double sigma) {
  NoiseWeights weights{};
  weights.reach = std::min(NoiseWeights::kMost, std::uint32_t(std::ceil(4 * sigma)));
  double sum = 0;
  for (std::uint32_t d = 0; d <= weights.reach; ++d)
    sum += (d == 0 ? 1 : 2) * std::exp(-0.5 * d * d / (sigma * sigma));
  for (std::uint32_t d = 0; d <= weights.reach; ++d)
    weights.of[d] = float(std::exp(-0.5 * d * d / (sigma * sigma)) / sum);
  return weights;
}

// Along z, of planes from `first` on, which may lie beyond the ends.
struct NoiseAlongZ {
  NoiseWeights weights;
  std::uint32_t side;
  std::uint64_t first;
  float* to;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint64_t row = i / side % side, x = (first + i / side / side) % side;
    const std::uint64_t z = i % side, base = (x * side + row) * side;
    float sum = weights.of[0] * bell_at(base + z);
    for (std::uint32_t d = 1; d <= weights.reach; ++d)
      sum +=
          weights.of[d] * (bell_at(base + (z + d) % side) + bell_at(base + (z + side - d) % side));
    to[i] = sum;
  }
};

struct NoiseAlongY {
  NoiseWeights weights;
  std::uint32_t side;
  const float* from;
  float* to;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint64_t z = i % side, y = i / side % side, plane = i / side / side * side;
    float sum = weights.of[0] * from[i];
    for (std::uint32_t d = 1; d <= weights.reach; ++d)
      sum += weights.of[d] * (from[(plane + (y + d) % side) * side + z] +
                              from[(plane + (y + side - d) % side) * side + z]);
    to[i] = sum;
  }
};

// Of planes with so many as the weights reach before and behind them.
struct NoiseAlongX {
  NoiseWeights weights;
  std::uint64_t plane;
  const float* from;
  float* to;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const float* const middle = from + i + weights.reach * plane;
    float sum = weights.of[0] * *middle;
    for (std::uint32_t d = 1; d <= weights.reach; ++d)
      sum += weights.of[d] * (middle[d * plane] + *(middle - d * plane));
    to[i] = sum;
  }
};

template <class Exec>
class SmoothNoise final : public ValuesOnDevice {
 public:
  template <class Argument>
  SmoothNoise(Argument argument, std::uint32_t side, std::uint32_t begin, std::uint32_t end,
              double sigma)
      : exec_(argument) {
    constexpr std::uint32_t kPlanes = 32;  // at once
    const NoiseWeights weights = weights_of(sigma);
    const std::uint64_t plane = std::uint64_t(side) * side;
    values_ = compute::Buffer<float, Exec>(exec_, std::size_t((end - begin) * plane), "grid");
    const std::uint64_t most = (kPlanes + 2 * weights.reach) * plane;
    compute::Buffer<float, Exec> one(exec_, std::size_t(most), "grid"),
        other(exec_, std::size_t(most), "grid");
    for (std::uint32_t x = begin; x < end; x += kPlanes) {
      const std::uint64_t planes = std::min(kPlanes, end - x);
      const std::uint64_t cells = (planes + 2 * weights.reach) * plane;
      // Sides are longer than the weights reach.
      parallel_for(exec_, "noise", cells,
                   NoiseAlongZ{weights, side, x + side - weights.reach, one.data()});
      parallel_for(exec_, "noise", cells, NoiseAlongY{weights, side, one.data(), other.data()});
      parallel_for(exec_, "noise", planes * plane,
                   NoiseAlongX{weights, plane, other.data(), values_.data() + (x - begin) * plane});
    }
    exec_.synchronize();
  }
  const float* values() const override { return values_.data(); }

 private:
  Exec exec_;
  compute::Buffer<float, Exec> values_;
};

}  // namespace haloscope::benchmarks
