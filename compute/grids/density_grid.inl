#pragma once

#include "compute/exec/named_range.h"
#include "compute/grids/density_grid.h"
#include "compute/grids/deposit.inl"
#include "compute/grids/grid_sums.inl"
#include "compute/grids/kernel_deposit.inl"
#include "compute/grids/smoothing.inl"

#include <thrust/reduce.h>

#include <limits>

// A grid from particles, once for both executors.
namespace haloscope::compute::grids {

HALOSCOPE_HD inline float ratio(double numerator, double denominator) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  return denominator != 0 ? float(numerator / denominator) : kNone;
}

struct MeanOfSums {
  const std::uint64_t* mass;
  const std::uint64_t* moment;
  double quantum[2];
  float* mean;  // in the memory of neither
  HALOSCOPE_HD void operator()(std::size_t i) const {
    mean[i] = ratio(double(std::int64_t(moment[i])) * quantum[1],
                    double(std::int64_t(mass[i])) * quantum[0]);
  }
};

struct MeanOfValues {
  const float* mass;
  float* moment;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    moment[i] = ratio(double(moment[i]), double(mass[i]));
  }
};

template <class Exec>
class GridMaker {
 public:
  GridMaker(Exec& exec, const GridRequest& request)
      : exec_(exec), request_(request), cells_(std::size_t(request.frame.count())) {}

  DensityGrid make(const std::vector<GridPoints>& points, Progress& progress) {
    DensityGrid grid;
    {
      const TimedRange timer(grid.timings, "quanta");
      quanta_ = choose_quanta(exec_, request_, points, progress);
    }
    grid.left_out = quanta_.left_out;
    grid.quantum = quanta_.of[0].quantum();
    {
      const TimedRange timer(grid.timings, "assign");
      deposit(points, progress);
      exec_.synchronize();
    }
    const std::uint64_t total =
        thrust::reduce(exec_.policy(), sums_[0].begin(), sums_[0].end(), std::uint64_t(0));
    grid.total = double(std::int64_t(total)) * grid.quantum;
    finish(grid);
    return grid;
  }

 private:
  void deposit(const std::vector<GridPoints>& points, Progress& progress) {
    SumsView view;
    view.channels = channels_of(request_.quantity);
    for (int c = 0; c < view.channels; ++c) {
      sums_[c] = Buffer<std::uint64_t, Exec>(exec_, cells_, "grid");
      exec_.zero(sums_[c].data(), cells_ * sizeof(std::uint64_t));
      view.sums[c] = sums_[c].data();
      view.per_unit[c] = quanta_.of[c].per_unit;
    }
    std::uint64_t all = 1, done = 0;
    for (const GridPoints& type : points) all += type.count;
    for_each_stretch(exec_, request_, points, true, [&](const GridColumns& columns) {
      progress.report("grid", double(done) / double(all));
      const GridValues values{request_.quantity, columns};
      if (request_.assign == Assign::Kernel)
        deposit_kernels(exec_, request_.frame, values, view, progress);
      else
        deposit_shares(exec_, DepositShares{request_.frame, request_.assign, values, view});
      done += columns.count;
    });
  }

  void finish(DensityGrid& grid) {
    const bool smooth = request_.smoothing != std::array<double, 3>{0, 0, 0};
    const bool mean = request_.quantity == Quantity::Mean;
    const std::size_t bytes = cells_ * sizeof(float);
    grid.values = Array<float>(cells_);
    if (mean && !smooth) {
      Buffer<float, Exec> values(exec_, cells_, "grid");
      parallel_for(exec_, "grid", cells_,
                   MeanOfSums{sums_[0].data(),
                              sums_[1].data(),
                              {quanta_.of[0].quantum(), quanta_.of[1].quantum()},
                              values.data()});
      exec_.download(grid.values.data(), values.data(), bytes);
      return;
    }
    float* values[2] = {nullptr, nullptr};
    const TimedRange timer(grid.timings, "smooth");
    for (int c = 0; c < (mean ? 2 : 1); ++c) {
      values[c] = values_in_place(exec_, sums_[c], quanta_.of[c].quantum());
      values[c] =
          smooth_on(exec_, request_.frame, request_.smoothing, values[c], values[c] + cells_);
    }
    if (mean) parallel_for(exec_, "grid", cells_, MeanOfValues{values[0], values[1]});
    exec_.download(grid.values.data(), values[mean ? 1 : 0], bytes);
  }

  Exec& exec_;
  const GridRequest& request_;
  std::size_t cells_;
  ChosenQuanta quanta_;
  Buffer<std::uint64_t, Exec> sums_[2];
};

}  // namespace haloscope::compute::grids
