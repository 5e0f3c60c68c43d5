#include "compute/splotch/ranging.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace haloscope::compute::splotch {

float transformed(float value, Transform transform) {
  switch (transform) {
    case Transform::Log:
      return value > 0 ? std::log10(value) : std::numeric_limits<float>::quiet_NaN();
    case Transform::Asinh:
      return std::asinh(value);
    default:
      return value;
  }
}

namespace {

struct Extremes {
  float low = std::numeric_limits<float>::infinity();
  float high = -std::numeric_limits<float>::infinity();
};

Extremes merge(const Extremes& a, const Extremes& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

// All three transforms are monotonic, so extremes are found before transforming.
Extremes raw_extremes(const float* column, std::size_t rows, bool positive_only) {
  return ::tbb::parallel_reduce(
      ::tbb::blocked_range<std::size_t>(0, rows, 65536), Extremes{},
      [&](const ::tbb::blocked_range<std::size_t>& range, Extremes e) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) {
          const float v = column[i];
          if (!std::isfinite(v) || (positive_only && v <= 0)) continue;
          e.low = std::min(e.low, v);
          e.high = std::max(e.high, v);
        }
        return e;
      },
      merge);
}

Ranging make_ranging(Transform transform, float low, float high) {
  Ranging r;
  r.transform = transform;
  r.low = low <= high ? transformed(low, transform) : 0.f;
  r.high = low <= high ? transformed(high, transform) : 0.f;
  return r;
}

}  // namespace

Ranging data_range(const float* const* columns, int count, const PartOfRows& rows,
                   Transform transform) {
  Extremes e;
  for (int c = 0; c < count; ++c)
    e = merge(e, raw_extremes(columns[c], std::size_t(rows.count()), transform == Transform::Log));
  rows.ranks().all_reduce(std::span(&e, 1), merge);
  return make_ranging(transform, e.low, e.high);
}

Ranging quantile_range(const float* column, const PartOfRows& rows, Transform transform, double low,
                       double high) {
  constexpr std::uint64_t kSample = 1u << 20;
  const std::uint64_t stride = std::max<std::uint64_t>(1, rows.total() / kSample);
  auto sample = rows.every<float>(stride, [&](std::size_t i, std::vector<float>& out) {
    if (std::isfinite(column[i]) && !(transform == Transform::Log && column[i] <= 0))
      out.push_back(column[i]);
  });
  if (sample.empty()) return make_ranging(transform, 1, 0);
  auto at = [&](double quantile) {
    const auto k = std::ptrdiff_t(std::lround(quantile * double(sample.size() - 1)));
    std::nth_element(sample.begin(), sample.begin() + k, sample.end());
    return sample[std::size_t(k)];
  };
  const float a = at(low);
  return make_ranging(transform, a, at(high));
}

}  // namespace haloscope::compute::splotch
