#pragma once

#include "compute/exec/atomics.h"
#include "compute/exec/buffer.h"
#include "compute/exec/shared_labels.inl"
#include "compute/exec/slices.inl"
#include "compute/topology/merge_tree.h"
#include "compute/topology/rims.inl"
#include "compute/topology/segments.inl"
#include "core/error.h"
#include "core/host_device.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

// Segments of points, for either executor. A cell goes where its unit goes: its basin, or the
// branch that it is of (segments.inl). So of all points only the units are kept, and a threshold's
// change looks at no cell.
namespace haloscope::compute::topology {

// Adds to a sum that many threads add to: those of a warp that share it add together, where the
// chip can sum for some of a warp.
template <class T>
HALOSCOPE_HD inline void add_together(T* sums, std::uint32_t at, std::uint32_t value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned sharing = __match_any_sync(__activemask(), at);
  const std::uint32_t sum = __reduce_add_sync(sharing, value);
  if (threadIdx.x % 32 == unsigned(__ffs(int(sharing)) - 1)) atomic_add(sums + at, T(sum));
#else
  atomic_add(sums + at, T(value));
#endif
}

struct CountCellsOfUnits {
  const std::uint32_t* unit;  // of each cell
  std::uint32_t* count;
  HALOSCOPE_HD void operator()(std::size_t v) const {
    if (unit[v] != kNone) add_together(count, unit[v], 1);
  }
};

// Of cells units, and how many points there are in each.
struct FindUnitsOfPoints {
  const std::uint32_t* of_cell;
  std::uint32_t cells;
  std::uint32_t* unit;  // before: the cell of each point
  std::uint32_t* count;
  std::uint32_t* is_beyond;  // 1: a cell is none of the grid's
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint32_t cell = unit[i];
    if (cell == kNone) return;
    if (cell >= cells) {
      atomic_store(is_beyond, 1);
      return;
    }
    unit[i] = of_cell[cell];
    if (unit[i] != kNone) add_together(count, unit[i], 1);
  }
};

struct ListSegments {
  const std::uint32_t* number;  // of each age: how many segments are at most as old
  std::uint32_t* branch;
  HALOSCOPE_HD void operator()(std::size_t age) const {
    const std::uint32_t before = age == 0 ? 0 : number[age - 1];
    if (number[age] != before) branch[before] = std::uint32_t(age);
  }
};

struct SumUpUnits {
  const std::uint32_t* segment;         // of each unit
  const std::uint32_t *cells, *points;  // of each unit
  std::uint64_t *cells_sum, *points_sum;
  HALOSCOPE_HD void operator()(std::size_t unit) const {
    add_together(cells_sum, segment[unit], cells[unit]);
    add_together(points_sum, segment[unit], points[unit]);
  }
};

// Points of one tree and labeling.
template <class Exec>
struct PointUnits {
  bool kept = false;
  Labeling labeling = Labeling::Watershed;
  Buffer<std::uint32_t, Exec> unit;           // of each point; kNone: of none
  Buffer<std::uint32_t, Exec> cells, points;  // of each unit, how many
};

// `of_cell`: the unit of each cell, of so many. Throws Error.
template <class Exec>
PointUnits<Exec> find_units(Exec& exec, std::span<const std::uint32_t> cell_of_point,
                            Labeling labeling, const CellCodes<Exec>& of_cell,
                            std::uint32_t units) {
  PointUnits<Exec> points;
  points.kept = true;
  points.labeling = labeling;
  points.unit = Buffer<std::uint32_t, Exec>(exec, cell_of_point.size(), "cells of points");
  exec.upload(points.unit.data(), cell_of_point.data(), cell_of_point.size_bytes());
  points.cells = Buffer<std::uint32_t, Exec>(exec, units, "segments");
  points.points = Buffer<std::uint32_t, Exec>(exec, units, "segments");
  exec.zero(points.cells.data(), units * sizeof(std::uint32_t));
  exec.zero(points.points.data(), units * sizeof(std::uint32_t));
  parallel_for(exec, "cells of basins", of_cell.cells,
               CountCellsOfUnits{of_cell.data(), points.cells.data()});
  Buffer<std::uint32_t, Exec> flag(exec, 1, "cells of points");
  exec.zero(flag.data(), sizeof(std::uint32_t));
  parallel_for(exec, "cells of points", cell_of_point.size(),
               FindUnitsOfPoints{of_cell.data(), std::uint32_t(of_cell.cells), points.unit.data(),
                                 points.points.data(), flag.data()});
  if (hierarchy::is_set(exec, flag.data()))
    throw Error("a point lies in a cell that the grid does not have", "merge tree",
                "give the cells of this grid");
  return points;
}

// Of each segment.
template <class Exec>
struct SegmentSums {
  Buffer<std::uint32_t, Exec> branch;
  Buffer<std::uint64_t, Exec> cells, points;
};

template <class Exec>
class SharedSegmentLists final : public ResidentSegmentLists {
 public:
  SharedSegmentLists(std::shared_ptr<SharedExecutor<Exec>> shared, SegmentSums<Exec> sums)
      : shared_(std::move(shared)), sums_(std::move(sums)) {}
  SegmentLists download() const override {
    const std::lock_guard lock(shared_->mutex);
    Exec& exec = shared_->exec;
    return {compute::download(exec, sums_.branch), compute::download(exec, sums_.cells),
            compute::download(exec, sums_.points)};
  }

 private:
  std::shared_ptr<SharedExecutor<Exec>> shared_;
  SegmentSums<Exec> sums_;
};

template <class Exec>
SegmentSums<Exec> sum_up(Exec& exec, const PointUnits<Exec>& points,
                         const SegmentsOn<Exec>& segments) {
  const std::size_t units = segments.number.size();
  std::uint32_t count = 0;
  if (units > 0) exec.download(&count, segments.number.data() + units - 1, sizeof(std::uint32_t));
  SegmentSums<Exec> sums{Buffer<std::uint32_t, Exec>(exec, count, "segments"),
                         Buffer<std::uint64_t, Exec>(exec, count, "segments"),
                         Buffer<std::uint64_t, Exec>(exec, count, "segments")};
  exec.zero(sums.cells.data(), count * sizeof(std::uint64_t));
  exec.zero(sums.points.data(), count * sizeof(std::uint64_t));
  parallel_for(exec, "segments", units, ListSegments{segments.number.data(), sums.branch.data()});
  parallel_for(exec, "segments", units,
               SumUpUnits{segments.of_basin.data(), points.cells.data(), points.points.data(),
                          sums.cells.data(), sums.points.data()});
  return sums;
}

}  // namespace haloscope::compute::topology
