#include "compute/exec/cuda.h"
#include "compute/halos/properties/most_bound_cuda.cuh"
#include "compute/halos/properties/profiles_cuda.cuh"
#include "compute/halos/properties/properties.inl"

#include <array>
#include <cstdint>
#include <vector>

namespace haloscope::compute::halos {

namespace {

// Columns on the device, of which the particles there are views.
class ParticlesThere {
 public:
  ParticlesThere(Cuda& exec, const HaloParticles& particles) : exec_(exec), there_(particles) {
    for (HaloParticles::Type& type : there_.types) {
      for (const std::uint32_t*& axis : type.position) axis = place(axis, type.count);
      for (const float*& axis : type.velocity) axis = place(axis, type.count);
      type.mass = place(type.mass, type.count);
    }
  }

  const HaloParticles& view() const { return there_; }

 private:
  template <class T>
  const T* place(const T* column, std::uint64_t count) {
    static_assert(sizeof(T) == sizeof(std::uint32_t));
    if (!column || count == 0) return column;
    columns_.emplace_back(exec_, std::size_t(count), "halo members");
    exec_.upload(columns_.back().data(), column, std::size_t(count) * sizeof(T));
    return reinterpret_cast<const T*>(columns_.back().data());
  }

  Cuda& exec_;
  HaloParticles there_;
  std::vector<Buffer<std::uint32_t, Cuda>> columns_;
};

// At most, of the moments: members beside what their bounds take, or the cells of all particles
// beside what sorts these.
std::uint64_t device_memory(const HaloParticles& particles, std::uint64_t members) {
  std::uint64_t columns = 0, all = 0;
  for (const HaloParticles::Type& type : particles.types) {
    all += type.count;
    columns +=
        type.count * sizeof(std::uint32_t) * (3 + (type.velocity[0] ? 3 : 0) + (type.mass ? 1 : 0));
  }
  constexpr std::uint64_t kMember = 40, kBound = 68, kProfile = 56, kInCells = 44, kInSphere = 64;
  return columns + members * kMember +
         std::max({members * kBound, members * kProfile,
                   all * kInCells + kInSpheresAtOnceOnGpu * kInSphere});
}

}  // namespace

bool can_measure_on(Device device, const HaloParticles& particles, std::uint64_t members) {
  if (!device.is_gpu()) return false;
  std::uint64_t all = 0;
  for (const HaloParticles::Type& type : particles.types) all += type.count;
  return all < ~std::uint32_t(0) && Cuda(device).free_memory() > device_memory(particles, members);
}

HaloProperties measure_halos_on(Device device, const HaloParticles& particles,
                                const HaloMembership& members, const HaloPhysics& physics,
                                Progress& progress) {
  Cuda exec(device);
  const ParticlesThere there(exec, particles);
  return HaloMeasurement<Cuda>(exec, there.view(), members, physics).run(progress);
}

}  // namespace haloscope::compute::halos
