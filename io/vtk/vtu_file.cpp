#include "io/vtk/vtu_file.h"

#include "core/atomic_file.h"
#include "io/grids/vti_head.h"
#include "io/vtk/vtk_xml.h"

#include <fmt/format.h>

#include <string_view>

namespace haloscope::io {

namespace {

constexpr std::uint8_t kVtkLine = 3;

// The XML of arrays, and their values behind it.
class VtuWriter {
 public:
  explicit VtuWriter(const VtuLines& lines) : lines_(lines) {
    for (std::size_t k = 0; k < lines.lines.size(); ++k) ends_.push_back(std::int64_t(2 * k + 2));
    kinds_.assign(lines.lines.size(), kVtkLine);
  }

  void write(const std::string& path, Progress& progress) {
    const std::string head = head_text();
    constexpr std::string_view kEnd = "\n  </AppendedData>\n</VTKFile>\n";
    AtomicFile file(path);
    file.require_space(head.size() + offset_ + kEnd.size());
    file.write(head.data(), head.size());
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      progress.report("writing lines", double(k) / double(blocks_.size()));
      file.write(&blocks_[k].bytes, sizeof(blocks_[k].bytes));
      if (blocks_[k].bytes > 0) file.write(blocks_[k].data, std::size_t(blocks_[k].bytes));
    }
    file.write(kEnd.data(), kEnd.size());
    file.commit();
  }

 private:
  struct Block {
    const void* data;
    std::uint64_t bytes;
  };

  std::string array(const std::string& name, GridScalar scalar, std::size_t values,
                    const void* data, int components = 1) {
    const std::string text = fmt::format(
        "        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" "
        "format=\"appended\" offset=\"{}\"/>\n",
        vti_type(scalar), vtk_escaped(name), components, offset_);
    blocks_.push_back({data, std::uint64_t(values) * grid_scalar_bytes(scalar)});
    offset_ += sizeof(std::uint64_t) + blocks_.back().bytes;
    return text;
  }

  std::string arrays(const std::vector<VtuArray>& all, std::size_t values) {
    std::string text;
    for (const VtuArray& one : all) text += array(one.name, one.scalar, values, one.values);
    return text;
  }

  std::string head_text() {
    const std::size_t points = lines_.points.size(), lines = lines_.lines.size();
    std::string texts;
    for (const auto& [key, value] : lines_.texts) texts += vtk_text_array(key, value);
    std::string text = vtk_head("UnstructuredGrid");
    text += fmt::format(
        "  <UnstructuredGrid>\n    <FieldData>\n{}    </FieldData>\n"
        "    <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
        texts, points, lines);
    text += "      <Points>\n" +
            array("Points", GridScalar::Float64, 3 * points, lines_.points.data(), 3) +
            "      </Points>\n";
    text += "      <Cells>\n" +
            array("connectivity", GridScalar::Int64, 2 * lines, lines_.lines.data()) +
            array("offsets", GridScalar::Int64, lines, ends_.data()) +
            array("types", GridScalar::UInt8, lines, kinds_.data()) + "      </Cells>\n";
    text += "      <PointData>\n" + arrays(lines_.of_points, points) + "      </PointData>\n";
    text += "      <CellData>\n" + arrays(lines_.of_lines, lines) + "      </CellData>\n";
    return text + "    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n   _";
  }

  const VtuLines& lines_;
  std::vector<std::int64_t> ends_;
  std::vector<std::uint8_t> kinds_;
  std::vector<Block> blocks_;
  std::uint64_t offset_ = 0;
};

}  // namespace

void write_vtu(const std::string& path, const VtuLines& lines, Progress& progress) {
  VtuWriter(lines).write(path, progress);
}

}  // namespace haloscope::io
