#include "core/atomic_file.h"
#include "core/error.h"
#include "core/visible_text.h"
#include "io/grids/grid_formats.h"
#include "io/grids/stored_grid.h"
#include "io/grids/vti_data.h"
#include "io/grids/vti_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace haloscope::io {

namespace {

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

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : visible_text(text)) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

// A text of VTK's field data: the codes of its bytes, ended by a 0.
std::string text_array(const std::string& name, const std::string& text) {
  std::string codes;
  for (const char c : visible_text(text))
    codes += fmt::format("{} ", int(static_cast<unsigned char>(c)));
  return fmt::format(
      "      <DataArray type=\"String\" Name=\"{}\" NumberOfTuples=\"1\" format=\"ascii\">\n"
      "        {}0\n      </DataArray>\n",
      escaped(name), codes);
}

// Values lie at points, which are the cells' centers: contours and topology need points.
std::string head_text(const Grid& grid) {
  const auto [nx, ny, nz] = grid.cells;
  std::array<double, 3> origin;
  for (std::size_t a = 0; a < 3; ++a) origin[a] = grid.low[a] + 0.5 * grid.spacing[a];
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", nx - 1, ny - 1, nz - 1);
  std::string texts = text_array("units", grid.unit) + text_array("length_unit", grid.length_unit);
  for (const auto& [key, text] : grid.provenance) texts += text_array(key, text);
  return fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<!-- written by haloscope -->\n"
      "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n"
      "  <ImageData WholeExtent=\"{0}\" Origin=\"{1} {2} {3}\" Spacing=\"{4} {5} {6}\">\n"
      "    <FieldData>\n{7}    </FieldData>\n"
      "    <Piece Extent=\"{0}\">\n"
      "      <PointData Scalars=\"{8}\">\n"
      "        <DataArray type=\"{9}\" Name=\"{8}\" format=\"appended\" offset=\"0\"/>\n"
      "      </PointData>\n"
      "    </Piece>\n"
      "  </ImageData>\n"
      "  <AppendedData encoding=\"raw\">\n   _",
      extent, origin[0], origin[1], origin[2], grid.spacing[0], grid.spacing[1], grid.spacing[2],
      texts, escaped(grid.name), vti_type(grid.scalar));
}

}  // namespace

Grid read_vti_grid(const std::string& path, const GridOpenOptions& options, Progress& progress) {
  const VtiHead head = read_vti_head(path);
  const VtiArray& array = choose_array(head, options.dataset, path);
  Grid grid;
  grid.name = array.name;
  grid.scalar = array.scalar;
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
    read_stored_grid(stored, grid, progress);
    return grid;
  }
  require_grid_memory(grid.cells, grid.scalar, path);
  const std::uint64_t bytes = grid.count() * grid_scalar_bytes(grid.scalar);
  const std::vector<std::byte> data = read_vti_data(path, head, array, bytes);
  grid.bytes = Array<std::byte>(std::size_t(bytes));
  from_x_fastest(data.data(), 0, grid.cells[2], grid);
  return grid;
}

void write_vti_grid(const std::string& path, const Grid& grid, Progress& progress) {
  constexpr std::string_view kEnd = "\n  </AppendedData>\n</VTKFile>\n";
  const std::string head = head_text(grid);
  const std::uint64_t bytes = grid.bytes.size();
  AtomicFile file(path);
  file.require_space(head.size() + sizeof(bytes) + bytes + kEnd.size());
  file.write(head.data(), head.size());
  file.write(&bytes, sizeof(bytes));
  const std::uint64_t plane = bytes / grid.cells[2];
  std::vector<std::byte> planes(std::size_t(plane * planes_at_once(grid)));
  for (std::uint64_t z = 0; z < grid.cells[2]; z += planes_at_once(grid)) {
    progress.report("writing the grid", double(z) / double(grid.cells[2]));
    const std::uint64_t some = std::min(planes_at_once(grid), grid.cells[2] - z);
    to_x_fastest(grid, z, some, planes.data());
    file.write(planes.data(), std::size_t(some * plane));
  }
  file.write(kEnd.data(), kEnd.size());
  file.commit();
}

}  // namespace haloscope::io
