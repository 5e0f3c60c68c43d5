#include "io/grids/grid_file.h"

#include "core/error.h"
#include "core/input_file.h"
#include "core/text_values.h"
#include "io/grids/grid_formats.h"
#include "io/grids/raw_grid.h"
#include "io/hdf5/hdf5_handle.h"
#include "io/tables/npy_file.h"

#include <fmt/format.h>

#include <filesystem>

namespace haloscope::io {

namespace {

std::string ending_of(const std::string& path) {
  return lower_case(std::filesystem::path(path).extension().string());
}

}  // namespace

Grid read_grid(const std::string& path, const GridOpenOptions& options, Progress& progress) {
  require_input(path);
  const auto described = describe_raw_grid(path, options.raw);
  if (!options.dataset.empty() && (described || is_npy(path)))
    throw Error(fmt::format("the file holds one grid alone, which has no name to be chosen by: {} "
                            "is not looked for",
                            options.dataset),
                path, "leave out --dataset");
  if (described) return read_raw_grid(path, *described, options.planes, progress);
  if (is_hdf5_file(path)) return read_hdf5_grid(path, options, progress);
  if (is_npy(path)) return read_npy_grid(path, options, progress);
  if (ending_of(path) == ".vti") return read_vti_grid(path, options, progress);
  throw NotThisFormat("this is no grid: neither HDF5 nor an array of NumPy nor a .vti image", path,
                      "say how raw values lie, as in --raw-grid f4:512x512x512");
}

bool is_grid_file(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return false;
  try {
    return is_npy(path) || ending_of(path) == ".vti" || describe_raw_grid(path, {}).has_value();
  } catch (const Error&) {
    return true;  // a description that is wrong
  }
}

bool may_hold_grid(const std::string& path) {
  std::error_code failed;
  return std::filesystem::is_regular_file(path, failed) && is_hdf5_file(path);
}

void require_grid_name(const std::string& path) {
  const std::string ending = ending_of(path);
  if (ending != ".hdf5" && ending != ".h5" && ending != ".npy" && ending != ".vti")
    throw Error("a grid is written as HDF5, as an array of NumPy or as an image of VTK", path,
                "name it .hdf5, .npy or .vti");
}

void write_grid(const std::string& path, const Grid& grid, Progress& progress) {
  require_grid_name(path);
  const std::string ending = ending_of(path);
  if (ending == ".npy") return write_npy_grid(path, grid, progress);
  if (ending == ".vti") return write_vti_grid(path, grid, progress);
  write_hdf5_grid(path, grid, progress);
}

}  // namespace haloscope::io
