#include "compute/distributed/sample_along_curve.h"

#include "compute/distributed/points_by_owner.h"
#include "compute/spatial/morton.h"
#include "core/array.h"
#include "core/give_back.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <cstddef>
#include <span>

namespace haloscope::compute::distributed {

namespace {

struct Place {
  std::uint64_t code;
  std::uint32_t point;
};

// Those of this rank's part of space, in Morton order; at one place in the order in which they
// came.
LargeVector<Place> in_order(Ranks& ranks, const PointPart& own, const PointsByOwner& by_owner) {
  std::vector<std::uint64_t> came;
  LargeVector<Place> places;
  {
    LargeVector<std::uint64_t> codes(own.count);
    tbb::parallel_for(std::uint64_t(0), own.count, [&](std::uint64_t i) {
      codes[i] = spatial::morton_code(own.position[0][i], own.position[1][i], own.position[2][i]);
    });
    const LargeVector<std::uint64_t> here = by_owner.send<std::uint64_t>(ranks, codes.data(), came);
    give_back(codes);
    places.resize(here.size());
    tbb::parallel_for(std::size_t(0), here.size(), [&](std::size_t i) {
      places[i] = {here[i], std::uint32_t(i)};
    });
  }
  tbb::parallel_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.code != b.code ? a.code < b.code : a.point < b.point;
  });
  return places;
}

}  // namespace

std::vector<float> sample_along_curve(Ranks& ranks, const PointPart& own, const float* values,
                                      std::uint64_t stride) {
  const Domains domains(ranks, std::span<const PointPart>(&own, 1));
  const PointsByOwner by_owner(domains, own);
  const LargeVector<Place> places = in_order(ranks, own, by_owner);
  std::vector<std::uint64_t> came;
  const LargeVector<float> here = by_owner.send<float>(ranks, values, came);
  const std::uint64_t count = places.size();
  const auto counts = ranks.all_gather<std::uint64_t>(std::span(&count, 1));
  std::uint64_t before = 0;
  for (int r = 0; r < ranks.rank(); ++r) before += counts[std::size_t(r)];
  std::vector<float> sample;
  for (std::uint64_t i = (stride - before % stride) % stride; i < count; i += stride)
    sample.push_back(here[places[i].point]);
  return ranks.all_gather<float>(sample);
}

}  // namespace haloscope::compute::distributed
