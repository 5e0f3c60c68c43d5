#include "render/files/png_file.h"

#include "core/array.h"
#include "core/atomic_file.h"
#include "core/check.h"
#include "core/error.h"
#include "core/input_file.h"
#include "core/log.h"
#include "core/visible_text.h"

#include <png.h>

#include <algorithm>
#include <cerrno>
#include <csetjmp>
#include <memory>
#include <new>
#include <system_error>
#include <vector>

// libpng leaves by longjmp when something fails, which skips destructors. Hence in each direction:
// an outer function owns every object, an inner one holds the setjmp and only plain values.
namespace haloscope::render {

namespace {

// Pictures of points on black compress nearly as well at level 3 as at zlib's 6, in a third of the
// time.
constexpr int kZlibLevel = 3;
constexpr std::uint64_t kLongestSide = 1000000;

struct Trouble {
  std::string path;
  std::string message;  // libpng's, of what ended the work
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  static_cast<Trouble*>(png_get_error_ptr(png))->message = message;
  png_longjmp(png, 1);
}

void on_warning(png_structp png, png_const_charp message) {
  log::warn(std::string("PNG: ") + message, static_cast<Trouble*>(png_get_error_ptr(png))->path);
}

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

std::vector<png_text> text_chunks(const ImageText& text) {
  std::vector<png_text> chunks;
  for (const auto& [keyword, value] : text) {
    HALOSCOPE_CHECK(keyword.size(), >=, std::size_t(1));
    HALOSCOPE_CHECK(keyword.size(), <=, std::size_t(79));
    png_text chunk{};
    // libpng copies both; it only lacks the const.
    chunk.key = const_cast<char*>(keyword.c_str());
    chunk.text = const_cast<char*>(value.c_str());
    if (is_ascii(value)) {
      chunk.compression = PNG_TEXT_COMPRESSION_NONE;
      chunk.text_length = value.size();
    } else {
      chunk.compression = PNG_ITXT_COMPRESSION_NONE;
      chunk.itxt_length = value.size();
    }
    chunks.push_back(chunk);
  }
  return chunks;
}

void write_bytes(png_structp png, png_bytep data, png_size_t size) {
  if (!static_cast<AtomicFile*>(png_get_io_ptr(png))->try_write(data, size))
    png_error(png, "write failed");
}

// No exception may pass through libpng, which is C.
void append_bytes(png_structp png, png_bytep data, png_size_t size) {
  try {
    static_cast<std::string*>(png_get_io_ptr(png))
        ->append(reinterpret_cast<const char*>(data), size);
    return;
  } catch (const std::bad_alloc&) {
  }
  png_error(png, "out of memory");
}

void flush_nothing(png_structp) {}

bool encode(png_structp png, png_infop info, const Image8& image, const png_text* chunks,
            int chunk_count) {
  static const int color_types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                    PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_compression_level(png, kZlibLevel);
  // The difference to the left or upper neighbor, whichever is smaller: the two cheap filters.
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB | PNG_FILTER_UP);
  png_set_IHDR(png, info, png_uint_32(image.width), png_uint_32(image.height), 8,
               color_types[image.channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  if (chunk_count > 0) png_set_text(png, info, chunks, chunk_count);
  png_write_info(png, info);
  for (int y = 0; y < image.height; ++y) png_write_row(png, image.at(0, y));
  png_write_end(png, nullptr);
  return true;
}

struct Header {
  png_uint_32 width = 0, height = 0;
  int channels = 0;
};

bool decode_header(png_structp png, png_infop info, Header& header) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_read_info(png, info);
  png_set_expand(png);
  png_set_strip_16(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  header = {png_get_image_width(png, info), png_get_image_height(png, info),
            png_get_channels(png, info)};
  return true;
}

bool decode_rows(png_structp png, png_infop info, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_read_image(png, rows);
  png_read_end(png, info);
  return true;
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// libpng's two structures, freed together.
struct Writer {
  explicit Writer(Trouble& trouble)
      : png(png_create_write_struct(PNG_LIBPNG_VER_STRING, &trouble, on_error, on_warning)),
        info(png ? png_create_info_struct(png) : nullptr) {}
  ~Writer() { png_destroy_write_struct(&png, &info); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  png_structp png;
  png_infop info;
};

struct Reader {
  explicit Reader(Trouble& trouble)
      : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, &trouble, on_error, on_warning)),
        info(png ? png_create_info_struct(png) : nullptr) {}
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  png_structp png;
  png_infop info;
};

void require_libpng(const void* info, const std::string& path) {
  if (!info) throw Error("libpng could not start (out of memory, or another version)", path);
}

}  // namespace

namespace {

void require_encodable(const std::string& path, const Image8& image) {
  HALOSCOPE_CHECK(image.width, >=, 1);
  HALOSCOPE_CHECK(image.height, >=, 1);
  HALOSCOPE_CHECK(image.channels, >=, 1);
  HALOSCOPE_CHECK(image.channels, <=, 4);
  if (std::uint64_t(std::max(image.width, image.height)) > kLongestSide)
    throw Error("a PNG side cannot be longer than 1,000,000 pixels", path, "choose a smaller size");
}

// Text is UTF-8 in PNG; names of files need not be.
ImageText as_utf8(const ImageText& given) {
  ImageText text;
  for (const auto& [keyword, value] : given) text[keyword] = visible_text(value);
  return text;
}

}  // namespace

std::string png_bytes(const Image8& image, const ImageText& given) {
  const std::string name = "a picture in memory";
  require_encodable(name, image);
  const ImageText text = as_utf8(given);
  const std::vector<png_text> chunks = text_chunks(text);
  Trouble trouble{name, {}};
  std::string bytes;
  Writer writer(trouble);
  require_libpng(writer.info, name);
  png_set_write_fn(writer.png, &bytes, append_bytes, flush_nothing);
  if (!encode(writer.png, writer.info, image, chunks.data(), int(chunks.size())))
    throw Error("PNG: " + trouble.message, name);
  return bytes;
}

void write_png(const std::string& path, const Image8& image, const ImageText& given) {
  require_encodable(path, image);
  const ImageText text = as_utf8(given);
  const std::vector<png_text> chunks = text_chunks(text);
  Trouble trouble{path, {}};
  AtomicFile file(path);
  {
    Writer writer(trouble);
    require_libpng(writer.info, path);
    png_set_write_fn(writer.png, &file, write_bytes, flush_nothing);
    if (!encode(writer.png, writer.info, image, chunks.data(), int(chunks.size())))
      file.fail("PNG: " + trouble.message);
  }
  file.commit();
}

Image8 read_png(const std::string& path, ImageText* text) {
  Trouble trouble{path, {}};
  require_input(path, "picture");
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file)
    throw Error("cannot open the picture: " + std::generic_category().message(errno), path);
  png_byte signature[8] = {};
  if (std::fread(signature, 1, sizeof signature, file.get()) != sizeof signature ||
      png_sig_cmp(signature, 0, sizeof signature) != 0)
    throw NotThisFormat("not a PNG file", path);

  Reader reader(trouble);
  require_libpng(reader.info, path);
  png_init_io(reader.png, file.get());
  png_set_sig_bytes(reader.png, sizeof signature);
  const auto damaged = [&] { throw BadFile("damaged PNG file: " + trouble.message, path); };
  Header header;
  if (!decode_header(reader.png, reader.info, header)) damaged();
  require_host_memory(std::uint64_t(header.width) * header.height * std::uint64_t(header.channels),
                      "the picture");
  Image8 image(int(header.width), int(header.height), header.channels);
  std::vector<png_bytep> rows;
  for (int y = 0; y < image.height; ++y) rows.push_back(image.at(0, y));
  if (!decode_rows(reader.png, reader.info, rows.data())) damaged();

  png_textp chunks = nullptr;
  const int count = png_get_text(reader.png, reader.info, &chunks, nullptr);
  if (text)
    for (int i = 0; i < count; ++i) (*text)[chunks[i].key] = chunks[i].text;
  return image;
}

}  // namespace haloscope::render
