#include "render/files/png_text.h"

#include "core/error.h"
#include "core/input_file.h"

#include <array>
#include <cstdint>
#include <fstream>
#include <string_view>

namespace haloscope::render {

namespace {

// Scenes take some kilobytes; more before the pixels is not ours.
constexpr std::uint32_t kLongestText = 16u << 20;
constexpr std::string_view kSignature("\x89PNG\r\n\x1a\n", 8);
// An empty IEND with its checksum: the last bytes of every whole file (PNG specification, 11.2.5).
constexpr std::string_view kEnd("\0\0\0\0IEND\xae\x42\x60\x82", 12);

struct Chunk {
  std::uint32_t length = 0;
  std::string type;
};

// Keyword and text of a tEXt chunk, or of an iTXt chunk whose text is not compressed.
void add_text(const std::string& data, bool international, ImageText& text) {
  const auto end = data.find('\0');
  if (end == std::string::npos) return;
  const std::string keyword = data.substr(0, end);
  if (!international) {
    text[keyword] = data.substr(end + 1);
    return;
  }
  // Two bytes on compression, then a language and a translated keyword, each ended by a zero.
  if (data.size() < end + 3 || data[end + 1] != 0) return;
  const auto language = data.find('\0', end + 3);
  if (language == std::string::npos) return;
  const auto translated = data.find('\0', language + 1);
  if (translated != std::string::npos) text[keyword] = data.substr(translated + 1);
}

}  // namespace

ImageText read_png_text(const std::string& path) {
  std::ifstream file = open_input(path, "picture");
  const auto take = [&](std::size_t count) {
    std::string bytes(count, '\0');
    file.read(bytes.data(), std::streamsize(count));
    if (std::size_t(file.gcount()) != count) throw BadFile("the PNG file is cut off", path);
    return bytes;
  };
  char start[8] = {};
  file.read(start, sizeof start);
  if (std::string_view(start, std::size_t(file.gcount())) != kSignature)
    throw NotThisFormat("not a PNG file", path);

  ImageText text;
  for (;;) {
    const std::string head = take(8);
    Chunk chunk;
    for (std::size_t i = 0; i < 4; ++i) chunk.length = chunk.length << 8 | std::uint8_t(head[i]);
    chunk.type = head.substr(4);
    if (chunk.type == "IDAT" || chunk.type == "IEND") break;
    if (chunk.length > kLongestText) throw BadFile("damaged PNG file", path);
    const std::string data = take(chunk.length);
    take(4);
    if (chunk.type == "tEXt" || chunk.type == "iTXt") add_text(data, chunk.type == "iTXt", text);
  }
  file.clear();
  file.seekg(-std::streamoff(kEnd.size()), std::ios::end);
  if (take(kEnd.size()) != kEnd) throw BadFile("the PNG file is cut off", path);
  return text;
}

}  // namespace haloscope::render
