#include "io/snapshots/gadget_binary_header.h"

#include "core/error.h"
#include "io/bytes/byte_order.h"
#include "io/bytes/numbered_files.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numeric>

namespace haloscope::io {

namespace {

constexpr std::uint64_t kClassicBytes = 256;
constexpr std::uint64_t kMostTypes = 16;  // GADGET-4's NTYPES may be chosen; 6 is usual

// Where the header's record lies and how it is written.
struct Start {
  int format = 1;
  bool swap = false;
  std::uint64_t offset = 0;  // of the record's leading length
  std::uint64_t bytes = 0;   // of the header itself
};

std::uint64_t types_of_native(std::uint64_t bytes) {
  if (bytes < 24 + 48 || (bytes - 48) % 24 != 0) return 0;
  const std::uint64_t types = (bytes - 48) / 24;
  return types <= kMostTypes ? types : 0;
}

std::uint32_t word_at(const PositionedFile& file, std::uint64_t offset, bool swap) {
  char bytes[4];
  file.read(offset, 4, bytes, "the header");
  return value_at<std::uint32_t>(bytes, swap);
}

bool holds_label(const PositionedFile& file) {
  char label[4];
  file.read(4, 4, label, "the header");
  return std::string(label, 4) == "HEAD";
}

// The start of a header, by the lengths around its record. 256 and "HEAD" are evidence enough even
// where the rest is damaged; GADGET-4's lengths are any number and need the trailing one to agree.
std::optional<Start> find_start(const PositionedFile& file) {
  if (file.size() < 16) return {};
  for (const bool swap : {false, true}) {
    const std::uint32_t first = word_at(file, 0, swap);
    if (first == kClassicBytes) return Start{1, swap, 0, kClassicBytes};
    if (first == 8) {
      if (file.size() < 20 || word_at(file, 12, swap) != 8) {
        if (holds_label(file)) return Start{2, swap, 16, kClassicBytes};
        continue;
      }
      const std::uint64_t bytes = word_at(file, 16, swap);
      if (bytes == kClassicBytes || types_of_native(bytes) || holds_label(file))
        return Start{2, swap, 16, bytes};
    } else if (types_of_native(first) && file.size() >= first + 8 &&
               word_at(file, 4 + first, swap) == first) {
      return Start{1, swap, 0, first};
    }
  }
  return {};
}

// Takes values one after the other from the header's bytes.
class Fields {
 public:
  Fields(const std::vector<char>& bytes, bool swap) : bytes_(bytes), swap_(swap) {}
  void go_to(std::size_t offset) { at_ = offset; }
  template <class T>
  T take() {
    const T value = value_at<T>(bytes_.data() + at_, swap_);
    at_ += sizeof(T);
    return value;
  }

