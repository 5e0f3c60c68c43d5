#pragma once

#include "compute/exec/buffer.h"
#include "compute/spatial/cell_grid.inl"
#include "compute/spatial/points.h"
#include "core/check.h"
#include "core/error.h"

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// The points of a search, where its executor reads them.
namespace haloscope::compute::spatial {

struct PutBack {
  const CellPoint* points;
  std::uint32_t *x, *y, *z;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const CellPoint p = points[k];
    x[p.index] = p.x;
    y[p.index] = p.y;
    z[p.index] = p.z;
  }
};

// Copies the points of one set behind those of others, in the order of their rows.
struct AppendPoints {
  PointsView from;
  std::uint32_t first;  // row
  std::uint32_t *x, *y, *z;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const FixedPoint p = from.at(i);
    const std::size_t row = std::size_t(first) + from.row(i);
    x[row] = p.x;
    y[row] = p.y;
    z[row] = p.z;
  }
};

// Either a copy of host columns, or sets that are there already, of which one is read in place and
// several are copied together, their rows one set after the other. A search that has the points in
// an order of its own may free the copy.
template <class Exec>
class PlacedPoints {
 public:
  PlacedPoints() = default;
  PlacedPoints(Exec& exec, const std::array<const std::uint32_t*, 3>& position, std::uint64_t count)
      : count_(countable(count)) {
    Axes axes = make_room(exec);
    for (std::size_t a = 0; count > 0 && a < 3; ++a)
      exec.upload(axes[a].data(), position[a], std::size_t(count) * sizeof(std::uint32_t));
    exec.synchronize();
    axes_ = std::move(axes);
  }
  // They lie on the executor's device.
  PlacedPoints(Exec& exec, std::vector<std::shared_ptr<const PointSet>> sets)
      : sets_(std::move(sets)) {
    std::uint64_t count = 0;
    for (const auto& set : sets_) {
      HALOSCOPE_CHECK(set->device().word(), ==, exec.device().word());
      count += set->count();
    }
    count_ = countable(count);
    if (sets_.size() == 1) held_ = sets_.front()->hold();
    restore(exec, {});
  }

  std::uint32_t count() const { return count_; }
  bool shared() const { return !sets_.empty(); }
  // Whether view() can be called: nothing was freed.
  bool there() const { return count_ == 0 || !axes_[0].empty() || sets_.size() == 1; }
  PointsView view() const {
    if (sets_.size() == 1) return held_.view;
    return {{axes_[0].data(), axes_[1].data(), axes_[2].data()}, nullptr, count_, false};
  }

  void free() { axes_ = {}; }
  // Brings back what free() freed; a copy of host columns is made again from `sorted`, the same
  // points in another order. Where memory runs out nothing has changed.
  void restore(Exec& exec, const Buffer<CellPoint, Exec>& sorted) {
    if (there()) return;
    Axes axes = make_room(exec);
    if (shared())
      join(exec, axes);
    else
      parallel_for(exec, "positions", count_,
                   PutBack{sorted.data(), axes[0].data(), axes[1].data(), axes[2].data()});
    axes_ = std::move(axes);
  }

 private:
  static std::uint32_t countable(std::uint64_t count) {
    if (count > std::numeric_limits<std::uint32_t>::max())
      throw Error(std::to_string(count) + " points are more than a search can take (4294967295)",
                  "points", "choose fewer types or a region");
    return std::uint32_t(count);
  }
  using Axes = std::array<Buffer<std::uint32_t, Exec>, 3>;
  Axes make_room(Exec& exec) const {
    Axes axes;
    for (auto& axis : axes) axis = Buffer<std::uint32_t, Exec>(exec, count_, "positions");
    return axes;
  }
  void join(Exec& exec, Axes& axes) const {
    std::uint32_t first = 0;
    for (const auto& set : sets_) {
      const HeldPoints held = set->hold();
      parallel_for(exec, "positions", std::size_t(set->count()),
                   AppendPoints{held.view, first, axes[0].data(), axes[1].data(), axes[2].data()});
      exec.synchronize();
      first += std::uint32_t(set->count());
    }
  }

  std::uint32_t count_ = 0;
  Axes axes_;
  std::vector<std::shared_ptr<const PointSet>> sets_;
  HeldPoints held_;  // of a single set
};

}  // namespace haloscope::compute::spatial
