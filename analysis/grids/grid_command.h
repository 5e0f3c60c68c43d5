#pragma once

#include "analysis/run_context.h"
#include "analysis/snapshot/snapshot_options.h"
#include "compute/exec/device.h"
#include "compute/grids/axis_shares.h"
#include "compute/grids/density_grid.h"
#include "core/grid.h"
#include "io/snapshot_reader.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

// What a grid is of, as users say it.
enum class GridOf { Mass, Density, Count, Sum, Mean };

GridOf parse_grid_of(const std::string& option, const std::string& text);
const char* word_of(GridOf of);

// Widths of a Gaussian: a length of the file, or cells.
struct GridSmoothing {
  double width = 0;
  bool in_cells = false;
};
// "250", "2cells"; `option` names it in faults.
GridSmoothing parse_smoothing(const std::string& option, const std::string& text);

// "256" for three axes, "512,512,64".
std::array<std::uint32_t, 3> parse_cells(const std::string& option, const std::string& text);

// "64 x 64 x 32 cells of 281.25 x 281.25 x 562.5 kpc/h"; without lengths where they have no unit.
std::string cells_in_words(const Grid& grid);

// Throws Error where the host has no room for so many cells. `where`, `remedy`: of its sentence.
void require_room_for_cells(double cells, double bytes_of_one, const std::string& where,
                            const std::string& remedy);

// What a grid is made of, as plain data.
struct GridChoice {
  std::vector<std::string> types;  // empty: all
  std::string field;               // of Sum and Mean
  std::optional<GridOf> of;        // nothing: the mean of the field where there is one, else mass
  std::array<std::uint32_t, 3> cells{256, 256, 256};
  compute::grids::Assign assign = compute::grids::Assign::CloudInCell;
  GridSmoothing smoothing;
  std::optional<io::Region> region;
  bool overdensity = false, log = false;
};

// What `haloscope grid` does.
struct GridCommand {
  std::string snapshot, output, stats;
  GridChoice choice;
  SnapshotOptions said;
  std::string device = "auto";
  std::string gpus;  // "all", or numbers with commas between; empty: one device
  bool overwrite = false, quiet = false;
};

// Makes a grid of a snapshot and writes it; prints what was assumed and found unless quiet. Throws
// Error in the user's words; then nothing is written. `device`: where this rank computes; nothing:
// where request.device says. On several ranks all call it.
void run_grid(const GridCommand& request, RunContext& context,
              std::optional<compute::Device> device = {});

}  // namespace haloscope::analysis
