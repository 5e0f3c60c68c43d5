#include "compute/halos/attraction.h"
#include "core/simd_clones.h"

namespace haloscope::compute::halos {

// Compiled to add in any order: kAttractionError allows for it.
HALOSCOPE_SIMD_CLONES __attribute__((flatten)) void attract_on_cpu(
    const SourceView& sources, std::size_t n, const SourceView& targets, std::uint32_t count,
    Softening softening, double* depth) {
  attract_plainly(sources, n, targets, count, softening, depth);
}

}  // namespace haloscope::compute::halos
