#include "compute/exec/cpu.h"
#include "compute/halos/order_members_cpu.h"
#include "compute/halos/parallel_uneven_cpu.h"
#include "compute/halos/properties.inl"
#include "compute/halos/sort_segments_cpu.h"

namespace haloscope::compute::halos {

std::vector<Sphere> find_spheres(const HaloParticles& particles,
                                 const std::vector<SphereRequest>& requests,
                                 const HaloPhysics& physics, Progress& progress) {
  progress.report("spherical overdensities", 0);
  Cpu exec;
  const ParticleGrid<Cpu> grid(exec, particles.types);
  return find_spheres_on(exec, grid.view(), particles.domain.step(), requests, physics);
}

HaloProperties measure_halos(const HaloParticles& particles, const HaloMembership& members,
                             const HaloPhysics& physics, Progress& progress) {
  check_membership(particles, members);
  Cpu exec;
  return HaloMeasurement<Cpu>(exec, particles, members, physics).run(progress);
}

}  // namespace haloscope::compute::halos
