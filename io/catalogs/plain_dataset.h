#pragma once

#include "core/grid.h"
#include "core/snapshot_info.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::io {

// Numbers that an HDF5 catalog holds beside its tables: a tree, labels of particles. Borrowed.
struct PlainDataset {
  std::string name;  // "Tree/weight"
  std::string unit, description;
  ScalarType scalar = ScalarType::Float64;  // in memory and in the file
  std::uint64_t rows = 0;
  int components = 1;
  const void* data = nullptr;  // row by row
  // In place of `scalar`, `rows` and `components`: of a type that grids have, in any shape.
  std::optional<GridScalar> grid_scalar = std::nullopt;
  std::vector<std::uint64_t> shape = {};
};

}  // namespace haloscope::io
