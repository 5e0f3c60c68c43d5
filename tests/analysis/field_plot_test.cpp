#include "analysis/field_plot.h"

#include "analysis/file_rows.h"
#include "tests/catch.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace haloscope::analysis {

TEST_CASE("a field's histogram counts each particle that has a value", "[plot]") {
  ParticleField field;
  field.unit = "kpc";
  field.values[0] = {1, 2, 3, NAN, -5};
  field.values[4] = {10, 3.5f, INFINITY};
  const Plot linear = field_plot("distance", field, 5);
  CHECK(linear.name == "distance");
  CHECK(linear.x.title == "distance [kpc]");
  REQUIRE(linear.layers.size() == 1);
  std::vector<double> counts;
  for (const auto& point : linear.layers[0].points) counts.push_back(point.y);
  // Steps of 3 from -5 to 10.
  CHECK(counts == std::vector<double>{1, 0, 4, 0, 1});
  CHECK(linear.layers[0].points.front().x_low == Approx(-5));
  CHECK(linear.layers[0].points.back().x_high == Approx(10));
  field.logarithmic = true;
  const Plot log = field_plot("distance", field, 2);
  REQUIRE(log.layers.size() == 1);
  CHECK(log.x.scale == AxisScale::Log);
  CHECK(log.layers[0].points[0].y == 3);
  CHECK(log.layers[0].points[1].y == 2);
  CHECK(log.layers[0].points[0].x_high == Approx(std::sqrt(10.)));
  field.values = {{0, {NAN, 0}}};
  CHECK(field_plot("distance", field).layers.empty());
}

TEST_CASE("a field whose values are all equal has a histogram of one step", "[plot]") {
  ParticleField field;
  field.unit = "kpc";
  for (const bool logarithmic : {false, true})
    for (const float value : {4.f, -4.f, 0.f, 1e-30f, 1e30f}) {
      if (logarithmic && value <= 0) continue;
      field.logarithmic = logarithmic;
      field.values = {{0, {value, NAN, value}}, {1, {value}}};
      const Plot plot = field_plot("distance", field);
      INFO(value << (logarithmic ? ", logarithmic" : ""));
      REQUIRE(plot.layers.size() == 1);
      REQUIRE(plot.layers[0].points.size() == 1);
      const PlotPoint& point = plot.layers[0].points[0];
      CHECK(point.y == 3);
      CHECK(point.x == Approx(value));
      CHECK(point.x_low < value);
      CHECK(point.x_high > value);
      if (value == 4) CHECK(point.words == "4 kpc: 3 particles");
    }
  field.logarithmic = false;
  field.values = {{0, {NAN, INFINITY}}};
  CHECK(field_plot("distance", field).layers.empty());
  CHECK(field_plot("distance", field).why_empty == "no particle has a value");
}

TEST_CASE("a few outliers do not move the limits of a field's colors", "[plot]") {
  ParticleField field;
  for (int k = 0; k < 1000; ++k) field.values[1].push_back(float(100 + k));
  field.values[4] = {1e9f, -1e9f, NAN};
  const auto limits = usual_limits(field);
  CHECK(limits[0] == Approx(104).margin(1.5));
  CHECK(limits[1] == Approx(1095).margin(1.5));
  CHECK(limits_of(field) == std::array<double, 2>{-1e9, 1e9});
  field.values = {{1, {5, 5, 5}}};
  CHECK(usual_limits(field) == std::array<double, 2>{5, 5});
  // All are 0, which is not the same as none.
  field.values = {{1, {0, 0}}};
  CHECK(usual_limits(field) == std::array<double, 2>{0, 0});
  for (const std::vector<float>& none : {std::vector<float>{}, std::vector<float>{NAN, NAN}}) {
    field.values = {{1, none}};
    CHECK(usual_limits(field)[0] > usual_limits(field)[1]);
    CHECK(limits_of(field)[0] > limits_of(field)[1]);
  }
}

TEST_CASE("nothing is found where there is no piece and no value") {
  Finding finding;
  CHECK(found_nothing(finding));
  ParticleField& field = finding.fields["distance"];
  field.limits = kNoLimits;
  CHECK(found_nothing(finding));
  field.limits = {0, 0};
  CHECK_FALSE(found_nothing(finding));
  field.logarithmic = true;
  CHECK(found_nothing(finding));
  finding.pieces = 1;
  CHECK_FALSE(found_nothing(finding));
}

TEST_CASE("values of rows that were read become values of the file's rows") {
  constexpr std::uint32_t kNone = ~0u;
  using Rows = std::vector<std::uint32_t>;
  CHECK(file_rows(Rows{1, 2, 3}, {}, kNone) == Rows{1, 2, 3});
  CHECK(file_rows(Rows{1, 2, 3}, {0, 2, 3, 6}, kNone) == Rows{kNone, 1, kNone, kNone, 2, 3, kNone});
  CHECK(file_rows(Rows{}, {0, 1}, kNone) == Rows{kNone, kNone});
}

}  // namespace haloscope::analysis
