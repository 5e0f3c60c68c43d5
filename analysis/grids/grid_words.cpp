#include "analysis/grids/grid_command.h"
#include "core/array.h"
#include "core/error.h"
#include "core/text_values.h"

#include <fmt/format.h>

#include <algorithm>

namespace haloscope::analysis {

const char* word_of(GridOf of) {
  static constexpr const char* kWords[] = {"mass", "density", "count", "sum", "mean"};
  return kWords[std::size_t(of)];
}

GridOf parse_grid_of(const std::string& option, const std::string& text) {
  for (const GridOf of : {GridOf::Mass, GridOf::Density, GridOf::Count, GridOf::Sum, GridOf::Mean})
    if (text == word_of(of)) return of;
  throw Error("'" + text + "' is not what a cell can hold", option,
              "choose mass, density, count, sum or mean");
}

GridSmoothing parse_smoothing(const std::string& option, const std::string& text) {
  GridSmoothing smoothing;
  std::string number = trimmed(text);
  for (const std::string ending : {"cells", "cell"}) {
    if (!number.ends_with(ending)) continue;
    number = trimmed(number.substr(0, number.size() - ending.size()));
    smoothing.in_cells = true;
    break;
  }
  smoothing.width = parse_number(option, number);
  if (smoothing.width < 0)
    throw Error("'" + text + "' is below 0", option, "give a length, or cells as in 2cells");
  return smoothing;
}

std::array<std::uint32_t, 3> parse_cells(const std::string& option, const std::string& text) {
  using compute::grids::GridFrame;
  const std::vector<std::string> words = parse_list(option, text);
  if (words.size() != 1 && words.size() != 3)
    throw Error("'" + text + "' is neither one number of cells nor three", option,
                "write it as in 256 or 512,512,64");
  std::array<std::uint32_t, 3> cells{};
  for (std::size_t a = 0; a < 3; ++a)
    cells[a] = std::uint32_t(
        parse_count(option, words[words.size() == 3 ? a : 0], 1, GridFrame::kMostCells));
  return cells;
}

void require_room_for_cells(double cells, double bytes_of_one, const std::string& where,
                            const std::string& remedy) {
  const double most = 0x1p62;  // whatever was asked for
  const auto bytes = std::uint64_t(std::min(most, cells * bytes_of_one));
  if (!has_host_memory(bytes))
    throw Error(fmt::format("{:.6g} cells take {} of memory, which is more than is free", cells,
                            bytes_in_words(bytes)),
                where, remedy);
}

std::string cells_in_words(const Grid& grid) {
  std::string text = fmt::format("{} x {} x {} cells", grid.cells[0], grid.cells[1], grid.cells[2]);
  if (grid.length_unit.empty()) return text;
  return text + fmt::format(" of {:.6g} x {:.6g} x {:.6g} {}", grid.spacing[0], grid.spacing[1],
                            grid.spacing[2], grid.length_unit);
}

}  // namespace haloscope::analysis
