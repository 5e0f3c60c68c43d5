#include "compute/splotch/over_ranks.h"

#include <span>

namespace haloscope::compute::splotch {

namespace {

std::uint64_t active(const Counts& counts) {
  return counts.small + counts.medium + counts.large;
}

}  // namespace

Counts of_all_ranks(Ranks& ranks, const Counts& own) {
  Counts all;
  double radii = 0;
  for (const Counts& one : ranks.all_gather<Counts>(std::span<const Counts>(&own, 1))) {
    all.particles += one.particles;
    all.inactive += one.inactive;
    all.small += one.small;
    all.medium += one.medium;
    all.large += one.large;
    all.large_on_cpu += one.large_on_cpu;
    all.pixel_updates += one.pixel_updates;
    radii += one.mean_radius_pixels * double(active(one));
  }
  all.mean_radius_pixels = active(all) > 0 ? radii / double(active(all)) : 0;
  return all;
}

AllLightPeaks of_all_ranks(const DrawingRanks& ranks, const AllLightPeaks& own) {
  if (!ranks.several()) return own;
  AllLightPeaks all;
  for (const AllLightPeaks& one :
       ranks.ranks().all_gather<AllLightPeaks>(std::span<const AllLightPeaks>(&own, 1)))
    all.add(one);
  return all;
}

OwnRows rows_of(int rank, int ranks, int height) {
  const std::uint64_t first = part_begin(std::uint64_t(height), rank, ranks);
  return {int(first), int(part_begin(std::uint64_t(height), rank + 1, ranks) - first)};
}

}  // namespace haloscope::compute::splotch
