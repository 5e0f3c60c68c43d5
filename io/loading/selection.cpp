#include "io/loading/selection.h"

#include "core/error.h"

#include <fmt/format.h>

#include <cmath>

namespace haloscope::io {

RegionTest::RegionTest(const Region& region, const SnapshotInfo& info)
    : low_(region.low), high_(region.high) {
  if (info.periodic && info.box_size > 0) side_ = info.box_size;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (side_ > 0 && low_[axis] > high_[axis]) {
      // Around the edge: the same as reaching over it.
      high_[axis] += side_ * std::ceil((low_[axis] - high_[axis]) / side_);
    }
    if (!(low_[axis] < high_[axis]))
      throw Error(fmt::format("the region holds nothing: it goes from {} to {} along {}",
                              region.low[axis], region.high[axis], "xyz"[axis]),
                  "--region", "give x0,y0,z0,x1,y1,z1 with x0 < x1, y0 < y1, z0 < z1");
    all_[axis] = side_ > 0 && high_[axis] - low_[axis] >= side_;
  }
}

bool RegionTest::inside(double x, std::size_t axis) const {
  if (!(side_ > 0)) return x >= low_[axis] && x < high_[axis];
  if (all_[axis]) return std::isfinite(x);
  const double above = x - low_[axis];
  return above - side_ * std::floor(above / side_) < high_[axis] - low_[axis];
}

std::uint64_t sampling_step(const std::vector<std::uint64_t>& counts, const Selection& selection) {
  std::uint64_t every = std::max<std::uint64_t>(1, selection.every);
  if (selection.max_particles == 0) return every;
  auto kept = [&](std::uint64_t step) {
    std::uint64_t sum = 0;
    for (const auto count : counts) sum += count / step + (count % step != 0);
    return sum;
  };
  std::uint64_t largest = 1, types = 0;
  for (const auto count : counts) {
    largest = std::max(largest, count);
    types += count > 0;
  }
  if (types > selection.max_particles)
    throw Error(fmt::format("{} particles are fewer than the {} particle types",
                            selection.max_particles, types),
                "--max-particles", "ask for more, or for fewer types (--types)");
  std::uint64_t too_small = every - 1, enough = std::max(every, largest);
  while (enough - too_small > 1) {
    const std::uint64_t middle = too_small + (enough - too_small) / 2;
    (middle > 0 && kept(middle) <= selection.max_particles ? enough : too_small) = middle;
  }
  return enough;
}

}  // namespace haloscope::io
