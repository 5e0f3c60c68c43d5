#include "analysis/topology/pair_files.h"

#include "core/atomic_file.h"
#include "core/visible_text.h"
#include "io/grids/grid_file.h"
#include "io/vtk/vtu_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <utility>

namespace haloscope::analysis {

namespace topology = compute::topology;

namespace {

// Calls use(births, deaths) in their own type.
template <class Use>
void with_pairs(const PairColumns& pairs, const Use& use) {
  with_grid_type(pairs.scalar, [&](auto zero) {
    using T = decltype(zero);
    use(reinterpret_cast<const T*>(pairs.birth.data()),
        reinterpret_cast<const T*>(pairs.death.data()));
  });
}

std::string pair_table_head(const GridTree& tree, const CatalogProvenance& provenance) {
  const std::string unit = tree.grid().unit.empty() ? "" : " [" + tree.grid().unit + "]";
  const std::string length =
      tree.grid().length_unit.empty() ? "" : " [" + tree.grid().length_unit + "]";
  std::string text = fmt::format(
      "# haloscope persistence pairs\n# program = {}\n# input = {}\n# command line = {}\n"
      "# values are {}{}, places{}\n",
      visible_text(provenance.program_version), visible_text(provenance.snapshot),
      visible_text(provenance.command_line), visible_text(tree.grid().name), unit, length);
  return text +
         "birth,death,birth_index,death_index,birth_x,birth_y,birth_z,death_x,death_y,"
         "death_z\n";
}

template <class T>
std::string number_text(T value) {
  // Numbers of a byte are no letters.
  return fmt::format("{}", +value);
}

void add_place(const GridTree& tree, std::uint64_t cell, std::string& text) {
  if (cell == topology::kNoCell) {
    text += ",nan,nan,nan";
    return;
  }
  for (const double x : middle_of(tree.grid(), cell))
    fmt::format_to(std::back_inserter(text), ",{}", x);
}

// What TTK's diagrams hold of each pair, twice of points.
class Diagram {
 public:
  Diagram(const GridTree& tree, const PairColumns& pairs) : tree_(tree), pairs_(pairs) {}

  void write(const std::string& path, const CatalogProvenance& provenance, Progress& progress) {
    add_pairs();
    add_diagonal();
    io::VtuLines lines;
    lines.points = std::move(points_);
    lines.lines = std::move(lines_);
    lines.of_points = {{"ttkVertexScalarField", GridScalar::Int64, vertex_.data()},
                       {"CriticalType", GridScalar::Int32, type_.data()},
                       {"Value", GridScalar::Float64, value_.data()}};
    lines.of_lines = {{"PairIdentifier", GridScalar::Int32, identifier_.data()},
                      {"PairType", GridScalar::Int32, kind_.data()},
                      {"Persistence", GridScalar::Float64, persistence_.data()},
                      {"Birth", GridScalar::Float64, birth_.data()},
                      {"IsFinite", GridScalar::UInt8, finite_.data()}};
    lines.texts = {{"Program", provenance.program_version},
                   {"Input", provenance.snapshot},
                   {"CommandLine", provenance.command_line}};
    io::write_vtu(path, lines, progress);
  }

 private:
  // Pairs of maxima are TTK's of the highest dimension.
  int pair_type() const {
    if (tree_.levels() == topology::Levels::Sub) return 0;
    return saddle_type(tree_) == CriticalType::Saddle2 ? 2 : 1;
  }

  // VTK numbers points of images from x on, which is its fastest axis.
  std::int64_t vertex_of(std::uint64_t cell) const {
    if (cell == topology::kNoCell) return -1;
    const auto [nx, ny, nz] = tree_.grid().cells;
    const std::uint64_t row = cell / nz;
    return std::int64_t(row / ny + nx * (row % ny + ny * (cell % nz)));
  }

  void add_point(double x, double y, std::uint64_t cell, CriticalType type) {
    points_.push_back({x, y, 0});
    vertex_.push_back(vertex_of(cell));
    type_.push_back(std::int32_t(type));
    value_.push_back(y);
  }

  void add_line(std::int32_t identifier, int kind, double low, double high, bool is_finite) {
    const auto end = std::int64_t(points_.size());
    lines_.push_back({end - 2, end - 1});
    identifier_.push_back(identifier);
    kind_.push_back(kind);
    persistence_.push_back(high - low);
    birth_.push_back(low);
    finite_.push_back(is_finite);
  }

