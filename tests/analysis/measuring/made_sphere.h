#pragma once

#include "core/particles.h"
#include "core/snapshot_info.h"
#include "tests/made/made_particles.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

// Particles around a point of a periodic box, some across its edges, and a slow profile of them.
namespace haloscope::test {

struct MadeParticle {
  std::array<double, 3> place{}, velocity{};
  double mass = 1, temperature = 0;
};

struct MadeSphere {
  SnapshotInfo info;
  ParticleSet particles;
  std::map<int, std::vector<MadeParticle>> of;  // by type
};

inline std::vector<MadeParticle> particles_around(const std::array<double, 3>& center,
                                                  std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> even(0, 1);
  std::normal_distribution<double> normal;
  std::vector<MadeParticle> made(count);
  for (MadeParticle& one : made) {
    // As many at any radius as at any other.
    const double radius = 3 * std::exp(-6 * even(random));
    std::array<double, 3> way{normal(random), normal(random), normal(random)};
    const double length = std::hypot(way[0], way[1], way[2]);
    for (std::size_t a = 0; a < 3; ++a) {
      one.place[a] = center[a] + radius * way[a] / length;
      one.velocity[a] = 30 * normal(random) + 100 * double(a) - 5 * one.place[a];
    }
    one.mass = double(float(0.5 + even(random)));
    one.temperature = double(float(1e4 * std::exp(3 * normal(random))));
  }
  return made;
}

inline void add_made_type(MadeSphere& sphere, int type, const std::string& name,
                          const std::vector<MadeParticle>& made, double uniform_mass = 0) {
  std::vector<std::array<double, 3>> places;
  std::vector<float> masses, temperatures;
  std::array<std::vector<float>, 3> velocities;
  for (const MadeParticle& one : made) {
    places.push_back(one.place);
    masses.push_back(float(one.mass));
    temperatures.push_back(float(one.temperature));
    for (std::size_t a = 0; a < 3; ++a) velocities[a].push_back(float(one.velocity[a]));
  }
  ParticleColumns columns = made_columns(type, name, sphere.particles.domain, places);
  if (uniform_mass > 0)
    columns.uniform_mass = uniform_mass;
  else
    columns.mass = array_of(masses);
  for (const auto& component : velocities) add_field(columns, "Velocities", component);
  TypeInfo info;
  info.name = name;
  info.count = made.size();
  info.uniform_mass = uniform_mass;
  const auto add_info = [&info](const char* field, int components) {
    info.fields.emplace_back();
    info.fields.back().name = field;
    info.fields.back().components = components;
  };
  add_info("Coordinates", 3);
  add_info("Velocities", 3);
  info.roles = {{Role::Position, "Coordinates"}, {Role::Velocity, "Velocities"}};
  if (uniform_mass == 0) {
    add_info("Masses", 1);
    info.roles[Role::Mass] = "Masses";
  }
  if (type == 0) {
    add_info("Temperature", 1);
    info.roles[Role::Temperature] = "Temperature";
    add_field(columns, "Temperature", temperatures);
  }
  sphere.info.types[type] = info;
  sphere.particles.types.push_back(std::move(columns));
  sphere.of[type] = made;
}

inline constexpr double kMadeBox = 20;
inline constexpr std::array<double, 3> kMadeCenter{0.4, 19.8, 10.1};  // near two edges

// Gas of many masses, dark matter of mass 2 that its header tells.
inline MadeSphere made_sphere(std::size_t gas = 4000, std::size_t dark = 3000) {
  MadeSphere sphere;
  sphere.info.files = {"made"};
  sphere.info.box_size = kMadeBox;
  sphere.info.periodic = true;
  sphere.particles.domain = {{0, 0, 0}, kMadeBox, true};
  add_made_type(sphere, 0, "gas", particles_around(kMadeCenter, gas, 1));
  std::vector<MadeParticle> heavy = particles_around(kMadeCenter, dark, 2);
  for (MadeParticle& one : heavy) one.mass = 2;
  add_made_type(sphere, 1, "dm", heavy, 2);
  return sphere;
}

// One bin by plain loops, in long double.
struct SlowBin {
  std::uint64_t count = 0, within = 0;
  long double mass = 0, mass_within = 0, radial = 0, dispersion = 0, temperature = 0;
};

inline SlowBin slow_bin(const std::vector<MadeParticle>& made, const std::array<double, 3>& center,
                        const std::array<double, 3>& frame, double low, double high) {
  SlowBin bin;
  std::array<long double, 3> mean{};
  const auto away = [&](const MadeParticle& one, std::size_t a) {
    return (long double)(std::remainder(one.place[a] - center[a], kMadeBox));
  };
  const auto radius = [&](const MadeParticle& one) {
    return std::sqrt(away(one, 0) * away(one, 0) + away(one, 1) * away(one, 1) +
                     away(one, 2) * away(one, 2));
  };
  for (const MadeParticle& one : made) {
    const long double r = radius(one);
    if (r >= high) continue;
    ++bin.within;
    bin.mass_within += one.mass;
    if (r < low) continue;
    ++bin.count;
    bin.mass += one.mass;
    bin.temperature += one.mass * one.temperature;
    for (std::size_t a = 0; a < 3; ++a) {
      const long double v = (long double)(float(one.velocity[a])) - frame[a];
      bin.radial += one.mass * v * away(one, a) / r;
      mean[a] += one.mass * v;
    }
  }
  for (const MadeParticle& one : made) {
    const long double r = radius(one);
    if (r < low || r >= high) continue;
    for (std::size_t a = 0; a < 3; ++a) {
      const long double v = (long double)(float(one.velocity[a])) - frame[a] - mean[a] / bin.mass;
      bin.dispersion += one.mass * v * v;
    }
  }
  bin.dispersion = std::sqrt(bin.dispersion / bin.mass / 3);
  bin.radial /= bin.mass;
  bin.temperature /= bin.mass;
  return bin;
}

}  // namespace haloscope::test
