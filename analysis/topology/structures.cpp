#include "analysis/topology/structures.h"

#include "analysis/option_parsing/option_error.h"
#include "analysis/topology/peaks_words.h"
#include "compute/distributed/grid_slabs.h"
#include "compute/exec/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace haloscope::analysis {

namespace topology = compute::topology;

namespace {

constexpr std::uint32_t kNoStructure = topology::kNoBranch;

// New numbers of segments, kNoStructure for those that are left out.
void renumber(const std::vector<std::uint32_t>& number, CellLabels& labels) {
  for (std::uint32_t& label : labels)
    if (label != kNoStructure) label = number[label];
}

// ZOBOV's rule with VIDE's wall: zones whose pass is below the wall are one void, that of the
// deepest minimum. All that meet below one level are one component there, so that each is joined
// with that of its parent, which is older and stands before it.
void join_zones(const GridTree& tree, double wall, Structures& found) {
  std::vector<std::uint32_t> of_branch(tree.branches().count(), kNoStructure);
  std::vector<std::uint32_t> number(found.branch.size(), kNoStructure), kept;
  for (std::size_t k = 0; k < found.branch.size(); ++k) {
    const std::uint32_t b = found.branch[k];
    const std::uint32_t parent = tree.branches().parent[b];
    const bool joins = parent != topology::kNoBranch && saddle_value(tree, b) < wall;
    number[k] = joins ? of_branch[parent] : std::uint32_t(kept.size());
    if (!joins) kept.push_back(b);
    of_branch[b] = number[k];
  }
  found.branch = std::move(kept);
  renumber(number, found.by_branch);
  renumber(number, found.by_watershed);
}

// Of halos and voids, those whose maximum is too low or whose minimum is too high are none.
void leave_out_low_peaks(const GridTree& tree, const PeaksOptions& options, Structures& found) {
  const auto halos = parse_component_levels(options.halos, options.levels);
  const auto voids = parse_void_levels(options.voids);
  if (!halos && !voids) return;
  const bool super = tree.levels() == topology::Levels::Super;
  found.peak_level = level_of(tree, halos ? halos->peak : voids->minimum);
  std::vector<std::uint32_t> number(found.branch.size(), kNoStructure), kept;
  for (std::size_t k = 0; k < found.branch.size(); ++k) {
    const double peak = peak_value(tree, found.branch[k]);
    // A halo's maximum exceeds the level: Reeber's word.
    if (super ? !(peak > *found.peak_level) : !(peak < *found.peak_level)) continue;
    number[k] = std::uint32_t(kept.size());
    kept.push_back(found.branch[k]);
  }
  if (kept.empty())
    throw OptionError(
        fmt::format("no {} is {} {:.6g}: the {} of all is {:.6g}", super ? "peak" : "minimum",
                    super ? "above" : "below", *found.peak_level, super ? "highest" : "lowest",
                    peak_value(tree, 0)),
        marked(halos ? "halos" : "voids"), super ? "give a lower one" : "give a higher one");
  found.branch = std::move(kept);
  renumber(number, found.by_branch);
  renumber(number, found.by_watershed);
}

// Parents are older, and as persistent at least, so that each is a structure.
void find_parents(const GridTree& tree, Structures& found) {
  std::vector<std::uint32_t> structure(tree.branches().count(), kNoStructure);
  for (std::uint32_t k = 0; k < found.count(); ++k) structure[found.branch[k]] = k;
  for (const std::uint32_t b : found.branch) {
    const std::uint32_t parent = tree.branches().parent[b];
    found.parent.push_back(parent == topology::kNoBranch ? kNoStructure : structure[parent]);
  }
}

// Sums of floats run over the cells in their order: each rank goes on with those of the one before,
// and the last one tells all.
class SumsFromRankToRank {
 public:
  SumsFromRankToRank(compute::Ranks& ranks, Structures& found) : ranks_(ranks), found_(found) {
    found.cells.assign(found.count(), 0);
    found.sum.assign(found.count(), 0);
    if (ranks.first()) return;
    const compute::Incoming in[]{{ranks.rank() - 1, found.cells.data(), bytes(found.cells)},
                                 {ranks.rank() - 1, found.sum.data(), bytes(found.sum)}};
    ranks.move({}, in);
  }
  void tell() {
    const int last = ranks_.size() - 1;
    if (ranks_.rank() < last) {
      const compute::Outgoing out[]{{ranks_.rank() + 1, found_.cells.data(), bytes(found_.cells)},
                                    {ranks_.rank() + 1, found_.sum.data(), bytes(found_.sum)}};
      ranks_.move(out, {});
    }
    if (last == 0) return;
    ranks_.broadcast(found_.cells.data(), bytes(found_.cells), last);
    ranks_.broadcast(found_.sum.data(), bytes(found_.sum), last);
  }

