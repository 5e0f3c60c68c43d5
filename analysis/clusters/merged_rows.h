#pragma once

#include "analysis/clusters/table_lattice.h"
#include "io/tables/point_table.h"

#include <cstdint>

namespace haloscope::analysis {

// Rows that have the same place in the lattice as an earlier row and other numbers: those that the
// lattice does not tell apart. Of rows that were wrapped into a box, more than rounding apart.
std::uint64_t merged_rows(const io::PointTable& table, const TableLattice& lattice);

}  // namespace haloscope::analysis
