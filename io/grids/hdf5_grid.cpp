#include "core/error.h"
#include "io/grids/grid_formats.h"
#include "io/grids/hdf5_grid_type.h"
#include "io/grids/stored_grid.h"
#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_dataset.h"
#include "io/hdf5/hdf5_handle.h"
#include "io/hdf5/hdf5_other_files.h"
#include "io/hdf5/hdf5_write.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace haloscope::io {

namespace {

constexpr std::uint64_t kPlanesBytes = std::uint64_t(64) << 20;

// The type in which the dataset's values are kept: their own, or the next larger one.
std::optional<GridScalar> grid_type_of(hid_t dataset) {
  const Hdf5Handle type(H5Dget_type(dataset), H5Tclose);
  const std::size_t bytes = H5Tget_size(type.id());
  const H5T_class_t kind = H5Tget_class(type.id());
  if (bytes > 8) return {};
  if (kind == H5T_FLOAT) return bytes <= 4 ? GridScalar::Float32 : GridScalar::Float64;
  if (kind == H5T_ENUM) return GridScalar::Int8;  // truth values of h5py
  if (kind != H5T_INTEGER) return {};
  const bool is_signed = H5Tget_sign(type.id()) != H5T_SGN_NONE;
  if (bytes == 1) return is_signed ? GridScalar::Int8 : GridScalar::UInt8;
  if (bytes == 2) return is_signed ? GridScalar::Int16 : GridScalar::UInt16;
  if (bytes <= 4) return is_signed ? GridScalar::Int32 : GridScalar::UInt32;
  return is_signed ? GridScalar::Int64 : GridScalar::UInt64;
}

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 12;
  const std::size_t named = std::min(names.size(), kMostNamed);
  return fmt::format("{}{}", fmt::join(names.begin(), names.begin() + std::ptrdiff_t(named), ", "),
                     named < names.size() ? ", …" : "");
}

// Names of the datasets of so many dimensions whose values a grid can have.
std::vector<std::string> grid_datasets(hid_t file, std::size_t rank) {
  std::vector<std::string> found;
  for (const auto& name : nested_dataset_names(file)) {
    const Hdf5Handle dataset = open_hdf5_dataset(file, name);
    if (!dataset || !grid_type_of(dataset.id())) continue;
    if (dataset_layout(dataset.id()).shape.size() == rank) found.push_back(name);
  }
  return found;
}

// Of several datasets none is chosen for the user.
std::string only_grid_dataset(hid_t file, const std::string& path) {
  std::vector<std::string> found = grid_datasets(file, 3);
  if (found.empty()) found = grid_datasets(file, 2);
  if (found.size() == 1) return found.front();
  if (found.empty())
    throw NotThisFormat("the file holds no grid: no dataset of three dimensions", path);
  throw Error(fmt::format("the file holds {} grids: {}", found.size(), some_of(found)), path,
              "choose one with --dataset NAME");
}

class Hdf5GridRead {
 public:
  Hdf5GridRead(const std::string& path, const std::string& name, hid_t dataset,
               const ChoosePlanes& planes)
      : path_(path), name_(name), dataset_(dataset), planes_(planes) {}

  Grid read(Progress& progress) {
    const DatasetLayout layout = dataset_layout(dataset_);
    const auto scalar = grid_type_of(dataset_);
    if (!scalar)
      throw Error(fmt::format("the values of {} are not numbers that a grid can have", name_),
                  path_);
    if (layout.shape.size() != 2 && layout.shape.size() != 3)
      throw Error(fmt::format("{} is {}, and a grid has three dimensions, or two", name_,
                              shape_text(layout.shape)),
                  path_, "choose another one with --dataset NAME");
    if (!storage_can_hold_values(dataset_, layout))
      throw BadFile(fmt::format("{} is damaged or was never filled", name_), path_,
                    "copy the file again");
    Grid grid;
    grid.name = name_.substr(name_.rfind('/') + 1);
    grid.scalar = *scalar;
    std::copy(layout.shape.begin(), layout.shape.end(), grid.cells.begin());
    require_grid_memory(planes_of_cells(grid.cells, planes_), grid.scalar, path_);
    read_planes(layout.shape.size(), grid, progress);
    read_place(grid);
    return grid;
  }

