// Spaces of several kinds of values: what their lattice numbers are, and what a space may be.

#include "analysis/clusters/space_lattice.h"

#include "analysis/clusters/cluster_space.h"
#include "analysis/option_parsing/option_error.h"
#include "tests/catch.h"
#include "tests/output_folder.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace haloscope;
using analysis::SpaceColumn;
using analysis::SpaceGroup;

namespace {

constexpr std::size_t kPoints = 1000;

template <class Points>
constexpr bool kTreesKnowShifts = requires(Points points) {
  points.shift;
};

std::vector<double> normal(double mean, double width, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> distribution(mean, width);
  std::vector<double> values(kPoints);
  for (double& x : values) x = distribution(random);
  return values;
}

std::vector<std::uint32_t> places(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> values(kPoints);
  for (std::uint32_t& x : values) x = std::uint32_t(random());
  values[0] = 0;
  values[1] = ~0u;
  values[2] = 1u << 31;
  return values;
}

// In two parts, as of two types.
SpaceColumn column_of(const std::vector<double>& values) {
  SpaceColumn column;
  for (const auto& [first, end] : {std::pair<std::size_t, std::size_t>{0, 300}, {300, kPoints}}) {
    SpaceColumn::Part& part = column.parts.emplace_back();
    part.real64 = values.data() + first;
    part.count = end - first;
  }
  return column;
}

SpaceColumn column_of(const std::vector<std::uint32_t>& values, double side, bool periodic) {
  SpaceColumn column;
  column.step = side / 4294967296.;
  column.periodic = periodic;
  SpaceColumn::Part& part = column.parts.emplace_back();
  part.fixed = values.data();
  part.count = values.size();
  return column;
}

double one_dispersion(const std::vector<double>& values) {
  double mean = 0, square = 0;
  for (const double x : values) mean += x / double(values.size());
  for (const double x : values) square += (x - mean) * (x - mean) / double(values.size());
  return square;
}

}  // namespace

TEST_CASE("values of a space are rounded to the nearest step of one lattice", "[clusters]") {
  for (const std::size_t columns : {1, 2, 4, 5, 8}) {
    CAPTURE(columns);
    std::vector<std::vector<double>> values;
    std::vector<SpaceGroup> groups;
    for (std::size_t c = 0; c < columns; ++c)
      values.push_back(normal(c == 0 ? 16 : -3, std::pow(10., double(c) - 4), unsigned(c)));
    for (std::size_t c = 0; c < columns; ++c) {
      groups.push_back({"f", {column_of(values[c])}, {}});
      if (c == 1) groups.back().scale = 0.125;
    }
    const auto lattice = analysis::place_in_lattice(groups);
    REQUIRE(lattice.column.size() == columns);
    CHECK(lattice.shift.empty());
    const double most = columns <= 4 ? 0x1p31 : 0x1p30;
    double widest = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      const double scale = c == 1 ? 0.125 : std::sqrt(one_dispersion(values[c]));
      CHECK(lattice.scale[c] == Approx(scale).epsilon(1e-12));
      double worst = 0;
      const auto& at = lattice.column[c];
      for (std::size_t i = 1; i < kPoints; ++i) {
        // Of a difference, which rounds twice.
        const double steps = (values[c][i] - values[c][0]) / lattice.scale[c] / lattice.step;
        worst = std::max(worst, std::abs(steps - double(std::int32_t(at[i] - at[0]))));
      }
      CHECK(worst <= 1.05);  // values are rounded to doubles before
      const auto [low, high] = std::minmax_element(at.begin(), at.end());
      widest = std::max(widest, double(*high) - double(*low));
    }
    CHECK(widest < most);
    CHECK(widest > most * 0.999);
  }
}

TEST_CASE("a single value of a space is rounded by half a step at most", "[clusters]") {
  // From one end, whose number is known, to all others: halves of steps are seen.
  std::vector<double> values{0, 0x1p30, 0.25, 0.75, 1.25, 1.75, 100.4, 100.6};
  SpaceColumn column;
  SpaceColumn::Part& part = column.parts.emplace_back();
  part.real64 = values.data();
  part.count = values.size();
  const auto lattice = analysis::place_in_lattice({{"f", {column}, 1}});
  const auto& at = lattice.column[0];
  const double middle = 0x1p29;
  for (std::size_t i = 0; i < values.size(); ++i)
    CHECK(std::abs((values[i] - middle) / lattice.step - (double(at[i]) - 0x1p31)) <= 0.5 + 1e-6);
}

TEST_CASE("one dispersion is that of an axis of all three", "[clusters]") {
  const auto x = normal(3, 2, 1), y = normal(-9, 0.5, 2), z = normal(0, 7, 3);
  const SpaceGroup group{"v", {column_of(x), column_of(y), column_of(z)}, {}};
  CHECK(analysis::dispersion(group) ==
        Approx(std::sqrt((one_dispersion(x) + one_dispersion(y) + one_dispersion(z)) / 3)));
}

