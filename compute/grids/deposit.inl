#pragma once

#include "compute/grids/axis_shares.h"
#include "compute/grids/grid_frame.h"
#include "compute/grids/grid_sums.inl"

namespace haloscope::compute::grids {

// Calls f(place) for all copies of a place that may share in the cells of an axis.
template <class F>
HALOSCOPE_HD void for_images(const GridFrame& frame, int axis, double place, const F& f) {
  const int last = frame.last_image(axis);
  for (int k = frame.first_image(axis); k <= last; ++k) {
    const double u = place + double(k) * frame.period[axis];
    if (frame.edge[axis] != Edge::Cut || (u > -kReach && u < double(frame.cells[axis]) + kReach))
      f(u);
  }
}

// What of `quanta` each cell of an axis gets: calls use(cell, part) for those inside the grid.
template <class Use>
HALOSCOPE_HD void cut_axis(const GridFrame& frame, int axis, const AxisShares& shares,
                           std::int64_t quanta, const Use& use) {
  std::int64_t before = 0;
  for (int k = 0; k < shares.count; ++k) {
    const std::int64_t until = cut(quanta, shares.until[k]);
    const std::int64_t part = until - before;
    before = until;
    std::uint64_t cell = 0;
    if (part != 0 && frame.cell(axis, shares.first + k, cell)) use(cell, part);
  }
}

// All but kernels: each particle is cut along x, its parts along y, theirs along z.
template <class Sums>
struct DepositSharesIn {
  GridFrame frame;
  Assign assign;
  GridValues values;
  Sums sums;

  HALOSCOPE_HD void operator()(std::size_t i) const {
    double value[2];
    if (!values.get(i, value)) return;
    const spatial::FixedPoint p = values.columns.position.at(i);
    for_images(frame, 0, frame.place(0, p.x), [&](double x) {
      const AxisShares in_x = axis_shares(assign, x);
      for_images(frame, 1, frame.place(1, p.y), [&](double y) {
        const AxisShares in_y = axis_shares(assign, y);
        for_images(frame, 2, frame.place(2, p.z), [&](double z) {
          const AxisShares in_z = axis_shares(assign, z);
          for (int c = 0; c < sums.channels; ++c)
            deposit(c, rounded(value[c] * sums.per_unit[c]), in_x, in_y, in_z);
        });
      });
    });
  }

 private:
  HALOSCOPE_HD void deposit(int channel, std::int64_t quanta, const AxisShares& in_x,
                            const AxisShares& in_y, const AxisShares& in_z) const {
    cut_axis(frame, 0, in_x, quanta, [&](std::uint64_t x, std::int64_t of_x) {
      cut_axis(frame, 1, in_y, of_x, [&](std::uint64_t y, std::int64_t of_y) {
        cut_axis(frame, 2, in_z, of_y, [&](std::uint64_t z, std::int64_t of_z) {
          sums.add(channel, frame.at(x, y, z), of_z);
        });
      });
    });
  }
};

using DepositShares = DepositSharesIn<SumsView>;

// The plain way; a GPU has another one (deposit_windows.cuh).
template <class Exec, class Sums>
void deposit_shares(Exec& exec, const DepositSharesIn<Sums>& shares) {
  parallel_for(exec, "grid", std::size_t(shares.values.columns.count), shares);
}

}  // namespace haloscope::compute::grids
