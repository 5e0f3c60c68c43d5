#include "compute/splotch/over_ranks.h"

#include "compute/exec/reduce_scatter.h"

#include <algorithm>
#include <functional>

namespace haloscope::compute::splotch {

namespace {

// `per_pixel` values of each pixel, summed over the ranks.
template <class T, class Add>
std::vector<T> sum_rows(Ranks& ranks, int width, int height, const T* values, std::size_t per_pixel,
                        const Add& add) {
  const std::size_t row = std::size_t(width) * per_pixel;
  std::vector<std::uint64_t> counts;
  for (int r = 0; r < ranks.size(); ++r)
    counts.push_back(row * (part_begin(std::uint64_t(height), r + 1, ranks.size()) -
                            part_begin(std::uint64_t(height), r, ranks.size())));
  return reduce_scatter(ranks, std::span<const T>(values, row * std::size_t(height)),
                        std::span<const std::uint64_t>(counts), add);
}

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

AllLightPeaks of_all_ranks(Ranks* ranks, const AllLightPeaks& own) {
  if (!is_several(ranks)) return own;
  AllLightPeaks all;
  for (const AllLightPeaks& one :
       ranks->all_gather<AllLightPeaks>(std::span<const AllLightPeaks>(&own, 1)))
    all.add(one);
  return all;
}

OwnRows own_rows(const Ranks& ranks, int height) {
  const std::uint64_t first = part_begin(std::uint64_t(height), ranks.rank(), ranks.size());
  const std::uint64_t end = part_begin(std::uint64_t(height), ranks.rank() + 1, ranks.size());
  return {int(first), int(end - first)};
}

ImageF join_rows(Ranks& ranks, int width, int height, std::span<const float> rgb) {
  const std::vector<float> all = ranks.gather<float>(rgb);
  if (!ranks.first()) return {};
  ImageF image(width, height, 3);
  std::copy(all.begin(), all.end(), image.pixels.begin());
  return image;
}

ImageF image_of_ranks(Ranks& ranks, int width, int height, const std::int64_t* rgb, double unit) {
  const std::vector<std::int64_t> sums =
      sum_rows(ranks, width, height, rgb, 3, std::plus<std::int64_t>());
  std::vector<float> light(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) light[i] = float(double(sums[i]) * unit);
  return join_rows(ranks, width, height, light);
}

ImageF image_of_ranks(Ranks& ranks, int width, int height, const float* rgba) {
  std::vector<float> rgb(3 * std::size_t(width) * std::size_t(height));
  for (std::size_t i = 0; i < rgb.size() / 3; ++i)
    for (std::size_t c = 0; c < 3; ++c) rgb[3 * i + c] = rgba[4 * i + c];
  const std::vector<float> sums = sum_rows(ranks, width, height, rgb.data(), 3, std::plus<float>());
  return join_rows(ranks, width, height, sums);
}

std::vector<MapSum> sum_own_rows(Ranks& ranks, int width, int height, const MapSum* sums) {
  return sum_rows(ranks, width, height, sums, 1, [](MapSum sum, const MapSum& more) {
    add(sum, more);
    return sum;
  });
}

}  // namespace haloscope::compute::splotch
