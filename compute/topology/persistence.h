#pragma once

#include "compute/topology/merge_tree.h"
#include "compute/topology/ordered_bits.h"
#include "core/host_device.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

// What persistence diagrams are made of.
namespace haloscope::compute::topology {

// Persistence of a branch by the ordered bits of the larger and the smaller of its values; of whole
// numbers the difference is exact before it is rounded to double.
HALOSCOPE_HD inline double difference_of(ValueKind kind, std::uint64_t high, std::uint64_t low) {
  if (high == low) return 0;  // infinities too
  return kind == ValueKind::Real ? real_of(high) - real_of(low) : double(high - low);
}

// Whether a branch that ends is a feature.
HALOSCOPE_HD inline bool persists(const Simplification& simplification, ValueKind kind,
                                  std::uint64_t birth, std::uint64_t death) {
  const std::uint64_t high = birth > death ? birth : death, low = birth > death ? death : birth;
  if (high == low && !simplification.zero_pairs) return false;
  if (simplification.measure == Simplification::Measure::Difference)
    return difference_of(kind, high, low) >= simplification.threshold;
  if (high == low) return simplification.threshold <= 1;
  const double smaller = number_of(kind, low);
  return smaller <= 0 || number_of(kind, high) >= simplification.threshold * smaller;
}

// Persistence pairs, from the first birth to the last. What never ends dies at −∞ (sublevels: at
// ∞), or at the type's last number where it has no infinity, in kNoCell.
template <class T>
struct Pairs {
  std::vector<T> birth, death;
  std::vector<std::uint64_t> birth_index, death_index;

  std::size_t count() const { return birth.size(); }
  bool operator==(const Pairs&) const = default;
};

template <class T>
T never(Levels levels) {
  using Limits = std::numeric_limits<T>;
  if constexpr (Limits::has_infinity)
    return levels == Levels::Super ? -Limits::infinity() : Limits::infinity();
  return levels == Levels::Super ? Limits::lowest() : Limits::max();
}

// T: the type of the grid. Pairs of zero persistence are left out unless they are asked for;
// without them the values do not depend on the order of equal cells.
template <class T>
Pairs<T> pairs_of(const Branches& branches, Levels levels, bool zero_pairs = false) {
  Pairs<T> pairs;
  for (std::size_t k = 0; k < branches.count(); ++k) {
    const bool ends = branches.saddle[k] != kNoCell;
    if (ends && !zero_pairs && branches.birth[k] == branches.death[k]) continue;
    pairs.birth.push_back(value_of<T>(branches.birth[k]));
    pairs.death.push_back(ends ? value_of<T>(branches.death[k]) : never<T>(levels));
    pairs.birth_index.push_back(branches.maximum[k]);
    pairs.death_index.push_back(branches.saddle[k]);
  }
  return pairs;
}

// How many components there are at each level: `components[i]` of {f ≥ level[i]} (sublevels: ≤)
// and of the levels after it up to the next, in the order of the sweep.
template <class T>
struct BettiCurve {
  std::vector<T> level;
  std::vector<std::uint64_t> components;
};

template <class T>
BettiCurve<T> betti_0_curve(const Pairs<T>& pairs, Levels levels) {
  const auto is_swept_before = [&](const T& a, const T& b) {
    return levels == Levels::Super ? a > b : a < b;
  };
  std::vector<T> births = pairs.birth, deaths;
  for (std::size_t k = 0; k < pairs.count(); ++k)
    if (pairs.death_index[k] != kNoCell) deaths.push_back(pairs.death[k]);
  std::sort(births.begin(), births.end(), is_swept_before);
  std::sort(deaths.begin(), deaths.end(), is_swept_before);
  BettiCurve<T> curve;
  std::size_t born = 0, dead = 0;
  while (born < births.size() || dead < deaths.size()) {
    const bool is_birth = dead == deaths.size() ||
                          (born < births.size() && !is_swept_before(deaths[dead], births[born]));
    const T level = is_birth ? births[born] : deaths[dead];
    while (born < births.size() && births[born] == level) ++born;
    while (dead < deaths.size() && deaths[dead] == level) ++dead;
    curve.level.push_back(level);
    curve.components.push_back(born - dead);
  }
  return curve;
}

}  // namespace haloscope::compute::topology
