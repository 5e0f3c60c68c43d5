#pragma once

#include "compute/exec/atomics.h"
#include "compute/exec/buffer.h"
#include "compute/hierarchy/components.inl"
#include "core/host_device.h"

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/fill.h>
#include <thrust/iterator/counting_iterator.h>

#include <cstddef>
#include <cstdint>

// The earliest moment of each pair of components that touch: a hash table that threads fill
// together.
namespace haloscope::compute::topology {

inline constexpr std::uint64_t kNoSlot = ~std::uint64_t(0);

// Each component has `width` slots of its own. A pair looks for a place in those of its smaller
// component, then in those of its larger one, for one that touches thousands has no room, then
// anywhere. So neighbors in space stay neighbors in memory.
struct PairTableView {
  std::uint64_t* pair;  // hierarchy::ends_key; kNoEdge: empty
  std::uint64_t* moment;
  std::uint64_t components;
  std::uint32_t width;  // a power of two

  HALOSCOPE_HD static std::uint64_t mixed(std::uint64_t bits) {
    // The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
  }
  HALOSCOPE_HD std::uint64_t slot_of_try(std::uint64_t key, std::uint64_t hash,
                                         std::uint32_t number) const {
    if (number >= 2 * width) return mixed(hash + number) % (components * width);
    const std::uint64_t component = number < width ? key >> 32 : std::uint32_t(key);
    return component * width + ((hash + number) & (width - 1));
  }
  // kNoSlot: the table is too full.
  HALOSCOPE_HD std::uint64_t find_or_add(std::uint32_t a, std::uint32_t b) const {
    const std::uint64_t key = hierarchy::ends_key(a, b), hash = mixed(key);
    for (std::uint32_t number = 0; number < 2 * width + 64; ++number) {
      const std::uint64_t slot = slot_of_try(key, hash, number);
      std::uint64_t found = atomic_load(pair + slot);
      if (found == hierarchy::kNoEdge)
        found = atomic_compare_exchange(pair + slot, hierarchy::kNoEdge, key);
      if (found == hierarchy::kNoEdge || found == key) return slot;
    }
    return kNoSlot;
  }
};

struct IsUsedSlot {
  const std::uint64_t* pair;
  HALOSCOPE_HD bool operator()(std::uint64_t slot) const {
    return pair[slot] != hierarchy::kNoEdge;
  }
};

template <class Exec>
class PairTable {
 public:
  PairTable(Exec& exec, std::uint32_t components, std::uint32_t width)
      : exec_(exec),
        components_(components),
        width_(width),
        pair_(exec, std::size_t(components) * width, "contacts"),
        moment_(exec, std::size_t(components) * width, "contacts") {
    thrust::fill(exec_.policy(), pair_.begin(), pair_.end(), hierarchy::kNoEdge);
    thrust::fill(exec_.policy(), moment_.begin(), moment_.end(), ~std::uint64_t(0));
  }

  PairTableView view() { return {pair_.data(), moment_.data(), components_, width_}; }

  Buffer<std::uint64_t, Exec> used() {
    const thrust::counting_iterator<std::uint64_t> first(0), last(pair_.size());
    const IsUsedSlot is_used{pair_.data()};
    const auto count = std::size_t(thrust::count_if(exec_.policy(), first, last, is_used));
    Buffer<std::uint64_t, Exec> slots(exec_, count, "contacts");
    if (count > 0) thrust::copy_if(exec_.policy(), first, last, slots.data(), is_used);
    return slots;
  }

 private:
  Exec& exec_;
  std::uint32_t components_, width_;
  Buffer<std::uint64_t, Exec> pair_, moment_;
};

}  // namespace haloscope::compute::topology
