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

// Goes some steps towards the component that stays.
struct Shorten {
  static constexpr int kSteps = 16;
  std::uint32_t* up;
  std::uint32_t first;
  std::uint32_t* is_unfinished;  // 1: more steps than these lead to it
  HALOSCOPE_HD void operator()(std::size_t c) const {
    const std::uint32_t node = first + std::uint32_t(c), begin = atomic_load(up + node);
    std::uint32_t to = begin;
    for (int step = 0; step < kSteps; ++step) {
      const std::uint32_t beyond = atomic_load(up + to);
      if (beyond == to) {
        if (to != begin) atomic_store(up + node, to);
        return;
      }
      to = beyond;
    }
    atomic_store(up + node, to);
    atomic_store(is_unfinished, 1);
  }
};

template <class Exec>
bool is_set(Exec& exec, const std::uint32_t* flag) {
  std::uint32_t value = 0;
  exec.download(&value, flag, sizeof(value));
  return value != 0;
}

// Makes the ways of `count` components from `first` on to the ones that stay, which point to
// themselves, shorter by a factor of 16. `flag`, one word: 1 where some is longer still.
template <class Exec>
void shorten_once(Exec& exec, std::uint32_t* up, std::uint32_t first, std::uint32_t count,
                  std::uint32_t* flag) {
  exec.zero(flag, sizeof(*flag));
  parallel_for(exec, "components", count, Shorten{up, first, flag});
}

// Makes each of them point to the one that stays.
template <class Exec>
void shorten(Exec& exec, std::uint32_t* up, std::uint32_t first, std::uint32_t count,
             std::uint32_t* flag) {
  do shorten_once(exec, up, first, count, flag);
  while (is_set(exec, flag));
}

}  // namespace haloscope::compute::hierarchy
