#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::io {

// How the format of a catalog of clusters begins, which this program wrote; catalogs of halos have
// others.
inline constexpr const char* kClustersFormat = "haloscope clusters";

// What provenance tells of clusters of a bare table, which has no units and no cosmology.
inline constexpr const char* kPointsParameter = "points";
inline constexpr const char* kRowsOfTable = "rows of a table";

// What an HDF5 catalog of clusters holds beside its table.
struct TreeTable {
  std::string name;  // "Tree", "Labels/PartType1"
  std::string what;  // "edges"
  std::uint64_t rows = 0;
};

// Those of a file, in the order in which they are written; none for any other file. Never throws.
std::vector<TreeTable> list_tree_tables(const std::string& path);

}  // namespace haloscope::io
