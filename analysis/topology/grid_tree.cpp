#include "analysis/topology/grid_tree.h"

#include "analysis/grids/grid_command.h"
#include "analysis/grids/grid_values.h"
#include "analysis/option_parsing/option_error.h"
#include "analysis/topology/peaks_words.h"
#include "compute/exec/mpi/rank_watch.h"
#include "compute/exec/named_range.h"
#include "compute/topology/triplets.h"
#include "core/array.h"
#include "core/check.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace haloscope::analysis {

namespace topology = compute::topology;

namespace {

// Of each cell: order, basin, branch and two labels, and what finding them takes.
constexpr std::uint64_t kTreeBytes = 40, kTripletBytes = 24;

topology::GridShape shape_of(const Grid& grid, const std::array<bool, 3>& periodic) {
  topology::GridShape shape;
  shape.periodic = periodic;
  for (std::size_t a = 0; a < 3; ++a) {
    if (grid.cells[a] > topology::kMostCells)
      throw Error(fmt::format("{} cells along an axis are more than 32 bits count", grid.cells[a]),
                  "grid", "choose a coarser grid or a part of it");
    shape.cells[a] = std::uint32_t(grid.cells[a]);
  }
  return shape;
}

std::uint64_t bytes_of_cell(const PeaksOptions& options, compute::Device device) {
  if (device.is_gpu()) return 2 * sizeof(std::uint32_t);
  return options.method == PeaksMethod::Triplet ? kTripletBytes : kTreeBytes;
}

// In the tree's own values.
double scaled(const GridTree& tree, double value) {
  return tree.is_log() ? std::log10(value) : value;
}

}  // namespace

GridTree::GridTree(Grid grid, bool overdensity, const PeaksOptions& options,
                   const std::array<bool, 3>& periodic, compute::Device device, Progress& progress,
                   compute::Ranks& ranks)
    : grid_(std::move(grid)), options_(options), shape_(shape_of(grid_, periodic)), ranks_(&ranks) {
  require_room_for_cells(cells_on_machine(), double(bytes_of_cell(options_, device)), "grid",
                         "choose a coarser grid or a part of it");
  {
    const compute::TimedRange timer(timings_, "statistics");
    statistics_ = measure_field(grid_, ranks);
    mean_ = overdensity ? 1 : statistics_.mean;
    if (options_.log) take_logarithm();
    last_ = last_cell(grid_, options_.levels, ranks);
  }
  require_multiples(*this, options_);
  if (const auto amount = parse_threshold(options_.threshold))
    threshold_ = amount->of == Amount::Of::Mean ? level_of(*this, amount->value) : amount->value;
  if (const auto levels = parse_component_levels(options_.halos, options_.levels))
    threshold_ = level_of(*this, levels->boundary);
  device_ = device;
  grow(device, progress);
}

void GridTree::take_logarithm() {
  if (statistics_.negative > 0)
    throw OptionError(
        fmt::format("{} cells hold values below 0, which have no logarithm", statistics_.negative),
        marked("log"), "leave it out");
  grid_ = logarithm_of(grid_);
  statistics_ = measure_field(grid_, *ranks_);
}

// Of the ranks that share this one's memory, as if each had as many as this one.
double GridTree::cells_on_machine() const {
  if (ranks_->size() == 1) return double(grid_.count());
  const double own = double(grid_.bytes.size() / grid_scalar_bytes(grid_.scalar));
  return own * double(compute::ranks_of_this_machine(*ranks_));
}

void GridTree::gather_values() {
  if (ranks_->size() == 1) return;
  // Slabs in blocks read their planes again wherever cells are labeled, so that nothing may ask
  // them from now on; and rank 0 needs their memory.
  slabs_.reset();
  has_gathered_ = true;
  gather_planes(grid_, *ranks_);
}

topology::ScalarGrid GridTree::view() const {
  return with_values(grid_, [&](auto values) { return topology::ScalarGrid{shape_, values}; });
}

