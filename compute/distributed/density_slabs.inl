#pragma once

#include "compute/distributed/density_slabs.h"
#include "compute/distributed/grid_shares.h"
#include "compute/distributed/pieces.h"
#include "compute/distributed/smooth_slabs.h"
#include "compute/exec/cpu.h"
#include "compute/grids/density_grid.inl"
#include "core/array.h"

#include <tbb/parallel_for.h>
#include <thrust/reduce.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

// The planes of a grid that one rank makes, once for both executors.
namespace haloscope::compute::distributed {

// Values of all ranks' particles, from which the quanta are chosen.
class OfAllRanks {
 public:
  explicit OfAllRanks(Ranks& ranks) : ranks_(ranks) {}

  void join(grids::ValueBounds& bounds, std::uint64_t& count) const {
    ranks_.all_reduce(std::span(&bounds, 1), grids::JoinBounds{});
    count = ranks_.sum(count);
  }
  void join(grids::ValueSums& sums) const {
    ranks_.all_reduce(std::span(&sums, 1), grids::AddSums{});
  }

 private:
  Ranks& ranks_;
};

// The sums of some planes of a grid; what falls into others is none of theirs.
struct SlabSums : grids::SumsView {
  std::uint64_t first = 0, count = 0;  // cells

  HALOSCOPE_HD void add(int channel, std::uint64_t cell, std::int64_t quanta) const {
    if (cell - first < count) SumsView::add(channel, cell - first, quanta);
  }
};

template <class Exec>
class SlabDeposit {
 public:
  // How `exec` is made: by its device, or by whom it asks.
  template <class Made>
  SlabDeposit(const Made& made, Ranks& ranks, Device device, const grids::GridRequest& request,
              std::uint64_t at_once, Progress& progress)
      : ranks_(ranks),
        device_(device),
        request_(request),
        at_once_(std::max<std::uint64_t>(1, at_once / std::uint64_t(ranks.size()))),
        progress_(progress),
        exec_(made),
        shares_(ranks, request) {
    const std::uint64_t plane = std::uint64_t(request.frame.cells[1]) * request.frame.cells[2];
    const Planes& own = shares_.planes()[std::size_t(ranks.rank())];
    view_.first = own.begin * plane;
    view_.count = own.count() * plane;
  }

  grids::DensityGrid make(const std::vector<grids::GridPoints>& points) {
    grids::DensityGrid grid;
    {
      const TimedRange timer(grid.timings, "quanta");
      quanta_ = grids::choose_quanta(exec_, request_, points, progress_, OfAllRanks(ranks_));
    }
    grid.left_out = quanta_.left_out;
    grid.quantum = quanta_.of[0].quantum();
    {
      const TimedRange timer(grid.timings, "assign");
      deposit(points);
    }
    const std::uint64_t total =
        thrust::reduce(exec_.policy(), sums_[0].begin(), sums_[0].end(), std::uint64_t(0));
    grid.total = double(std::int64_t(ranks_.sum(total))) * grid.quantum;
    finish(grid);
    return grid;
  }

 private:
  bool is_mean() const { return request_.quantity == grids::Quantity::Mean; }
  bool by_kernel() const { return request_.assign == grids::Assign::Kernel; }

  void deposit(const std::vector<grids::GridPoints>& points) {
    view_.channels = grids::channels_of(request_.quantity);
    for (int c = 0; c < view_.channels; ++c) {
      sums_[c] = Buffer<std::uint64_t, Exec>(exec_, std::size_t(view_.count), "grid");
      exec_.zero(sums_[c].data(), std::size_t(view_.count) * sizeof(std::uint64_t));
      view_.sums[c] = sums_[c].data();
      view_.per_unit[c] = quanta_.of[c].per_unit;
    }
    std::uint64_t all = 1, done = 0;
    for (const grids::GridPoints& type : points) all += type.count;
    for (const grids::GridPoints& type : points) {
      const KnownOfType known = shares_.known_of(type);
      if (!known.in_sums) continue;
      for_pieces(ranks_, type.count, at_once_, [&](std::uint64_t begin, std::uint64_t end) {
        progress_.report("grid", double(done) / double(all));
        deposit(known, shares_.exchange(type, begin, end));
        done += end - begin;
      });
    }
  }

