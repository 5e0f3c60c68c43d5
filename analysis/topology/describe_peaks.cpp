#include "analysis/topology/describe_peaks.h"

#include "analysis/topology/live_peaks.h"
#include "analysis/topology/peaks_plots.h"
#include "analysis/topology/peaks_words.h"
#include "core/error.h"

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

namespace haloscope::analysis {

namespace {

std::vector<double> column_values(const CatalogColumn* column, std::uint64_t count) {
  std::vector<double> values(std::size_t(count), 0);
  for (std::uint64_t k = 0; column && k < count; ++k) values[std::size_t(k)] = column->value(k);
  return values;
}

PieceColumn listed(const char* title, const HaloTable& table, const char* name) {
  const CatalogColumn* const column = table.find(name);
  return {title, column ? column->unit : "", column_values(column, table.count)};
}

// Where else the persistence that makes a peak can be put.
std::optional<CutScale> scale_of_cuts(const FoundPeaks& found, const PeaksOptions& options) {
  if (!takes_persistence(options)) return {};
  const auto [low, high] = found.tree->persistences();
  CutScale scale;
  scale.low = low;
  scale.high = high;
  if (!(scale.low < scale.high)) return {};
  const auto& simplification = found.structures.simplification;
  // What was asked for may lie beyond all that there is, which the slider tells.
  if (simplification.measure == compute::topology::Simplification::Measure::Difference &&
      simplification.threshold > 0)
    scale.at = simplification.threshold;
  if (!options.persistence.starts_with("abs:")) scale.asked = options.persistence;
  scale.name = "persistence";
  scale.unit = found.tree->grid().unit;
  return scale;
}

// Null: the particles are not there, or no room is left for their labels; the host has them too.
std::shared_ptr<const compute::topology::PointSegments> segments_there(
    const FoundPeaks& found, const PeaksOptions& options) {
  // Of halos and voids some are left out or joined, which the tree does not know.
  if (!found.live || !takes_persistence(options)) return nullptr;
  try {
    return found.live->segments(simplification_of(*found.tree, options),
                                labeling_of(options.segments));
  } catch (const Error&) {
    return nullptr;
  }
}

}  // namespace

void list_peaks(const FoundPeaks& found, const std::vector<std::uint64_t>& members,
                const HaloTable* table, Finding& finding) {
  const GridTree& tree = *found.tree;
  const Grid& grid = tree.grid();
  const auto& branches = found.structures.branch;
  PieceColumn counts{"Members", "", {members.begin(), members.end()}, true};
  const bool super = tree.levels() == compute::topology::Levels::Super;
  PieceColumn peak{super ? "Peak" : "Minimum", grid.unit, {}},
      persistence{"Persistence", grid.unit, {}};
  PieceColumn radius{"Radius", grid.length_unit, {}};
  peak.help = "The value of the grid there: " + grid.name + ".";
  persistence.help = super ? "Above the saddle where it joins a higher one; none: it joins none."
                           : "Below the saddle where it joins a deeper one; none: it joins none.";
  radius.help = "Of a sphere as large as its cells.";
  for (std::size_t k = 0; k < branches.size(); ++k) {
    peak.values.push_back(peak_value(tree, branches[k]));
    const double lasts = persistence_of(tree, branches[k]);
    persistence.values.push_back(std::isfinite(lasts) ? lasts : kNotThere);
    radius.values.push_back(radius_of_cells(grid, found.structures.cells[k]));
    finding.places.push_back(
        {middle_of(grid, tree.branches().maximum[branches[k]]), radius.values.back()});
  }
  finding.columns = {std::move(counts), std::move(peak), std::move(persistence), std::move(radius)};
  finding.members_column = 0;
  finding.radius_column = 3;
  // What is not known until particles are read is NaN.
  PieceColumn mass{"Mass", "", std::vector<double>(branches.size(), kNotThere)};
  finding.columns.push_back(table ? listed("Mass", *table, "GroupMass") : std::move(mass));
}

void describe_peaks(const FoundPeaks& found, const PeaksOptions& options, Finding& finding) {
  finding.pieces = found.structures.count();
  if (found.tree->levels() == compute::topology::Levels::Sub) finding.called = {"void", "voids"};
  finding.summary = peaks_in_words(found, options);
  finding.peaks = std::make_shared<const FoundPeaks>(found);
  finding.cut = scale_of_cuts(found, options);
}

void label_there(const FoundPeaks& found, const PeaksOptions& options, Finding& finding) {
  if (!found.live || !found.tree->is_on_gpu()) return;
  if (const auto there = segments_there(found, options))
    finding.resident = {there->labels, found.live->ranges()};
}

Finding peaks_again(const Finding& former, const PeaksOptions& options) {
  FoundPeaks found = in_same_tree(*former.peaks);
  if (!found.diagram) found.diagram = std::make_shared<const PersistenceDiagram>(*found.tree);
  Finding finding;
  finding.measured = false;
  std::vector<std::uint64_t> members;
  if (const auto there = segments_there(found, options)) {
    compute::topology::SegmentLists lists = there->lists->download();
    found.structures = structures_of(*found.tree, options, lists);
    members = std::move(lists.points);
    if (there->labels->device().is_gpu()) {
      finding.resident = {there->labels, found.live->ranges()};
    } else {
      finding.labels = std::make_shared<const Labels>(found.live->on_host(*there));
    }
  } else {
    found.structures = find_structures(*found.tree, options);
    finding.labels = std::make_shared<const Labels>(labels_of_particles(found));
    members = members_of(*finding.labels);
  }
  describe_peaks(found, options, finding);
  list_peaks(found, members, nullptr, finding);
  finding.plots = peaks_plots_again(former.plots, *found.tree, found.structures, *found.diagram,
                                    former.provenance.snapshot);
  finding.provenance = former.provenance;
  return finding;
}

}  // namespace haloscope::analysis
