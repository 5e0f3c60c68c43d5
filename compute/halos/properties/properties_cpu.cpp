#include "compute/clusters/fill_grid_cpu.h"
#include "compute/exec/cpu.h"
#include "compute/exec/parallel_uneven_cpu.h"
#include "compute/halos/properties/order_members_cpu.h"
#include "compute/halos/properties/properties.inl"
#include "compute/halos/properties/sort_profiles_cpu.h"
#include "core/error.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <string>

namespace haloscope::compute::halos {

namespace {

void check_membership(const HaloParticles& particles, const HaloMembership& members) {
  const std::size_t types = particles.types.size();
  const char* const where = "halo properties";
  if (types == 0 || members.begin.empty() || (members.begin.size() - 1) % types != 0 ||
      members.begin.front() != 0 || members.begin.back() != members.rows.size())
    throw Error("the list of members does not fit the particle types", where);
  if (members.rows.size() >= ~std::uint32_t(0))
    throw Error(std::to_string(members.rows.size()) + " members are more than can be measured",
                where, "choose fewer types or a region");
  for (std::size_t run = 0; run + 1 < members.begin.size(); ++run)
    if (members.begin[run] > members.begin[run + 1] ||
        (run % types == 0 && members.begin[run] == members.begin[run + types]))
      throw Error("halo " + std::to_string(run / types) + " has no members", where);
  ::tbb::parallel_for(std::size_t(0), members.begin.size() - 1, [&](std::size_t run) {
    const std::uint64_t count = particles.types[run % types].count;
    for (std::uint64_t i = members.begin[run]; i < members.begin[run + 1]; ++i)
      if (members.rows[i] >= count)
        throw Error("halo " + std::to_string(run / types) + " has a member in row " +
                        std::to_string(members.rows[i]) + " of " + std::to_string(count),
                    where);
  });
}

}  // namespace

std::vector<Sphere> find_spheres(const HaloParticles& particles,
                                 const std::vector<SphereRequest>& requests,
                                 const HaloPhysics& physics, Progress& progress) {
  Cpu exec(progress);
  const clusters::ParticleGrid<Cpu> grid(exec, particles.types);
  return find_spheres_on(exec, grid.view(), particles.domain.step(), requests, physics, progress);
}

std::uint64_t properties_memory(std::uint64_t members, std::uint64_t particles) {
  // Members and their rows; then what screens for the most bound ones: order, sources, depths,
  // nodes; or the grid of all particles, these by planes before, and its cells, of which there is
  // about one per particle, and the sorted distances in some of the spheres.
  constexpr std::uint64_t kMember = 36, kScreened = 48, kInGrid = 40, kInSphere = 16;
  const std::uint64_t in_spheres = std::min(particles, kInSpheresAtOnce + 2 * members);
  return members * kMember +
         std::max(members * kScreened, particles * kInGrid + in_spheres * kInSphere);
}

HaloProperties measure_halos(const HaloParticles& particles, const HaloMembership& members,
                             const HaloPhysics& physics, Progress& progress) {
  check_membership(particles, members);
  Cpu exec(progress);
  return HaloMeasurement<Cpu>(exec, particles, members, physics).run(progress);
}

HaloProperties measure_halos(Device device, const HaloParticles& particles,
                             const HaloMembership& members, const HaloPhysics& physics,
                             Progress& progress) {
  if (!can_measure_on(device, particles, members.rows.size()))
    return measure_halos(particles, members, physics, progress);
  check_membership(particles, members);
  return measure_halos_on(device, particles, members, physics, progress);
}

}  // namespace haloscope::compute::halos