 private:
  void read_planes(std::size_t rank, Grid& grid, Progress& progress) {
    const auto [begin, end] =
        planes_ ? planes_(grid.cells[0]) : std::pair(std::uint64_t(0), grid.cells[0]);
    const std::uint64_t plane = grid.cells[1] * grid.cells[2] * grid_scalar_bytes(grid.scalar);
    grid.bytes = Array<std::byte>(std::size_t((end - begin) * plane));
    const std::uint64_t step = std::max<std::uint64_t>(1, kPlanesBytes / plane);
    for (std::uint64_t first = begin; first < end; first += step) {
      progress.report("reading the grid", double(first - begin) / double(end - begin));
      const std::uint64_t planes = std::min(step, end - first);
      Hdf5Lock lock;
      const hsize_t start[3] = {first, 0, 0};
      const hsize_t count[3] = {planes, grid.cells[1], grid.cells[2]};
      const Hdf5Handle memory(H5Screate_simple(int(rank), count, nullptr), H5Sclose);
      const Hdf5Handle space(H5Dget_space(dataset_), H5Sclose);
      H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start, nullptr, count, nullptr);
      if (H5Dread(dataset_, hdf5_grid_type(grid.scalar), memory.id(), space.id(), H5P_DEFAULT,
                  grid.bytes.data() + (first - begin) * plane) < 0) {
        const std::string reason = hdf5_last_error();
        throw BadFile(name_ + " cannot be read" + (reason.empty() ? "" : " (" + reason + ")"),
                      path_, "the file may be damaged or cut short: copy it again");
      }
    }
  }

  // As our own files tell it.
  void read_place(Grid& grid) {
    const auto low = number_attribute(dataset_, "low");
    const auto spacing = number_attribute(dataset_, "cell_size");
    const auto periodic = count_attribute(dataset_, "periodic");
    if (low && low->size() == 3) std::copy(low->begin(), low->end(), grid.low.begin());
    if (spacing && spacing->size() == 3)
      std::copy(spacing->begin(), spacing->end(), grid.spacing.begin());
    if (periodic && periodic->size() == 3)
      grid.periodic = {(*periodic)[0] != 0, (*periodic)[1] != 0, (*periodic)[2] != 0};
    grid.unit = text_attribute(dataset_, "units").value_or("");
    grid.length_unit = text_attribute(dataset_, "length_unit").value_or("");
  }

  const std::string& path_;
  const std::string& name_;
  hid_t dataset_;
  const ChoosePlanes& planes_;
};

}  // namespace

Grid read_hdf5_grid(const std::string& path, const GridOpenOptions& options, Progress& progress) {
  require_within(Hdf5Reach(path, options.allow_outside), find_other_files(path), path);
  const Hdf5Handle file = open_hdf5_file(path);
  const std::string name =
      options.dataset.empty() ? only_grid_dataset(file.id(), path) : options.dataset;
  const Hdf5Handle dataset = open_hdf5_dataset(file.id(), name);
  if (!dataset)
    throw Error(fmt::format("there is no dataset {}", name), path,
                fmt::format("there are {}", some_of(nested_dataset_names(file.id()))));
  return Hdf5GridRead(path, name, dataset.id(), options.planes).read(progress);
}

std::optional<std::string> hdf5_grid_in_words(const std::string& path) {
  if (!may_hold_grid(path)) return {};
  try {
    require_within(Hdf5Reach(path, false), find_other_files(path), path);
    const Hdf5Handle file = open_hdf5_file(path);
    const std::vector<std::string> found = grid_datasets(file.id(), 3);
    if (found.empty()) return {};
    if (found.size() > 1) return fmt::format("a file of {} grids", found.size());
    const Hdf5Handle dataset = open_hdf5_dataset(file.id(), found.front());
    const auto cells = dataset_layout(dataset.id()).shape;
    return fmt::format("a grid of {} cells", fmt::join(cells, " x "));
  } catch (const Error&) {
    return {};
  }
}

void write_hdf5_grid(const std::string& path, const Grid& grid, Progress& progress) {
  constexpr std::uint64_t kMetadata = 1 << 16;
  Hdf5Writer writer(path, grid.bytes.size() + kMetadata);
  {
    const hid_t type = hdf5_grid_type(grid.scalar);
    const Hdf5Handle dataset =
        writer.array(grid.name, type, {grid.cells.begin(), grid.cells.end()});
    writer.text(dataset.id(), "units", grid.unit);
    writer.numbers(dataset.id(), "low", {grid.low.begin(), grid.low.end()});
    writer.numbers(dataset.id(), "cell_size", {grid.spacing.begin(), grid.spacing.end()});
    writer.text(dataset.id(), "length_unit", grid.length_unit);
    if (grid.periodic)
      writer.counts(dataset.id(), "periodic",
                    {(*grid.periodic)[0], (*grid.periodic)[1], (*grid.periodic)[2]});
    writer.text(dataset.id(), "axes",
                "the first axis is x, the last one z; `low` is the corner of "
                "the first cell");
    const std::uint64_t plane = grid.bytes.size() / grid.cells[0];
    const std::uint64_t step = std::max<std::uint64_t>(1, kPlanesBytes / plane);
    for (std::uint64_t first = 0; first < grid.cells[0]; first += step) {
      progress.report("writing the grid", double(first) / double(grid.cells[0]));
      writer.write_planes(dataset.id(), grid.name, type, first,
                          {std::min(step, grid.cells[0] - first), grid.cells[1], grid.cells[2]},
                          grid.bytes.data() + first * plane);
    }
    const Hdf5Handle provenance = writer.group("Provenance");
    for (const auto& [key, text] : grid.provenance) writer.text(provenance.id(), key, text);
  }
  writer.commit();
}

}  // namespace haloscope::io