 private:
  const std::vector<char>& bytes_;
  bool swap_;
  std::size_t at_ = 0;
};

void read_classic(Fields fields, GadgetBinaryHeader& header) {
  for (int i = 0; i < 6; ++i) header.count.push_back(fields.take<std::uint32_t>());
  for (int i = 0; i < 6; ++i) header.mass.push_back(fields.take<double>());
  header.time = fields.take<double>();
  header.redshift = fields.take<double>();
  fields.go_to(96);
  for (int i = 0; i < 6; ++i) header.total.push_back(fields.take<std::uint32_t>());
  header.cooling = fields.take<std::uint32_t>() != 0;
  header.file_count = fields.take<std::uint32_t>();
  header.box = fields.take<double>();
  header.omega_matter = fields.take<double>();
  header.omega_lambda = fields.take<double>();
  header.hubble_param = fields.take<double>();
  // GADGET-4 writes its tree counts over h when it reorders; read as floating point they are
  // next to zero.
  if (!(*header.hubble_param > 1e-3 && *header.hubble_param < 1e3)) header.hubble_param.reset();
  fields.go_to(168);
  for (auto& total : header.total) total += std::uint64_t(fields.take<std::uint32_t>()) << 32;
}

void read_native(Fields fields, std::uint64_t types, GadgetBinaryHeader& header) {
  header.gadget4 = true;
  for (std::uint64_t i = 0; i < types; ++i) header.count.push_back(fields.take<std::uint64_t>());
  for (std::uint64_t i = 0; i < types; ++i) header.total.push_back(fields.take<std::uint64_t>());
  for (std::uint64_t i = 0; i < types; ++i) header.mass.push_back(fields.take<double>());
  header.time = fields.take<double>();
  header.redshift = fields.take<double>();
  header.box = fields.take<double>();
  header.file_count = fields.take<std::uint32_t>();
}

void check_numbers(const GadgetBinaryHeader& header, std::uint64_t size, const std::string& path) {
  // Each particle has a position of 12 bytes at least.
  const std::uint64_t most = size / 12;
  std::uint64_t sum = 0;
  for (const std::uint64_t count : header.count) {
    if (count > most || sum + count > most)
      throw BadFile(fmt::format("the header promises more particles ({} of one type) than fit into "
                                "a file of {} bytes",
                                count, size),
                    path, "copy the file again");
    sum += count;
  }
  if (!std::isfinite(header.box) || header.box < 0)
    throw BadFile(fmt::format("BoxSize in the header is {}, expected a length or 0", header.box),
                  path, "copy the file again");
  if (!std::isfinite(header.time) || !std::isfinite(header.redshift))
    throw BadFile(fmt::format("Time ({}) or Redshift ({}) in the header is not a finite number",
                              header.time, header.redshift),
                  path, "copy the file again");
  for (std::size_t type = 0; type < header.mass.size(); ++type)
    if (!std::isfinite(header.mass[type]) || header.mass[type] < 0)
      throw BadFile(fmt::format("the mass of type {} in the header is {}, expected a mass or 0",
                                type, header.mass[type]),
                    path, "copy the file again");
  if (header.file_count > kMostFiles)
    throw BadFile(fmt::format("the number of files in the header is {}", header.file_count), path,
                  "copy the file again");
}

}  // namespace

std::uint64_t GadgetBinaryHeader::particles() const {
  return std::accumulate(count.begin(), count.end(), std::uint64_t(0));
}

bool looks_like_gadget_binary(const PositionedFile& file) {
  return find_start(file).has_value();
}

GadgetBinaryHeader read_gadget_binary_header(const PositionedFile& file, const std::string& path) {
  const auto start = find_start(file);
  if (!start) throw NotThisFormat("this is not a binary Gadget snapshot", path);
  const std::uint64_t native_types = types_of_native(start->bytes);
  if (start->bytes != kClassicBytes && !native_types)
    throw BadFile(fmt::format("the header's record is {} bytes long, expected 256 (Gadget) or 24 "
                              "per type and 48 (GADGET-4)",
                              start->bytes),
                  path, "copy the file again");
  if (file.size() < start->offset + start->bytes + 8)
    throw BadFile("the file is truncated: it ends within the header", path, "copy it again");
  for (const std::uint64_t at : {start->offset, start->offset + 4 + start->bytes})
    if (word_at(file, at, start->swap) != start->bytes)
      throw BadFile(fmt::format("the lengths around the header's record differ from {} bytes ({})",
                                start->bytes, word_at(file, at, start->swap)),
                    path, "copy the file again");
  std::vector<char> bytes(start->bytes);
  file.read(start->offset + 4, bytes.size(), bytes.data(), "the header");

  GadgetBinaryHeader header;
  header.format = start->format;
  header.swap = start->swap;
  header.end = start->offset + start->bytes + 8;
  const Fields fields(bytes, start->swap);
  if (native_types)
    read_native(fields, native_types, header);
  else
    read_classic(fields, header);
  header.file_count = std::max<std::uint64_t>(1, header.file_count);
  check_numbers(header, file.size(), path);
  return header;
}

}  // namespace haloscope::io
