#include "compute/clusters/cuslink.h"

#include "compute/brute_force/row_search.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace haloscope::compute::clusters {

static_assert(kMostCuslinkNeighbors == brute_force::NearestRows::kMost);

std::uint32_t default_cuslink_neighbors(std::uint64_t points) {
  if (points < 2) return 0;
  const auto usual = std::uint64_t(std::bit_width(points) - 1 + 15);
  return std::uint32_t(std::min(points - 1, usual));
}

void require_cuslink(std::uint64_t points, std::uint64_t dimensions,
                     const CuslinkSettings& settings) {
  using brute_force::Rows;
  constexpr const char* kWhat = "cuslink";
  if (points > hierarchy::kMostPoints)
    throw Error(fmt::format("{} points are more than one tree can join ({})", points,
                            hierarchy::kMostPoints),
                kWhat, "choose fewer");
  if (dimensions < 1 || dimensions > Rows::kMostDimensions)
    throw Error(fmt::format("the points have {} dimensions, and cuslink takes 1 to {}", dimensions,
                            Rows::kMostDimensions),
                kWhat);
  if (settings.neighbors > kMostCuslinkNeighbors)
    throw Error(fmt::format("a graph of {} neighbors is more than cuslink makes ({})",
                            settings.neighbors, kMostCuslinkNeighbors),
                kWhat, "ask for fewer");
  if (settings.neighbors > 0 && settings.neighbors >= points)
    throw Error(fmt::format("each point shall have {} neighbors, and there are {} points",
                            settings.neighbors, points),
                kWhat, "ask for fewer");
  if (settings.min_samples < 1 || (points > 0 && settings.min_samples > points))
    throw Error(fmt::format("a core point shall have {} neighbors, itself included, and there are "
                            "{} points",
                            settings.min_samples, points),
                kWhat, "ask for fewer");
  if (settings.min_samples > kMostCuslinkNeighbors + 1)
    throw Error(fmt::format("a core point can have {} neighbors at most, itself included, not {}",
                            kMostCuslinkNeighbors + 1, settings.min_samples),
                kWhat, "ask for fewer");
}

CuslinkTree make_cuslink_tree(Device device, const brute_force::Rows& rows,
                              const CuslinkSettings& settings, Progress& progress,
                              Timings* timings) {
  require_cuslink(rows.count, rows.dimensions, settings);
  return device.is_gpu() ? make_cuda_cuslink_tree(device, rows, settings, progress, timings)
                         : make_cpu_cuslink_tree(rows, settings, progress, timings);
}

}  // namespace haloscope::compute::clusters
