#pragma once

#include "compute/exec/named_range.h"
#include "compute/exec/slices.inl"
#include "compute/grids/deposit.inl"
#include "compute/splotch/map_kernel.h"
#include "core/progress.h"

#include <thrust/copy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/scan.h>

#include <algorithm>
#include <cmath>

// Particles shared by their own smoothing kernels, whose projections are the kernels of pictures
// (compute/splotch/kernel_profile.h):
// - Where the kernel ends within 2.5 cells on some axis, it is ∝ Π (1 − x²)⁴, integrated over each
//   cell, so that all shares sum to 1. Its support is narrower by √(11/12), which gives it the
//   variance of the radial one.
// - Where it is wider, (1 − r²/H²)^3.5 at the centers of cells, divided by its sum over all cells.
//   (1 − d²/H²)⁴ of pictures is what remains of it along a line of sight.
namespace haloscope::compute::grids {

// One copy of a particle, in cells of the grid.
struct KernelPlace {
  double u[3];
  double radius[3];

  HALOSCOPE_HD bool is_narrow() const {
    constexpr double kNarrow = splotch::FluxProfile::kIntegratedRadius;
    return radius[0] <= kNarrow || radius[1] <= kNarrow || radius[2] <= kNarrow;
  }
};

struct CellRange {
  std::int64_t first, last;
  HALOSCOPE_HD std::uint64_t count() const {
    return last < first ? 0 : std::uint64_t(last - first + 1);
  }
};

// Kernels end where they would cover a periodic axis more than this often: what is wider is even.
// Others end at the cells that a grid can have.
inline constexpr double kMostPeriods = 1;

// The copies of particles, numbered: each particle has `copies` of them.
struct KernelPlaces {
  GridFrame frame;
  GridValues values;

  HALOSCOPE_HD std::uint64_t copies() const {
    std::uint64_t all = 1;
    for (int axis = 0; axis < 3; ++axis)
      all *= std::uint64_t(frame.last_image(axis) - frame.first_image(axis) + 1);
    return all;
  }

  // False: this copy has no share in the grid.
  HALOSCOPE_HD bool get(std::uint64_t number, KernelPlace& place) const {
    std::uint64_t copy = number % copies();
    const std::size_t i = std::size_t(number / copies());
    double value[2];
    if (!values.get(i, value)) return false;
    const spatial::FixedPoint p = values.columns.position.at(i);
    const std::uint32_t fixed[3] = {p.x, p.y, p.z};
    const double radius = length(i);
    for (int axis = 0; axis < 3; ++axis) {
      const auto images = std::uint64_t(frame.last_image(axis) - frame.first_image(axis) + 1);
      const int k = frame.first_image(axis) + int(copy % images);
      copy /= images;
      place.u[axis] = frame.place(axis, fixed[axis]) + double(k) * frame.period[axis];
      place.radius[axis] = radius * frame.per_length[axis];
      const double reach = place.radius[axis] + 1;
      if (frame.edge[axis] == Edge::Cut &&
          (place.u[axis] < -reach || place.u[axis] > double(frame.cells[axis]) + reach))
        return false;
    }
    return true;
  }

 private:
  // Where the kernel ends, world length. Without a radius a particle lies in one cell.
  HALOSCOPE_HD double length(std::size_t i) const {
    const double radius = values.columns.radius ? double(values.columns.radius[i]) : 0;
    double least = 1e300, most = 1e300;
    for (int axis = 0; axis < 3; ++axis) {
      constexpr double kCells = GridFrame::kMostCells;
      const double cells = frame.period[axis] > 0 ? kMostPeriods * frame.period[axis] : kCells;
      const double here = 1e-3 / frame.per_length[axis], wide = cells / frame.per_length[axis];
      least = here < least ? here : least;
      most = wide < most ? wide : most;
    }
    if (!(radius > least)) return least;
    return radius < most ? radius : most;
  }
};

// The cells of an axis that a narrow kernel touches, and how much of it lies below their ends.
struct NarrowAxis {
  double u, inverse;
  CellRange cells;

