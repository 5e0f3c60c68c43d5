#include "analysis/snapshot/densest_clump.h"

#include "compute/exec/part_of_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace haloscope::analysis {

namespace {

constexpr std::uint64_t kSample = 1u << 18;
constexpr double kShrink = 0.95;      // of the radius, in one step
constexpr double kLastPart = 0.01;    // of the particles, in the last sphere
constexpr std::size_t kFewest = 100;  // of the sample, in the last sphere
constexpr double kInside = 0.95;      // of the particles, in what is shown

using Place = std::array<std::uint32_t, 3>;

std::vector<Place> sample_of(const std::vector<const ParticleColumns*>& types,
                             compute::Ranks& ranks) {
  std::vector<compute::PartOfRows> rows;
  std::uint64_t count = 0;
  for (const auto* columns : types) count += rows.emplace_back(ranks, columns->count).total();
  const std::uint64_t stride = std::max<std::uint64_t>(1, count / kSample);
  std::vector<Place> places;
  for (std::size_t k = 0; k < types.size(); ++k) {
    const auto& position = types[k]->position;
    const auto some = rows[k].every<Place>(stride, [&](std::size_t i, std::vector<Place>& out) {
      out.push_back({position[0][i], position[1][i], position[2][i]});
    });
    places.insert(places.end(), some.begin(), some.end());
  }
  return places;
}

// The middle of a circle's points that lie on one side of it, whichever side that is.
std::uint32_t circular_mean(const std::vector<Place>& places, std::size_t axis) {
  constexpr double kTurn = 2 * std::numbers::pi / 4294967296.0;
  double x = 0, y = 0;
  for (const Place& place : places) {
    x += std::cos(kTurn * place[axis]);
    y += std::sin(kTurn * place[axis]);
  }
  return std::uint32_t(std::int64_t(std::llround(std::atan2(y, x) / kTurn)));
}

// From a center to a place, in steps of the domain, by the shortest way around it.
double offset(const Place& place, const Place& center, std::size_t axis) {
  return double(std::int32_t(place[axis] - center[axis]));
}

double squared_distance(const Place& place, const Place& center) {
  double sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double d = offset(place, center, axis);
    sum += d * d;
  }
  return sum;
}

// The center's distance in steps that `part` of the places do not exceed.
double radius_of(const std::vector<Place>& places, const Place& center, double part) {
  std::vector<double> squares;
  squares.reserve(places.size());
  for (const Place& place : places) squares.push_back(squared_distance(place, center));
  const auto last = squares.begin() + std::ptrdiff_t(part * double(squares.size() - 1));
  std::nth_element(squares.begin(), last, squares.end());
  return std::sqrt(*last);
}

Place center_of(const std::vector<Place>& places) {
  Place center;
  for (std::size_t axis = 0; axis < 3; ++axis) center[axis] = circular_mean(places, axis);
  const auto fewest = std::max(std::min(kFewest, places.size() / 2),
                               std::size_t(kLastPart * double(places.size())));
  for (double radius = radius_of(places, center, 1); radius >= 1; radius *= kShrink) {
    std::size_t inside = 0;
    std::array<double, 3> sum{};
    for (const Place& place : places) {
      if (squared_distance(place, center) > radius * radius) continue;
      ++inside;
      for (std::size_t axis = 0; axis < 3; ++axis) sum[axis] += offset(place, center, axis);
    }
    if (inside < fewest) break;
    for (std::size_t axis = 0; axis < 3; ++axis)
      center[axis] += std::uint32_t(std::int64_t(std::llround(sum[axis] / double(inside))));
  }
  return center;
}

}  // namespace

std::optional<DensestClump> densest_clump(const Domain& domain,
                                          const std::vector<const ParticleColumns*>& types,
                                          compute::Ranks& ranks) {
  const std::vector<Place> places = sample_of(types, ranks);
  if (places.empty()) return {};
  const Place center = center_of(places);
  DensestClump clump;
  for (std::size_t axis = 0; axis < 3; ++axis)
    clump.center[axis] = domain.to_world(center[axis], int(axis));
  clump.reach = radius_of(places, center, kInside) * domain.step();
  return clump;
}

}  // namespace haloscope::analysis
