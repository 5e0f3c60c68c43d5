#include "core/atomic_file.h"
#include "core/error.h"
#include "io/grids/grid_formats.h"
#include "io/grids/stored_grid.h"
#include "io/grids/vti_data.h"
#include "io/grids/vti_head.h"
#include "io/vtk/vtk_xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace haloscope::io {

namespace {

// Texts of field data.
constexpr const char *kVtiUnit = "units", *kVtiLengthUnit = "length_unit",
                     *kVtiPeriodic = "periodic";

const VtiArray& choose_array(const VtiHead& head, const std::string& name,
                             const std::string& path) {
  std::string names;
  for (const VtiArray& array : head.arrays) {
    if (array.name == name) return array;
    names += (names.empty() ? "" : ", ") + array.name;
  }
  if (head.arrays.empty()) throw Error("the image holds no array of single numbers", path);
  if (!name.empty())
    throw Error(fmt::format("there is no array {}", name), path, "there are " + names);
  if (head.arrays.size() > 1)
    throw Error(fmt::format("the image holds {} arrays: {}", head.arrays.size(), names), path,
                "choose one with --dataset NAME");
  return head.arrays.front();
}

// "x,z": the axes whose ends meet; "none".
std::string vti_axes(const std::array<bool, 3>& periodic) {
  std::string axes;
  for (std::size_t a = 0; a < 3; ++a)
    if (periodic[a]) axes += (axes.empty() ? "" : ",") + std::string(1, "xyz"[a]);
  return axes.empty() ? "none" : axes;
}

// What head_text() wrote beside the values. The unit is that of the first array.
void take_vti_texts(const VtiHead& head, const VtiArray& array, Grid& grid) {
  const auto text = [&](const char* name) -> std::string {
    const auto found = head.texts.find(name);
    return found == head.texts.end() ? std::string() : found->second;
  };
  if (&array == &head.arrays.front()) grid.unit = text(kVtiUnit);
  grid.length_unit = text(kVtiLengthUnit);
  const std::string axes = text(kVtiPeriodic);
  if (axes.empty()) return;
  grid.periodic.emplace();
  for (std::size_t a = 0; a < 3; ++a)
    (*grid.periodic)[a] = axes.find("xyz"[a]) != std::string::npos;
}

// Values lie at points, which are the cells' centers: contours and topology need points.
std::string head_text(const std::vector<const Grid*>& grids) {
  const Grid& grid = *grids.front();
  const auto [nx, ny, nz] = grid.cells;
  std::array<double, 3> origin;
  for (std::size_t a = 0; a < 3; ++a) origin[a] = grid.low[a] + 0.5 * grid.spacing[a];
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", nx - 1, ny - 1, nz - 1);
  std::string texts =
      vtk_text_array(kVtiUnit, grid.unit) + vtk_text_array(kVtiLengthUnit, grid.length_unit);
  if (grid.periodic) texts += vtk_text_array(kVtiPeriodic, vti_axes(*grid.periodic));
  for (const auto& [key, text] : grid.provenance) texts += vtk_text_array(key, text);
  std::string arrays;
  std::uint64_t offset = 0;
  for (const Grid* const one : grids) {
    arrays += fmt::format(
        "        <DataArray type=\"{}\" Name=\"{}\" format=\"appended\" offset=\"{}\"/>\n",
        vti_type(one->scalar), vtk_escaped(one->name), offset);
    offset += sizeof(std::uint64_t) + one->bytes.size();
  }
  return vtk_head("ImageData") +
         fmt::format(
             "  <ImageData WholeExtent=\"{0}\" Origin=\"{1} {2} {3}\" Spacing=\"{4} {5} {6}\">\n"
             "    <FieldData>\n{7}    </FieldData>\n"
             "    <Piece Extent=\"{0}\">\n"
             "      <PointData Scalars=\"{8}\">\n{9}"
             "      </PointData>\n"
             "    </Piece>\n"
             "  </ImageData>\n"
             "  <AppendedData encoding=\"raw\">\n   _",
             extent, origin[0], origin[1], origin[2], grid.spacing[0], grid.spacing[1],
             grid.spacing[2], texts, vtk_escaped(grid.name), arrays);
}

void write_image_values(AtomicFile& file, const Grid& grid, Progress& progress) {
  const std::uint64_t bytes = grid.bytes.size();
  file.write(&bytes, sizeof(bytes));
  const std::uint64_t plane = bytes / grid.cells[2];
  std::vector<std::byte> planes(std::size_t(plane * planes_at_once(grid)));
  for (std::uint64_t z = 0; z < grid.cells[2]; z += planes_at_once(grid)) {
    progress.report("writing the grid", double(z) / double(grid.cells[2]));
    const std::uint64_t some = std::min(planes_at_once(grid), grid.cells[2] - z);
    to_x_fastest(grid, z, some, planes.data());
    file.write(planes.data(), std::size_t(some * plane));
  }
}

}  // namespace

Grid read_vti_grid(const std::string& path, const GridOpenOptions& options, Progress& progress) {
  const VtiHead head = read_vti_head(path);
  const VtiArray& array = choose_array(head, options.dataset, path);
  Grid grid;
  grid.name = array.name;
  grid.scalar = array.scalar;
  take_vti_texts(head, array, grid);
  for (std::size_t a = 0; a < 3; ++a) {
    const std::int64_t steps = head.extent[2 * a + 1] - head.extent[2 * a];
    grid.cells[a] = std::uint64_t(steps) + (array.of_cells ? 0 : 1);
    grid.spacing[a] = head.spacing[a];
    const double first = double(head.extent[2 * a]) - (array.of_cells ? 0 : 0.5);
    grid.low[a] = head.origin[a] + first * head.spacing[a];
  }
  if (lies_plainly(head, array)) {
    StoredGrid stored;
    stored.path = path;
    stored.offset = head.appended + array.offset + length_bytes(head);
    stored.cells = grid.cells;
    stored.scalar = grid.scalar;
    stored.x_fastest = true;
    stored.swapped = head.big_endian;
    read_stored_grid(stored, options.planes, grid, progress);
    return grid;
  }
  require_grid_memory(grid.cells, grid.scalar, path);
  const std::uint64_t bytes = grid.count() * grid_scalar_bytes(grid.scalar);
  const std::vector<std::byte> data = read_vti_data(path, head, array, bytes);
  const LinesOfX lines = lines_of_x(grid, options.planes);
  grid.bytes = Array<std::byte>(std::size_t(bytes / lines.length * lines.taken()));
  if (lines.taken() > 0) from_x_fastest(data.data(), lines, 0, grid.cells[2], grid);
  return grid;
}

void write_vti_grid(const std::string& path, const Grid& grid, Progress& progress) {
  write_vti_grids(path, {&grid}, progress);
}

void write_vti_grids(const std::string& path, const std::vector<const Grid*>& grids,
                     Progress& progress) {
  constexpr std::string_view kEnd = "\n  </AppendedData>\n</VTKFile>\n";
  const std::string head = head_text(grids);
  std::uint64_t bytes = 0;
  for (const Grid* const grid : grids) bytes += sizeof(std::uint64_t) + grid->bytes.size();
  AtomicFile file(path);
  file.require_space(head.size() + bytes + kEnd.size());
  file.write(head.data(), head.size());
  for (const Grid* const grid : grids) write_image_values(file, *grid, progress);
  file.write(kEnd.data(), kEnd.size());
  file.commit();
}

}  // namespace haloscope::io