  HALOSCOPE_HD NarrowAxis(double place, double radius) : u(place) {
    const double reach = double(splotch::FluxProfile::kSupportRatio) * radius;
    inverse = 1 / reach;
    cells = {floor_to_whole(u - reach), floor_to_whole(u + reach)};
  }
  HALOSCOPE_HD double until(std::int64_t cell) const {
    if (cell >= cells.last) return 1;
    return 0.5 + splotch::MapBox::half_cumulative((double(cell + 1) - u) * inverse);
  }
};

template <class Use>
HALOSCOPE_HD void cut_axis(const GridFrame& frame, int axis, const NarrowAxis& narrow,
                           std::int64_t quanta, const Use& use) {
  std::int64_t before = 0;
  for (std::int64_t i = narrow.cells.first; i <= narrow.cells.last; ++i) {
    const std::int64_t until = cut(quanta, narrow.until(i));
    const std::int64_t part = until - before;
    before = until;
    std::uint64_t cell = 0;
    if (part != 0 && frame.cell(axis, i, cell)) use(cell, part);
  }
}

template <class Sums>
struct DepositNarrow {
  KernelPlaces places;
  std::uint64_t first;
  Sums sums;

  HALOSCOPE_HD void operator()(std::size_t number) const {
    KernelPlace place;
    if (!places.get(first + number, place) || !place.is_narrow()) return;
    double value[2];
    places.values.get(std::size_t((first + number) / places.copies()), value);
    const NarrowAxis along_x(place.u[0], place.radius[0]), along_y(place.u[1], place.radius[1]),
        along_z(place.u[2], place.radius[2]);
    const GridFrame& frame = places.frame;
    for (int c = 0; c < sums.channels; ++c) {
      const std::int64_t quanta = rounded(value[c] * sums.per_unit[c]);
      cut_axis(frame, 0, along_x, quanta, [&](std::uint64_t x, std::int64_t of_x) {
        cut_axis(frame, 1, along_y, of_x, [&](std::uint64_t y, std::int64_t of_y) {
          cut_axis(frame, 2, along_z, of_y, [&](std::uint64_t z, std::int64_t of_z) {
            sums.add(c, frame.at(x, y, z), of_z);
          });
        });
      });
    }
  }
};

struct IsWideKernel {
  KernelPlaces places;
  std::uint64_t first;
  HALOSCOPE_HD bool operator()(std::uint32_t number) const {
    KernelPlace place;
    return places.get(first + number, place) && !place.is_narrow();
  }
};

// A wide kernel and the cells whose centers it holds; of an axis that keeps, those inside alone.
struct WideKernel {
  KernelPlace place;
  CellRange range[3];
  double inverse[3];
  // Of weights. Their sum, 0.54 of them times the three radii, fits 64 bits.
  double units = 1073741824.;  // 2³⁰

