// Centers of groups against GADGET-4's, and against how far those depend on chance.

#include "tests/catch.h"
#include "tests/made/size.h"
#include "tests/oracles/gadget4_groups.h"
#include "tests/oracles/gadget4_tree.h"

#include <cmath>
#include <iostream>
#include <random>

using namespace haloscope;
using namespace haloscope::compute::halos;
using test::Gadget4Groups, test::Gadget4Output, test::Gadget4Tree, test::gadget4_outputs,
    test::read;

namespace {

constexpr double kErrTolTheta = 0.75;  // /Parameters of all four catalogs

bool is_large(const Gadget4Groups& truth, const std::string& name, std::uint64_t row) {
  return truth.catalog.find(name)->find(name + "Len")->value(row) > 100;
}

// Stored positions have 24 bits.
bool is_center(const Gadget4Groups& truth, const std::string& name, std::uint64_t row,
               const std::array<double, 3>& x) {
  return truth.distance(name, row, x) < 3e-7 * truth.particles.domain.side;
}

struct Members {
  std::vector<Gadget4Tree::Point> points;
  std::vector<double> masses;
};

Members members_of(const Gadget4Groups& truth, const HaloMembership& all, std::uint64_t row) {
  Members members;
  const auto& types = truth.particles.types;
  for (std::size_t t = 0; t < types.size(); ++t)
    for (const std::uint32_t i : all.run(row, t, types.size())) {
      const auto& at = types[t].position;
      members.points.push_back({at[0][i], at[1][i], at[2][i]});
      members.masses.push_back(types[t].mass ? types[t].mass[i] : types[t].uniform_mass);
    }
  return members;
}

}  // namespace

// Not all can be the same: fed with SUBFIND's own list of particles of each main subhalo, sums over
// all pairs in double precision still disagree in 3 to 9 % of the cases, nearly always by the
// second lowest for the lowest, with potentials 1e-5 to 2e-3 apart. GADGET-4 has its own from a
// tree, whose errors are of that size. Of whole groups some more have two cores of nearly equal
// depth, of which SUBFIND looks at that with more bound particles.
TEST_CASE("most bound members are SUBFIND's or next to them", "[halos]") {
  for (const Gadget4Output& output : gadget4_outputs()) {
    const auto truth = read(output);
    if (!truth) return;
    Progress progress;
    for (const std::string name : {"Group", "Subhalo"}) {
      const auto p =
          measure_halos(truth->particles, truth->members_of(name), truth->physics, progress);
      int large = 0, same = 0, near = 0;
      for (std::uint64_t g = 0; g < p.count(); ++g) {
        if (!is_large(*truth, name, g)) continue;
        ++large;
        const double away = truth->distance(name, g, p.most_bound_position[g]);
        same += is_center(*truth, name, g, p.most_bound_position[g]);
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

// What 95 % of the groups with the same center would ask for. Every list of members here is
// SUBFIND's own, of the largest subhalo of a group, whose center is GroupPos.
TEST_CASE("GADGET-4's centers depend on the random origin of its tree", "[halos]") {
  // Nearly all of its time is this test's own tree; what is tested runs over the same members
  // above.
  if (test::kSanitized) return;
  constexpr int kOrigins = 4;
  std::mt19937 random(5);
  double groups = 0, alike = 0, ours = 0;
  for (const Gadget4Output& output : gadget4_outputs()) {
    const auto truth = read(output);
    if (!truth) return;
    const HaloMembership subhalos = truth->members_of("Subhalo");
    Progress progress;
    const auto whole =
        measure_halos(truth->particles, truth->members_of("Group"), truth->physics, progress);
    const auto bound = measure_halos(truth->particles, subhalos, truth->physics, progress);
    const Domain& domain = truth->particles.domain;
    std::vector<Gadget4Tree::Point> origins(kOrigins);
    for (auto& origin : origins)
      for (auto& number : origin) number = std::uint32_t(random());
    int large = 0, summed = 0, same_as_sums = 0, same = 0, pairs = 0, centers = 0;
    for (std::uint64_t g = 0; g < truth->groups().count; ++g) {
      if (!is_large(*truth, "Group", g) || truth->groups().find("GroupNsubs")->value(g) == 0)
        continue;
      ++large;
      same += is_center(*truth, "Group", g, whole.most_bound_position[g]);
      const auto s = std::uint64_t(truth->groups().find("GroupFirstSub")->value(g));
      const Members members = members_of(*truth, subhalos, s);
      const auto lowest = [&](const Gadget4Tree::Point& origin, double angle) {
        return Gadget4Tree(members.points, members.masses, origin, domain.side,
                           truth->physics.softening, angle)
            .lowest();
      };
      const auto place = [&](std::size_t i) {
        std::array<double, 3> x;
        for (std::size_t a = 0; a < 3; ++a) x[a] = domain.to_world(members.points[i][a], int(a));
        return x;
      };
      // The tree itself is right: opened all the way, it is the sum over all pairs.
      if (members.points.size() < 1000) {
        ++summed;
        same_as_sums += truth->distance("Subhalo", s, place(lowest({}, 0))) ==
                        truth->distance("Subhalo", s, bound.most_bound_position[s]);
      }
      std::vector<std::size_t> chosen;
      for (const auto& origin : origins) {
        chosen.push_back(lowest(origin, kErrTolTheta));
        centers += is_center(*truth, "Subhalo", s, place(chosen.back()));
        for (std::size_t k = 0; k + 1 < chosen.size(); ++k) pairs += chosen[k] == chosen.back();
      }
    }
    const double all_pairs = large * kOrigins * (kOrigins - 1) / 2.0;
    std::cout << output.folder << " " << output.number << ": of " << large
              << " groups above 100 members two origins of GADGET-4's tree agree about "
              << 100 * pairs / all_pairs << " %, one and GroupPos about "
              << 100.0 * centers / (large * kOrigins) << " %; ours and GroupPos about "
              << 100.0 * same / large << " %\n";
    CHECK(same_as_sums >= 0.98 * summed);
    groups += large;
    alike += large * (pairs / all_pairs);
    ours += same;
  }
  // What may be asked of our centers: not 95 %, but to be as near to GADGET-4's as a second run of
  // it, within twice the scatter of so many groups of which about a tenth differ.
  CHECK(alike < 0.95 * groups);
  CHECK(ours > alike - 2 * std::sqrt(0.1 * 0.9 * groups));
}
