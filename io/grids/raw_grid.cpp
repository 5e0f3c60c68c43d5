#include "io/grids/raw_grid.h"

#include "core/error.h"
#include "core/input_file.h"
#include "io/loading/sidecar.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <string_view>
#include <utility>

namespace haloscope::io {

namespace {

constexpr const char* kRawGrid = "raw-grid";

class RawGridWords {
 public:
  RawGridWords(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  StoredGrid parse() {
    StoredGrid grid;
    const std::string_view first = part();
    const auto colon = first.find(':');
    if (colon == std::string_view::npos) fail(first, "TYPE:NXxNYxNZ");
    grid.scalar = scalar(first.substr(0, colon));
    grid.cells = cells(first.substr(colon + 1));
    while (!text_.empty()) setting(part(), grid);
    return grid;
  }

 private:
  [[noreturn]] void fail(std::string_view what, const std::string& expected) const {
    throw Error(fmt::format("the description of the raw grid is wrong at '{}': expected {}", what,
                            expected),
                where_, "write it as in \"f4:512x512x256;order=fortran;endian=big;skip=128\"");
  }

  std::string_view part() {
    const auto end = text_.find(';');
    std::string_view taken = text_.substr(0, end);
    text_ = end == std::string_view::npos ? std::string_view{} : text_.substr(end + 1);
    while (!taken.empty() && taken.front() == ' ') taken.remove_prefix(1);
    while (!taken.empty() && taken.back() == ' ') taken.remove_suffix(1);
    return taken;
  }

  GridScalar scalar(std::string_view word) const {
    static constexpr std::pair<std::string_view, GridScalar> kTypes[] = {
        {"f4", GridScalar::Float32}, {"f8", GridScalar::Float64}, {"i1", GridScalar::Int8},
        {"u1", GridScalar::UInt8},   {"i2", GridScalar::Int16},   {"u2", GridScalar::UInt16},
        {"i4", GridScalar::Int32},   {"u4", GridScalar::UInt32},  {"i8", GridScalar::Int64},
        {"u8", GridScalar::UInt64}};
    for (const auto& [name, type] : kTypes)
      if (name == word) return type;
    fail(word, "f4, f8, i1, u1, i2, u2, i4, u4, i8 or u8");
  }

  std::uint64_t count(std::string_view digits, std::string_view whole) const {
    std::uint64_t value = 0;
    const auto [at, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || at != digits.data() + digits.size() || digits.empty())
      fail(whole, "whole numbers");
    return value;
  }

  std::array<std::uint64_t, 3> cells(std::string_view text) const {
    std::array<std::uint64_t, 3> cells{1, 1, 1};
    std::string_view rest = text;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto end = rest.find('x');
      cells[axis] = count(rest.substr(0, end), text);
      if (end == std::string_view::npos) {
        if (axis == 0) fail(text, "NXxNYxNZ or NXxNY");
        return cells;
      }
      rest = rest.substr(end + 1);
    }
    fail(text, "NXxNYxNZ or NXxNY");
  }

  void setting(std::string_view part, StoredGrid& grid) const {
    if (part.empty()) return;
    const auto equals = part.find('=');
    const std::string_view key = part.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view{} : part.substr(equals + 1);
    if (key == "order" && (value == "c" || value == "fortran"))
      grid.x_fastest = value == "fortran";
    else if (key == "endian" && (value == "little" || value == "big"))
      grid.swapped = value == "big";
    else if (key == "skip")
      grid.offset = count(value, part);
    else
      fail(part, "order=c|fortran, endian=little|big or skip=BYTES");
  }

  std::string_view text_;
  const std::string& where_;
};

}  // namespace

StoredGrid parse_raw_grid(const std::string& text, const std::string& where) {
  return RawGridWords(text, where).parse();
}

std::optional<StoredGrid> describe_raw_grid(const std::string& path, const std::string& said) {
  if (!said.empty()) return parse_raw_grid(said, "--raw-grid");
  const std::string sidecar = sidecar_path(path);
  std::error_code unknown;
  if (!std::filesystem::exists(sidecar, unknown)) return {};
  // Snapshots have such files too, with words of their own.
  std::ifstream file = open_input(sidecar);
  bool of_grid = false;
  for (std::string line; std::getline(file, line);) of_grid = of_grid || line.starts_with(kRawGrid);
  if (!of_grid) return {};
  const auto entries = read_sidecar(sidecar, {kRawGrid});
  if (entries.empty()) return {};
  return parse_raw_grid(entries.front().text, entries.front().where);
}

Grid read_raw_grid(const std::string& path, const StoredGrid& described, const ChoosePlanes& planes,
                   Progress& progress) {
  StoredGrid stored = described;
  stored.path = path;
  require_grid_memory(planes_of_cells(stored.cells, planes), stored.scalar, path);
  std::error_code unknown;
  const std::uint64_t bytes = std::filesystem::file_size(path, unknown);
  const std::uint64_t wanted =
      stored.cells[0] * stored.cells[1] * stored.cells[2] * grid_scalar_bytes(stored.scalar);
  if (!unknown && (bytes < stored.offset || bytes - stored.offset != wanted))
    throw BadFile(fmt::format("the file has {} bytes; {} that are skipped and {} x {} x {} values "
                              "are {}",
                              bytes, stored.offset, stored.cells[0], stored.cells[1],
                              stored.cells[2], stored.offset + wanted),
                  path, "correct the description");
  Grid grid;
  grid.name = std::filesystem::path(path).stem().string();
  read_stored_grid(stored, planes, grid, progress);
  return grid;
}

}  // namespace haloscope::io
