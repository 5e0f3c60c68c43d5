#include "render/files/ppm_tga_file.h"

#include "core/array.h"
#include "core/atomic_file.h"
#include "core/check.h"
#include "core/error.h"
#include "core/input_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

namespace haloscope::render {

namespace {

constexpr int kLongestTgaSide = 65535;
constexpr std::uint64_t kLongestPpmSide = 1u << 24;

// One row as three bytes per pixel, in the order of channels that `order` gives.
void copy_row(const Image8& image, int y, const std::array<std::size_t, 3>& order,
              std::vector<std::uint8_t>& row) {
  const std::uint8_t* pixel = image.at(0, y);
  const bool gray = image.channels < 3;
  for (std::size_t x = 0; x < std::size_t(image.width); ++x, pixel += image.channels)
    for (std::size_t c = 0; c < 3; ++c) row[3 * x + c] = pixel[gray ? 0 : order[c]];
}

void require_image(const Image8& image) {
  HALOSCOPE_CHECK(image.width, >=, 1);
  HALOSCOPE_CHECK(image.height, >=, 1);
  HALOSCOPE_CHECK(image.channels, >=, 1);
  HALOSCOPE_CHECK(image.channels, <=, 4);
}

// A number of the PPM header; white space and comments before it are skipped.
std::uint64_t header_number(std::istream& stream, const std::string& path, const char* noun) {
  for (int c = stream.peek(); std::isspace(c) || c == '#'; c = stream.peek()) {
    std::string comment;
    if (c == '#')
      std::getline(stream, comment);
    else
      stream.get();
  }
  std::uint64_t number = 0;
  if (!std::isdigit(stream.peek()) || !(stream >> number))
    throw BadFile(std::string("damaged PPM file: the header lacks the ") + noun, path);
  return number;
}

}  // namespace

void write_ppm(const std::string& path, const Image8& image) {
  require_image(image);
  AtomicFile file(path);
  const std::string header =
      "P6\n" + std::to_string(image.width) + "\n" + std::to_string(image.height) + "\n255\n";
  std::vector<std::uint8_t> row(std::size_t(image.width) * 3);
  file.require_space(header.size() + row.size() * std::size_t(image.height));
  file.write(header.data(), header.size());
  for (int y = 0; y < image.height; ++y) {
    copy_row(image, y, {0, 1, 2}, row);
    file.write(row.data(), row.size());
  }
  file.commit();
}

void write_tga(const std::string& path, const Image8& image, TgaOrigin origin) {
  require_image(image);
  if (std::max(image.width, image.height) > kLongestTgaSide)
    throw Error("a TGA side cannot be longer than 65535 pixels", path, "use .png");
  const bool top = origin == TgaOrigin::TopLeft;
  AtomicFile file(path);
  const auto low = [](int n) { return std::uint8_t(n & 255); };
  const auto high = [](int n) { return std::uint8_t(n >> 8); };
  std::array<std::uint8_t, 18> header{};
  header[2] = 2;  // true color, uncompressed
  header[12] = low(image.width);
  header[13] = high(image.width);
  header[14] = low(image.height);
  header[15] = high(image.height);
  header[16] = 24;
  header[17] = top ? 0x20 : 0;
  std::vector<std::uint8_t> row(std::size_t(image.width) * 3);
  file.require_space(header.size() + row.size() * std::size_t(image.height));
  file.write(header.data(), header.size());
  for (int y = 0; y < image.height; ++y) {
    copy_row(image, top ? y : image.height - 1 - y, {2, 1, 0}, row);
    file.write(row.data(), row.size());
  }
  file.commit();
}

Image8 read_ppm(const std::string& path) {
  std::ifstream stream = open_input(path, "picture");
  if (stream.get() != 'P' || stream.get() != '6' || !std::isspace(stream.peek()))
    throw NotThisFormat("not a binary PPM file", path);
  const std::uint64_t width = header_number(stream, path, "width");
  const std::uint64_t height = header_number(stream, path, "height");
  const std::uint64_t maximum = header_number(stream, path, "maximum");
  if (width == 0 || height == 0 || width > kLongestPpmSide || height > kLongestPpmSide)
    throw BadFile("damaged PPM file: it says it is " + std::to_string(width) + " x " +
                      std::to_string(height) + " pixels",
                  path);
  if (maximum != 255)
    throw BadFile("PPM files with a maximum of " + std::to_string(maximum) + " are not supported",
                  path, "convert it to 8 bits per channel");
  stream.get();  // exactly one white space ends the header
  std::error_code error;
  const std::uint64_t bytes = width * height * 3;
  const std::uint64_t start = std::uint64_t(stream.tellg());
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (!error && size < start + bytes)
    throw BadFile("truncated PPM file: " + std::to_string(start + bytes) + " bytes expected, " +
                      std::to_string(size) + " there",
                  path);
  require_host_memory(bytes, "the picture");
  Image8 image(int(width), int(height), 3);
  if (!stream.read(reinterpret_cast<char*>(image.pixels.data()), std::streamsize(bytes)))
    throw BadFile("truncated PPM file", path);
  return image;
}

}  // namespace haloscope::render
