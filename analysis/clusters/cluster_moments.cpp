#include "analysis/clusters/cluster_moments.h"

#include "analysis/snapshot/peculiar_velocities.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace haloscope::analysis {

namespace {

// Steps from one place to another, the shorter way around a periodic box. Without a box no two
// places are as far apart as the way around.
std::array<double, 3> apart(const std::array<std::uint32_t, 3>& from,
                            const std::array<std::uint32_t, 3>& to) {
  std::array<double, 3> steps{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    steps[axis] = double(std::int32_t(to[axis] - from[axis]));
  return steps;
}

}  // namespace

ClusterMoments::ClusterMoments(const ClusterSearch& search, const SnapshotInfo& info)
    : domain_(search.particles.particles.domain) {
  const auto& tree = *search.clusters.condensed;
  for (const ParticleColumns& columns : search.particles.particles.types) {
    if (!search.particles.has_members(columns.type)) continue;
    types_ = std::max(types_, columns.type + 1);
    velocities_ =
        velocities_ && columns.fields.count(velocity_field(info.types.at(columns.type))) > 0;
  }
  moments_.resize(tree.clusters());
  members_by_type_.assign(tree.clusters() * std::size_t(types_), 0);
  mass_by_type_.assign(tree.clusters() * std::size_t(types_), 0);
  add_points(search, info);
  for (std::size_t c = tree.clusters(); c-- > 1;) {
    const std::size_t above = tree.parent[c];
    add(moments_[above], moments_[c]);
    for (std::size_t type = 0; type < std::size_t(types_); ++type) {
      const std::size_t to = above * std::size_t(types_) + type;
      const std::size_t from = c * std::size_t(types_) + type;
      members_by_type_[to] += members_by_type_[from];
      mass_by_type_[to] += mass_by_type_[from];
    }
  }
}

// Each to the cluster that it falls out of.
void ClusterMoments::add_points(const ClusterSearch& search, const SnapshotInfo& info) {
  const auto& tree = *search.clusters.condensed;
  std::size_t point = 0;
  for (const ParticleColumns& columns : search.particles.particles.types) {
    if (!search.particles.has_members(columns.type)) continue;
    const std::vector<Array<float>>* const velocity =
        velocities_ ? &columns.fields.at(velocity_field(info.types.at(columns.type))) : nullptr;
    for (std::size_t row = 0; row < columns.count; ++row, ++point) {
      const std::size_t c = tree.point_cluster[point];
      const std::size_t slot = c * std::size_t(types_) + std::size_t(columns.type);
      const double mass = columns.mass.empty() ? columns.uniform_mass : double(columns.mass[row]);
      std::array<std::uint32_t, 3> at{};
      Vector v{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        at[axis] = columns.position[axis][row];
        if (velocity) v[axis] = double((*velocity)[axis][row]);
      }
      add_point(moments_[c], at, v, mass);
      ++members_by_type_[slot];
      mass_by_type_[slot] += mass;
    }
  }
}

void ClusterMoments::add_point(Moments& moments, const std::array<std::uint32_t, 3>& at,
                               const Vector& velocity, double mass) {
  Moments one;
  one.any = true;
  one.reference = at;
  one.mass = mass;
  one.velocity = velocity;
  add(moments, one);
}

// Of two sets whose means are apart (Chan, Golub and LeVeque 1979).
void ClusterMoments::combine(double mass, double other_mass, const Vector& away, Vector& mean,
                             double& square) {
  const double part = other_mass / (mass + other_mass);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    mean[axis] += part * away[axis];
    square += mass * part * away[axis] * away[axis];
  }
}

void ClusterMoments::add(Moments& all, const Moments& one) {
  if (!all.any) {
    all = one;
    return;
  }
  // What weighs nothing has no place either.
  if (!(one.mass > 0)) return;
  const Vector way = apart(all.reference, one.reference);
  Vector place{}, velocity{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    place[axis] = way[axis] + one.place[axis] - all.place[axis];
    velocity[axis] = one.velocity[axis] - all.velocity[axis];
  }
  combine(all.mass, one.mass, place, all.place, all.place_square);
  combine(all.mass, one.mass, velocity, all.velocity, all.velocity_square);
  all.place_square += one.place_square;
  all.velocity_square += one.velocity_square;
  all.mass += one.mass;
}

std::vector<double> ClusterMoments::mass() const {
  std::vector<double> values;
  for (const Moments& one : moments_) values.push_back(one.mass);
  return values;
}

std::vector<double> ClusterMoments::center_of_mass() const {
  std::vector<double> values;
  for (const Moments& one : moments_)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double steps = double(one.reference[axis]) + one.place[axis];
      if (domain_.periodic) steps -= 0x1p32 * std::floor(steps / 0x1p32);
      values.push_back(domain_.origin[axis] + steps * domain_.step());
    }
  return values;
}

std::vector<double> ClusterMoments::rms_radius() const {
  std::vector<double> values;
  for (const Moments& one : moments_)
    values.push_back(one.mass > 0 ? std::sqrt(one.place_square / one.mass) * domain_.step() : 0);
  return values;
}

std::vector<double> ClusterMoments::velocity() const {
  std::vector<double> values;
  for (const Moments& one : moments_)
    values.insert(values.end(), one.velocity.begin(), one.velocity.end());
  return values;
}

std::vector<double> ClusterMoments::velocity_dispersion() const {
  std::vector<double> values;
  for (const Moments& one : moments_)
    values.push_back(one.mass > 0 ? std::sqrt(one.velocity_square / one.mass / 3) : 0);
  return values;
}

}  // namespace haloscope::analysis
