#include "analysis/topology/grid_peaks.h"

#include "analysis/option_parsing/option_error.h"
#include "analysis/snapshot/same_snapshot.h"
#include "analysis/topology/peaks_catalog.h"
#include "analysis/topology/peaks_grid_words.h"
#include "analysis/topology/peaks_plots.h"
#include "analysis/topology/peaks_words.h"
#include "compute/distributed/grid_slabs.h"
#include "compute/distributed/smooth_slabs.h"
#include "compute/exec/named_range.h"
#include "compute/grids/smoothing.h"
#include "io/catalogs/tree_tables.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace haloscope::analysis {

namespace grids = compute::grids;

namespace {

grids::GridFrame frame_of(const Grid& grid, const std::array<bool, 3>& periodic) {
  grids::GridFrame frame;
  for (std::size_t a = 0; a < 3; ++a) {
    if (grid.cells[a] > grids::GridFrame::kMostCells)
      throw OptionError(fmt::format("an axis of {} cells cannot be smoothed", grid.cells[a]),
                        marked("smooth"), "leave it out");
    frame.cells[a] = std::uint32_t(grid.cells[a]);
    frame.edge[a] = periodic[a] ? grids::Edge::Wrap : grids::Edge::Keep;
  }
  return frame;
}

Array<float> as_floats(const Grid& grid) {
  Array<float> values(grid.bytes.size() / grid_scalar_bytes(grid.scalar));
  with_values(grid, [&](auto from) {
    tbb::parallel_for(std::size_t(0), from.size(),
                      [&](std::size_t i) { values[i] = float(from[i]); });
  });
  return values;
}

void smooth(Grid& grid, const PeaksOptions& options, const std::array<bool, 3>& periodic,
            compute::Device device, compute::Ranks& ranks, std::vector<std::string>& said) {
  const GridSmoothing smoothing = grid_choice(options, 1).smoothing;
  measure_field(grid, ranks);  // refuses what would spread
  std::array<double, 3> widths{};
  for (std::size_t a = 0; a < 3; ++a)
    widths[a] = smoothing.in_cells ? smoothing.width : smoothing.width / grid.spacing[a];
  // One cell along an axis has nothing to be smoothed with.
  for (std::size_t a = 0; a < 3; ++a)
    if (grid.cells[a] == 1) widths[a] = 0;
  const grids::GridFrame frame = frame_of(grid, periodic);
  for (std::size_t a = 0; a < 3; ++a)
    if (widths[a] > frame.cells[a])
      throw OptionError(fmt::format("a width of {:.6g} cells is more than the grid's {} along {}",
                                    widths[a], frame.cells[a], "xyz"[a]),
                        marked("smooth"), "choose a smaller one");
  const Array<float> values =
      ranks.size() == 1
          ? grids::smooth_grid(device, frame, widths, as_floats(grid))
          : compute::distributed::smooth_slabs(ranks, device, frame, widths, as_floats(grid));
  if (grid.scalar != GridScalar::Float32) said.push_back("Smoothed values are rounded to float32.");
  grid.scalar = GridScalar::Float32;
  grid.bytes = Array<std::byte>(values.size() * sizeof(float));
  if (values.size() > 0) std::memcpy(grid.bytes.data(), values.data(), grid.bytes.size());
}

// "float32", as NumPy has it.
std::string kind_of(GridScalar scalar) {
  return with_grid_type(scalar, [](auto value) {
    using T = decltype(value);
    return fmt::format("{}{}",
                       std::is_floating_point_v<T> ? "float"
                       : std::is_signed_v<T>       ? "int"
                                                   : "uint",
                       8 * sizeof(T));
  });
}

std::string axes_of(const std::optional<std::array<bool, 3>>& periodic) {
  if (!periodic) return "not told";
  std::string axes;
  for (std::size_t a = 0; a < 3; ++a)
    if ((*periodic)[a]) axes += "xyz"[a];
  return axes.empty() ? "along none" : "along " + axes;
}

// Ranks that see other grids would wait for what never comes. Whoever calls names the file.
void require_same_grid(compute::Ranks& ranks, const Grid& grid, const std::string& path) {
  if (ranks.size() == 1) return;
  const std::string own =
      fmt::format("{} ({} x {} x {} cells of {:.17g} x {:.17g} x {:.17g}, {}, periodic {})",
                  grid.name, grid.cells[0], grid.cells[1], grid.cells[2], grid.spacing[0],
                  grid.spacing[1], grid.spacing[2], kind_of(grid.scalar), axes_of(grid.periodic));
  const char* const remedy = "give a path that is the same on all machines";
  const std::vector<std::string> all = ranks.all_texts(own);
  for (int r = 1; r < ranks.size(); ++r)
    if (all[std::size_t(r)] != all[0])
      throw Error(
          fmt::format("rank {} sees {} where rank 0 sees {}", r, all[std::size_t(r)], all[0]), {},
          remedy);
  if (ranks.in_one_process()) return;
  const std::vector<std::string> contents =
      ranks.all_texts(fingerprints_of({path}, ranks.size()).front());
  for (int r = 1; r < ranks.size(); ++r)
    if (contents[std::size_t(r)] != contents[0])
      throw Error(fmt::format("rank {} sees other contents of this file than rank 0", r), {},
                  remedy);
}

[[noreturn]] void refuse(const char* option, const char* why) {
  throw OptionError(why, marked(option), "leave it out");
}

}  // namespace

