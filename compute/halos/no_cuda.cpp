#include "compute/halos/properties/properties.h"
#include "core/error.h"

namespace haloscope::compute::halos {

bool can_measure_on(Device, const HaloParticles&, std::uint64_t) {
  return false;
}

HaloProperties measure_halos_on(Device device, const HaloParticles&, const HaloMembership&,
                                const HaloPhysics&, Progress&) {
  throw Error("this build has no CUDA", "--device " + device.word(), "use --device cpu");
}

}  // namespace haloscope::compute::halos
