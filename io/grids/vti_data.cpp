#include "io/grids/vti_data.h"

#include "core/error.h"
#include "io/bytes/positioned_file.h"
#include "io/grids/stored_grid.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <libdeflate.h>
#include <memory>

namespace haloscope::io {

namespace {

[[noreturn]] void damaged_vti(const std::string& path, const std::string& what) {
  throw BadFile("the .vti image is damaged: " + what, path, "write it once more");
}

// Six bits of a letter of base64; −1: it is none.
int base64_bits(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// The bytes of an array in the file: raw, or base64, of which each stretch is padded by itself.
class VtiBytes {
 public:
  VtiBytes(const std::string& path, const VtiHead& head, const VtiArray& array)
      : path_(path), file_(path) {
    const bool appended = array.format == VtiArray::Format::Appended;
    base64_ = !appended || head.base64;
    at_ = appended ? head.appended + array.offset : array.begin;
    end_ = appended ? file_.size() : std::min(array.end, file_.size());
    if (at_ < array.offset) damaged_vti(path_, "an array lies behind its end");
  }

  std::vector<unsigned char> take(std::uint64_t bytes) {
    const std::uint64_t left = (at_ < end_ ? end_ - at_ : 0) + (buffer_.size() - buffer_at_);
    if (bytes > left) damaged_vti(path_, "an array is cut short");
    std::vector<unsigned char> out;
    if (!base64_) {
      out.resize(std::size_t(bytes));
      file_.read(at_, out.size(), out.data(), "the grid");
      at_ += bytes;
      return out;
    }
    out.reserve(std::size_t(bytes) + 2);
    while (out.size() < bytes) take_group(out);
    // A stretch that goes on has its rest here.
    rest_.assign(out.begin() + std::ptrdiff_t(bytes), out.end());
    out.resize(std::size_t(bytes));
    return out;
  }
  // The same, where the stretch goes on from the last one.
  std::vector<unsigned char> take_on(std::uint64_t bytes) {
    if (!base64_) return take(bytes);
    std::vector<unsigned char> out = std::move(rest_);
    rest_.clear();
    if (out.size() > bytes) out.resize(std::size_t(bytes));
    const std::vector<unsigned char> more = take(bytes - out.size());
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }

  // All of the text.
  std::string text() {
    std::string all(std::size_t(at_ < end_ ? end_ - at_ : 0), '\0');
    file_.read(at_, all.size(), all.data(), "the grid");
    return all;
  }

 private:
  // Four letters; those that only fill up hold no bytes.
  void take_group(std::vector<unsigned char>& out) {
    std::uint32_t word = 0;
    int filling = 0;
    for (int k = 0; k < 4; ++k) {
      const char c = letter();
      filling += c == '=';
      const int bits = c == '=' ? 0 : base64_bits(c);
      if (bits < 0) damaged_vti(path_, "its base64 holds other letters");
      word = word << 6 | std::uint32_t(bits);
    }
    if (filling > 2) damaged_vti(path_, "its base64 holds other letters");
    for (int k = 0; k < 3 - filling; ++k)
      out.push_back(static_cast<unsigned char>(word >> (16 - 8 * k)));
  }

  char letter() {
    while (true) {
      if (buffer_at_ == buffer_.size()) {
        constexpr std::uint64_t kPiece = std::uint64_t(1) << 20;
        const std::uint64_t bytes = std::min(kPiece, at_ < end_ ? end_ - at_ : 0);
        if (bytes == 0) damaged_vti(path_, "an array is cut short");
        buffer_.resize(std::size_t(bytes));
        file_.read(at_, buffer_.size(), buffer_.data(), "the grid");
        at_ += bytes;
        buffer_at_ = 0;
      }
      const char c = buffer_[buffer_at_++];
      if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return c;
    }
  }

  const std::string& path_;
  PositionedFile file_;
  bool base64_ = false;
  std::uint64_t at_ = 0, end_ = 0;
  std::string buffer_;
  std::size_t buffer_at_ = 0;
  std::vector<unsigned char> rest_;
};

std::uint64_t length_at(const VtiHead& head, const unsigned char* bytes) {
  std::uint64_t value = 0;
  const auto size = int(length_bytes(head));
  for (int k = 0; k < size; ++k)
    value |= std::uint64_t(bytes[head.big_endian ? size - 1 - k : k]) << (8 * k);
  return value;
}

// Blocks of zlib: how many, bytes of each, bytes of the last (0: as the others), compressed bytes
// of each; then the blocks.
std::vector<std::byte> inflated(const std::string& path, const VtiHead& head, VtiBytes& in,
                                std::uint64_t bytes) {
  const std::uint64_t each = length_bytes(head);
  // The lengths are one stretch of base64, whose beginning tells how long it is.
  std::vector<unsigned char> lengths = in.take(each);
  const std::uint64_t blocks = length_at(head, lengths.data());
  if (blocks > bytes + 1) damaged_vti(path, "its blocks cannot be");
  const std::vector<unsigned char> more = in.take_on((2 + blocks) * each);
  lengths.insert(lengths.end(), more.begin(), more.end());
  const auto length = [&](std::uint64_t k) { return length_at(head, lengths.data() + k * each); };
  const std::uint64_t block = length(1), last = length(2);
  std::vector<std::byte> out(static_cast<std::size_t>(bytes));
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> state(
      libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
  std::uint64_t at = 0;
  for (std::uint64_t k = 0; k < blocks; ++k) {
    const std::uint64_t size = k + 1 == blocks && last > 0 ? last : block;
    const std::vector<unsigned char> packed =
        k == 0 ? in.take(length(3)) : in.take_on(length(3 + k));
    std::size_t got = 0;
    if (size > bytes - at ||
        libdeflate_zlib_decompress(state.get(), packed.data(), packed.size(), out.data() + at,
                                   std::size_t(size), &got) != LIBDEFLATE_SUCCESS ||
        got != size)
      damaged_vti(path, "a compressed block cannot be read");
    at += size;
  }
  if (at != bytes) damaged_vti(path, "it holds another number of values");
  return out;
}

std::vector<std::byte> from_text(const std::string& path, VtiBytes& in, GridScalar scalar,
                                 std::uint64_t bytes) {
  const std::string text = in.text();
  std::vector<std::byte> out(static_cast<std::size_t>(bytes));
  with_grid_type(scalar, [&](auto zero) {
    using T = decltype(zero);
    const char *at = text.data(), *const end = at + text.size();
    for (std::uint64_t k = 0; k < bytes; k += sizeof(T)) {
      while (at != end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) ++at;
      T value{};
      const auto [behind, error] = std::from_chars(at, end, value);
      if (error != std::errc()) damaged_vti(path, "its values are not numbers of its type");
      at = behind;
      std::memcpy(out.data() + k, &value, sizeof(T));
    }
  });
  return out;
}

}  // namespace

std::uint64_t length_bytes(const VtiHead& head) {
  return head.long_lengths ? 8 : 4;
}

bool lies_plainly(const VtiHead& head, const VtiArray& array) {
  return array.format == VtiArray::Format::Appended && !head.base64 && !head.zlib;
}

std::vector<std::byte> read_vti_data(const std::string& path, const VtiHead& head,
                                     const VtiArray& array, std::uint64_t bytes) {
  VtiBytes in(path, head, array);
  if (array.format == VtiArray::Format::Ascii) return from_text(path, in, array.scalar, bytes);
  std::vector<std::byte> out;
  if (head.zlib) {
    out = inflated(path, head, in, bytes);
  } else {
    const std::vector<unsigned char> length = in.take(length_bytes(head));
    if (length_at(head, length.data()) != bytes)
      damaged_vti(path, "it holds another number of values");
    const std::vector<unsigned char> data = in.take_on(bytes);
    out.resize(data.size());
    std::memcpy(out.data(), data.data(), data.size());
  }
  const std::size_t each = grid_scalar_bytes(array.scalar);
  if (head.big_endian) swap_grid_values(out.data(), bytes / each, each);
  return out;
}

}  // namespace haloscope::io
