#pragma once

#include "compute/exec/atomics.h"
#include "compute/exec/buffer.h"
#include "compute/grids/grid_columns.h"
#include "compute/grids/grid_quanta.h"
#include "core/error.h"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/transform_reduce.h>

#include <cmath>
#include <limits>

// The sums of a grid's cells, in whole quanta.
namespace haloscope::compute::grids {

struct ValueBounds {
  double largest[2] = {0, 0};  // |values|
  std::uint64_t left_out = 0;
};
struct BoundValue {
  GridValues values;
  HALOSCOPE_HD ValueBounds operator()(std::uint64_t i) const {
    double value[2];
    ValueBounds bounds;
    if (!values.get(i, value)) {
      bounds.left_out = 1;
      return bounds;
    }
    for (int c = 0; c < 2; ++c) bounds.largest[c] = value[c] < 0 ? -value[c] : value[c];
    return bounds;
  }
};
struct JoinBounds {
  HALOSCOPE_HD ValueBounds operator()(const ValueBounds& a, const ValueBounds& b) const {
    ValueBounds both;
    for (int c = 0; c < 2; ++c)
      both.largest[c] = a.largest[c] < b.largest[c] ? b.largest[c] : a.largest[c];
    both.left_out = a.left_out + b.left_out;
    return both;
  }
};

struct ValueSums {
  std::uint64_t sum[2] = {0, 0};
};
// |values| in units, rounded up.
struct CountUnits {
  GridValues values;
  double per_unit[2];
  HALOSCOPE_HD ValueSums operator()(std::uint64_t i) const {
    double value[2];
    ValueSums sums;
    if (!values.get(i, value)) return sums;
    for (int c = 0; c < 2; ++c)
      sums.sum[c] = std::uint64_t((value[c] < 0 ? -value[c] : value[c]) * per_unit[c]) + 1;
    return sums;
  }
};
struct AddSums {
  HALOSCOPE_HD ValueSums operator()(const ValueSums& a, const ValueSums& b) const {
    return {{a.sum[0] + b.sum[0], a.sum[1] + b.sum[1]}};
  }
};

inline int channels_of(Quantity quantity) {
  return quantity == Quantity::Mean ? 2 : 1;
}

// The quanta of one grid. Particles are read twice: for the largest value, and for the sum of all,
// which is added up in whole numbers so that it does not depend on the order.
struct ChosenQuanta {
  GridQuanta of[2];
  std::uint64_t left_out = 0;
};
// Of particles that are all here; others join what several processes have seen of theirs.
struct AllHere {
  void join(ValueBounds&, std::uint64_t&) const {}
  void join(ValueSums&) const {}
};
template <class Exec, class Whose = AllHere>
ChosenQuanta choose_quanta(Exec& exec, const GridRequest& request,
                           const std::vector<GridPoints>& points, Progress& progress,
                           const Whose& whose = {}) {
  ValueBounds bounds;
  std::uint64_t all = 0;
  const thrust::counting_iterator<std::uint64_t> first(0);
  for_each_stretch(exec, request, points, false, [&](const GridColumns& columns) {
    progress.report("grid", 0);
    all += columns.count;
    bounds = JoinBounds{}(bounds, thrust::transform_reduce(exec.policy(), first,
                                                           first + std::ptrdiff_t(columns.count),
                                                           BoundValue{{request.quantity, columns}},
                                                           ValueBounds{}, JoinBounds{}));
  });
  whose.join(bounds, all);
  int bits = 1;  // fewer than 2^bits particles
  while (all >> bits) ++bits;
  const int fine = GridQuanta::kTotalBits - bits;
  int top[2] = {0, 0};
  double per_unit[2] = {1, 1};
  for (int c = 0; c < 2; ++c) {
    std::frexp(bounds.largest[c], &top[c]);
    per_unit[c] = std::ldexp(1., fine - top[c]);
  }
  ValueSums sums;
  for_each_stretch(exec, request, points, false, [&](const GridColumns& columns) {
    progress.report("grid", 0);
    sums = AddSums{}(sums, thrust::transform_reduce(
                               exec.policy(), first, first + std::ptrdiff_t(columns.count),
                               CountUnits{{request.quantity, columns}, {per_unit[0], per_unit[1]}},
                               ValueSums{}, AddSums{}));
  });
  whose.join(sums);
  ChosenQuanta chosen;
  chosen.left_out = bounds.left_out;
  for (int c = 0; c < channels_of(request.quantity); ++c) {
    chosen.of[c] = GridQuanta(top[c], sums.sum[c], fine);
    if (request.quantity != Quantity::Mean &&
        double(sums.sum[c]) / per_unit[c] > double(std::numeric_limits<float>::max()))
      throw Error("the sum over all particles is beyond float32, in which grids are kept");
  }
  return chosen;
}

// Where a grid is summed.
struct SumsView {
  int channels = 1;
  std::uint64_t* sums[2] = {nullptr, nullptr};  // two's complement
  double per_unit[2] = {1, 1};

  HALOSCOPE_HD void add(int channel, std::uint64_t cell, std::int64_t quanta) const {
    if (quanta != 0) atomic_add(sums[channel] + cell, std::uint64_t(quanta));
  }
};

// Cells in float32. Values may lie in the memory of the sums: cell i of them in the lower half of
// that of cell i / 2, so that a stretch [a, 2a) of cells overwrites only sums before a.
struct CellValues {
  const std::uint64_t* sums;
  float* values;
  double quantum;
  std::size_t first;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    values[first + i] = float(double(std::int64_t(sums[first + i])) * quantum);
  }
};

// Turns sums into values in place; returns these, behind which there is room for as many.
template <class Exec>
float* values_in_place(Exec& exec, Buffer<std::uint64_t, Exec>& sums, double quantum) {
  auto* const values = reinterpret_cast<float*>(sums.data());
  for (std::size_t first = 0, end = 1; first < sums.size(); first = end, end *= 2) {
    const std::size_t last = end < sums.size() ? end : sums.size();
    parallel_for(exec, "grid", last - first, CellValues{sums.data(), values, quantum, first});
  }
  return values;
}

}  // namespace haloscope::compute::grids
