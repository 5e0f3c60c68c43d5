#pragma once

#include "core/grid.h"
#include "core/progress.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace haloscope::io {

// One value for each point or line. Borrowed.
struct VtuArray {
  std::string name;
  GridScalar scalar = GridScalar::Float64;
  const void* values = nullptr;
};

// Points and lines between two of them each.
struct VtuLines {
  std::vector<std::array<double, 3>> points;
  std::vector<std::array<std::int64_t, 2>> lines;
  std::vector<VtuArray> of_points, of_lines;
  std::map<std::string, std::string> texts;  // of the field data
};

// Writes them as an unstructured grid of VTK, which ParaView reads. Appears whole or not at all.
// Throws Error where it cannot be written; and Cancelled.
void write_vtu(const std::string& path, const VtuLines& lines, Progress& progress);

}  // namespace haloscope::io
