#include "io/snapshots/generic_io_file.h"

#include "core/error.h"
#include "io/bytes/positioned_file.h"
#include "io/snapshots/generic_io_checksum.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace haloscope::io {

namespace {

constexpr std::uint64_t kCheckBytes = 8;
// Offsets within the headers, all packed. Old files end the global header before the blocks.
constexpr std::uint64_t kOldGlobalHeader = 152, kGlobalHeader = 168;
constexpr std::uint64_t kNameBytes = 256;
constexpr std::uint64_t kOldVariable = kNameBytes + 16, kVariable = kNameBytes + 24;
constexpr std::uint64_t kRank = 40;   // without the rank's number, which nobody needs here
constexpr std::uint64_t kBlock = 48;  // four names of filters, start, size
constexpr std::uint64_t kFlagFloat = 1, kFlagSigned = 2, kFlagX = 4;
constexpr std::uint64_t kMaxVariables = 4096;

// Reads one GenericIO header; every count is checked against the file before anything is allocated
// from it.
class HeaderReader {
 public:
  explicit HeaderReader(const std::string& path) : file_(path), path_(path) {
    result_.path = path;
    if (file_.size() < kOldGlobalHeader) fail("its header is incomplete");
    head_.resize(std::min(file_.size(), kGlobalHeader));
    file_.read(0, head_.size(), head_.data(), "the GenericIO header");
    result_.big_endian = std::memcmp(head_.data(), "HACC01B", 7) == 0;
  }

  GenericIoFile read() {
    result_.promised = word(head_, 16);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      result_.origin[axis] = number(head_, 104 + 8 * axis);
      result_.scale[axis] = number(head_, 128 + 8 * axis);
    }
    read_variables();
    read_ranks();
    const bool has_blocks = word(head_, 96) >= kGlobalHeader && head_.size() >= kGlobalHeader;
    if (has_blocks && word(head_, 152) > 0) read_blocks();
    check_extent();
    check_header_sum();
    return std::move(result_);
  }

 private:
  using Bytes = std::vector<unsigned char>;

  [[noreturn]] void fail(const std::string& what) const {
    throw BadFile("this GenericIO file is damaged: " + what, path_, "copy it again");
  }

  std::uint64_t word(const Bytes& bytes, std::uint64_t offset) const {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return swap() ? __builtin_bswap64(value) : value;
  }
  double number(const Bytes& bytes, std::uint64_t offset) const {
    return std::bit_cast<double>(word(bytes, offset));
  }
  bool swap() const { return result_.big_endian != (std::endian::native == std::endian::big); }

  // A table of `count` entries of `stride` bytes, as far as it fits into the file.
  Bytes table(const char* what, std::uint64_t start, std::uint64_t count, std::uint64_t stride,
              std::uint64_t at_least) const {
    if (count == 0) return {};
    if (stride < at_least || stride > 65536)
      fail(fmt::format("its entries for {} have {} bytes", what, stride));
    if (start > file_.size() || count > (file_.size() - start) / stride)
      fail(fmt::format("it promises {} {}, which do not fit into its {} bytes", count, what,
                       file_.size()));
    Bytes bytes(count * stride);
    file_.read(start, bytes.size(), bytes.data(), fmt::format("the table of {}", what));
    return bytes;
  }

