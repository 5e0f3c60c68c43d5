#pragma once

#include "compute/exec/cpu.h"
#include "compute/topology/basin_branches.inl"
#include "compute/topology/contact_rows_cpu.h"

#include <cstdint>

// Branches of basins from their contacts, for the CPU. The plain way is a spanning forest and its
// dendrogram, which have many passes with few basins each at the end. Here contacts are sorted by
// moment and merged as the paper merges the edges of a grid (triplets.inl): each basin has a word
// with the contact that ends its branch and an older basin on the other side. Since contacts come
// nearly in order, a merge seldom changes what one before it said, and ways that are settled are
// shortened.
namespace haloscope::compute::topology {

// In place of the plain way; the branches' dendrogram is not made. `stretch`: so many contacts are
// merged side by side; what those before them say does not change any more. The result is the same.
BasinBranches<Cpu> join_basins(Cpu& exec, ContactRows contacts, const hierarchy::AgesView& ages,
                               std::uint32_t basins, std::uint32_t stretch = 1u << 17);

}  // namespace haloscope::compute::topology
