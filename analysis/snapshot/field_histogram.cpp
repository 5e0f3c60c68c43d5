#include "analysis/snapshot/field_histogram.h"

#include "compute/splotch/ranging.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

namespace haloscope::analysis {

namespace {

using compute::splotch::Transform;

// Of one value alone, this part of it to either side.
constexpr double kAroundOne = 0.05;

std::vector<float> sample_of(const float* column, std::size_t rows) {
  const std::size_t stride =
      std::max<std::size_t>(1, (rows + FieldHistograms::kSample - 1) / FieldHistograms::kSample);
  std::vector<float> sample;
  sample.reserve(rows / stride + 1);
  for (std::size_t i = 0; i < rows; i += stride) sample.push_back(column[i]);
  return sample;
}

Histogram count(const std::vector<float>& sample, Transform scale) {
  std::vector<float> values;
  values.reserve(sample.size());
  for (const float value : sample)
    if (const float v = compute::splotch::transformed(value, scale); std::isfinite(v))
      values.push_back(v);
  Histogram histogram;
  if (values.empty()) return histogram;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  histogram.low = double(*least);
  histogram.high = double(*most);
  if (!(histogram.low < histogram.high)) {
    const double around = std::max(0.5, kAroundOne * std::abs(histogram.low));
    histogram.low -= around;
    histogram.high += around;
  }
  histogram.counts.assign(FieldHistograms::kBins, 0);
  const double bins = double(FieldHistograms::kBins) / (histogram.high - histogram.low);
  for (const float v : values) {
    const auto bin = std::size_t((double(v) - histogram.low) * bins);
    ++histogram.counts[std::min(bin, FieldHistograms::kBins - 1)];
  }
  return histogram;
}

}  // namespace

FieldHistograms count_values(const float* column, std::size_t rows) {
  const std::vector<float> sample = sample_of(column, rows);
  FieldHistograms all;
  all.counted = sample.size();
  all.values = rows;
  ::tbb::parallel_for(0, int(all.scales.size()), [&](int scale) {
    all.scales[std::size_t(scale)] = count(sample, Transform(scale));
  });
  return all;
}

}  // namespace haloscope::analysis
