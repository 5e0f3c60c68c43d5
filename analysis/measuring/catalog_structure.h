#pragma once

#include "core/halo_catalog.h"
#include "core/snapshot_info.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

// One row of a catalog in the code units of a snapshot.
struct CatalogStructure {
  std::string name;  // "row 3 of Group"
  std::array<double, 3> center{};
  std::optional<std::array<double, 3>> velocity;  // peculiar, where the catalog has it
  std::optional<double> r200;                     // where it has one that is above 0
  std::string r200_column;
  std::vector<std::string> said;  // sentences: what was taken for granted
};

// `table`: its name in any case; empty: the first with rows. Units are converted where both files
// tell theirs. Throws Error for a table or row that is not there, and for a table without
// positions.
CatalogStructure structure_of(const HaloCatalog& catalog, const std::string& table,
                              std::uint64_t row, const SnapshotInfo& info);

}  // namespace haloscope::analysis
