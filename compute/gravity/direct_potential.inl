#pragma once

#include "compute/exec/slices.inl"
#include "compute/gravity/direct_potential.h"
#include "compute/gravity/potential_terms.h"

#include <cmath>
#include <cstddef>

namespace haloscope::compute::gravity {

// Sources that one thread adds up.
inline constexpr std::uint32_t kDirectSlice = 8192;

// Threads side by side have different targets and the same sources.
struct SumDirectly {
  spatial::PointsView points;
  const float* mass;  // by row; null: 1
  const DirectTarget* targets;
  std::size_t target_number;
  double support, step, side;
  bool imaged;
  EwaldView ewald;
  double* sums;  // by slice, then target

  HALOSCOPE_HD void operator()(std::size_t i) const {
    const DirectTarget target = targets[i % target_number];
    const std::size_t first = i / target_number * kDirectSlice;
    const std::size_t end =
        first + kDirectSlice < points.count ? first + kDirectSlice : points.count;
    double sum = 0;
    for (std::size_t k = first; k < end; ++k) sum += pair(target, k);
    sums[i] = sum;
  }

 private:
  HALOSCOPE_HD double apart(std::uint32_t a, std::uint32_t b) const {
    return imaged ? double(std::int32_t(a - b)) : double(a) - double(b);
  }
  HALOSCOPE_HD double pair(const DirectTarget& target, std::size_t k) const {
    const std::uint32_t row = points.row(k);
    const spatial::FixedPoint s = points.at(k);
    const float given = mass ? mass[row] : 1.f;
    const bool good = given >= 0 && given <= 3.402823466e38f;
    const double m = good ? double(given) : 0;
    const double dx = apart(target.x, s.x), dy = apart(target.y, s.y), dz = apart(target.z, s.z);
    double depth = 0;
    if (ewald.grid) {
      constexpr double kPerDomain = 1.0 / 4294967296.0;
      depth =
          double(ewald.at(float(dx * kPerDomain), float(dy * kPerDomain), float(dz * kPerDomain))
                     .value[0]) /
          side;
    }
    if (row != target.row)
      depth += softened_potential((dx * dx + dy * dy + dz * dz) * step * step, support);
    return m * depth;
  }
};

struct AddSlicesOfTarget {
  const double* sums;
  std::size_t target_number, slices;
  double* totals;
  HALOSCOPE_HD void operator()(std::size_t t) const {
    double sum = 0;
    for (std::size_t s = 0; s < slices; ++s) sum += sums[s * target_number + t];
    totals[t] = sum;
  }
};

template <class Exec>
std::vector<double> sum_directly(const spatial::PointSet& points, const float* mass,
                                 const TreePotentialOptions& options,
                                 const std::vector<DirectTarget>& targets) {
  Exec exec(points.device());
  const spatial::HeldPoints held = points.hold();
  const spatial::PointsView& view = held.view;
  Buffer<float, Exec> masses(exec, mass ? view.count : 0, "masses");
  if (mass) exec.upload(masses.data(), mass, view.count * sizeof(float));
  Buffer<Derivatives<float>, Exec> grid;
  if (options.images == Images::Ewald) grid = upload(exec, ewald_grid(), "Ewald's correction");
  const auto wanted = upload(exec, targets, "direct sums");
  const std::size_t slices = (view.count + kDirectSlice - 1) / kDirectSlice;
  Buffer<double, Exec> sums(exec, slices * targets.size(), "direct sums"),
      totals(exec, targets.size(), "direct sums");
  SumDirectly work{};
  work.points = view;
  work.mass = masses.data();
  work.targets = wanted.data();
  work.target_number = targets.size();
  work.support = options.softening_support;
  work.step = points.domain().step();
  work.side = points.domain().side;
  work.imaged = options.images != Images::None;
  work.ewald.grid = grid.data();
  work.sums = sums.data();
  parallel_for(exec, "direct sums", slices * targets.size(), work);
  parallel_for(exec, "direct sums", targets.size(),
               AddSlicesOfTarget{sums.data(), targets.size(), slices, totals.data()});
  return download(exec, totals);
}

}  // namespace haloscope::compute::gravity
