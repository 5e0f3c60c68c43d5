#include "analysis/file_rows.h"
#include "analysis/made_fields/field_makers.h"
#include "compute/gravity/softening.h"
#include "compute/gravity/tree_potential.h"
#include "compute/halos/properties/physics.h"
#include "compute/spatial/points.h"
#include "core/error.h"
#include "core/particles.h"
#include "io/loading/particle_loader.h"
#include "io/snapshots/gadget_softening.h"
#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::analysis {

namespace {

constexpr const char* kTreePotential = "TreePotential";
constexpr double kCmPerKm = 1e5;

std::vector<int> attracting_types(const SnapshotInfo& info) {
  std::vector<int> types;
  for (const auto& [number, type] : info.types)
    if (type.count > 0 && type.find(Role::Position)) types.push_back(number);
  return types;
}

struct TreeSoftening {
  double length = 0;  // Plummer equivalent, code lengths; 0: not known
  int type = 0;       // whose it is
};

// A tree knows one softening for all: that of dark matter, else of the first type that has one.
TreeSoftening softening_of(const SnapshotInfo& info) {
  std::vector<int> types = attracting_types(info);
  std::stable_partition(types.begin(), types.end(), [](int type) { return type == 1; });
  for (const int type : types)
    if (const auto stored = io::stored_softening(info, type); stored && *stored > 0)
      return {*stored, type};
  return {};
}

std::string potential_sentence(const SnapshotInfo& info) {
  const TreeSoftening softening = softening_of(info);
  const bool box = info.periodic && info.box_size > 0;
  return fmt::format(
      "{} is made of all particles of the snapshot, {}, {}.", kTreePotential,
      box ? "repeated as their box is, without its mean density" : "which stand alone",
      softening.length > 0
          ? fmt::format("with the softening of {}, {:.6g} {}", info.types.at(softening.type).name,
                        softening.length, io::length_unit(info.units))
          : std::string("without softening, for the file tells none"));
}

void offer_potential(SnapshotInfo& info) {
  // With masses that nobody knows it would be a potential of nothing.
  if (type_without_mass(info)) return;
  const std::vector<int> types = attracting_types(info);
  std::uint64_t count = 0;
  for (const int number : types) count += info.types.at(number).count;
  if (count >= std::numeric_limits<std::uint32_t>::max()) return;
  const std::string sentence = potential_sentence(info);
  const FieldScaling scaling{kCmPerKm * kCmPerKm, 0, 0, 0, 0, 2};
  for (const int number : types) {
    TypeInfo& type = info.types.at(number);
    if (!type.find(kTreePotential))
      type.made.push_back(
          {{kTreePotential, 1, ScalarType::Float32, "(km/s)^2", scaling}, sentence});
  }
}

// All particles of a snapshot in one list, type after type.
struct Bodies {
  std::array<Array<std::uint32_t>, 3> position;
  Array<float> mass;
  std::uint64_t count = 0;
};

Bodies joined(ParticleSet& particles) {
  Bodies all;
  all.count = particles.count();
  require_host_memory(all.count * 4 * sizeof(float), "the potentials");
  for (auto& axis : all.position) axis = Array<std::uint32_t>(all.count);
  all.mass = Array<float>(all.count);
  std::uint64_t at = 0;
  for (ParticleColumns& columns : particles.types) {
    for (std::size_t a = 0; a < 3; ++a) {
      std::copy_n(columns.position[a].data(), columns.count, all.position[a].data() + at);
      columns.position[a] = {};
    }
    if (columns.mass.empty())
      std::fill_n(all.mass.data() + at, columns.count, float(columns.uniform_mass));
    else
      std::copy_n(columns.mass.data(), columns.count, all.mass.data() + at);
    columns.mass = {};
    at += columns.count;
  }
  return all;
}

std::vector<float> potentials(Bodies bodies, const Domain& domain, double softening,
                              compute::Device device, const Progress& progress) {
  namespace gravity = compute::gravity;
  gravity::TreePotentialOptions options;
  options.images = domain.periodic ? gravity::Images::Ewald : gravity::Images::None;
  options.softening_support = gravity::kSplinePerPlummer * softening;
  const auto tree = gravity::make_tree_potential(device, &progress);
  tree->set_bodies(
      compute::spatial::place_points(
          device, domain,
          {bodies.position[0].data(), bodies.position[1].data(), bodies.position[2].data()},
          bodies.count),
      bodies.mass.data());
  bodies.position = {};  // the tree has its own
  std::vector<float> potential(bodies.count);
  tree->sum(options, potential.data());
  return potential;
}

MadeValues make_potential(const io::SnapshotReader& reader, int, const MakingChoice& choice,
                          Progress& progress) {
  const SnapshotInfo& info = reader.info();
  io::LoadRequest load;
  for (const int type : attracting_types(info)) load.types.push_back({type, {}, false, true});
  ParticleSet particles = io::load_particles(reader, load, progress);
  progress.report("potentials", 0);
  const std::vector<float> potential = potentials(
      joined(particles), particles.domain, softening_of(info).length, choice.device, progress);
  progress.report("potentials", 1);
  // Factors of h cancel; lengths that are comoving are a times as long.
  const auto physics = compute::halos::make_physics(info.units, info.cosmology);
  const double km_per_s = info.units.velocity_cm_per_s / kCmPerKm;
  const double factor = physics.gravity / physics.scale_factor * km_per_s * km_per_s;
  MadeValues made;
  auto at = potential.begin();
  for (const ParticleColumns& columns : particles.types) {
    std::vector<float> one(std::size_t(columns.count));
    for (float& value : one) value = float(double(*at++) * factor);
    one = file_rows(std::move(one), columns.rejected_rows, std::numeric_limits<float>::quiet_NaN());
    Array<float>& values = made[columns.type] = Array<float>(one.size());
    std::copy(one.begin(), one.end(), values.data());
  }
  return made;
}

}  // namespace

const TypeInfo* type_without_mass(const SnapshotInfo& info) {
  for (const int number : attracting_types(info))
    if (const TypeInfo& type = info.types.at(number);
        !(type.uniform_mass > 0) && !type.find(Role::Mass))
      return &type;
  return nullptr;
}

const FieldMaker& tree_potential_maker() {
  static const FieldMaker maker{kTreePotential, offer_potential, make_potential};
  return maker;
}

}  // namespace haloscope::analysis