void GridTree::grow(compute::Device device, Progress& progress) {
  const topology::TreeSettings settings{options_.neighbors, options_.levels, threshold_};
  if (options_.method == PeaksMethod::Triplet) {
    triplets_ = topology::make_triplets(device, view(), settings, progress, &timings_);
    branches_ = topology::branches_of(triplets_, view(), options_.levels);
  } else if (ranks_->size() > 1) {
    grow_over_ranks(settings, device, progress);
  } else {
    // The tree goes on to report when the search that made it is over.
    auto* const listener = &progress;
    auto living = std::make_shared<Progress*>(listener);
    progress_ = std::make_unique<Progress>([living](const std::string& phase, double part) {
      if (*living) (*living)->report(phase, part);
    });
    tree_ = topology::make_merge_tree(device, *progress_);
    tree_->grow(view(), settings, &timings_);
    *living = nullptr;
    branches_ = tree_->branches();
  }
  measure_branches();
  if (branches_.count() > 0) return;
  throw OptionError(
      fmt::format("no cell is {} {:.6g}: the values are from {:.6g} to {:.6g}",
                  options_.levels == topology::Levels::Super ? "as high as" : "as low as",
                  threshold_.value_or(0), statistics_.lowest, statistics_.highest),
      marked(options_.halos.empty() ? "threshold" : "halos"),
      options_.levels == topology::Levels::Super ? "give a lower one" : "give a higher one");
}

// The search that made it outlives this tree.
void GridTree::grow_over_ranks(const topology::TreeSettings& settings, compute::Device device,
                               Progress& progress) {
  slabs_ = compute::distributed::make_slab_tree(*ranks_, device, progress);
  with_values(grid_, [&](auto own) { slabs_->grow(shape_, own, settings, &timings_); });
  branches_ = slabs_->branches();
}

void GridTree::measure_branches() {
  persistences_ = {std::numeric_limits<double>::infinity(), 0};
  for (std::size_t b = 0; b < branches_.count(); ++b) {
    if (branches_.saddle[b] == topology::kNoCell) continue;
    const std::uint64_t one = branches_.birth[b], other = branches_.death[b];
    const double lasts =
        topology::difference_of(branches_.kind, std::max(one, other), std::min(one, other));
    if (!(lasts > 0) || !std::isfinite(lasts)) continue;
    persistences_ = {std::min(persistences_[0], lasts), std::max(persistences_[1], lasts)};
  }
}

std::uint64_t GridTree::device_memory_over_ranks() const {
  std::uint64_t most = 0;
  if (slabs_) most = slabs_->peak_device_memory();
  if (tree_) most = tree_->peak_device_memory();
  ranks_->all_reduce(std::span(&most, 1), [](auto a, auto b) { return std::max(a, b); });
  return most;
}

std::uint64_t GridTree::bytes() const {
  const std::uint64_t per_cell = tree_ ? kTreeBytes / 2 : 2 * sizeof(std::uint32_t);
  return grid_.bytes.size() + grid_.count() * per_cell + branches_.count() * 40;
}

topology::Segments GridTree::segments(const topology::Simplification& simplification,
                                      topology::Labeling labeling) const {
  const std::lock_guard lock(use_);
  HALOSCOPE_CHECK(has_gathered_, ==, false);
  if (slabs_) return slabs_->segments(simplification, labeling);
  if (!tree_) return segments_of_triplets(simplification);
  return tree_->segments(simplification, labeling);
}

void GridTree::keep_points(std::span<const std::uint32_t> cell, topology::Labeling labeling) const {
  const std::lock_guard lock(use_);
  tree_->keep_points(cell, labeling);
}

topology::PointSegments GridTree::segment_points(
    const topology::Simplification& simplification) const {
  const std::lock_guard lock(use_);
  return tree_->segment_points(simplification);
}

