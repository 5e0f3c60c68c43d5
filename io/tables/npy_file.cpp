#include "io/tables/npy_file.h"

#include "core/atomic_file.h"
#include "core/error.h"
#include "core/input_file.h"
#include "io/bytes/scalar_type.h"
#include "io/tables/npy_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

namespace haloscope::io {

namespace {

constexpr const char* kRemedy = "save it as numpy.save(FILE, array.astype('float64'))";

void require_numbers(const NpyHead& head, const std::string& path) {
  if (head.kind == "<f4" || head.kind == "<f8") return;
  const std::string& k = head.kind;
  const char letter = k.size() > 1 ? k[1] : ' ';
  const std::string what =
      k == "a list"                                     ? "its rows are records of several fields"
      : k == "<f2"                                      ? "its numbers are float16"
      : letter == 'i' || letter == 'u' || letter == 'b' ? "its numbers are whole ones (" + k + ")"
      : letter == 'c'                                   ? "its numbers are complex ones"
      : k.starts_with('>') ? "its numbers have the bytes of another machine (" + k + ")"
                           : "it holds no numbers of 32 or 64 bits (" + k + ")";
  throw Error(what + ", and points have coordinates of float32 or float64", path, kRemedy);
}

void require_shape(const NpyHead& head, const std::string& path) {
  if (head.shape.size() != 2)
    throw Error(fmt::format("the array has {} dimension{}, and a table of points has rows and "
                            "columns",
                            head.shape.size(), head.shape.size() == 1 ? "" : "s"),
                path,
                head.shape.size() == 1 ? "save it as array.reshape(-1, 1) if each row is one number"
                : head.shape.size() == 3 ? "if it is a grid, 'haloscope topology' finds its peaks; "
                                           "else reshape it"
                                         : "reshape it");
  if (head.shape[0] == 0) throw Error("the table has no rows", path);
  if (head.shape[1] == 0) throw Error("the table has rows, but no columns", path);
}

// Fills the table from the file, a piece at a time.
template <class T>
void read_values(std::ifstream& file, bool fortran, PointTable& table, Progress& progress) {
  constexpr std::uint64_t kPiece = std::uint64_t(1) << 20;
  const std::uint64_t all = table.rows * table.columns;
  std::vector<T> piece(std::size_t(std::min(all, kPiece)));
  for (std::uint64_t at = 0; at < all; at += kPiece) {
    progress.report("reading the table", double(at) / double(all));
    const std::uint64_t count = std::min(kPiece, all - at);
    if (!file.read(reinterpret_cast<char*>(piece.data()), std::streamsize(count * sizeof(T))))
      throw BadFile(
          fmt::format("the file ends before its {} x {} numbers", table.rows, table.columns),
          table.path, "copy it again");
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::uint64_t place = at + k;
      const std::uint64_t to =
          fortran ? place % table.rows * table.columns + place / table.rows : place;
      table.values[std::size_t(to)] = double(piece[std::size_t(k)]);
    }
  }
}

}  // namespace

bool is_npy(const std::string& path) {
  try {
    std::ifstream file = open_input(path);
    std::array<char, 6> head{};
    file.read(head.data(), head.size());
    return file && std::string_view(head.data(), head.size()) == kNpyMagic;
  } catch (const Error&) {
    return false;
  }
}

PointTable read_npy_points(const std::string& path, Progress& progress) {
  static_assert(std::endian::native == std::endian::little);
  std::ifstream file = open_input(path);
  const NpyHead head = read_npy_head(path, file);
  require_numbers(head, path);
  require_shape(head, path);
  require_table_memory(head.shape[0], std::size_t(head.shape[1]), path);
  PointTable table{path, head.shape[0], std::size_t(head.shape[1]), {}};
  table.values = Array<double>(std::size_t(table.rows) * table.columns);
  if (head.kind == "<f4")
    read_values<float>(file, head.fortran, table, progress);
  else
    read_values<double>(file, head.fortran, table, progress);
  return table;
}

void write_npy(const std::string& path, ScalarType scalar, std::uint64_t rows, int components,
               const void* data, Progress& progress) {
  constexpr std::pair<ScalarType, const char*> kKinds[] = {
      {ScalarType::Float32, "<f4"}, {ScalarType::Float64, "<f8"}, {ScalarType::Int32, "<i4"},
      {ScalarType::UInt32, "<u4"},  {ScalarType::Int64, "<i8"},   {ScalarType::UInt64, "<u8"}};
  const char* kind = "";
  for (const auto& [one, word] : kKinds)
    if (one == scalar) kind = word;
  std::vector<std::uint64_t> shape{rows};
  if (components != 1) shape.push_back(std::uint64_t(components));
  const std::uint64_t bytes = rows * std::uint64_t(components) * scalar_bytes(scalar);
  AtomicFile file(path);
  const std::string head = npy_head_bytes(kind, shape);
  file.require_space(head.size() + bytes);
  file.write(head.data(), head.size());
  constexpr std::uint64_t kPiece = std::uint64_t(64) << 20;
  for (std::uint64_t at = 0; at < bytes; at += kPiece) {
    progress.report("writing the array", double(at) / double(bytes));
    file.write(static_cast<const char*>(data) + at, std::size_t(std::min(kPiece, bytes - at)));
  }
  file.commit();
}

}  // namespace haloscope::io
