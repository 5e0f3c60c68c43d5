// Halo properties against GADGET-4's own catalogs; skipped where the shared test data are absent.

#include "compute/halos/properties.h"
#include "io/catalogs/catalog_reader.h"
#include "io/loading/particle_loader.h"
#include "tests/catch.h"
#include "tests/test_paths.h"

#include <algorithm>
#include <cmath>
#include <iostream>

using namespace haloscope;
using namespace haloscope::compute::halos;

namespace {

// A snapshot in group order, its catalog, and the members of its groups.
struct Truth {
  std::unique_ptr<io::SnapshotReader> reader;
  ParticleSet set;
  std::vector<std::array<std::vector<float>, 3>> velocity;  // peculiar, km/s
  HaloParticles particles;
  HaloCatalog catalog;
  HaloPhysics physics;

  Truth(const std::string& snapshot, const std::string& tab, double softening)
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
      HaloParticles::Type to;
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
    physics = make_physics(info.units, info.cosmology);
    physics.softening = softening;
  }

  const HaloTable& groups() const { return *catalog.find("Group"); }

  // Of the rows of a table of groups or subhalos.
  HaloMembership members_of(const std::string& name) const {
    const HaloTable& table = *catalog.find(name);
    const CatalogColumn& first = *table.find(name + "OffsetType");
    const CatalogColumn& length = *table.find(name + "LenType");
    HaloMembership members;
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

struct Output {
  std::string folder, number;
  double softening;  // /Parameters of the catalog, with a SofteningMaxPhys that cuts none of these
};

std::vector<Output> outputs() {
  return {
      {"dm64", "004", 0.0156}, {"dm64", "006", 0.0156}, {"gas48", "002", 15}, {"gas48", "003", 15}};
}

std::unique_ptr<Truth> read(const Output& o) {
  const auto folder = test::shared_data("data/gadget4/" + o.folder);
  if (!folder) return nullptr;
  return std::make_unique<Truth>((*folder / ("snapshot_" + o.number + ".hdf5")).string(),
                                 (*folder / ("fof_subhalo_tab_" + o.number + ".hdf5")).string(),
                                 o.softening);
}

double relative(double a, double b) {
  return a == b ? 0 : std::abs(a - b) / std::max(std::abs(a), std::abs(b));
}

}  // namespace

TEST_CASE("masses and mean velocities are those of GADGET-4's groups", "[halos]") {
  for (const Output& output : outputs()) {
    const auto truth = read(output);
    if (!truth) return;
    INFO(output.folder << " " << output.number);
    Progress progress;
    const auto p =
        measure_halos(truth->particles, truth->members_of("Group"), truth->physics, progress);
    const HaloTable& groups = truth->groups();
    REQUIRE(p.count() == groups.count);
    const double a = truth->physics.expansion;
    const std::size_t types = truth->particles.types.size();
    double mass = 0, velocity = 0;
    for (std::uint64_t g = 0; g < p.count(); ++g) {
      for (std::size_t t = 0; t < types; ++t)
        mass = std::max(
            mass, relative(p.type_mass[g * types + t],
                           groups.find("GroupMassType")->value(g, truth->particles.types[t].type)));
      mass = std::max(mass, relative(p.mass[g], groups.find("GroupMass")->value(g)));
      double off = 0, speed = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const double v = groups.find("GroupVel")->value(g, int(k)) / a;
        off += std::pow(p.velocity[g][k] - v, 2);
        speed += v * v;
      }
      velocity = std::max(velocity, std::sqrt(off / speed));
    }
    CHECK(mass < 1e-5);
    CHECK(velocity < 1e-5);
  }
}

// Not all can be the same: fed with SUBFIND's own list of particles of each main subhalo, sums over
// all pairs in double precision still disagree in 3 to 9 % of the cases, nearly always by the
// second lowest for the lowest, with potentials 1e-5 to 2e-3 apart. GADGET-4 has its own from a
// tree, whose errors are of that size. Of whole groups some more have two cores of nearly equal
// depth, of which SUBFIND looks at that with more bound particles.
TEST_CASE("most bound members are SUBFIND's or next to them", "[halos]") {
  for (const Output& output : outputs()) {
    const auto truth = read(output);
    if (!truth) return;
    Progress progress;
    for (const std::string name : {"Group", "Subhalo"}) {
      const auto p =
          measure_halos(truth->particles, truth->members_of(name), truth->physics, progress);
      int large = 0, same = 0, near = 0;
      for (std::uint64_t g = 0; g < p.count(); ++g) {
        if (truth->catalog.find(name)->find(name + "Len")->value(g) <= 100) continue;
        ++large;
        const double away = truth->distance(name, g, p.most_bound_position[g]);
        // Stored positions have 24 bits.
        same += away < 3e-7 * truth->particles.domain.side;
        near += away < truth->physics.softening;
      }
      std::cout << output.folder << " " << output.number << ": of " << large << " " << name
                << "s above 100 members " << 100.0 * same / large
                << " % have the same most bound member, " << 100.0 * near / large
                << " % one within the softening length\n";
      CHECK(same >= 0.85 * large);
      CHECK(near >= 0.95 * large);
    }
  }
}