// A regular cell's triplet names the oldest maximum of its component; noise goes to its parent,
// which is older and so has a label already.
topology::Segments GridTree::segments_of_triplets(
    const topology::Simplification& simplification) const {
  topology::require_simplification(simplification);
  topology::Segments segments;
  std::vector<std::uint32_t> label_of_branch(branches_.count());
  std::vector<std::uint32_t> branch_of_maximum(triplets_.top.size(), topology::kNoBranch);
  for (std::uint32_t b = 0; b < branches_.count(); ++b) {
    branch_of_maximum[std::size_t(branches_.maximum[b])] = b;
    const bool stays =
        branches_.saddle[b] == topology::kNoCell ||
        topology::persists(simplification, branches_.kind, branches_.birth[b], branches_.death[b]);
    label_of_branch[b] =
        stays ? std::uint32_t(segments.branch.size()) : label_of_branch[branches_.parent[b]];
    if (stays) segments.branch.push_back(b);
  }
  segments.label.assign(triplets_.top.size(), topology::kNoBranch);
  for (std::uint32_t u = 0; u < segments.label.size(); ++u) {
    if (triplets_.top[u] == topology::kNoBranch) continue;
    const std::uint32_t own = branch_of_maximum[u];
    segments.label[u] =
        label_of_branch[own != topology::kNoBranch ? own : branch_of_maximum[triplets_.top[u]]];
  }
  return segments;
}

void require_room_for_tree(const std::array<std::uint32_t, 3>& cells, const PeaksOptions& options,
                           compute::Device device, compute::Ranks& ranks) {
  const double all = double(cells[0]) * double(cells[1]) * double(cells[2]);
  const double here = compute::share_of_this_machine(ranks);
  try {
    require_room_for_cells(all * here, sizeof(float) + double(bytes_of_cell(options, device)),
                           marked("grid"), "choose fewer cells");
  } catch (const Error& error) {
    throw OptionError(error.what());
  }
  if (all > double(topology::kMostCells))
    throw OptionError(fmt::format("particles are labeled by at most {} cells, and these are {:.0f}",
                                  topology::kMostCells, all),
                      marked("grid"), "choose fewer, or give a file that is a grid");
}

void require_multiples(const GridTree& tree, const PeaksOptions& options) {
  const auto threshold = parse_threshold(options.threshold);
  const auto persistence = parse_persistence(options.persistence);
  const bool of_threshold = threshold && threshold->of == Amount::Of::Mean;
  const bool of_persistence = persistence && persistence->of == Amount::Of::Mean;
  const char* const option = !options.halos.empty()   ? "halos"
                             : !options.voids.empty() ? "voids"
                             : of_threshold           ? "threshold"
                             : of_persistence         ? "persistence"
                                                      : nullptr;
  if (option && !(tree.mean() > 0))
    throw OptionError(fmt::format("the mean of the values is {:.6g}, and only a mean above 0 has "
                                  "multiples that say something",
                                  tree.mean()),
                      marked(option),
                      of_threshold || of_persistence ? "write abs:X" : "use `persistence` abs:X");
  if (persistence && persistence->of == Amount::Of::Ratio && !tree.is_log() &&
      tree.statistics().negative > 0)
    throw OptionError(fmt::format("{} cells hold values below 0, which have no ratio",
                                  tree.statistics().negative),
                      marked("persistence"), "write abs:X or sigma:X");
}

double level_of(const GridTree& tree, double times_mean) {
  return scaled(tree, times_mean * tree.mean());
}

topology::Simplification simplification_of(const GridTree& tree, const PeaksOptions& options) {
  require_multiples(tree, options);
  topology::Simplification simplification;
  simplification.zero_pairs = options.zero_pairs;
  if (!options.halos.empty()) {
    simplification.threshold = std::numeric_limits<double>::infinity();
    return simplification;
  }
  const auto amount = parse_persistence(options.persistence);
  if (!amount) return simplification;
  switch (amount->of) {
    case Amount::Of::Mean:
      simplification.threshold = amount->value * std::fabs(tree.mean());
      break;
    case Amount::Of::Sigma:
      simplification.threshold = amount->value * tree.statistics().deviation;
      break;
    case Amount::Of::Ratio:
      if (tree.is_log()) {
        simplification.threshold = std::log10(amount->value);
        break;
      }
      simplification.measure = topology::Simplification::Measure::Ratio;
      simplification.threshold = amount->value;
      break;
    default:
      simplification.threshold = amount->value;
  }
  return simplification;
}

}  // namespace haloscope::analysis
