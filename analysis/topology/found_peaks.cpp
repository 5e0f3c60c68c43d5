#include "analysis/topology/found_peaks.h"

#include "analysis/grids/grid_command.h"
#include "analysis/option_parsing/option_values.h"
#include "analysis/topology/live_peaks.h"
#include "analysis/topology/peaks_words.h"
#include "core/version.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/parallel_for.h>

#include <algorithm>

namespace haloscope::analysis {

namespace topology = compute::topology;

namespace {

bool is_super(const GridTree& tree) {
  return tree.levels() == topology::Levels::Super;
}

std::string persistence_in_words(const topology::Simplification& simplification) {
  return fmt::format("{} {:.6g} or more",
                     simplification.measure == topology::Simplification::Measure::Ratio
                         ? "a ratio of"
                         : "persistence of",
                     simplification.threshold);
}

}  // namespace

std::uint64_t FoundPeaks::bytes() const {
  return tree->bytes() + structures.bytes() + (cells ? cells->bytes() : 0) +
         (live ? live->bytes() : 0);
}

FoundPeaks in_same_tree(const FoundPeaks& known) {
  FoundPeaks found;
  found.tree = known.tree;
  found.cells = known.cells;
  found.live = known.live;
  found.diagram = known.diagram;
  found.period = known.period;
  found.mass_of_one = known.mass_of_one;
  return found;
}

Labels labels_of_particles(const FoundPeaks& found) {
  Labels labels;
  labels.pieces = found.structures.count();
  if (!found.cells) return labels;
  const CellLabels& of_cell = found.structures.labels();
  for (const auto& [type, cells] : found.cells->of) {
    std::vector<std::uint32_t>& to = labels.of[type];
    to.resize(cells.size());
    tbb::parallel_for(std::size_t(0), cells.size(), [&, &cells = cells](std::size_t row) {
      to[row] = cells[row] == Labels::kNone ? Labels::kNone : of_cell[cells[row]];
    });
  }
  return labels;
}

std::vector<std::uint64_t> members_of(const Labels& labels) {
  std::vector<std::uint64_t> members(std::size_t(labels.pieces), 0);
  for (const auto& [type, of] : labels.of)
    for (const std::uint32_t label : of)
      if (label != Labels::kNone) ++members[label];
  return members;
}

std::string peaks_in_words(const FoundPeaks& found, const PeaksOptions& options) {
  const GridTree& tree = *found.tree;
  const Structures& structures = found.structures;
  const bool super = is_super(tree);
  const std::size_t count = structures.count();
  const char* const one = super ? "peak" : "void";
  const std::size_t all = tree.branches().count();
  std::string text = fmt::format("{} {}{} of {} {}{}", count, one, count == 1 ? "" : "s", all,
                                 super ? "maxim" : "minim", all == 1 ? "um" : "a");
  if (found.cells) text += " in " + cells_in_words(tree.grid());
  if (!options.halos.empty())
    return text + fmt::format(", joined {} {:.6g} and somewhere {} {:.6g}",
                              super ? "above" : "below", *tree.threshold(),
                              super ? "above" : "below", *structures.peak_level);
  if (const auto voids = parse_void_levels(options.voids))
    text += fmt::format(", joined where the wall is below {:.6g}, with minima below {:.6g}",
                        level_of(tree, voids->wall), *structures.peak_level);
  if (!options.persistence.empty())
    text += ", with " + persistence_in_words(structures.simplification);
  if (tree.threshold())
    text += fmt::format(", in cells {} {:.6g}", super ? "from" : "up to", *tree.threshold());
  return text;
}

CatalogProvenance peaks_provenance(const FoundPeaks& found, const PeaksOptions& options,
                                   const std::vector<std::string>& files,
                                   const std::vector<std::string>& assumed) {
  const GridTree& tree = *found.tree;
  CatalogProvenance p;
  p.program_version = version();
  p.snapshot = fmt::format("{}", fmt::join(files, " "));
  for (const OptionValue& one : values_of(options))
    if (*one.about.catalog_name) p.parameters[one.about.catalog_name] = one.value;
  p.parameters["grid"] = fmt::format("{}", fmt::join(tree.grid().cells, ","));
  std::string axes;
  for (std::size_t a = 0; a < 3; ++a)
    if (tree.periodic()[a]) axes += (axes.empty() ? "" : ",") + std::string(1, char('x' + a));
  p.parameters["periodic"] = axes.empty() ? std::string("no") : axes;
  p.parameters["values"] = tree.grid().name;
  p.parameters["mean"] = tree.mean();
  p.parameters["standard deviation"] = tree.statistics().deviation;
  if (tree.threshold()) p.parameters["threshold level"] = *tree.threshold();
  if (const auto voids = parse_void_levels(options.voids))
    p.parameters["wall level"] = level_of(tree, voids->wall);
  if (found.structures.peak_level)
    p.parameters[is_super(tree) ? "peak level" : "minimum level"] = *found.structures.peak_level;
  if (!options.persistence.empty())
    p.parameters["least persistence"] = found.structures.simplification.threshold;
  p.parameters["segments"] =
      std::string(found.structures.kind == SegmentKind::Branch ? "branch" : "watershed");
  p.parameters[is_super(tree) ? "maxima" : "minima"] = std::int64_t(tree.branches().count());
  p.parameters["assumed"] = fmt::format("{}", fmt::join(assumed, " "));
  return p;
}

}  // namespace haloscope::analysis
