#pragma once

#include <algorithm>
#include <cstdint>

namespace haloscope::compute::splotch {

// Of how many particles in Morton order Renderer::radius_sample() takes one.
inline std::uint64_t radius_stride(std::uint64_t count, std::uint64_t at_most) {
  return std::max<std::uint64_t>(1, (count + at_most - 1) / std::max<std::uint64_t>(1, at_most));
}

}  // namespace haloscope::compute::splotch