  void read_variables() {
    const std::uint64_t count = word(head_, 48), stride = word(head_, 56);
    if (count > kMaxVariables) fail(fmt::format("it promises {} variables", count));
    const Bytes bytes = table("variables", word(head_, 64), count, stride, kOldVariable);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t at = i * stride;
      const auto* name = reinterpret_cast<const char*>(bytes.data() + at);
      const std::uint64_t flags = word(bytes, at + kNameBytes);
      GenericIoVariable variable;
      variable.name.assign(name, strnlen(name, kNameBytes));
      variable.size = word(bytes, at + kNameBytes + 8);
      std::uint64_t element = stride >= kVariable ? word(bytes, at + kNameBytes + 16) : 0;
      if (element == 0) element = variable.size;
      if (element == 0 || element > variable.size || variable.size % element != 0 ||
          variable.size / element > 1024)
        fail(fmt::format("variable {} has elements of {} bytes in parts of {}", variable.name,
                         variable.size, element));
      variable.components = int(variable.size / element);
      variable.number = {(flags & kFlagFloat) != 0, (flags & kFlagSigned) != 0,
                         element > 8 ? 0 : int(element)};
      for (int axis = 0; axis < 3; ++axis)
        if (flags & kFlagX << axis) variable.axis = axis;
      result_.variables.push_back(std::move(variable));
    }
  }

  void read_ranks() {
    const std::uint64_t count = word(head_, 72), stride = word(head_, 80);
    const Bytes bytes = table("ranks", word(head_, 88), count, stride, kRank);
    std::uint64_t row_bytes = 0;
    for (const auto& variable : result_.variables) row_bytes += variable.size;
    const std::uint64_t check_bytes = kCheckBytes * result_.variables.size();
    // The data of all ranks together cannot exceed the file: what follows may add up freely.
    std::uint64_t left = file_.size();
    result_.ranks.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      GenericIoRank rank;
      rank.elements = word(bytes, i * stride + 24);
      std::uint64_t start = word(bytes, i * stride + 32);
      if (row_bytes > 0 && (left < check_bytes || rank.elements > (left - check_bytes) / row_bytes))
        fail(fmt::format("rank {} promises {} elements, which do not fit into its {} bytes", i,
                         rank.elements, file_.size()));
      left -= rank.elements * row_bytes + check_bytes;
      if (start > file_.size()) fail(fmt::format("the data of rank {} start behind its end", i));
      rank.starts.reserve(result_.variables.size());
      for (const auto& variable : result_.variables) {
        rank.starts.push_back(start);
        start += rank.elements * variable.size + kCheckBytes;
      }
      result_.ranks.push_back(std::move(rank));
    }
  }

  // Newer files say for each variable of each rank where it is and what was done to it.
  void read_blocks() {
    const std::uint64_t variables = result_.variables.size(), stride = word(head_, 152);
    const std::uint64_t count = variables * result_.ranks.size();  // both bounded by the file
    const Bytes bytes = table("blocks", word(head_, 160), count, stride, kBlock);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto* filter = reinterpret_cast<const char*>(bytes.data() + i * stride);
      const auto& variable = result_.variables[i % variables];
      GenericIoRank& rank = result_.ranks[i / variables];
      if (filter[0] != 0) {
        const std::string name(filter, strnlen(filter, 8));
        const bool letters =
            std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 127; });
        if (!letters) fail("its blocks name a filter that cannot be");
        throw BadFile(
            fmt::format("variable {} is compressed with {}: not supported", variable.name, name),
            path_, "write the file without compression");
      }
      if (word(bytes, i * stride + 40) != rank.elements * variable.size)
        fail(fmt::format("the block of variable {} of rank {} has not the size of {} elements",
                         variable.name, i / variables, rank.elements));
      rank.starts[i % variables] = word(bytes, i * stride + 32);
    }
  }

  void check_extent() const {
    for (std::size_t r = 0; r < result_.ranks.size(); ++r)
      for (std::size_t v = 0; v < result_.variables.size(); ++v) {
        const std::uint64_t start = result_.ranks[r].starts[v];
        const std::uint64_t bytes =
            result_.ranks[r].elements * result_.variables[v].size + kCheckBytes;
        if (start <= file_.size() && bytes <= file_.size() - start) continue;
        throw BadFile(fmt::format("the file is truncated: variable {} of rank {} reaches {} bytes "
                                  "beyond its end",
                                  result_.variables[v].name, r,
                                  start <= file_.size() ? bytes - (file_.size() - start) : bytes),
                      path_, "copy it again");
      }
  }

  // Over all headers, which end with their own check bytes.
  void check_header_sum() {
    const std::uint64_t bytes = word(head_, 8);
    if (bytes > file_.size() || file_.size() - bytes < kCheckBytes) {
      result_.header_intact = false;
      return;
    }
    GenericIoChecksum sum;
    Bytes piece(std::size_t(1) << 16);
    for (std::uint64_t at = 0; at < bytes + kCheckBytes; at += piece.size()) {
      const std::uint64_t n = std::min<std::uint64_t>(piece.size(), bytes + kCheckBytes - at);
      file_.read(at, n, piece.data(), "the GenericIO header");
      sum.add(piece.data(), n);
    }
    result_.header_intact = sum.intact();
  }

  PositionedFile file_;
  std::string path_;
  Bytes head_;
  GenericIoFile result_;
};

}  // namespace

int GenericIoFile::find(const std::string& name) const {
  for (std::size_t v = 0; v < variables.size(); ++v)
    if (variables[v].name == name) return int(v);
  return -1;
}

bool is_generic_io(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary);
  char magic[8] = {};
  file.read(magic, sizeof magic);
  return std::memcmp(magic, "HACC01L", 7) == 0 || std::memcmp(magic, "HACC01B", 7) == 0;
}

GenericIoFile read_generic_io_file(const std::string& path) {
  if (!is_generic_io(path)) throw NotThisFormat("this is not a GenericIO file", path);
  return HeaderReader(path).read();
}

}  // namespace haloscope::io
