#pragma once

#include "compute/clusters/spanning_tree.h"
#include "compute/exec/slices.inl"
#include "compute/spatial/block_tree.inl"

#include <cstdint>
#include <vector>

namespace haloscope::compute::distributed {

template <int D, class Exec>
std::vector<std::uint32_t> curve_order_on(Exec& exec, const clusters::LatticePoints& points) {
  if (points.count == 0) return {};
  spatial::Columns<D> columns{};
  columns.shift = points.shift;
  std::vector<Buffer<std::uint32_t, Exec>> on_device;
  for (std::size_t a = 0; a < points.column.size(); ++a) {
    on_device.emplace_back(exec, std::size_t(points.count), "positions");
    exec.upload(on_device.back().data(), points.column[a],
                on_device.back().size() * sizeof(std::uint32_t));
    columns.column[a] = on_device.back().data();
  }
  return download(exec, spatial::order_points(exec, columns, std::uint32_t(points.count)));
}

template <class Exec>
std::vector<std::uint32_t> curve_order_on(Exec& exec, const clusters::LatticePoints& points) {
  const std::size_t dimensions = points.column.size();
  if (dimensions <= 3) return curve_order_on<3>(exec, points);
  if (dimensions <= 6) return curve_order_on<6>(exec, points);
  return curve_order_on<8>(exec, points);
}

}  // namespace haloscope::compute::distributed
