#include "render/files/exr_file.h"

#include "core/array.h"
#include "core/atomic_file.h"
#include "core/check.h"
#include "core/error.h"
#include "core/input_file.h"
#include "core/log.h"

#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfIO.h>
#include <ImfInputFile.h>
#include <ImfOutputFile.h>
#include <ImfStringAttribute.h>
#include <ImfTestFile.h>
#include <ImfThreading.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace haloscope::render {

namespace {

constexpr float kLargestHalf = 65504.0f;
// Rows handed to OpenEXR at once: a multiple of ZIP's 16, enough to keep several threads busy, and
// few enough that the converted copy of a 16384-pixel-wide picture stays at 32 MiB.
constexpr int kRowsPerBlock = 256;

// OpenEXR's output files finish in their destructor, where it swallows exceptions; hence this
// stream never throws but has the AtomicFile remember.
class AtomicStream : public Imf::OStream {
 public:
  explicit AtomicStream(AtomicFile& file) : Imf::OStream(file.path().c_str()), file_(file) {}
  void write(const char data[], int size) override {
    if (ok_) ok_ = file_.try_write(data, std::size_t(size));
  }
  std::uint64_t tellp() override { return std::uint64_t(std::max(off_t(0), ftello(stream()))); }
  void seekp(std::uint64_t position) override {
    if (ok_) ok_ = fseeko(stream(), off_t(position), SEEK_SET) == 0;
  }
  bool ok() const { return ok_; }

 private:
  std::FILE* stream() const { return file_.stream(); }

  AtomicFile& file_;
  bool ok_ = true;
};

// OpenEXR compresses in the calling thread alone until told otherwise, once per process.
void use_all_cores() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (Imf::globalThreadCount() == 0)
      Imf::setGlobalThreadCount(int(std::max(1u, std::thread::hardware_concurrency())));
  });
}

std::vector<std::string> default_names(int channels) {
  if (channels == 1) return {"Y"};
  if (channels == 2) return {"Y", "A"};
  if (channels == 3) return {"R", "G", "B"};
  return {"R", "G", "B", "A"};
}

// Converts rows [first, first + rows) and returns how many values were clamped.
std::uint64_t to_half(const ImageF& image, int first, int rows, std::vector<half>& block) {
  const std::size_t count =
      std::size_t(rows) * std::size_t(image.width) * std::size_t(image.channels);
  block.resize(count);
  const float* values = image.at(0, first);
  std::uint64_t clamped = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float value = values[i];
    clamped += std::abs(value) > kLargestHalf;
    block[i] = half(std::isnan(value) ? value : std::clamp(value, -kLargestHalf, kLargestHalf));
  }
  return clamped;
}

// Describes `rows` rows of interleaved pixels at `data`, the first of them row `first` of the
// image.
template <class T>
Imf::FrameBuffer frame_buffer(Imf::PixelType type, const T* data, const ImageF& image, int first,
                              int rows, const std::vector<std::string>& names) {
  Imf::FrameBuffer buffer;
  const std::size_t pixel = sizeof(T) * std::size_t(image.channels);
  for (std::size_t c = 0; c < names.size(); ++c)
    buffer.insert(names[c],
                  Imf::Slice::Make(type, data + c, Imath::V2i(0, first), std::int64_t(image.width),
                                   std::int64_t(rows), pixel, pixel * std::size_t(image.width)));
  return buffer;
}

// Returns how many values were clamped.
std::uint64_t write_rows(Imf::OutputFile& output, const AtomicStream& stream, const ImageF& image,
                         ExrPrecision precision, const std::vector<std::string>& names) {
  std::vector<half> block;
  std::uint64_t clamped = 0;
  for (int y = 0; y < image.height && stream.ok(); y += kRowsPerBlock) {
    const int rows = std::min(kRowsPerBlock, image.height - y);
    if (precision == ExrPrecision::Half) {
      clamped += to_half(image, y, rows, block);
      output.setFrameBuffer(frame_buffer(Imf::HALF, block.data(), image, y, rows, names));
    } else {
      output.setFrameBuffer(frame_buffer(Imf::FLOAT, image.at(0, y), image, y, rows, names));
    }
    output.writePixels(rows);
  }
  return clamped;
}