  HALOSCOPE_HD WideKernel(const KernelPlace& at, const GridFrame& frame) : place(at) {
    for (int axis = 0; axis < 3; ++axis) {
      const double u = place.u[axis], radius = place.radius[axis];
      inverse[axis] = 1 / radius;
      CellRange cells{floor_to_whole(u - radius - 0.5) + 1,
                      -floor_to_whole(-(u + radius - 0.5)) - 1};
      if (frame.edge[axis] == Edge::Keep) {
        const std::int64_t end = std::int64_t(frame.cells[axis]) - 1;
        cells.first = cells.first < 0 ? 0 : cells.first;
        cells.last = cells.last > end ? end : cells.last;
      }
      range[axis] = cells;
    }
    constexpr double kMostVolume = 8589934592.;  // 2³³
    for (double volume = place.radius[0] * place.radius[1] * place.radius[2]; volume > kMostVolume;
         volume *= 0.5)
      units *= 0.5;
  }
  HALOSCOPE_HD std::uint64_t rows() const { return range[0].count() * range[1].count(); }
  HALOSCOPE_HD double squared(int axis, std::int64_t cell) const {
    const double d = (double(cell) + 0.5 - place.u[axis]) * inverse[axis];
    return d * d;
  }
  // The kernel at a cell's center in whole units.
  HALOSCOPE_HD std::int64_t weight(double squared_xy, double squared_z) const {
    const double q = 1 - squared_xy - squared_z;
    return q > 0 ? rounded(q * q * q * std::sqrt(q) * units) : 0;
  }
};

// A row along z of a wide kernel.
struct KernelRow {
  std::uint32_t kernel;  // in the list
  std::int64_t x, y;
};

// A stretch of the list of wide kernels.
struct WideList {
  KernelPlaces places;
  std::uint64_t first;          // number of the first copy
  const std::uint32_t* wide;    // copies, counted from there
  const std::uint64_t* ends;    // of each kernel's rows among those of the list
  std::uint32_t begin, end;     // the stretch
  std::uint64_t begin_row = 0;  // of the stretch

  HALOSCOPE_HD WideKernel kernel(std::uint32_t k) const {
    KernelPlace place{};
    places.get(first + wide[k], place);
    return WideKernel(place, places.frame);
  }
  HALOSCOPE_HD std::uint32_t kernel_of(std::uint64_t row) const {
    std::uint32_t low = begin, high = end - 1;  // the first that ends beyond the row
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (ends[middle] > row)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }
  HALOSCOPE_HD std::uint64_t first_row(std::uint32_t k) const { return k > 0 ? ends[k - 1] : 0; }
};

struct CountKernelRows {
  KernelPlaces places;
  std::uint64_t first;
  const std::uint32_t* wide;
  std::uint64_t* rows;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    KernelPlace place{};
    places.get(first + wide[k], place);
    rows[k] = WideKernel(place, places.frame).rows();
  }
};

// The sum of the weights of one row.
struct WeighRow {
  WideList list;
  std::uint64_t* weights;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint64_t row = list.begin_row + i;
    const std::uint32_t k = list.kernel_of(row);
    const WideKernel kernel = list.kernel(k);
    const auto in_kernel = std::int64_t(row - list.first_row(k));
    const auto wide = std::int64_t(kernel.range[1].count());
    const double xy = kernel.squared(0, kernel.range[0].first + in_kernel / wide) +
                      kernel.squared(1, kernel.range[1].first + in_kernel % wide);
    std::uint64_t sum = 0;
    if (xy < 1)
      for (std::int64_t z = kernel.range[2].first; z <= kernel.range[2].last; ++z)
        sum += std::uint64_t(kernel.weight(xy, kernel.squared(2, z)));
    weights[i] = sum;
  }
};

// The shares of one row: quanta are cut by the running sum of the weights over the kernel's cells.
// A factor of two roundings times a sum of one more is off by less than half a quantum at the end,
// for a particle has at most 2⁵⁰ of them: the last share takes what remains, to the quantum.
template <class Sums>
struct DepositRow {
  WideList list;
  const std::uint64_t* before;  // sums of the weights of all rows before, and, last, of all rows
  Sums sums;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint64_t row = list.begin_row + i;
    const std::uint32_t k = list.kernel_of(row);
    const std::uint64_t begin = before[list.first_row(k) - list.begin_row];
    const std::uint64_t all = before[list.ends[k] - list.begin_row] - begin;
    if (all == 0 || before[i] == before[i + 1]) return;
    const WideKernel kernel = list.kernel(k);
    const GridFrame& frame = list.places.frame;
    const auto in_kernel = std::int64_t(row - list.first_row(k));
    const auto wide = std::int64_t(kernel.range[1].count());
    const std::int64_t x = kernel.range[0].first + in_kernel / wide;
    const std::int64_t y = kernel.range[1].first + in_kernel % wide;
    std::uint64_t cell[3];
    if (!frame.cell(0, x, cell[0]) || !frame.cell(1, y, cell[1])) return;
    const double xy = kernel.squared(0, x) + kernel.squared(1, y);
    double value[2];
    list.places.values.get(std::size_t((list.first + list.wide[k]) / list.places.copies()), value);
    for (int c = 0; c < sums.channels; ++c) {
      const double quanta = double(rounded(value[c] * sums.per_unit[c]));
      const double per_weight = quanta / double(all);
      std::uint64_t sum = before[i] - begin;
      std::int64_t until = rounded(per_weight * double(sum));
      for (std::int64_t z = kernel.range[2].first; z <= kernel.range[2].last; ++z) {
        sum += std::uint64_t(kernel.weight(xy, kernel.squared(2, z)));
        const std::int64_t next = rounded(per_weight * double(sum));
        if (next != until && frame.cell(2, z, cell[2]))
          sums.add(c, frame.at(cell[0], cell[1], cell[2]), next - until);
        until = next;
      }
    }
  }
};

