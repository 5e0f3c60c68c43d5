#include "compute/splotch/make_splats_cpu.h"

#include "compute/splotch/simd_clones.h"

namespace haloscope::compute::splotch {

// The clones exist for their fused multiply-adds: plain x86-64 calls a library function for each.
#define HALOSCOPE_MAKE_SPLATS(MODE)                                                                \
  HALOSCOPE_SIMD_CLONES __attribute__((flatten))                                                   \
  std::size_t make_splats_##MODE(const Projector<Real<Mode::MODE>>& projector, const Layer& layer, \
                                 float large_radius, std::size_t first, std::size_t last,          \
                                 Splat* out, std::uint64_t by_class[4], double& radius_sum) {      \
    std::size_t made = 0;                                                                          \
    for (std::size_t i = first; i < last; ++i) {                                                   \
      const Class c = make_splat<Mode::MODE>(projector, layer.columns, layer.shading,              \
                                             large_radius, i, out[made]);                          \
      ++by_class[std::size_t(c)];                                                                  \
      if (c == Class::Inactive) continue;                                                          \
      radius_sum += double(out[made].radius);                                                      \
      ++made;                                                                                      \
    }                                                                                              \
    return made;                                                                                   \
  }                                                                                                \
  template <>                                                                                      \
  std::size_t make_splats_on_cpu<Mode::MODE>(const Projector<Real<Mode::MODE>>& projector,         \
                                             const Layer& layer, float large_radius,               \
                                             std::size_t first, std::size_t last, Splat* out,      \
                                             std::uint64_t by_class[4], double& radius_sum) {      \
    return make_splats_##MODE(projector, layer, large_radius, first, last, out, by_class,          \
                              radius_sum);                                                         \
  }

// Clones cannot be templates, hence the macro.
HALOSCOPE_MAKE_SPLATS(Classic)
HALOSCOPE_MAKE_SPLATS(Default)
HALOSCOPE_MAKE_SPLATS(Map)

}  // namespace haloscope::compute::splotch
