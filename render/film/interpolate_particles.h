#pragma once

#include "compute/splotch/settings.h"
#include "core/array.h"
#include "core/particles.h"
#include "render/film/particle_match.h"

#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::render {

// One of the two snapshots between which a film is. One entry of each list per type, in the same
// order in both.
struct Endpoint {
  const ParticleSet* particles = nullptr;  // cleaned (clean_columns)
  // Smoothing lengths in place of those that a type lacks, or null.
  std::vector<const float*> radii;
  // Cubics: the field of velocities, and the world length by which a velocity of 1 moves a particle
  // from one snapshot to the other.
  std::vector<std::string> velocity;
  std::vector<double> displacement;
};

// A column that is wanted, and the scale in which it changes evenly.
struct InterpolatedField {
  std::string name;
  compute::splotch::Transform transform = compute::splotch::Transform::Linear;
};

struct Interpolation {
  bool cubic = false;  // else along straight lines
  // Particles of which the other snapshot has none of that type fade out or in by their mass. Else
  // they are left out, as by Splotch.
  bool fade = true;
  std::vector<std::vector<InterpolatedField>> fields;  // per type
};

struct InterpolatedParticles {
  ParticleSet particles;
  std::vector<Array<float>> radii;  // in place of lengths that a type lacks; may be empty
};

// The particles at a fraction in (0, 1) of the way from the first snapshot to the second, in
// constant time per particle. Both are periodic in one domain, where each particle goes the shorter
// way around, or neither is.
//
// Straight lines, or Hermite's cubic through both positions with both velocities (interpolation
// modes 1 and 2 of Splotch) where these agree. Where snapshots are farther apart than particles
// take to go around in their halo, velocities say nothing about the way, and their cubics would
// blow up all halos between any two snapshots. What tells is u, a velocity less the mean one
// (displacement over time): in constant acceleration u1 = -u2; on a circle that turns by an angle
// in between, |u1 + u2| / (|u1| + |u2|) is about a sixth of the angle; of velocities that have
// nothing to do with each other it is 0.7 in the middle. The cubic's departure from the straight
// line counts whole up to 0.2 (turns of 70 degrees), less beyond, and not from 0.4 on. No u counts
// as more than the mean velocity, whatever the units of a file. Known weaknesses: on straight lines
// halos shrink in between, by up to 1/sqrt(2) where orbits are random; a particle that turns back
// half-way stays near.
//
// Masses and smoothing lengths change linearly, fields evenly in their transforms' scale. What
// fades keeps its place, or the way of the particle of another type that has its ID.
InterpolatedParticles interpolate_particles(const Endpoint& first, const Endpoint& second,
                                            const std::vector<TypeMatch>& matches,
                                            const Interpolation& how, double fraction);

// A label of each particle in the same order, where the two snapshots have one: that of the first
// snapshot, of particles that are in the second alone that of the second. Per type.
std::vector<std::vector<std::uint8_t>> labels_between(
    const std::vector<std::vector<std::uint8_t>>& first,
    const std::vector<std::vector<std::uint8_t>>& second, const std::vector<TypeMatch>& matches,
    const Interpolation& how);

// Bytes of host memory that this takes at most.
std::uint64_t interpolation_memory(const std::vector<TypeMatch>& matches, const Interpolation& how);

}  // namespace haloscope::render
