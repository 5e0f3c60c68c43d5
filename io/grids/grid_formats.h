#pragma once

#include "io/grids/grid_file.h"

// The formats behind grid_file.h, each with the same promises.
namespace haloscope::io {

Grid read_hdf5_grid(const std::string& path, const GridOpenOptions& options, Progress& progress);
Grid read_npy_grid(const std::string& path, const GridOpenOptions& options, Progress& progress);
Grid read_vti_grid(const std::string& path, const GridOpenOptions& options, Progress& progress);

void write_hdf5_grid(const std::string& path, const Grid& grid, Progress& progress);
void write_npy_grid(const std::string& path, const Grid& grid, Progress& progress);
void write_vti_grid(const std::string& path, const Grid& grid, Progress& progress);

}  // namespace haloscope::io
