#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::io {

// How the formats of catalogs of clusters, peaks and voids begin, which this program wrote;
// catalogs of halos have others.
inline constexpr const char* kClustersFormat = "haloscope clusters";
inline constexpr const char* kPeaksFormat = "haloscope peaks";
inline constexpr const char* kVoidsFormat = "haloscope voids";

// What provenance tells of a search in a grid: whether it went down from peaks or up from minima.
inline constexpr const char* kLevelsParameter = "levels";
inline constexpr const char* kFromMinima = "sub";

// What provenance tells of clusters of a bare table and of peaks of a bare grid, which have no
// cosmology.
inline constexpr const char* kPointsParameter = "points";
inline constexpr const char* kRowsOfTable = "rows of a table";
inline constexpr const char* kCellsOfGrid = "cells of a grid";

// What an HDF5 catalog of clusters or peaks holds beside its table.
struct TreeTable {
  std::string name;  // "Tree", "Labels/PartType1"
  std::string what;  // "edges"
  std::uint64_t rows = 0;
};

// Those of a file, in the order in which they are written; none for any other file. Never throws.
std::vector<TreeTable> list_tree_tables(const std::string& path);

}  // namespace haloscope::io
