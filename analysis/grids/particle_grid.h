#pragma once

#include "analysis/grids/grid_command.h"
#include "analysis/grids/grid_values.h"
#include "compute/exec/device.h"
#include "compute/exec/ranks.h"
#include "core/grid.h"
#include "core/progress.h"
#include "core/timings.h"
#include "io/snapshot_reader.h"

#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::analysis {

// A grid of particles with what there is to tell of it.
struct ParticleGrid {
  Grid grid;  // float32, with its place and units
  GridOf of = GridOf::Mass;
  GridSummary summary;
  std::uint64_t particles = 0;  // that were read: of all ranks
  std::uint64_t left_out = 0;   // of them, for a mass or a field that is not a finite number
  double quantum = 0;
  std::vector<std::string> said;  // what was assumed and what should be known
  Timings timings;
};

// Throws Error for choices that do not go together, before anything is read.
void check_grid(const GridChoice& choice);

// Reads what the grid needs of a snapshot and makes it: of the whole periodic box, of a region of
// it, or of the box around all particles where there is no periodic one. What lies around a region
// is read too, as far as it reaches into the region's cells, so that these are the cells that a
// grid of the whole box would have. Throws Error in the user's words, and Cancelled.
//
// Several ranks, all of which call it, read a part of the particles each and share them out on
// processors: the grid has the values of this rank's planes then
// (compute/distributed/grid_slabs.h), and all else is told of all. Smoothing lengths that the file
// lacks are found on `device`; each rank holds the places of all particles for that.
ParticleGrid make_particle_grid(const io::SnapshotReader& reader, const GridChoice& choice,
                                compute::Device device, Progress& progress,
                                compute::Ranks& ranks = compute::alone());

}  // namespace haloscope::analysis
