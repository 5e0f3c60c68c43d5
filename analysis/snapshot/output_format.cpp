#include "analysis/snapshot/output_format.h"

#include "core/input_file.h"
#include "core/text_values.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace haloscope::analysis {

namespace {

constexpr std::size_t kHeadBytes = 65536;
constexpr std::size_t kMarkWithin = 128;

std::string extension_of(const std::string& path) {
  return lower_case(std::filesystem::path(path).extension().string());
}

std::string head_of(const std::string& path) {
  std::ifstream file = open_input(path);
  std::string head(kHeadBytes, '\0');
  file.read(head.data(), std::streamsize(head.size()));
  head.resize(std::size_t(file.gcount()));
  return head;
}

bool is_text(std::string_view head) {
  return std::none_of(head.begin(), head.end(), [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return u == 127 || (u < 32 && c != '\n' && c != '\r' && c != '\t' && c != '\f');
  });
}

// The first line that is neither blank nor a comment.
std::string_view first_line(std::string_view text) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto begin = line.find_first_not_of(" \t\r\f");
    if (begin != std::string_view::npos && line[begin] != '#') return line.substr(begin);
  }
  return {};
}

// The format has no signature: its header's numbers must be possible ones.
bool is_tga(std::string_view head) {
  if (head.size() < 18) return false;
  constexpr std::string_view kKinds("\x01\x02\x03\x09\x0a\x0b", 6),
      kBits("\x08\x0f\x10\x18\x20", 5);
  return static_cast<unsigned char>(head[1]) <= 1 &&
         kKinds.find(head[2]) != std::string_view::npos &&
         kBits.find(head[16]) != std::string_view::npos;
}

bool is_picture(const std::string& extension, std::string_view head) {
  if (extension == ".png") return head.starts_with("\x89PNG\r\n\x1a\n");
  if (extension == ".exr") return head.starts_with("\x76\x2f\x31\x01");
  if (extension == ".ppm") return head.starts_with("P6");
  return extension == ".tga" && is_tga(head);
}

bool is_film(const std::string& extension, std::string_view head) {
  if (extension == ".mkv") return head.starts_with("\x1a\x45\xdf\xa3");
  if (head.size() < 8) return false;
  // The kinds of a film's first part.
  const std::string_view kind = head.substr(4, 4);
  return kind == "ftyp" || kind == "moov" || kind == "mdat" || kind == "wide" || kind == "free";
}

// The signature may stand behind a block of the user's, whose sizes are powers of two.
bool is_hdf5(std::string_view head) {
  for (std::size_t at = 0; at < head.size(); at = at == 0 ? 512 : 2 * at)
    if (head.substr(at).starts_with("\x89HDF\r\n\x1a\n")) return true;
  return false;
}

// Its first element, behind what may stand before it.
bool is_svg(std::string_view head) {
  const auto begin = head.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  return is_text(head) && begin != std::string_view::npos && head[begin] == '<' &&
         head.find("<svg") != std::string_view::npos;
}

bool is_json(std::string_view head) {
  const auto begin = head.find_first_not_of(" \t\r\n");
  return is_text(head) && begin != std::string_view::npos &&
         (head[begin] == '{' || head[begin] == '[');
}

// Tables of numbers, and settings, are what users have most of: a comment above them that names
// this program tells whose they are.
bool is_own_text(std::string_view text) {
  if (!is_text(text)) return false;
  while (text.starts_with("#")) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.find("haloscope") != std::string_view::npos) return true;
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return false;
}

bool is_toml(std::string_view head) {
  const std::string_view line = first_line(head);
  return is_text(head) &&
         (line.empty() || line.front() == '[' || line.find('=') != std::string_view::npos);
}

}  // namespace

std::string format_in_words(OutputFormat format, const std::string& path) {
  const std::string extension = extension_of(path);
  switch (format) {
    case OutputFormat::Picture:
      return "a picture of the format " + extension;
    case OutputFormat::Film:
      return "a film of the format " + extension;
    case OutputFormat::Svg:
      return "SVG";
    case OutputFormat::Hdf5:
      return "HDF5";
    case OutputFormat::Csv:
      return "a table that haloscope wrote";
    case OutputFormat::Json:
      return "JSON";
    case OutputFormat::Toml:
      return "TOML that haloscope wrote";
    case OutputFormat::Recording:
      return "a recording of haloscope";
    case OutputFormat::Npy:
      return "an array of NumPy";
    case OutputFormat::Vti:
      return "a file of VTK that haloscope wrote";
    case OutputFormat::Text:
      return "text";
  }
  return {};
}

bool begins_as(OutputFormat format, const std::string& path) {
  const std::string extension = extension_of(path);
  const std::string head = head_of(path);
  switch (format) {
    case OutputFormat::Picture:
      return is_picture(extension, head);
    case OutputFormat::Film:
      return is_film(extension, head);
    case OutputFormat::Svg:
      return is_svg(head);
    case OutputFormat::Hdf5:
      return is_hdf5(head);
    case OutputFormat::Json:
      return is_json(head);
    case OutputFormat::Toml:
      return is_toml(head) && is_own_text(head);
    case OutputFormat::Csv:
      return is_own_text(head);
    case OutputFormat::Recording:
      return head.starts_with("# haloscope");
    case OutputFormat::Npy:
      return head.starts_with("\x93NUMPY");
    case OutputFormat::Vti:
      return head.starts_with("<?xml") && head.find("<!-- written by haloscope -->") < kMarkWithin;
    default:
      return is_text(head);
  }
}

}  // namespace haloscope::analysis