TEST_CASE("a box in a space of more than positions is a power of two of its steps", "[clusters]") {
  const double side = 50;
  const auto x = places(1), y = places(2), z = places(3);
  const auto u = normal(0, 1, 4), v = normal(0, 1, 5), w = normal(0, 1, 6);
  for (const double scale : {1e-2, 1., 30., 1e4}) {
    CAPTURE(scale);
    const auto lattice = analysis::place_in_lattice(
        {{"positions",
          {column_of(x, side, true), column_of(y, side, true), column_of(z, side, true)},
          scale},
         {"velocities", {column_of(u), column_of(v), column_of(w)}, 1}});
    REQUIRE(lattice.shift.size() == 6);
    const int shift = lattice.shift[0];
    CHECK(shift >= 2);
    for (std::size_t c = 0; c < 6; ++c) CHECK(lattice.shift[c] == (c < 3 ? shift : 0));
    // The period is exact: all of it in steps of the common lattice.
    CHECK(lattice.step * std::ldexp(1, 32 - shift) == side / scale);
    const std::vector<std::uint32_t>* from[] = {&x, &y, &z};
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t i = 0; i < kPoints; ++i) {
        const std::uint32_t at = lattice.column[c][i];
        REQUIRE((at & ((1u << shift) - 1)) == 0);
        // By half a step at most, around the box too.
        const auto off = std::int32_t(at - (*from[c])[i]);
        REQUIRE(std::abs(double(off)) <= std::ldexp(1, shift - 1));
      }
    // What is just below the far side is the near one.
    CHECK(lattice.column[0][1] == 0);
    double widest = 0;
    for (std::size_t c = 3; c < 6; ++c) {
      const auto [low, high] =
          std::minmax_element(lattice.column[c].begin(), lattice.column[c].end());
      widest = std::max(widest, double(*high) - double(*low));
    }
    CHECK(widest < 0x1p30);
    // The smallest shift with which the others fit.
    if (shift > 2) CHECK(widest >= 0x1p29 * 0.999);
  }
  CHECK(test::message_of([&] {
          analysis::place_in_lattice(
              {{"positions", {column_of(x, side, true)}, 1e9}, {"velocities", {column_of(u)}, 1}});
        }).find("times the periodic box") != std::string::npos);
  // Trees that know of shifts take them; others say so.
  const auto lattice = analysis::place_in_lattice(
      {{"positions",
        {column_of(x, side, true), column_of(y, side, true), column_of(z, side, true)},
        1},
       {"velocities", {column_of(u), column_of(v), column_of(w)}, 1}});
  const std::string refusal = test::message_of([&] { lattice.points(); });
  CHECK(refusal.empty() == kTreesKnowShifts<compute::clusters::LatticePoints>);
}

TEST_CASE("positions alone, scaled, keep the box's own lattice", "[clusters]") {
  const auto x = places(1), y = places(2);
  const auto lattice =
      analysis::place_in_lattice({{"p", {column_of(x, 50, true), column_of(y, 50, true)}, {}}});
  CHECK(lattice.shift.empty());
  CHECK(std::equal(x.begin(), x.end(), lattice.column[0].begin()));
  CHECK(lattice.step * 0x1p32 == Approx(50 / lattice.scale[0]));
  // Positions without a box are values like others.
  const auto open = analysis::place_in_lattice({{"p", {column_of(x, 50, false)}, 2.}});
  CHECK(open.column[0][1] - open.column[0][0] > 0x1p31 * 0.999);
  CHECK(open.column[0][1] - open.column[0][0] < 0x1p31);
}

TEST_CASE("values that are all alike have no dispersion, and no effect", "[clusters]") {
  const std::vector<double> same(kPoints, 0.1);
  const auto other = normal(0, 3, 1);
  const auto lattice =
      analysis::place_in_lattice({{"same", {column_of(same)}, {}}, {"o", {column_of(other)}, {}}});
  CHECK(lattice.constant == std::vector<bool>{true, false});
  CHECK(lattice.scale[0] == 1);
  for (const std::uint32_t at : lattice.column[0]) REQUIRE(at == lattice.column[0][0]);
  const auto alone = analysis::place_in_lattice({{"same", {column_of(same)}, {}}});
  CHECK(alone.step > 0);
}

TEST_CASE("spaces are said by a word or by fields, scales by numbers", "[clusters]") {
  using Kind = analysis::ClusterSpace::Kind;
  CHECK(analysis::parse_space("", "").kind == Kind::Positions);
  CHECK(analysis::parse_space("positions", "").kind == Kind::Positions);
  CHECK(analysis::parse_space("phase", "").kind == Kind::Phase);
  const auto fields = analysis::parse_space("Density,Velocities[2]", "1e3, 20");
  CHECK(fields.kind == Kind::Fields);
  CHECK(fields.fields == std::vector<std::string>{"Density", "Velocities[2]"});
  CHECK(fields.scale == std::vector<double>{1000, 20});
  const std::pair<const char*, const char*> refused[] = {
      {"", "2"},        {"positions", "2"}, {"phase", "1"},     {"phase", "1,2,3"},
      {"phase", "1,0"}, {"phase", "1,-2"},  {"phase", "1,nan"}, {"phase", "1,x"},
      {"Density,", ""}, {"Density", "1,2"}, {",", ""}};
  for (const auto& [space, scale] : refused) {
    INFO(space << ' ' << scale);
    CHECK_THROWS_AS(analysis::parse_space(space, scale), analysis::OptionError);
  }
}
