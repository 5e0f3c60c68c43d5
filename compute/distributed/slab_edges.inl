#pragma once

#include "compute/exec/atomics.h"
#include "compute/hierarchy/components.inl"
#include "compute/topology/contacts.inl"
#include "core/host_device.h"

#include <cstddef>
#include <cstdint>

// From the edges of a rank's forest to contacts for all ranks, for either executor.
namespace haloscope::compute::distributed {

// Of a rank's saddles those of its edges.
struct MarkSaddles {
  const std::uint64_t* moment;
  std::uint32_t* is_used;
  HALOSCOPE_HD void operator()(std::size_t e) const {
    atomic_store(is_used + topology::saddle_of_moment(moment[e]), 1);
  }
};

struct KeepSaddles {
  const std::uint32_t* up_to;  // of each saddle: how many are used up to it
  const std::uint32_t* cell;
  std::uint32_t* to;
  HALOSCOPE_HD void operator()(std::size_t s) const {
    const std::uint32_t before = s == 0 ? 0 : up_to[s - 1];
    if (up_to[s] != before) to[before] = cell[s];
  }
};

// Edges as contacts by the numbers that their saddles have among those of all ranks.
struct ShareEdges {
  const std::uint64_t* moment;
  const std::uint32_t *a, *b, *up_to;
  std::uint32_t first;
  std::uint64_t *moment_to, *ends;
  HALOSCOPE_HD void operator()(std::size_t e) const {
    const std::uint32_t saddle = up_to[topology::saddle_of_moment(moment[e])] - 1;
    moment_to[e] = topology::moment_of_saddle(topology::key_of_moment(moment[e]), first + saddle);
    ends[e] = hierarchy::ends_key(a[e], b[e]);
  }
};

}  // namespace haloscope::compute::distributed