  void deposit(const KnownOfType& known, const std::vector<SentShare>& here) {
    const std::size_t n = here.size();
    if (n == 0) return;
    std::array<std::vector<std::uint32_t>, 3> position;
    for (auto& axis : position) axis.resize(n);
    std::vector<float> mass(known.masses ? n : 0), field(is_of_field(request_.quantity) ? n : 0),
        radius(known.radii ? n : 0);
    tbb::parallel_for(std::size_t(0), n, [&](std::size_t i) {
      const SentShare& one = here[i];
      position[0][i] = one.x;
      position[1][i] = one.y;
      position[2][i] = one.z;
      if (!mass.empty()) mass[i] = one.mass;
      if (!field.empty()) field[i] = one.field;
      if (!radius.empty()) radius[i] = one.radius;
    });
    grids::GridPoints points;
    points.count = n;
    for (std::size_t a = 0; a < 3; ++a) points.position[a] = position[a].data();
    points.mass = mass.empty() ? nullptr : mass.data();
    points.uniform_mass = known.uniform_mass;
    points.field = field.empty() ? nullptr : field.data();
    points.radius = radius.empty() ? nullptr : radius.data();
    grids::for_each_stretch(
        exec_, request_, {points}, true, [&](const grids::GridColumns& columns) {
          const grids::GridValues values{request_.quantity, columns};
          if (by_kernel())
            grids::deposit_kernels(exec_, request_.frame, values, view_, progress_);
          else
            grids::deposit_shares(exec_, grids::DepositSharesIn<SlabSums>{
                                             request_.frame, request_.assign, values, view_});
        });
    exec_.synchronize();
  }

  void finish(grids::DensityGrid& grid) {
    const auto n = std::size_t(view_.count);
    const bool smooth = request_.smoothing != std::array<double, 3>{0, 0, 0};
    if (is_mean() && !smooth) {
      Buffer<float, Exec> mean(exec_, n, "grid");
      parallel_for(exec_, "grid", n,
                   grids::MeanOfSums{sums_[0].data(),
                                     sums_[1].data(),
                                     {quanta_.of[0].quantum(), quanta_.of[1].quantum()},
                                     mean.data()});
      grid.values = here(mean.data());
      return;
    }
    const TimedRange timer(grid.timings, "smooth");
    Array<float> values[2];
    for (int c = 0; c < view_.channels; ++c) {
      values[c] = here(grids::values_in_place(exec_, sums_[c], quanta_.of[c].quantum()));
      sums_[c] = {};
      if (smooth)
        values[c] = smooth_slabs(ranks_, device_, request_.frame, request_.smoothing, values[c]);
    }
    if (is_mean()) {
      Cpu cpu;
      parallel_for(cpu, "grid", n, grids::MeanOfValues{values[0].data(), values[1].data()});
    }
    grid.values = std::move(values[is_mean() ? 1 : 0]);
  }

  Array<float> here(const float* values) {
    Array<float> out(std::size_t(view_.count));
    if (out.size() > 0) exec_.download(out.data(), values, out.size() * sizeof(float));
    return out;
  }

  Ranks& ranks_;
  const Device device_;
  const grids::GridRequest& request_;
  const std::uint64_t at_once_;  // of one rank
  Progress& progress_;
  Exec exec_;
  const SharesOfRanks shares_;
  grids::ChosenQuanta quanta_;
  Buffer<std::uint64_t, Exec> sums_[2];
  SlabSums view_;
};

}  // namespace haloscope::compute::distributed
