#pragma once

#include "compute/exec/cpu.h"
#include "compute/halos/properties/radial_profile.inl"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace haloscope::compute::halos {

// Sorts packed distances. Halos and what is around them have about as many particles at any radius
// as at any other, so that shells of equal width hold few each: one pass of counting does most of
// the work (Dobosiewicz 1978).
class SortByShells {
 public:
  void operator()(std::uint64_t* packed, std::size_t n) {
    if (n <= kFew) {
      std::sort(packed, packed + n);
      return;
    }
    shells_ = std::uint32_t(n / kPerShell);
    per_length_ = double(shells_) / distance_of(*std::max_element(packed, packed + n));
    place(packed, n);
    std::uint32_t begin = 0;
    for (std::uint32_t shell = 0; shell < shells_; ++shell) {
      std::sort(placed_.begin() + begin, placed_.begin() + end_[shell]);
      begin = end_[shell];
    }
    std::copy(placed_.begin(), placed_.begin() + std::ptrdiff_t(n), packed);
  }

 private:
  static constexpr std::size_t kFew = 32, kPerShell = 4;

  std::uint32_t shell_of(std::uint64_t packed) const {
    const double shell = distance_of(packed) * per_length_;
    // Also what is no number, as which the largest of all zeros would count.
    return shell < double(shells_) ? std::uint32_t(shell) : shells_ - 1;
  }

  void place(const std::uint64_t* packed, std::size_t n) {
    end_.assign(shells_ + 1, 0);
    placed_.resize(n);
    for (std::size_t i = 0; i < n; ++i) ++end_[shell_of(packed[i]) + 1];
    for (std::uint32_t shell = 0; shell < shells_; ++shell) end_[shell + 1] += end_[shell];
    for (std::size_t i = 0; i < n; ++i) placed_[end_[shell_of(packed[i])]++] = packed[i];
  }

  std::uint32_t shells_ = 0;
  double per_length_ = 0;
  std::vector<std::uint32_t> end_;  // of each shell, once all are placed
  std::vector<std::uint64_t> placed_;
};

}  // namespace haloscope::compute::halos

namespace haloscope::compute {

// Sorts each run [begin[r], begin[r + 1]) of `packed` by itself, many small ones at once and each
// large one on all cores.
inline void sort_profiles(Cpu&, const char* /*name*/, Buffer<std::uint64_t, Cpu>& distances,
                          const std::vector<std::uint64_t>& begin) {
  std::uint64_t* const packed = distances.data();
  constexpr std::uint64_t kLarge = 1 << 17;
  const auto is_large = [&](std::size_t r) { return begin[r + 1] - begin[r] >= kLarge; };
  const std::size_t runs = begin.size() - 1;
  ::tbb::parallel_for(::tbb::blocked_range<std::size_t>(0, runs, 16), [&](const auto& range) {
    halos::SortByShells sort;
    for (std::size_t r = range.begin(); r != range.end(); ++r)
      if (!is_large(r)) sort(packed + begin[r], begin[r + 1] - begin[r]);
  });
  for (std::size_t r = 0; r < runs; ++r)
    if (is_large(r)) ::tbb::parallel_sort(packed + begin[r], packed + begin[r + 1]);
}

}  // namespace haloscope::compute
