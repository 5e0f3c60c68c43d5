#pragma once

#include "compute/exec/buffer.h"
#include "compute/grids/density_grid.h"
#include "compute/spatial/points_view.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace haloscope::compute::grids {

// A stretch of the columns of one type, where an executor reads them.
struct GridColumns {
  std::uint64_t count = 0;
  spatial::Positions position;
  bool in_morton_order = false;
  const float* mass = nullptr;  // null: uniform_mass
  double uniform_mass = 1;
  const float* field = nullptr;
  const float* radius = nullptr;
};

// What is added up, one or two values of each particle.
struct GridValues {
  Quantity quantity = Quantity::Mass;
  GridColumns columns;

  // False: they are not finite numbers.
  HALOSCOPE_HD bool get(std::size_t i, double (&value)[2]) const {
    const double mass = columns.mass ? double(columns.mass[i]) : columns.uniform_mass;
    const double field = columns.field ? double(columns.field[i]) : 0;
    value[0] = quantity == Quantity::Count ? 1 : quantity == Quantity::Sum ? field : mass;
    value[1] = quantity == Quantity::Mean ? mass * field : 0;
    return value[0] - value[0] == 0 && value[1] - value[1] == 0;
  }
};

// Calls use(columns) for stretches of all types, in order; types without the field of a sum or mean
// are passed over. A GPU gets copies, of positions and radii only where `places` is set.
template <class Exec, class Use>
void for_each_stretch(Exec& exec, const GridRequest& request, const std::vector<GridPoints>& points,
                      bool places, const Use& use) {
  constexpr std::uint64_t kStretch = std::uint64_t(1) << 22;
  const bool of_field = is_of_field(request.quantity);
  Buffer<std::uint32_t, Exec> axis[3];
  Buffer<float, Exec> mass, field, radius;
  const auto put = [&](auto& buffer, const auto* column, std::uint64_t first, std::uint64_t count) {
    if constexpr (Exec::is_cuda) {
      if (!column) return column;
      buffer.reserve(exec, std::size_t(count), "particles");
      exec.upload(buffer.data(), column + first, std::size_t(count) * sizeof(*column));
      return static_cast<decltype(column)>(buffer.data());
    } else {
      return column ? column + first : column;
    }
  };
  for (const GridPoints& type : points) {
    if (of_field && !type.field) continue;
    for (std::uint64_t first = 0; first < type.count; first += kStretch) {
      GridColumns columns;
      columns.count = std::min(kStretch, type.count - first);
      const std::uint64_t count = columns.count;
      columns.uniform_mass = type.uniform_mass;
      columns.mass = put(mass, type.mass, first, count);
      columns.field = put(field, of_field ? type.field : nullptr, first, count);
      if (places) {
        columns.position = {put(axis[0], type.position[0], first, count),
                            put(axis[1], type.position[1], first, count),
                            put(axis[2], type.position[2], first, count)};
        columns.radius =
            put(radius, request.assign == Assign::Kernel ? type.radius : nullptr, first, count);
      }
      use(columns);
      exec.synchronize();
    }
  }
}

}  // namespace haloscope::compute::grids
