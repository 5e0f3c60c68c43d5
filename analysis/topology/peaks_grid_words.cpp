#include "analysis/topology/peaks_grid_words.h"

#include "analysis/clusters/cluster_words.h"
#include "analysis/snapshot/match_field.h"
#include "analysis/topology/field_statistics.h"
#include "analysis/topology/found_peaks.h"
#include "analysis/topology/peaks_search.h"
#include "compute/distributed/grid_slabs.h"
#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <cstdint>
#include <span>
#include <type_traits>

namespace haloscope::analysis {

namespace {

// A part of the grid smaller than this is told.
constexpr double kSmallPart = 0.125;

// Which planes of cells hold anything, by axis.
using Planes = std::array<std::vector<char>, 3>;

Planes filled_planes(const Grid& grid, compute::Ranks& ranks) {
  const auto own = compute::distributed::planes_of_rank(grid.cells[0], ranks.rank(), ranks.size());
  Planes none;
  for (std::size_t a = 0; a < 3; ++a) none[a].assign(std::size_t(grid.cells[a]), 0);
  const auto add = [](Planes all, const Planes& more) {
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t k = 0; k < all[a].size(); ++k) all[a][k] |= more[a][k];
    return all;
  };
  Planes filled = with_values(grid, [&](auto values) {
    using Range = tbb::blocked_range<std::uint64_t>;
    const auto of_part = [&](const Range& part, Planes planes) {
      for (std::uint64_t x = part.begin(); x != part.end(); ++x)
        for (std::uint64_t y = 0; y < grid.cells[1]; ++y) {
          const auto* const row =
              values.data() + ((x - own.begin) * grid.cells[1] + y) * grid.cells[2];
          for (std::uint64_t z = 0; z < grid.cells[2]; ++z)
            if (row[z] > 0) planes[0][x] = planes[1][y] = planes[2][z] = 1;
        }
      return planes;
    };
    return tbb::parallel_reduce(Range(own.begin, own.end), none, of_part, add);
  });
  for (auto& planes : filled)
    ranks.all_reduce(std::span(planes), [](char x, char y) { return char(x | y); });
  return filled;
}

struct Extent {
  std::size_t first = 0, count = 0;  // planes; over the end of a closed axis
};

// The shortest stretch that holds all filled planes. Nothing: none is filled.
std::optional<Extent> filled_extent(const std::vector<char>& filled, bool periodic) {
  const std::size_t n = filled.size();
  std::size_t longest = 0, after = 0, run = 0;
  for (std::size_t k = 0; k < 2 * n && run < n; ++k) {
    run = filled[k % n] ? 0 : run + 1;
    if (periodic && run > longest) {
      longest = run;
      after = (k + 1) % n;
    }
  }
  if (run >= n) return {};
  if (periodic) return Extent{after, n - longest};
  std::size_t first = 0, last = n - 1;
  while (!filled[first]) ++first;
  while (!filled[last]) --last;
  return Extent{first, last - first + 1};
}

std::string axes_that_meet(const std::array<bool, 3>& periodic) {
  std::string axes;
  for (std::size_t a = 0; a < 3; ++a)
    if (periodic[a]) axes += (axes.empty() ? "" : ",") + std::string(1, "xyz"[a]);
  return axes.empty() ? "ends do not meet" : "ends meet along " + axes;
}

}  // namespace

std::string values_in_words(const FoundPeaks& found, const PeaksOptions& options,
                            const SnapshotInfo& info) {
  const GridTree& tree = *found.tree;
  const Grid& grid = tree.grid();
  std::vector<std::string> names;
  const std::vector<int> types = types_of_peaks(info, options);
  const std::string field =
      options.field.empty() ? std::string() : match_field(info, types, options.field);
  for (const int type : types)
    if (field.empty() || type_has_field(info, type, field))
      names.push_back(info.types.at(type).name);
  const std::string unit = grid.unit.empty() ? "" : " " + grid.unit;
  std::string text = fmt::format("{} of {}", grid.name, particles_in_words(names));
  if (!options.smooth.empty()) text += ", smoothed by " + options.smooth;
  if (tree.is_log()) text += ", as decimal logarithm";
  text += fmt::format(": from {:.6g} to {:.6g}{}", tree.statistics().lowest,
                      tree.statistics().highest, unit);
  if (found.mass_of_one > 0)
    return text + fmt::format(", and {} {:.6g} {} a cell", tree.is_log() ? "0 is" : "1 is",
                              found.mass_of_one, io::mass_unit(info.units));
  return text + fmt::format(", mean {:.6g}{}", tree.mean(), unit);
}

std::vector<std::string> bare_grid_in_words(const Grid& grid, const std::array<bool, 3>& periodic,
                                            const std::string& path) {
  const auto& cells = grid.cells;
  const std::string kind = with_grid_type(grid.scalar, [](auto zero) {
    using T = decltype(zero);
    return fmt::format("{}{}",
                       std::is_floating_point_v<T> ? "float"
                       : std::is_signed_v<T>       ? "int"
                                                   : "uint",
                       8 * sizeof(T));
  });
  const bool image = cells[2] == 1 && (cells[0] > 1 || cells[1] > 1);
  std::vector<std::string> said{
      image ? fmt::format("{}: an image of {} x {} cells ({}) whose {}", path, cells[0], cells[1],
                          kind, axes_that_meet(periodic))
            : fmt::format("{}: a grid of {} x {} x {} cells ({}) whose {}", path, cells[0],
                          cells[1], cells[2], kind, axes_that_meet(periodic))};
  constexpr std::uint64_t kFewColumns = 8, kManyRows = 16;
  if (image && cells[1] > 1 && cells[1] <= kFewColumns && cells[0] >= kManyRows * cells[1])
    said.push_back(fmt::format(
        "If each row is a point of {} coordinates, this is no grid: `haloscope clusters` takes it.",
        cells[1]));
  return said;
}

std::optional<std::string> region_hint(const Grid& grid, const std::array<bool, 3>& periodic,
                                       const PeaksOptions& options, compute::Ranks& ranks) {
  if (!options.region.empty() || !options.field.empty() || options.log) return {};
  const Planes planes = filled_planes(grid, ranks);
  std::array<double, 6> region{};
  double part = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    const auto extent = filled_extent(planes[a], periodic[a]);
    if (!extent) return {};
    part *= double(extent->count) / double(planes[a].size());
    region[a] = grid.low[a] + double(extent->first) * grid.spacing[a];
    region[a + 3] = region[a] + double(extent->count) * grid.spacing[a];
  }
  if (part > kSmallPart) return {};
  std::string numbers;
  for (const double x : region) numbers += fmt::format("{}{:.7g}", numbers.empty() ? "" : ",", x);
  return fmt::format(
      "All particles lie in {:.2g} % of the grid: `region` {} puts its cells there alone.",
      100 * part, numbers);
}

}  // namespace haloscope::analysis