// The wide kernels among copies [first, first + count).
template <class Exec, class Sums>
void deposit_wide(Exec& exec, const KernelPlaces& places, std::uint64_t first, std::uint64_t count,
                  const Sums& sums, Progress& progress) {
  constexpr std::uint64_t kMostRows = std::uint64_t(1) << 22;
  Buffer<std::uint32_t, Exec> wide(exec, std::size_t(count), "wide kernels");
  const thrust::counting_iterator<std::uint32_t> number(0);
  const auto end = thrust::copy_if(exec.policy(), number, number + std::ptrdiff_t(count),
                                   wide.begin(), IsWideKernel{places, first});
  const auto found = std::uint32_t(end - wide.begin());
  if (found == 0) return;
  Buffer<std::uint64_t, Exec> ends(exec, found, "rows of wide kernels");
  parallel_for(exec, "rows of wide kernels", found,
               CountKernelRows{places, first, wide.data(), ends.data()});
  thrust::inclusive_scan(exec.policy(), ends.begin(), ends.end(), ends.begin());
  const std::vector<std::uint64_t> ends_here = download(exec, ends);
  Buffer<std::uint64_t, Exec> weights;
  for (std::uint32_t begin = 0; begin < found;) {
    progress.report("grid", 0);
    const std::uint64_t begin_row = begin > 0 ? ends_here[begin - 1] : 0;
    auto last = std::uint32_t(
        std::upper_bound(ends_here.begin() + begin, ends_here.end(), begin_row + kMostRows) -
        ends_here.begin());
    last = std::max(last, begin + 1);
    const auto rows = std::size_t(ends_here[last - 1] - begin_row);
    const WideList list{places, first, wide.data(), ends.data(), begin, last, begin_row};
    weights.reserve(exec, rows + 1, "rows of wide kernels");
    exec.zero(weights.data() + rows, sizeof(std::uint64_t));
    parallel_for(exec, "weights of kernels", rows, WeighRow{list, weights.data()});
    thrust::exclusive_scan(exec.policy(), weights.begin(), weights.begin() + rows + 1,
                           weights.begin());
    parallel_for(exec, "wide kernels", rows, DepositRow<Sums>{list, weights.data(), sums});
    exec.synchronize();
    begin = last;
  }
}

template <class Exec, class Sums>
void deposit_kernels(Exec& exec, const GridFrame& frame, const GridValues& values, const Sums& sums,
                     Progress& progress) {
  constexpr std::uint64_t kBatch = std::uint64_t(1) << 21;
  const KernelPlaces places{frame, values};
  const std::uint64_t all = values.columns.count * places.copies();
  for (std::uint64_t first = 0; first < all; first += kBatch) {
    const std::uint64_t count = std::min(kBatch, all - first);
    parallel_for(exec, "narrow kernels", std::size_t(count),
                 DepositNarrow<Sums>{places, first, sums});
    deposit_wide(exec, places, first, count, sums, progress);
  }
}

}  // namespace haloscope::compute::grids
