#include "compute/gravity/attraction.h"
#include "compute/gravity/potential_tree.inl"
#include "core/simd_clones.h"

namespace haloscope::compute::gravity {

// Compiled to add in any order: kAttractionError allows for it.
HALOSCOPE_SIMD_CLONES __attribute__((flatten)) void attract_on_cpu(
    const SourceView& sources, std::size_t n, const SourceView& targets, std::uint32_t count,
    Softening softening, double* depth) {
  attract_plainly(sources, n, targets, count, softening, depth);
}

HALOSCOPE_SIMD_CLONES __attribute__((flatten)) void find_errors_on_cpu(const NodeFan& fan,
                                                                       int level,
                                                                       const LatticeBox& box,
                                                                       float h, FanErrors& out) {
  find_errors(fan, level, box, h, out);
}

}  // namespace haloscope::compute::gravity