TEST_CASE("spherical overdensities are SUBFIND's", "[halos]") {
  const std::pair<SphereKind, std::string> kinds[] = {{Critical200, "Crit200"},
                                                      {Mean200, "Mean200"},
                                                      {Critical500, "Crit500"},
                                                      {TopHat, "TopHat200"}};
  for (const Output& output : outputs()) {
    const auto truth = read(output);
    if (!truth) return;
    const HaloTable& groups = truth->groups();
    std::vector<SphereRequest> requests;
    for (std::uint64_t g = 0; g < groups.count; ++g) {
      const double mass = groups.find("GroupMass")->value(g);
      requests.push_back(
          {truth->lattice("Group", g), mass, 5 * mass / groups.find("GroupLen")->value(g)});
    }
    Progress progress;
    const auto spheres = find_spheres(truth->particles, requests, truth->physics, progress);
    for (const auto& [kind, name] : kinds) {
      double radius = 0, mass = 0;
      int zeros = 0;
      for (std::uint64_t g = 0; g < groups.count; ++g) {
        // Groups without a subhalo have no center in the catalog, and zeros.
        if (groups.find("GroupNsubs")->value(g) == 0) continue;
        INFO(output.folder << " " << output.number << " group " << g << " " << name);
        const double r = groups.find("Group_R_" + name)->value(g);
        const double m = groups.find("Group_M_" + name)->value(g);
        zeros += r == 0;
        CHECK(relative(spheres[g].radius[kind], r) < 1e-3);
        CHECK(relative(spheres[g].mass[kind], m) < 1e-3);
        radius = std::max(radius, relative(spheres[g].radius[kind], r));
        mass = std::max(mass, relative(spheres[g].mass[kind], m));
      }
      std::cout << output.folder << " " << output.number << " " << name << ": " << groups.count
                << " groups, " << zeros << " without, differ by at most " << radius << " in R, "
                << mass << " in M\n";
    }
  }
}

// SUBFIND measures the same of its subhalos; feeding their members in is a check of the profiles.
// The catalog has these radii in physical lengths. Half-mass radii differ by about the distance to
// the next member, dispersions by the Hubble flow that SUBFIND adds.
TEST_CASE("velocity and radial profiles are those of SUBFIND's subhalos", "[halos]") {
  for (const Output& output : outputs()) {
    const auto truth = read(output);
    if (!truth) return;
    Progress progress;
    const auto p =
        measure_halos(truth->particles, truth->members_of("Subhalo"), truth->physics, progress);
    const HaloTable& table = *truth->catalog.find("Subhalo");
    const double a = truth->physics.expansion;
    const struct {
      std::string name;
      const std::vector<double>& ours;
      double factor, median, nine_tenths;
    } columns[] = {{"SubhaloVmax", p.v_max, 1, 1e-4, 1e-4},
                   {"SubhaloVmaxRad", p.r_max, a, 1e-4, 1e-4},
                   {"SubhaloHalfmassRad", p.half_mass_radius, a, 0.02, 0.06},
                   {"SubhaloVelDisp", p.velocity_dispersion, 1, 0.01, 0.03}};
    for (const auto& column : columns) {
      std::vector<double> off;
      for (std::uint64_t s = 0; s < p.count(); ++s)
        // About another center all is a little different.
        if (truth->distance("Subhalo", s, p.most_bound_position[s]) <
            3e-7 * truth->particles.domain.side)
          off.push_back(
              relative(column.factor * column.ours[s], table.find(column.name)->value(s)));
      std::sort(off.begin(), off.end());
      INFO(output.folder << " " << output.number << " " << column.name << " of " << off.size()
                         << " differs by up to " << off.back());
      CHECK(off[off.size() / 2] < column.median);
      CHECK(off[off.size() * 9 / 10] < column.nine_tenths);
    }
  }
}
