#include "compute/topology/step_rows_cpu.h"

#include "core/simd_clones.h"

#include <utility>

namespace haloscope::compute::topology {

namespace {

// One neighbor of all cells of a stretch. Neighbors come in the order of their numbers, which is
// that of their indices: of equal keys the first is swept first.
// Plain arguments that overlap nowhere, or the loops are no vectors.
template <int C, int N>
inline __attribute__((always_inline)) void look_at(const std::uint32_t* __restrict own,
                                                   const std::uint32_t* __restrict other,
                                                   std::uint32_t there, std::uint32_t count,
                                                   std::uint32_t* __restrict least,
                                                   std::uint32_t* __restrict up,
                                                   std::uint32_t* __restrict link) {
  constexpr int L = kLinkOf<C>;
  if constexpr (N != kOwnNumber) {
    constexpr std::uint32_t kBit = 1u << short_bit<L>(N);
    for (std::uint32_t k = 0; k < count; ++k)
      link[k] |= (N < kOwnNumber ? other[k] <= own[k] : other[k] < own[k]) ? kBit : 0;
  }
  if constexpr (N == kOwnNumber || is_neighbor<C>(N)) {
    constexpr bool kFirst = short_bit<C>(N) == 0 && N != kOwnNumber;
    for (std::uint32_t k = 0; k < count; ++k) {
      const bool is_less = kFirst || other[k] < least[k];
      up[k] = is_less ? there + k : up[k];
      least[k] = is_less ? other[k] : least[k];
    }
  }
}

template <int C, int N>
inline __attribute__((always_inline)) void look_to(const InnerStretch& stretch, std::uint32_t count,
                                                   std::uint32_t* least, std::uint32_t* up,
                                                   std::uint32_t* link) {
  if constexpr (N == kOwnNumber || is_neighbor<kLinkOf<C>>(N)) {
    const std::ptrdiff_t offset =
        offset_of(N, 0) * stretch.stride[0] + offset_of(N, 1) * stretch.stride[1] + offset_of(N, 2);
    look_at<C, N>(stretch.key, stretch.key + offset, stretch.first + std::uint32_t(offset), count,
                  least, up, link);
  }
}

template <int C, int... N>
inline __attribute__((always_inline)) void look_at_all(const InnerStretch& stretch,
                                                       std::uint32_t* __restrict up,
                                                       std::uint32_t* __restrict link,
                                                       std::integer_sequence<int, N...>) {
  std::uint32_t least[kRowStretch];
  const std::uint32_t count = stretch.count;
  for (std::uint32_t k = 0; k < count; ++k) link[k] = least[k] = up[k] = 0;
  (look_to<C, N>(stretch, count, least, up, link), ...);
}

template <int N>
inline __attribute__((always_inline)) void link_to(const std::uint32_t* __restrict own,
                                                   const std::uint32_t* __restrict other,
                                                   std::uint32_t count,
                                                   std::uint32_t* __restrict link) {
  for (std::uint32_t k = 0; k < count; ++k)
    link[k] |= (N < kOwnNumber ? other[k] <= own[k] : other[k] < own[k]) ? 1u << N : 0;
}

template <int C, int... N>
inline __attribute__((always_inline)) void link_all(const InnerStretch& stretch,
                                                    std::uint32_t* __restrict link,
                                                    std::integer_sequence<int, N...>) {
  const std::uint32_t count = stretch.count;
  const std::uint32_t* const own = stretch.key;
  for (std::uint32_t k = 0; k < count; ++k) link[k] = 0;
  const auto offset = [&](int number) {
    return offset_of(number, 0) * stretch.stride[0] + offset_of(number, 1) * stretch.stride[1] +
           offset_of(number, 2);
  };
  ((N != kOwnNumber && is_neighbor<kLinkOf<C>>(N) ? link_to<N>(own, own + offset(N), count, link)
                                                  : void()),
   ...);
}

// The same for one number of neighbors each: a template has no clones.
#define HALOSCOPE_LOOK_AROUND(C)                                                                 \
  HALOSCOPE_SIMD_CLONES void look_around_##C(const InnerStretch& stretch, std::uint32_t* up,     \
                                             std::uint32_t* link) {                              \
    look_at_all<C>(stretch, up, link, NeighborNumbers());                                        \
  }                                                                                              \
  HALOSCOPE_SIMD_CLONES void upper_links_##C(const InnerStretch& stretch, std::uint32_t* link) { \
    link_all<C>(stretch, link, NeighborNumbers());                                               \
  }
HALOSCOPE_LOOK_AROUND(6)
HALOSCOPE_LOOK_AROUND(14)
HALOSCOPE_LOOK_AROUND(18)
HALOSCOPE_LOOK_AROUND(26)
#undef HALOSCOPE_LOOK_AROUND

}  // namespace

void look_around(int neighbors, const InnerStretch& stretch, std::uint32_t* up,
                 std::uint32_t* link) {
  switch (neighbors) {
    case 6:
      return look_around_6(stretch, up, link);
    case 14:
      return look_around_14(stretch, up, link);
    case 18:
      return look_around_18(stretch, up, link);
    default:
      return look_around_26(stretch, up, link);
  }
}

void upper_links(int neighbors, const InnerStretch& stretch, std::uint32_t* link) {
  switch (neighbors) {
    case 6:
      return upper_links_6(stretch, link);
    case 14:
      return upper_links_14(stretch, link);
    case 18:
      return upper_links_18(stretch, link);
    default:
      return upper_links_26(stretch, link);
  }
}

}  // namespace haloscope::compute::topology
