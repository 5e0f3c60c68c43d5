// Halo properties against GADGET-4's own catalogs; skipped where the shared test data are absent.

#include "compute/halos/properties/properties.h"
#include "tests/catch.h"
#include "tests/oracles/gadget4_groups.h"

#include <algorithm>
#include <cmath>
#include <iostream>

using namespace haloscope;
using namespace haloscope::compute::halos;
using test::Gadget4Output, test::gadget4_outputs, test::read;

namespace {

double relative(double a, double b) {
  return a == b ? 0 : std::abs(a - b) / std::max(std::abs(a), std::abs(b));
}

}  // namespace

TEST_CASE("masses and mean velocities are those of GADGET-4's groups", "[halos]") {
  for (const Gadget4Output& output : gadget4_outputs()) {
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

TEST_CASE("spherical overdensities are SUBFIND's", "[halos]") {
  const std::pair<SphereKind, std::string> kinds[] = {{Critical200, "Crit200"},
                                                      {Mean200, "Mean200"},
                                                      {Critical500, "Crit500"},
                                                      {TopHat, "TopHat200"}};
  for (const Gadget4Output& output : gadget4_outputs()) {
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
  for (const Gadget4Output& output : gadget4_outputs()) {
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
