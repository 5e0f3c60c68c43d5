#pragma once

#include "analysis/halos/halo_table.h"
#include "analysis/topology/structures.h"
#include "core/halo_catalog.h"

#include <cstdint>
#include <vector>

// Structures as rows of a catalog.
namespace haloscope::analysis {

// Adds what the grid knows of each structure: GroupPeakPos, GroupPeakValue, GroupSaddleValue,
// GroupPersistence, GroupParent, GroupBranch, GroupCells, GroupVolume, and GroupGridMass, where
// `mass_of_one` is the mass of a cell of the value 1; where that is 0, GroupGridSum, the sum of the
// values. Units are those of GroupPos and GroupMass.
void add_grid_columns(const GridTree& tree, const Structures& found, double mass_of_one,
                      HaloTable& table);

// The catalog of a bare grid: row n is structure n, and members are cells.
HaloCatalog catalog_of_grid(const GridTree& tree, const Structures& found);

// Puts voids at their minima, and leaves out what is told about the member of lowest potential,
// which lies in a wall: spheres of R200 and the like, the largest circular velocity, the spin.
// Adds GroupRadius.
void place_at_minima(const GridTree& tree, const Structures& found, HaloTable& table);

// Puts rows of structures without members among those that were measured: `measured` lists the
// structures of the table's rows, ascending. They lie at their peaks; all else of them is 0.
void add_empty_rows(const GridTree& tree, const Structures& found,
                    const std::vector<std::uint32_t>& measured, FoundCatalog& catalog);

}  // namespace haloscope::analysis