 private:
  template <class T>
  static std::uint64_t bytes(const std::vector<T>& values) {
    return values.size() * sizeof(T);
  }

  compute::Ranks& ranks_;
  Structures& found_;
};

void sum_up_cells(const GridTree& tree, Structures& found) {
  SumsFromRankToRank sums(tree.ranks(), found);
  const CellLabels& labels = found.labels();
  with_values(tree.grid(), [&](auto values) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] == kNoStructure) continue;
      ++found.cells[labels[i]];
      // Of a logarithm what it is of is summed.
      const double value = double(values[i]);
      const double plain = tree.is_log() ? std::pow(10, value) : value;
      if (std::isfinite(plain)) found.sum[labels[i]] += plain;
    }
  });
  sums.tell();
}

}  // namespace

std::uint64_t Structures::bytes() const {
  return (by_branch.size() + by_watershed.size()) * sizeof(std::uint32_t) + count() * 32;
}

topology::Labeling labeling_of(SegmentKind kind) {
  return kind == SegmentKind::Branch ? topology::Labeling::Branch : topology::Labeling::Watershed;
}

Structures structures_of(const GridTree& tree, const PeaksOptions& options,
                         const topology::SegmentLists& segments) {
  Structures found;
  found.simplification = simplification_of(tree, options);
  found.branch = segments.branch;
  found.cells = segments.cells;
  found.kind = options.segments;
  return found;
}

Structures find_structures(const GridTree& tree, const PeaksOptions& options) {
  Structures found;
  found.simplification = simplification_of(tree, options);
  topology::Segments segments = tree.segments(found.simplification, topology::Labeling::Branch);
  found.branch = std::move(segments.branch);
  found.by_branch = std::move(segments.label);
  found.kind = tree.knows_basins() ? options.segments : SegmentKind::Branch;
  if (tree.knows_basins())
    found.by_watershed =
        std::move(tree.segments(found.simplification, topology::Labeling::Watershed).label);
  if (const auto voids = parse_void_levels(options.voids))
    join_zones(tree, level_of(tree, voids->wall), found);
  leave_out_low_peaks(tree, options, found);
  find_parents(tree, found);
  sum_up_cells(tree, found);
  return found;
}

void gather_labels(const GridTree& tree, Structures& found) {
  compute::Ranks& ranks = tree.ranks();
  if (ranks.size() == 1) return;
  const auto& cells = tree.grid().cells;
  const std::uint64_t plane = cells[1] * cells[2] * sizeof(std::uint32_t);
  for (CellLabels* const labels : {&found.by_branch, &found.by_watershed}) {
    CellLabels all(ranks.first() ? std::size_t(tree.grid().count()) : 0);
    compute::distributed::gather_planes(ranks, cells[0], plane, labels->data(), all.data());
    *labels = std::move(all);
  }
}

Vec middle_of(const Grid& grid, std::uint64_t cell) {
  const std::uint64_t row = cell / grid.cells[2];
  const std::uint64_t at[3] = {row / grid.cells[1], row % grid.cells[1], cell % grid.cells[2]};
  Vec middle{0, 0, 0};
  for (std::size_t a = 0; a < 3; ++a)
    middle[a] = grid.low[a] + (double(at[a]) + 0.5) * grid.spacing[a];
  return middle;
}

std::optional<std::uint64_t> cell_at(const Grid& grid, double period, const Vec& point) {
  std::uint64_t cell = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    double apart = point[a] - grid.low[a];
    if (period > 0) apart -= period * std::floor(apart / period);
    const double at = std::floor(apart / grid.spacing[a]);
    if (!(at >= 0 && at < double(grid.cells[a]))) return {};
    cell = cell * grid.cells[a] + std::uint64_t(at);
  }
  return cell;
}

double cell_volume(const Grid& grid) {
  return grid.spacing[0] * grid.spacing[1] * grid.spacing[2];
}

double radius_of_cells(const Grid& grid, std::uint64_t cells) {
  constexpr double kPi = 3.14159265358979323846;
  return std::cbrt(3 * double(cells) * cell_volume(grid) / (4 * kPi));
}

double peak_value(const GridTree& tree, std::uint32_t branch) {
  return tree.value_of(tree.branches().birth[branch]);
}

double saddle_value(const GridTree& tree, std::uint32_t branch) {
  if (tree.branches().saddle[branch] == topology::kNoCell)
    return std::numeric_limits<double>::quiet_NaN();
  return tree.value_of(tree.branches().death[branch]);
}

double persistence_of(const GridTree& tree, std::uint32_t branch) {
  const topology::Branches& all = tree.branches();
  if (all.saddle[branch] == topology::kNoCell) return std::numeric_limits<double>::infinity();
  const std::uint64_t a = all.birth[branch], b = all.death[branch];
  return topology::difference_of(all.kind, std::max(a, b), std::min(a, b));
}

}  // namespace haloscope::analysis
