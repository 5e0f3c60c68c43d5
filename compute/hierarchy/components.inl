#pragma once

#include "compute/exec/atomics.h"
#include "core/host_device.h"

#include <cstddef>
#include <cstdint>

// What Borůvka's rounds have in common: components that point to one another until each points to
// the one that stays.
namespace haloscope::compute::hierarchy {

inline constexpr std::uint64_t kNoEdge = ~std::uint64_t(0);

// The ends of an edge as one number, the order of edges of one weight.
HALOSCOPE_HD inline std::uint64_t ends_key(std::uint32_t a, std::uint32_t b) {
  return a < b ? std::uint64_t(a) << 32 | b : std::uint64_t(b) << 32 | a;
}

// Each point's component is called by one of its points, its color.
struct ChangeColors {
  const std::uint32_t* up;
  std::uint32_t* color;
  HALOSCOPE_HD void operator()(std::size_t v) const { color[v] = up[color[v]]; }
};

// Halves the way to the component that stays.
struct Shorten {
  std::uint32_t* up;
  std::uint32_t first;
  std::uint32_t* changed;
  HALOSCOPE_HD void operator()(std::size_t c) const {
    const std::uint32_t node = first + std::uint32_t(c), to = atomic_load(up + node);
    const std::uint32_t beyond = atomic_load(up + to);
    if (beyond == to) return;
    atomic_store(up + node, beyond);
    atomic_store(changed, 1);
  }
};

template <class Exec>
bool is_set(Exec& exec, const std::uint32_t* flag) {
  std::uint32_t value = 0;
  exec.download(&value, flag, sizeof(value));
  return value != 0;
}

// Makes each of `count` components from `first` on point to the one that stays, which points to
// itself. Takes a number of passes that is the logarithm of the longest way. `flag`: one word.
template <class Exec>
void shorten(Exec& exec, std::uint32_t* up, std::uint32_t first, std::uint32_t count,
             std::uint32_t* flag) {
  do {
    exec.zero(flag, sizeof(*flag));
    parallel_for(exec, "components", count, Shorten{up, first, flag});
  } while (is_set(exec, flag));
}

}  // namespace haloscope::compute::hierarchy