Imf::Header make_header(const ImageF& image, ExrPrecision precision,
                        const std::vector<std::string>& names, const ImageText& text) {
  Imf::Header header(image.width, image.height);
  header.compression() = Imf::ZIP_COMPRESSION;
  const Imf::PixelType type = precision == ExrPrecision::Half ? Imf::HALF : Imf::FLOAT;
  for (const std::string& name : names) header.channels().insert(name, Imf::Channel(type));
  for (const auto& [keyword, value] : text) header.insert(keyword, Imf::StringAttribute(value));
  return header;
}

// R, G, B first, A last, the others between them in the file's (alphabetical) order.
std::vector<std::string> channel_order(const Imf::ChannelList& list) {
  const auto rank = [](const std::string& name) {
    return name == "R" ? 0 : name == "G" ? 1 : name == "B" ? 2 : name == "A" ? 4 : 3;
  };
  std::vector<std::string> names;
  for (auto channel = list.begin(); channel != list.end(); ++channel)
    names.emplace_back(channel.name());
  std::stable_sort(names.begin(), names.end(),
                   [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
  return names;
}

ImageF read_pixels(Imf::InputFile& input, const std::vector<std::string>& names,
                   const std::string& path) {
  const Imath::Box2i window = input.header().dataWindow();
  const std::int64_t width = std::int64_t(window.max.x) - window.min.x + 1;
  const std::int64_t height = std::int64_t(window.max.y) - window.min.y + 1;
  if (!input.isComplete()) throw BadFile("truncated OpenEXR file: rows are missing", path);
  const std::uint64_t bytes =
      std::uint64_t(width) * std::uint64_t(height) * names.size() * sizeof(float);
  require_host_memory(bytes, "the picture");
  ImageF image(int(width), int(height), int(names.size()));
  Imf::FrameBuffer buffer;
  const std::size_t pixel = sizeof(float) * names.size();
  for (std::size_t c = 0; c < names.size(); ++c) {
    const Imf::Channel* channel = input.header().channels().findChannel(names[c]);
    if (channel->xSampling != 1 || channel->ySampling != 1)
      throw BadFile("OpenEXR channel " + names[c] + " is subsampled, which is not supported", path);
    buffer.insert(names[c], Imf::Slice::Make(Imf::FLOAT, image.pixels.data() + c, window, pixel,
                                             pixel * std::size_t(width)));
  }
  input.setFrameBuffer(buffer);
  input.readPixels(window.min.y, window.max.y);
  return image;
}

}  // namespace

void write_exr(const std::string& path, const ImageF& image, ExrPrecision precision,
               const std::vector<std::string>& channels, const ImageText& text) {
  HALOSCOPE_CHECK(image.width, >=, 1);
  HALOSCOPE_CHECK(image.height, >=, 1);
  HALOSCOPE_CHECK(image.channels, >=, 1);
  HALOSCOPE_CHECK(image.channels, <=, 4);
  const auto names = channels.empty() ? default_names(image.channels) : channels;
  HALOSCOPE_CHECK(names.size(), ==, std::size_t(image.channels));
  use_all_cores();
  AtomicFile file(path);
  std::uint64_t clamped = 0;
  try {
    AtomicStream stream(file);
    {
      Imf::OutputFile output(stream, make_header(image, precision, names, text));
      clamped = write_rows(output, stream, image, precision, names);
    }
    if (!stream.ok()) file.fail();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    file.fail(std::string("OpenEXR: ") + error.what());
  }
  file.commit();
  if (clamped > 0)
    log::warn("values beyond 65504 were clamped in a half-float EXR file",
              path + ": " + std::to_string(clamped) + " values");
}

ImageF read_exr(const std::string& path, std::vector<std::string>* channels, ImageText* text) {
  require_input(path, "picture");
  if (!Imf::isOpenExrFile(path.c_str())) throw NotThisFormat("not an OpenEXR file", path);
  try {
    Imf::InputFile input(path.c_str());
    const std::vector<std::string> names = channel_order(input.header().channels());
    ImageF image = read_pixels(input, names, path);
    if (channels) *channels = names;
    if (text)
      for (auto entry = input.header().begin(); entry != input.header().end(); ++entry)
        if (const auto* value = dynamic_cast<const Imf::StringAttribute*>(&entry.attribute()))
          if (std::string(entry.name()) != "type") (*text)[entry.name()] = value->value();
    return image;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw BadFile(std::string("damaged OpenEXR file: ") + error.what(), path);
  }
}

}  // namespace haloscope::render
