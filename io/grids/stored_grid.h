#pragma once

#include "core/grid.h"
#include "core/progress.h"
#include "io/grids/grid_file.h"

#include <array>
#include <cstdint>
#include <string>

namespace haloscope::io {

// How the bytes of a grid lie in a file, one value after the other.
struct StoredGrid {
  std::string path;
  std::uint64_t offset = 0;
  std::array<std::uint64_t, 3> cells{1, 1, 1};
  GridScalar scalar = GridScalar::Float32;
  bool x_fastest = false;  // Fortran's order, and VTK's
  bool swapped = false;    // in the byte order of other machines
};

// Throws Error, before anything is allocated, for grids of no cells, or of more than memory holds.
void require_grid_memory(const std::array<std::uint64_t, 3>& cells, GridScalar scalar,
                         const std::string& path);

// The cells of the chosen planes alone: one plane where none is chosen.
std::array<std::uint64_t, 3> planes_of_cells(std::array<std::uint64_t, 3> cells,
                                             const ChoosePlanes& planes);

// Reads the values of `grid.cells` of type `grid.scalar`, which are the stored ones; of the chosen
// planes. Throws BadFile where the file ends before, and Cancelled.
void read_stored_grid(const StoredGrid& stored, const ChoosePlanes& planes, Grid& grid,
                      Progress& progress);

// Lines along x as they lie one behind the other, and which of their values go to a grid that has
// the planes of these alone.
struct LinesOfX {
  std::uint64_t length = 0;          // values
  std::uint64_t begin = 0, end = 0;  // those that are taken

  std::uint64_t taken() const { return end - begin; }
};
// All of them, or those of the chosen planes.
LinesOfX lines_of_x(const Grid& grid, const ChoosePlanes& planes);

// Values whose x is the fastest, in C's order, and the other way round: `planes` planes of z, from
// `first` on.
void from_x_fastest(const void* planes_in, const LinesOfX& lines, std::uint64_t first,
                    std::uint64_t planes, Grid& grid);
void to_x_fastest(const Grid& grid, std::uint64_t first, std::uint64_t planes, void* planes_out);

// Planes of z that are turned at once.
std::uint64_t planes_at_once(const Grid& grid);

// Reverses the bytes of each value.
void swap_grid_values(void* values, std::uint64_t count, std::size_t bytes_each);

}  // namespace haloscope::io
