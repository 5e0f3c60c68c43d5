#pragma once

#include "core/snapshot_info.h"

#include <cstdint>
#include <string>

namespace haloscope::io {

// Numbers that an HDF5 catalog holds beside its tables: a tree, labels of particles. Borrowed.
struct PlainDataset {
  std::string name;  // "Tree/weight"
  std::string unit, description;
  ScalarType scalar = ScalarType::Float64;  // in memory and in the file
  std::uint64_t rows = 0;
  int components = 1;
  const void* data = nullptr;  // row by row
};

}  // namespace haloscope::io
