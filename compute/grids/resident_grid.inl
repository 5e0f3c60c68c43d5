#pragma once

#include "compute/exec/buffer.h"
#include "compute/exec/phases.h"
#include "compute/grids/density_grid.inl"
#include "compute/grids/resident_grid.h"

#include <thrust/reduce.h>

#include <cmath>
#include <cstdint>
#include <utility>

// Grids that stay where their particles are, for either executor.
namespace haloscope::compute::grids {

// What choose_quanta() chooses for particles of one value.
inline GridQuanta quanta_of_one(double value, std::uint64_t count) {
  int bits = 1, top = 0;
  while (count >> bits) ++bits;
  const int fine = GridQuanta::kTotalBits - bits;
  const double size = std::fabs(value);
  std::frexp(size, &top);
  const std::uint64_t units = std::uint64_t(size * std::ldexp(1., fine - top)) + 1;
  return {top, units * count, fine};
}

struct ValuesOfSums {
  const std::uint64_t* sums;
  double quantum;
  float* values;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    values[i] = float(double(std::int64_t(sums[i])) * quantum);
  }
};

template <class Exec>
class ResidentGridOn : public ResidentGrid {
 public:
  ResidentGridOn(const GridRequest& request, const spatial::PointSet& points, double mass,
                 Progress& progress)
      : exec_(points.device()), cells_(std::size_t(request.frame.count())) {
    check_smoothing(request.smoothing, request.frame.cells);
    progress.report("grid", 0);
    Phases<Exec> phases(exec_, timings_);
    phases.begin("assign");
    GridColumns columns;
    columns.count = points.count();
    columns.position = points.positions();
    columns.in_morton_order = true;
    columns.uniform_mass = mass;
    const GridQuanta quanta =
        quanta_of_one(request.quantity == Quantity::Count ? 1 : mass, points.count());
    Buffer<std::uint64_t, Exec> sums(exec_, cells_, "grid");
    exec_.zero(sums.data(), cells_ * sizeof(std::uint64_t));
    SumsView view;
    view.sums[0] = sums.data();
    view.per_unit[0] = quanta.per_unit;
    deposit_shares(exec_, DepositShares{request.frame, request.assign,
                                        GridValues{request.quantity, columns}, view});
    phases.begin("values");
    const std::uint64_t total =
        thrust::reduce(exec_.policy(), sums.begin(), sums.end(), std::uint64_t(0));
    total_ = double(std::int64_t(total)) * quanta.quantum();
    values_ = Buffer<float, Exec>(exec_, cells_, "grid");
    parallel_for(exec_, "grid", cells_,
                 ValuesOfSums{sums.data(), quanta.quantum(), values_.data()});
    progress.report("grid", 0.8);
    if (request.smoothing != std::array<double, 3>{0, 0, 0}) {
      phases.begin("smooth");
      sums = {};
      Buffer<float, Exec> room(exec_, cells_, "grid");
      const float* const smooth =
          smooth_on(exec_, request.frame, request.smoothing, values_.data(), room.data());
      if (smooth != values_.data()) std::swap(values_, room);
    }
    phases.end();
  }

  const float* values() const override { return values_.data(); }
  Array<float> copy() const override {
    Array<float> values(cells_);
    exec_.download(values.data(), values_.data(), cells_ * sizeof(float));
    return values;
  }
  double total() const override { return total_; }
  const Timings& timings() const override { return timings_; }

 private:
  mutable Exec exec_;
  std::size_t cells_;
  Buffer<float, Exec> values_;
  double total_ = 0;
  Timings timings_;
};

}  // namespace haloscope::compute::grids
