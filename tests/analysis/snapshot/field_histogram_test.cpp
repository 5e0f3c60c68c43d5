#include "analysis/snapshot/field_histogram.h"

#include "tests/catch.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

using namespace haloscope;
using analysis::count_values;
using analysis::FieldHistograms;
using compute::splotch::Transform;

namespace {

std::uint64_t sum_of(const analysis::Histogram& histogram) {
  return std::accumulate(histogram.counts.begin(), histogram.counts.end(), std::uint64_t(0));
}

}  // namespace

TEST_CASE("a histogram counts each value once, on each scale", "[app]") {
  std::vector<float> values{0, -2, std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity()};
  for (int k = 0; k <= 1280; ++k) values.push_back(float(std::pow(10., k / 1280.)));
  const FieldHistograms all = count_values(values.data(), values.size());
  CHECK(all.values == values.size());
  CHECK(all.counted == values.size());
  const analysis::Histogram& log = all.on(Transform::Log);
  CHECK(log.low == Approx(0).margin(1e-6));
  CHECK(log.high == Approx(1));
  REQUIRE(log.counts.size() == FieldHistograms::kBins);
  CHECK(sum_of(log) == 1281);
  // Even in the logarithm: ten in each of 128 bins; one more at the end.
  for (const std::uint32_t count : log.counts) {
    CHECK(count >= 9);
    CHECK(count <= 11);
  }
  const analysis::Histogram& linear = all.on(Transform::Linear);
  CHECK(linear.low == -2);
  CHECK(linear.high == 10);
  CHECK(sum_of(linear) == 1283);
  CHECK(linear.counts.front() == 1);
  CHECK(all.on(Transform::Asinh).low == Approx(std::asinh(-2)));
}

TEST_CASE("one value alone has a place, none has none", "[app]") {
  const float same[] = {7, 7, 7};
  const auto one = count_values(same, 3);
  const analysis::Histogram& linear = one.on(Transform::Linear);
  CHECK(linear.low < 7);
  CHECK(linear.high > 7);
  CHECK(sum_of(linear) == 3);
  const float negative[] = {-1, -2};
  CHECK(count_values(negative, 2).on(Transform::Log).counts.empty());
  CHECK(count_values(nullptr, 0).on(Transform::Linear).counts.empty());
}

TEST_CASE("of many values an even sample is counted", "[app]") {
  std::vector<float> values(FieldHistograms::kSample + 1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = float(i % 2 == 0 ? 1 : 3);
  values.back() = 2;
  const auto all = count_values(values.data(), values.size());
  CHECK(all.counted <= FieldHistograms::kSample);
  CHECK(all.counted >= FieldHistograms::kSample / 2);
  CHECK(sum_of(all.on(Transform::Linear)) == all.counted);
  CHECK(all.values == values.size());
}
