// Sums that round nothing until they are read.

#include "compute/exec/exact_sum.h"

#include "tests/catch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using haloscope::compute::ExactSum;

namespace {

double sum_of(const std::vector<float>& values) {
  ExactSum sum;
  for (const float value : values) sum.add(value);
  return sum.value();
}

}  // namespace

TEST_CASE("exact sums keep what doubles lose", "[exec]") {
  CHECK(sum_of({}) == 0);
  CHECK(sum_of({1e30f, 1, -1e30f}) == 1);
  constexpr float least = std::numeric_limits<float>::denorm_min();
  constexpr float most = std::numeric_limits<float>::max();
  CHECK(sum_of({most, least, -most}) == double(least));
  CHECK(sum_of({most, most, most}) == 3 * double(most));
  CHECK(sum_of({-1.5f, 0.25f}) == -1.25);
  CHECK(sum_of({1, 2, 3, 0.5f, std::numeric_limits<float>::min()}) == 6.5);
  CHECK(std::isnan(sum_of({1, std::nanf("")})));
  CHECK(sum_of({1, std::numeric_limits<float>::infinity()}) == HUGE_VAL);
}

TEST_CASE("exact sums do not depend on order or division", "[exec]") {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> power(-60, 60), mantissa(-1, 1);
  std::vector<float> values;
  for (int i = 0; i < 5000; ++i) values.push_back(std::exp2(power(random)) * mantissa(random));
  const double expected = sum_of(values);
  std::shuffle(values.begin(), values.end(), random);
  CHECK(sum_of(values) == expected);
  ExactSum first, second;
  for (std::size_t i = 0; i < values.size(); ++i) (i % 3 ? first : second).add(values[i]);
  first.add(second);
  CHECK(first.value() == expected);
  long double close = 0;
  for (const float value : values) close += static_cast<long double>(value);
  CHECK(expected == Approx(double(close)));
}
