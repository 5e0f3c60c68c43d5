#include "io/tables/npy_head.h"

#include "core/error.h"

#include <fmt/format.h>

#include <cctype>
#include <limits>
#include <string_view>

namespace haloscope::io {

namespace {

class NpyHeadReader {
 public:
  NpyHeadReader(const std::string& path, std::ifstream& file) : path_(path), file_(file) {}

  NpyHead read() {
    std::string magic = take(8);
    if (!magic.starts_with(kNpyMagic)) fail("this is no array of NumPy");
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
  std::ifstream& file_;
  std::string text_;
};

}  // namespace

NpyHead read_npy_head(const std::string& path, std::ifstream& file) {
  return NpyHeadReader(path, file).read();
}

std::string npy_head_bytes(const std::string& kind, const std::vector<std::uint64_t>& shape) {
  std::string sizes;
  for (const std::uint64_t size : shape)
    sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", size);
  if (shape.size() == 1) sizes += ",";
  std::string head =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", kind, sizes);
  // Numbers begin at a multiple of 64 bytes, behind a line's end.
  constexpr std::size_t kBefore = 10, kAlign = 64;
  head.append(kAlign - (kBefore + head.size() + 1) % kAlign, ' ');
  head += '\n';
  std::string begin(kNpyMagic);
  begin += {'\1', '\0', char(head.size() & 0xff), char(head.size() >> 8)};
  begin += head;
  return begin;
}

}  // namespace haloscope::io