  // What never ends goes down to the lowest value of all, as in TTK.
  void add_pairs() {
    const bool super = tree_.levels() == topology::Levels::Super;
    const double end = super ? tree_.statistics().lowest : tree_.statistics().highest;
    const CriticalType last = super ? CriticalType::LocalMinimum : CriticalType::LocalMaximum;
    with_pairs(pairs_, [&](const auto* births, const auto* deaths) {
      for (std::size_t k = 0; k < pairs_.count(); ++k) {
        const bool ends = pairs_.death_index[k] != topology::kNoCell;
        const double peak = double(births[k]), saddle = ends ? double(deaths[k]) : end;
        if (!std::isfinite(peak) || !std::isfinite(saddle)) continue;
        const std::uint64_t peak_cell = pairs_.birth_index[k],
                            saddle_cell = ends ? pairs_.death_index[k] : tree_.last();
        const double low = std::min(peak, saddle), high = std::max(peak, saddle);
        lowest_ = std::min(lowest_, low);
        highest_ = std::max(highest_, high);
        const CriticalType at_saddle = ends ? saddle_type(tree_) : last;
        add_point(low, low, super ? saddle_cell : peak_cell, super ? at_saddle : peak_type(tree_));
        add_point(low, high, super ? peak_cell : saddle_cell, super ? peak_type(tree_) : at_saddle);
        add_line(std::int32_t(k), ends ? pair_type() : 0, low, high, ends);
      }
    });
  }

  void add_diagonal() {
    if (!(lowest_ <= highest_)) return;
    add_point(lowest_, lowest_, topology::kNoCell, CriticalType::LocalMinimum);
    add_point(highest_, highest_, topology::kNoCell, CriticalType::LocalMaximum);
    add_line(-1, -1, lowest_, highest_, false);
    persistence_.back() = 0;
  }

  const GridTree& tree_;
  const PairColumns& pairs_;
  double lowest_ = HUGE_VAL, highest_ = -HUGE_VAL;
  std::vector<std::array<double, 3>> points_;
  std::vector<std::array<std::int64_t, 2>> lines_;
  std::vector<std::int64_t> vertex_;
  std::vector<std::int32_t> type_, identifier_, kind_;
  std::vector<double> value_, persistence_, birth_;
  std::vector<std::uint8_t> finite_;
};

}  // namespace

void write_pair_array(const std::string& path, const PairColumns& pairs, Progress& progress) {
  Grid rows;  // of two dimensions
  rows.cells = {pairs.count(), 2, 1};
  rows.scalar = pairs.scalar;
  const std::size_t each = grid_scalar_bytes(pairs.scalar);
  rows.bytes = Array<std::byte>(pairs.birth.size() + pairs.death.size());
  for (std::size_t k = 0; k < pairs.count(); ++k) {
    std::memcpy(rows.bytes.data() + 2 * k * each, pairs.birth.data() + k * each, each);
    std::memcpy(rows.bytes.data() + (2 * k + 1) * each, pairs.death.data() + k * each, each);
  }
  io::write_npy_table(path, rows, progress);
}

void write_pair_table(const std::string& path, const GridTree& tree, const PairColumns& pairs,
                      const CatalogProvenance& provenance, Progress& progress) {
  constexpr std::size_t kFlushBytes = std::size_t(1) << 20;
  AtomicFile file(path);
  std::string text = pair_table_head(tree, provenance);
  with_pairs(pairs, [&](const auto* births, const auto* deaths) {
    for (std::size_t k = 0; k < pairs.count(); ++k) {
      const std::uint64_t saddle = pairs.death_index[k];
      text += number_text(births[k]) + "," + number_text(deaths[k]);
      fmt::format_to(std::back_inserter(text), ",{},{}", pairs.birth_index[k],
                     saddle == topology::kNoCell ? "-1" : std::to_string(saddle));
      add_place(tree, pairs.birth_index[k], text);
      add_place(tree, saddle, text);
      text += '\n';
      if (text.size() < kFlushBytes) continue;
      progress.report("writing pairs", double(k) / double(pairs.count()));
      file.write(text.data(), text.size());
      text.clear();
    }
  });
  file.write(text.data(), text.size());
  file.commit();
}

void write_diagram(const std::string& path, const GridTree& tree, const PairColumns& pairs,
                   const CatalogProvenance& provenance, Progress& progress) {
  Diagram(tree, pairs).write(path, provenance, progress);
}

}  // namespace haloscope::analysis
