#pragma once

#include "compute/exec/device.h"
#include "core/grid.h"

#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::benchmarks {

// A kind of grid that benchmarks make themselves.
struct FieldSet {
  const char* name;
  const char* words;  // what it is like
  bool is_image;      // it has one cell along z
};
const std::vector<FieldSet>& field_sets();

// Makes a set of `size` cells along x, y and (unless it is an image) z. The values depend on name
// and size alone, not on device or threads; its opposite ends fit, but for those of `half`. Takes
// 16 bytes a cell on the host or, while it is smoothed, 8 on the device. Throws Error for names
// that are not among field_sets(), for no cells, and where memory runs out.
Grid make_field(compute::Device device, const std::string& name, std::uint32_t size);

}  // namespace haloscope::benchmarks
