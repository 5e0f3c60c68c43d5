#include "app/cli/info_grid.h"

#include "analysis/grids/grid_command.h"
#include "analysis/snapshot/json_text.h"
#include "analysis/topology/field_statistics.h"
#include "analysis/topology/peaks_grid_words.h"
#include "core/error.h"
#include "io/grids/grid_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <optional>

namespace haloscope::app::cli {

namespace {

std::optional<Grid> read(const std::string& path, const std::string& dataset, Progress& progress) {
  io::GridOpenOptions options;
  options.dataset = dataset;
  if (!dataset.empty()) return io::read_grid(path, options, progress);
  if (!io::is_grid_file(path) && !io::may_hold_grid(path)) return {};
  try {
    return io::read_grid(path, options, progress);
  } catch (const Error&) {
    // Of what may be other things the faults are those of a snapshot.
    if (io::is_grid_file(path)) throw;
    return {};
  }
}

// Of values that a tree cannot be made of there is none.
std::optional<analysis::FieldStatistics> measured(const Grid& grid) {
  try {
    return analysis::measure_field(grid);
  } catch (const Error&) {
    return {};
  }
}

// Logarithms of empty cells are told, for the mean leaves them out.
std::string range_in_words(const analysis::FieldStatistics& values, std::uint64_t cells) {
  const std::uint64_t empty = cells - values.finite;
  const std::string range =
      fmt::format("{:.6g} to {:.6g}, mean {:.6g}", values.lowest, values.highest, values.mean);
  if (empty == 0) return range;
  return fmt::format("{}, of the {} finite cells; {} {} -inf", range, values.finite, empty,
                     empty == 1 ? "is" : "are");
}

void show_as_json(const Grid& grid, const std::string& path, analysis::RunContext& context) {
  nlohmann::json report = {{"format", "grid"},
                           {"files", {path}},
                           {"name", grid.name},
                           {"unit", grid.unit},
                           {"cells", grid.cells},
                           {"low", grid.low},
                           {"cell_size", grid.spacing},
                           {"length_unit", grid.length_unit},
                           {"periodic", grid.periodic ? nlohmann::json(*grid.periodic) : nullptr}};
  if (const auto values = measured(grid))
    report["values"] = {{"lowest", values->lowest},
                        {"highest", values->highest},
                        {"mean", values->mean},
                        {"minus_infinity", grid.count() - values->finite}};
  context.print(analysis::json_text(report));
}

}  // namespace

bool show_grid(const std::string& path, const std::string& dataset, bool as_json,
               analysis::RunContext& context) {
  const auto grid = read(path, dataset, context.progress);
  if (!grid) return false;
  if (as_json) {
    show_as_json(*grid, path, context);
    return true;
  }
  const std::array<bool, 3> periodic = grid->periodic.value_or(std::array<bool, 3>{});
  for (const std::string& line : analysis::bare_grid_in_words(*grid, periodic, path))
    context.print(line);
  if (!grid->length_unit.empty())
    context.print(fmt::format("cells     {}, from {:.6g},{:.6g},{:.6g}",
                              analysis::cells_in_words(*grid), grid->low[0], grid->low[1],
                              grid->low[2]));
  if (!grid->name.empty())
    context.print(fmt::format("values    {}{}", grid->name,
                              grid->unit.empty() ? "" : " [" + grid->unit + "]"));
  if (const auto values = measured(*grid))
    context.print("range     " + range_in_words(*values, grid->count()));
  else
    context.print("range     not told: some values are not finite numbers");
  context.print("see       haloscope topology finds its peaks and voids");
  return true;
}

}  // namespace haloscope::app::cli
