#include "compute/clusters/fill_grid_cpu.h"
#include "compute/exec/cpu.h"
#include "compute/exec/parallel_uneven_cpu.h"
#include "compute/halos/properties/order_members_cpu.h"
#include "compute/halos/properties/properties.inl"
#include "compute/halos/properties/sort_profiles_cpu.h"

#include <algorithm>

namespace haloscope::compute::halos {

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
  check_membership(particles, members);
  if (device.is_gpu() && can_measure_on(device, particles, members.rows.size()))
    return measure_halos_on(device, particles, members, physics, progress);
  return measure_halos(particles, members, physics, progress);
}

}  // namespace haloscope::compute::halos
