#include "analysis/grids/grid_values.h"

#include "analysis/grids/ranked_stretches.h"
#include "compute/distributed/grid_slabs.h"
#include "core/error.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace haloscope::analysis {

namespace {

// What one stretch of cells adds to the summary.
struct StretchSummary {
  double sum = 0;
  std::uint64_t negative = 0, empty = 0, unknown = 0;
  float lowest = std::numeric_limits<float>::infinity();
  float highest = -std::numeric_limits<float>::infinity();

  void count(float value) {
    if (std::isnan(value)) {
      ++unknown;
      return;
    }
    sum += double(value);
    negative += value < 0;
    empty += value == 0;
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }
  void add(const StretchSummary& other) {
    sum += other.sum;
    negative += other.negative;
    empty += other.empty;
    unknown += other.unknown;
    lowest = std::min(lowest, other.lowest);
    highest = std::max(highest, other.highest);
  }
};

// Calls change(value) for all and sums up what it returns, stretch after stretch.
template <class Change>
StretchSummary for_all(const RankedStretches<StretchSummary>& stretches, Array<float>& values,
                       const Change& change) {
  const auto parts = stretches.run([&](StretchSummary& part, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) part.count(values[i] = change(values[i]));
  });
  StretchSummary all;
  for (const StretchSummary& part : parts) all.add(part);
  return all;
}

}  // namespace

Array<float> without_margins(const Array<float>& values, const std::array<std::uint64_t, 3>& cells,
                             const std::array<std::uint64_t, 3>& margin) {
  std::array<std::size_t, 3> inner{};
  for (std::size_t a = 0; a < 3; ++a) inner[a] = std::size_t(cells[a] - 2 * margin[a]);
  Array<float> part(inner[0] * inner[1] * inner[2]);
  tbb::parallel_for(std::size_t(0), inner[0], [&](std::size_t x) {
    for (std::size_t y = 0; y < inner[1]; ++y) {
      const float* const from =
          values.data() + ((x + margin[0]) * cells[1] + y + margin[1]) * cells[2] + margin[2];
      std::copy(from, from + inner[2], part.data() + (x * inner[1] + y) * inner[2]);
    }
  });
  return part;
}

Array<float> without_margins(const Array<float>& own, const std::array<std::uint64_t, 3>& cells,
                             const std::array<std::uint64_t, 3>& margin, compute::Ranks& ranks) {
  if (ranks.size() == 1) return without_margins(own, cells, margin);
  using compute::distributed::Planes, compute::distributed::planes_of_rank;
  const std::uint64_t inner = cells[0] - 2 * margin[0];
  const Planes had = planes_of_rank(cells[0], ranks.rank(), ranks.size());
  // By their numbers in the smaller grid.
  const auto cut = [&](std::uint64_t plane) {
    return std::clamp(plane, margin[0], margin[0] + inner) - margin[0];
  };
  const Planes kept{cut(had.begin), cut(had.end)};
  Array<float> part;
  if (kept.count() > 0) {
    const std::uint64_t plane = cells[1] * cells[2];
    Array<float> inside(std::size_t(kept.count() * plane));
    std::copy_n(own.data() + (kept.begin + margin[0] - had.begin) * plane, inside.size(),
                inside.data());
    part = without_margins(inside, {kept.count(), cells[1], cells[2]}, {0, margin[1], margin[2]});
  }
  const std::uint64_t plane = (cells[1] - 2 * margin[1]) * (cells[2] - 2 * margin[2]);
  std::vector<std::uint64_t> counts, received;
  for (int r = 0; r < ranks.size(); ++r) {
    const Planes its = planes_of_rank(inner, r, ranks.size());
    const std::uint64_t begin = std::max(kept.begin, its.begin), end = std::min(kept.end, its.end);
    counts.push_back(begin < end ? (end - begin) * plane : 0);
  }
  const auto all = ranks.exchange<float>(std::span(part.data(), part.size()), counts, received);
  Array<float> values(all.size());
  std::copy(all.begin(), all.end(), values.data());
  return values;
}

GridSummary transform_grid(Array<float>& values, const GridTransform& transform,
                           compute::Ranks& ranks) {
  const RankedStretches<StretchSummary> stretches(ranks, values.size());
  StretchSummary all = for_all(
      stretches, values, [&](float value) { return float(double(value) * transform.factor); });
  GridSummary summary;
  const std::uint64_t known = stretches.total() - all.unknown;
  summary.mean = known > 0 ? all.sum / double(known) : 0;
  summary.empty = all.empty;
  summary.unknown = all.unknown;
  if (transform.overdensity) {
    if (!(summary.mean > 0))
      throw Error("the grid has no mean above 0 to divide by", "--overdensity",
                  "choose particles that lie in it");
    all = for_all(stretches, values,
                  [&](float value) { return float(double(value) / summary.mean); });
  }
  if (transform.log) {
    if (all.negative > 0)
      throw Error(
          fmt::format("{} cells hold values below 0, which have no logarithm", all.negative),
          "--log", "leave it out");
    all = for_all(stretches, values, [](float value) { return float(std::log10(double(value))); });
  }
  summary.lowest = known > 0 ? double(all.lowest) : 0;
  summary.highest = known > 0 ? double(all.highest) : 0;
  return summary;
}

void gather_planes(Grid& grid, compute::Ranks& ranks) {
  if (ranks.size() == 1) return;
  const std::uint64_t plane = grid.cells[1] * grid.cells[2] * grid_scalar_bytes(grid.scalar);
  Array<std::byte> all(ranks.first() ? std::size_t(grid.cells[0] * plane) : 0);
  compute::distributed::gather_planes(ranks, grid.cells[0], plane, grid.bytes.data(), all.data());
  grid.bytes = std::move(all);
}

}  // namespace haloscope::analysis
