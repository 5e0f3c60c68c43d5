#include "io/tables/npy_file.h"

#include "core/atomic_file.h"
#include "core/error.h"
#include "core/input_file.h"
#include "io/bytes/scalar_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <limits>
#include <utility>
#include <vector>

namespace haloscope::io {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr const char* kRemedy = "save it as numpy.save(FILE, array.astype('float64'))";

// What the text behind the magic says.
struct NpyHead {
  std::string kind;  // "<f8"; a list: of several fields
  bool fortran = false;
  std::vector<std::uint64_t> shape;
};

class HeadReader {
 public:
  explicit HeadReader(const std::string& path) : path_(path), file_(open_input(path)) {}

  NpyHead read() {
    std::string magic = take(8);
    if (!magic.starts_with(kMagic)) fail("this is no array of NumPy");
    const int version = static_cast<unsigned char>(magic[6]);
    if (version < 1 || version > 3) fail(fmt::format("its format {} is not known", version));
    const std::string length = take(version == 1 ? 2 : 4);
    std::size_t bytes = 0;
    for (std::size_t k = length.size(); k-- > 0;)
      bytes = bytes << 8 | static_cast<unsigned char>(length[k]);
    constexpr std::size_t kMost = std::size_t(1) << 20;
    if (bytes > kMost) fail("its head is longer than any array's");
    text_ = take(bytes);
    NpyHead head;
    head.kind = kind();
    head.fortran = value_of("fortran_order").starts_with("True");
    head.shape = shape();
    return head;
  }

  std::ifstream& file() { return file_; }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw BadFile(what, path_, "save it once more by numpy.save");
  }

  std::string take(std::size_t bytes) {
    std::string text(bytes, '\0');
    if (!file_.read(text.data(), std::streamsize(bytes))) fail("the array's head is cut short");
    return text;
  }

  // What stands behind a key of the dictionary.
  std::string_view value_of(const std::string& key) const {
    auto at = text_.find("'" + key + "'");
    if (at != std::string::npos) at = text_.find(':', at);
    if (at != std::string::npos) at = text_.find_first_not_of(" ", at + 1);
    if (at == std::string::npos) fail("the array's head does not tell its " + key);
    return std::string_view(text_).substr(at);
  }

  std::string kind() const {
    const std::string_view value = value_of("descr");
    if (!value.starts_with('\'')) return "a list";
    return std::string(value.substr(1, value.find('\'', 1) - 1));
  }

  std::vector<std::uint64_t> shape() const {
    std::string_view value = value_of("shape");
    if (!value.starts_with('(')) fail("the array's head does not tell its shape");
    std::vector<std::uint64_t> sizes;
    bool digits = false;
    for (const char c : value.substr(1)) {
      if (std::isdigit(static_cast<unsigned char>(c))) {
        if (!digits) sizes.push_back(0);
        if (sizes.back() > std::numeric_limits<std::uint64_t>::max() / 16)
          fail("the array's shape cannot be");
        sizes.back() = sizes.back() * 10 + std::uint64_t(c - '0');
        digits = true;
      } else if (c == ')') {
        return sizes;
      } else if (c != ' ' && c != ',' && c != 'L') {
        break;
      } else {
        digits = false;
      }
    }
    fail("the array's head does not tell its shape");
  }

  const std::string& path_;
  std::ifstream file_;
  std::string text_;
};

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
    return file && std::string_view(head.data(), head.size()) == kMagic;
  } catch (const Error&) {
    return false;
  }
}

PointTable read_npy_points(const std::string& path, Progress& progress) {
  static_assert(std::endian::native == std::endian::little);
  HeadReader reader(path);
  const NpyHead head = reader.read();
  require_numbers(head, path);
  require_shape(head, path);
  require_table_memory(head.shape[0], std::size_t(head.shape[1]), path);
  PointTable table{path, head.shape[0], std::size_t(head.shape[1]), {}};
  table.values = Array<double>(std::size_t(table.rows) * table.columns);
  if (head.kind == "<f4")
    read_values<float>(reader.file(), head.fortran, table, progress);
  else
    read_values<double>(reader.file(), head.fortran, table, progress);
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
  std::string head = fmt::format(
      "{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", kind,
      components == 1 ? fmt::format("{},", rows) : fmt::format("{}, {}", rows, components));
  // Numbers begin at a multiple of 64 bytes, behind a line's end.
  constexpr std::size_t kBefore = 10, kAlign = 64;
  head.append(kAlign - (kBefore + head.size() + 1) % kAlign, ' ');
  head += '\n';
  const std::uint64_t bytes = rows * std::uint64_t(components) * scalar_bytes(scalar);
  AtomicFile file(path);
  file.require_space(bytes + kBefore + head.size());
  std::string begin(kMagic);
  begin += {'\1', '\0', char(head.size() & 0xff), char(head.size() >> 8)};
  begin += head;
  file.write(begin.data(), begin.size());
  constexpr std::uint64_t kPiece = std::uint64_t(64) << 20;
  for (std::uint64_t at = 0; at < bytes; at += kPiece) {
    progress.report("writing the array", double(at) / double(bytes));
    file.write(static_cast<const char*>(data) + at, std::size_t(std::min(kPiece, bytes - at)));
  }
  file.commit();
}

}  // namespace haloscope::io
