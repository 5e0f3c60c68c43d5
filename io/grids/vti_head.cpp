#include "io/grids/vti_head.h"

#include "core/error.h"
#include "core/input_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <utility>

namespace haloscope::io {

namespace {

// Text before appended data; of inline arrays the whole file is text.
constexpr std::uint64_t kMostText = std::uint64_t(4) << 30;

struct XmlTag {
  std::string name;  // "/Piece" ends what "Piece" began
  std::map<std::string, std::string> attributes;
  std::uint64_t end = 0;  // behind the ">"
};

std::string unescaped(std::string text) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&amp;", "&"}};
  for (const auto& [name, character] : kNames)
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
      text.replace(at, name.size(), character);
  return text;
}

class VtiReader {
 public:
  explicit VtiReader(const std::string& path) : path_(path), file_(open_input(path)) {}

  VtiHead read() {
    read_text();
    XmlTag tag;
    while (next(tag)) {
      if (!seen_file_ && tag.name != "VTKFile") break;
      if (tag.name == "VTKFile") file_tag(tag);
      if (tag.name == "ImageData") image_tag(tag);
      if (tag.name == "Piece") piece_tag(tag);
      if (tag.name == "PointData" || tag.name == "CellData") in_data_ = tag.name;
      if (tag.name == "/PointData" || tag.name == "/CellData") in_data_.clear();
      if (tag.name == "DataArray" && !in_data_.empty()) array_tag(tag);
      if (tag.name == "FieldData") in_fields_ = true;
      if (tag.name == "/FieldData") in_fields_ = false;
      if (in_fields_ && value(tag, "type") == "String") text_tag(tag);
      if (tag.name == "AppendedData") {
        appended_tag(tag);
        break;
      }
    }
    if (!seen_file_ || !seen_image_)
      throw NotThisFormat("the file is no image of VTK (.vti)", path_);
    if (pieces_ != 1)
      throw Error(fmt::format("the image comes in {} pieces, and only one is read", pieces_), path_,
                  "write it as one piece");
    for (const VtiArray& array : head_.arrays)
      if (array.format == VtiArray::Format::Appended && head_.appended == 0)
        fail("its appended data are not there");
    return std::move(head_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw BadFile("the .vti image is damaged: " + what, path_, "write it once more");
  }

  // All text up to the underscore before appended data, which is XML but for what follows it.
  void read_text() {
    constexpr std::size_t kPiece = std::size_t(1) << 20;
    std::string piece(kPiece, '\0');
    while (file_ && text_.size() < kMostText) {
      file_.read(piece.data(), std::streamsize(piece.size()));
      const std::size_t from = text_.size() < 32 ? 0 : text_.size() - 32;
      text_.append(piece.data(), std::size_t(file_.gcount()));
      const auto at = text_.find("<AppendedData", from);
      if (at != std::string::npos && text_.find('_', at) != std::string::npos) return;
      // What is no XML is told by its first bytes.
      if (text_.find_first_not_of(" \t\r\n\xef\xbb\xbf") != std::string::npos &&
          text_[text_.find_first_not_of(" \t\r\n\xef\xbb\xbf")] != '<')
        return;
    }
  }

  bool next(XmlTag& tag) {
    while (true) {
      at_ = text_.find('<', at_);
      if (at_ == std::string::npos) return false;
      if (text_.compare(at_, 4, "<!--") == 0) {
        at_ = text_.find("-->", at_);
        if (at_ == std::string::npos) fail("a comment has no end");
        continue;
      }
      if (text_.compare(at_, 2, "<?") == 0 || text_.compare(at_, 2, "<!") == 0) {
        ++at_;
        continue;
      }
      break;
    }
    const auto end = text_.find('>', at_);
    if (end == std::string::npos) fail("a tag has no end");
    parse(std::string_view(text_).substr(at_ + 1, end - at_ - 1), tag);
    at_ = end + 1;
    tag.end = at_;
    return true;
  }

  void parse(std::string_view text, XmlTag& tag) const {
    constexpr std::string_view kBlanks = " \t\r\n";
    tag.attributes.clear();
    const auto name = text.find_first_of(" \t\r\n");
    tag.name = text.substr(0, name);
    if (tag.name.size() > 1 && tag.name.back() == '/') tag.name.pop_back();
    for (auto at = name; at != std::string_view::npos;) {
      at = text.find_first_not_of(kBlanks, at);
      const auto equals = at == std::string_view::npos ? at : text.find('=', at);
      if (equals == std::string_view::npos) return;
      const auto open = text.find_first_of("\"'", equals);
      const auto close = open == std::string_view::npos ? open : text.find(text[open], open + 1);
      if (close == std::string_view::npos) fail("an attribute has no end");
      std::string key(text.substr(at, equals - at));
      key.erase(std::min(key.find_last_not_of(kBlanks) + 1, key.size()));
      tag.attributes[key] = unescaped(std::string(text.substr(open + 1, close - open - 1)));
      at = close + 1;
    }
  }

  static std::string value(const XmlTag& tag, const std::string& key) {
    const auto found = tag.attributes.find(key);
    return found == tag.attributes.end() ? std::string() : found->second;
  }

  template <class T, std::size_t N>
  bool numbers(const XmlTag& tag, const std::string& key, std::array<T, N>& out) const {
    const std::string text = value(tag, key);
    if (text.empty()) return false;
    const char* at = text.data();
    const char* const end = at + text.size();
    for (T& number : out) {
      while (at != end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) ++at;
      const auto [behind, error] = std::from_chars(at, end, number);
      if (error != std::errc()) fail(fmt::format("its {} are not {} numbers", key, N));
      at = behind;
    }
    return true;
  }

  void file_tag(const XmlTag& tag) {
    if (value(tag, "type") != "ImageData")
      throw NotThisFormat(
          fmt::format("the VTK file holds {}, and a grid is ImageData", value(tag, "type")), path_);
    seen_file_ = true;
    head_.big_endian = value(tag, "byte_order") == "BigEndian";
    head_.long_lengths = value(tag, "header_type") == "UInt64";
    const std::string compressor = value(tag, "compressor");
    head_.zlib = compressor == "vtkZLibDataCompressor";
    if (!compressor.empty() && !head_.zlib)
      throw Error(fmt::format("the image is compressed by {}", compressor), path_,
                  "write it without compression, or with zlib");
  }

  void image_tag(const XmlTag& tag) {
    seen_image_ = seen_file_;
    if (!numbers(tag, "WholeExtent", head_.extent)) fail("it has no extent");
    constexpr std::int64_t kMost = std::int64_t(1) << 40;
    for (std::size_t a = 0; a < 3; ++a)
      if (head_.extent[2 * a] < -kMost || head_.extent[2 * a + 1] > kMost ||
          head_.extent[2 * a] > head_.extent[2 * a + 1])
        fail("its extent cannot be");
    numbers(tag, "Origin", head_.origin);
    numbers(tag, "Spacing", head_.spacing);
  }

  void piece_tag(const XmlTag& tag) {
    ++pieces_;
    std::array<std::int64_t, 6> extent = head_.extent;
    numbers(tag, "Extent", extent);
    if (extent != head_.extent) pieces_ = 2;
  }

  void array_tag(const XmlTag& tag) {
    VtiArray array;
    array.name = value(tag, "Name");
    array.of_cells = in_data_ == "CellData";
    if (const std::string components = value(tag, "NumberOfComponents"); !components.empty())
      array.components = components == "1" ? 1 : 2;
    const std::string format = value(tag, "format");
    array.format = format == "appended" ? VtiArray::Format::Appended
                   : format == "binary" ? VtiArray::Format::Binary
                                        : VtiArray::Format::Ascii;
    if (array.format == VtiArray::Format::Appended) {
      std::array<std::uint64_t, 1> offset{};
      if (!numbers(tag, "offset", offset)) fail("an array does not tell its place");
      array.offset = offset[0];
    } else {
      array.begin = tag.end;
      array.end = std::min(text_.find('<', at_), text_.size());
    }
    if (array.components == 1 && vti_scalar(value(tag, "type"), array.scalar))
      head_.arrays.push_back(array);
  }

  // The codes of its bytes, ended by a 0. Other ways to write one are left out.
  void text_tag(const XmlTag& tag) {
    if (value(tag, "format") != "ascii") return;
    std::string text;
    const char* at = text_.data() + tag.end;
    const char* const end = text_.data() + std::min(text_.find('<', at_), text_.size());
    while (at != end) {
      if (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') {
        ++at;
        continue;
      }
      unsigned char code = 0;
      const auto [behind, error] = std::from_chars(at, end, code);
      if (error != std::errc()) return;
      if (code == 0) break;
      text += char(code);
      at = behind;
    }
    head_.texts[value(tag, "Name")] = text;
  }

  void appended_tag(const XmlTag& tag) {
    head_.base64 = value(tag, "encoding") != "raw";
    const auto underscore = text_.find('_', at_);
    if (underscore == std::string::npos) fail("its appended data are not there");
    head_.appended = underscore + 1;
  }

  const std::string& path_;
  std::ifstream file_;
  std::string text_;
  std::size_t at_ = 0;
  VtiHead head_;
  std::string in_data_;
  bool seen_file_ = false, seen_image_ = false, in_fields_ = false;
  int pieces_ = 0;
};

constexpr std::pair<const char*, GridScalar> kVtiTypes[] = {
    {"Float32", GridScalar::Float32}, {"Float64", GridScalar::Float64},
    {"Int8", GridScalar::Int8},       {"UInt8", GridScalar::UInt8},
    {"Int16", GridScalar::Int16},     {"UInt16", GridScalar::UInt16},
    {"Int32", GridScalar::Int32},     {"UInt32", GridScalar::UInt32},
    {"Int64", GridScalar::Int64},     {"UInt64", GridScalar::UInt64}};

}  // namespace

const char* vti_type(GridScalar scalar) {
  for (const auto& [word, type] : kVtiTypes)
    if (type == scalar) return word;
  return "";
}

bool vti_scalar(const std::string& type, GridScalar& scalar) {
  for (const auto& [word, one] : kVtiTypes)
    if (type == word) {
      scalar = one;
      return true;
    }
  return false;
}

VtiHead read_vti_head(const std::string& path) {
  return VtiReader(path).read();
}

}  // namespace haloscope::io
