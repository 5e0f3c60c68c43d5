#pragma once

#include "core/grid.h"
#include "core/progress.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Grids in files: datasets of HDF5, arrays of NumPy, images of VTK (.vti), and raw values by
// description.
namespace haloscope::io {

// Of so many planes across x those that are wanted, from begin to end.
using ChoosePlanes = std::function<std::pair<std::uint64_t, std::uint64_t>(std::uint64_t)>;

struct GridOpenOptions {
  std::string dataset;         // of HDF5, or the name of an array of .vti; empty: the only one
  std::string raw;             // how the values of a file without a head lie (raw_grid.h)
  bool allow_outside = false;  // read what HDF5 shows of files outside its folder
  // Null: all. Else the grid that is read has the values of these planes alone, and the cells of
  // all.
  ChoosePlanes planes = nullptr;
};

// Reads a grid, whole or some planes of it, in its own type. Memory holds no more than a piece
// beside the planes; of .vti that is compressed or text it holds all first. The first axis of HDF5
// and NumPy is x; that of .vti, whose x is the fastest, is turned. Two dimensions are N x M x 1.
// Throws NotThisFormat for files that hold no grid of these kinds, BadFile for damaged ones, Error
// where several datasets could be meant (naming them) or memory does not hold it; and Cancelled.
Grid read_grid(const std::string& path, const GridOpenOptions& options, Progress& progress);

// Whether a file is a grid and nothing else: an array of NumPy, an image of VTK, or raw values with
// a description beside them; and whether it may be one, as HDF5. Never throw.
bool is_grid_file(const std::string& path);
bool may_hold_grid(const std::string& path);
// What an HDF5 file with a dataset of three dimensions is: "a grid of 64 x 64 x 64 cells", "a file
// of 3 grids"; nothing for other files. Never throws.
std::optional<std::string> hdf5_grid_in_words(const std::string& path);

// Throws Error unless the name ends in .hdf5, .h5, .npy or .vti.
void require_grid_name(const std::string& path);

// Writes a grid as the name's ending says: as one dataset of HDF5, called as the grid is, with its
// place in attributes; as an array of NumPy; or as an image of VTK with the values at points, which
// are the centers of the cells. Appears whole or not at all. Throws Error where it cannot be
// written; and Cancelled.
void write_grid(const std::string& path, const Grid& grid, Progress& progress);

// An array of NumPy of two dimensions, of a grid with one cell along z.
void write_npy_table(const std::string& path, const Grid& grid, Progress& progress);

// An image of VTK with several arrays, of grids of the same cells; the first one tells its place.
void write_vti_grids(const std::string& path, const std::vector<const Grid*>& grids,
                     Progress& progress);

}  // namespace haloscope::io