void check_grid_options(const PeaksOptions& options) {
  check_options(options);
  if (!options.types.empty()) refuse("types", "a bare grid has no types of particles");
  if (!options.field.empty()) refuse("field", "a bare grid has one field");
  if (!options.grid.empty()) refuse("grid", "a bare grid has cells of its own");
  if (options.assign != grids::Assign::CloudInCell)
    refuse("assign", "a bare grid has no particles to share out");
  if (!options.region.empty()) refuse("region", "a bare grid is taken whole");
  if (options.softening) refuse("softening", "cells of a grid have no gravity");
}

void require_for_ranks(const PeaksOptions& options, bool gpus) {
  const std::string who = gpus ? "several GPUs " : "several ranks ";
  const std::string remedy =
      gpus ? "leave it out, or leave --gpus out" : "leave it out, or start one process";
  if (options.method == PeaksMethod::Triplet)
    throw OptionError(who + "cannot make trees of triplets yet", marked("method"), remedy);
}

io::ChoosePlanes planes_to_read(const compute::Ranks& ranks) {
  if (ranks.size() == 1) return {};
  return [&ranks](std::uint64_t planes) {
    const auto own = compute::distributed::planes_of_rank(planes, ranks.rank(), ranks.size());
    return std::pair(own.begin, own.end);
  };
}

GridPeaks find_grid_peaks(Grid grid, const std::string& path, const PeaksOptions& asked,
                          compute::Device device, Progress& progress, compute::Ranks& ranks,
                          const WantedCells& wanted) {
  check_grid_options(asked);
  require_same_grid(ranks, grid, path);
  const PeaksOptions options = completed(asked);
  GridPeaks peaks;
  const std::array<bool, 3> periodic =
      parse_closed(options.closed).value_or(grid.periodic.value_or(std::array<bool, 3>{}));
  peaks.about = bare_grid_in_words(grid, periodic, path);
  if (!options.smooth.empty()) smooth(grid, options, periodic, device, ranks, peaks.said);
  FoundPeaks& found = peaks.found;
  const auto tree = std::make_shared<GridTree>(std::move(grid), false, options, periodic, device,
                                               progress, ranks);
  found.tree = tree;
  if (!found.tree->knows_basins() && options.segments == SegmentKind::Watershed)
    peaks.said.push_back("Triplets know no basins: segments are branches (`segments` branch).");
  found.timings = found.tree->timings();
  {
    const compute::TimedRange timer(found.timings, "segments");
    found.structures = find_structures(*found.tree, options);
  }
  found.peak_device_memory = tree->device_memory_over_ranks();
  if (ranks.size() > 1) {
    const compute::TimedRange timer(found.timings, "gather");
    if (wanted.labels) gather_labels(*tree, found.structures);
    if (wanted.values) tree->gather_values();
    if (!ranks.first()) return peaks;
  }
  found.diagram = std::make_shared<const PersistenceDiagram>(*found.tree);
  peaks.catalog = catalog_of_grid(*found.tree, found.structures);
  std::vector<std::string> assumed;
  for (const std::string& sentence : peaks.said) assumed.push_back(with_flags(sentence));
  peaks.provenance = peaks_provenance(found, options, {path}, assumed);
  peaks.provenance.parameters[io::kPointsParameter] = io::kCellsOfGrid;
  peaks.summary = peaks_in_words(found, options);
  peaks.plots = peaks_plots(*found.tree, found.structures, *found.diagram, path);
  return peaks;
}

}  // namespace haloscope::analysis
