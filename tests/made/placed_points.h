#pragma once

#include "compute/spatial/points.h"
#include "tests/made/fixed_points.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace haloscope::test {

// Points on a device, in so many sets, the first rows in the first one.
inline std::vector<std::shared_ptr<const compute::spatial::PointSet>> placed(compute::Device device,
                                                                             const Domain& domain,
                                                                             const Points& p,
                                                                             std::size_t sets = 1) {
  std::vector<std::shared_ptr<const compute::spatial::PointSet>> all;
  const std::size_t n = p[0].size();
  for (std::size_t k = 0; k < sets; ++k) {
    const std::size_t first = n * k / sets;
    all.push_back(compute::spatial::place_points(
        device, domain, {p[0].data() + first, p[1].data() + first, p[2].data() + first},
        n * (k + 1) / sets - first));
  }
  return all;
}

}  // namespace haloscope::test
