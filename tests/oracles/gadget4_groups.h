#pragma once

#include "compute/halos/properties/properties.h"
#include "io/catalogs/catalog_reader.h"
#include "io/loading/particle_loader.h"
#include "tests/test_paths.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

// Snapshots of GADGET-4 with its own catalogs beside them.
namespace haloscope::test {

// A snapshot in group order, its catalog, and the members of its groups.
struct Gadget4Groups {
  std::unique_ptr<io::SnapshotReader> reader;
  ParticleSet set;
  std::vector<std::array<std::vector<float>, 3>> velocity;  // peculiar, km/s
  compute::halos::HaloParticles particles;
  HaloCatalog catalog;
  compute::halos::HaloPhysics physics;

  Gadget4Groups(const std::string& snapshot, const std::string& tab, double softening)
      : reader(io::open_snapshot(snapshot)), catalog(io::open_catalog(tab)) {
    const SnapshotInfo& info = reader->info();
    io::LoadRequest request;
    for (const auto& [number, type] : info.types) request.types.push_back({number, {"Velocities"}});
    Progress progress;
    set = io::load_particles(*reader, request, progress);
    const float root = float(std::sqrt(info.cosmology.scale_factor));
    particles.domain = set.domain;
    velocity.resize(set.types.size());
    for (std::size_t t = 0; t < set.types.size(); ++t) {
      const ParticleColumns& from = set.types[t];
      compute::halos::HaloParticles::Type to;
      to.type = from.type;
      to.count = from.count;
      to.mass = from.mass.empty() ? nullptr : from.mass.data();
      to.uniform_mass = from.uniform_mass;
      for (std::size_t a = 0; a < 3; ++a) {
        const auto& stored = from.fields.at("Velocities")[a];
        for (const float v : stored) velocity[t][a].push_back(v * root);
        to.position[a] = from.position[a].data();
        to.velocity[a] = velocity[t][a].data();
      }
      particles.types.push_back(to);
    }
    physics = compute::halos::make_physics(info.units, info.cosmology);
    physics.softening = softening;
  }

  const HaloTable& groups() const { return *catalog.find("Group"); }

  // Of the rows of a table of groups or subhalos.
  compute::halos::HaloMembership members_of(const std::string& name) const {
    const HaloTable& table = *catalog.find(name);
    const CatalogColumn& first = *table.find(name + "OffsetType");
    const CatalogColumn& length = *table.find(name + "LenType");
    compute::halos::HaloMembership members;
    members.begin.push_back(0);
    for (std::uint64_t row = 0; row < table.count; ++row)
      for (const auto& t : particles.types) {
        const auto begin = std::uint32_t(first.value(row, t.type));
        for (std::uint32_t i = 0; i < std::uint32_t(length.value(row, t.type)); ++i)
          members.rows.push_back(begin + i);
        members.begin.push_back(members.rows.size());
      }
    return members;
  }

  std::array<std::uint32_t, 3> lattice(const std::string& name, std::uint64_t row) const {
    const CatalogColumn& position = *catalog.find(name)->find(name + "Pos");
    std::array<std::uint32_t, 3> p;
    for (std::size_t a = 0; a < 3; ++a)
      p[a] = particles.domain.to_fixed(position.value(row, int(a)), int(a));
    return p;
  }
  // World distance of a world position from a group's GroupPos.
  double distance(const std::string& name, std::uint64_t row,
                  const std::array<double, 3>& x) const {
    double squared = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const double d = std::remainder(
          x[a] - catalog.find(name)->find(name + "Pos")->value(row, int(a)), particles.domain.side);
      squared += d * d;
    }
    return std::sqrt(squared);
  }
};

struct Gadget4Output {
  std::string folder, number;
  double softening;  // /Parameters of the catalog, with a SofteningMaxPhys that cuts none of these
};

inline std::vector<Gadget4Output> gadget4_outputs() {
  return {
      {"dm64", "004", 0.0156}, {"dm64", "006", 0.0156}, {"gas48", "002", 15}, {"gas48", "003", 15}};
}

// Nothing, said once, where the shared test data are absent.
inline std::unique_ptr<Gadget4Groups> read(const Gadget4Output& o) {
  const auto folder = shared_data("data/gadget4/" + o.folder);
  if (!folder) return nullptr;
  return std::make_unique<Gadget4Groups>(
      (*folder / ("snapshot_" + o.number + ".hdf5")).string(),
      (*folder / ("fof_subhalo_tab_" + o.number + ".hdf5")).string(), o.softening);
}

}  // namespace haloscope::test
