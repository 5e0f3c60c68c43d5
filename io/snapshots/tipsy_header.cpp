#include "io/snapshots/tipsy_header.h"

#include "core/error.h"
#include "io/bytes/byte_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace haloscope::io {

namespace {

constexpr std::uint64_t kSmallestRecord = 36;

// Length of the whole file; the counts are checked against the file's size before.
std::uint64_t length_of(const TipsyHeader& header) {
  return header.bytes + header.gas * header.gas_record() + header.dark * header.dark_record() +
         header.stars * header.star_record();
}

// What lies behind the 28 bytes of the header: bits 32 to 39 of the four counts, whatever was in
// memory when an old code wrote the struct, or the first particle.
enum class Padding { HighBits, Anything, None };

// The header in one byte order; nothing when its numbers do not agree.
std::optional<TipsyHeader> parse(const std::array<char, 32>& bytes, bool swap, Padding padding) {
  std::array<std::uint64_t, 6> words{};
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = value_at<std::uint32_t>(bytes.data() + 8 + 4 * i, swap);
  auto [all, dimensions, gas, dark, stars, high] = words;
  if (padding == Padding::HighBits) {
    all |= (high & 0xff) << 32;
    gas |= (high >> 8 & 0xff) << 32;
    dark |= (high >> 16 & 0xff) << 32;
    stars |= (high >> 24 & 0xff) << 32;
  }
  TipsyHeader header;
  header.time = value_at<double>(bytes.data(), swap);
  header.swap = swap;
  header.bytes = padding == Padding::None ? 28 : 32;
  header.gas = gas;
  header.dark = dark;
  header.stars = stars;
  if (dimensions < 1 || dimensions > 3 || all == 0 || all != gas + dark + stars ||
      !std::isfinite(header.time))
    return {};
  return header;
}

}  // namespace

std::optional<TipsyHeader> read_tipsy_header(const PositionedFile& file, const std::string& path) {
  if (file.size() < 28) return {};
  std::array<char, 32> bytes{};
  file.read(0, std::size_t(std::min<std::uint64_t>(32, file.size())), bytes.data(), "the header");
  std::optional<TipsyHeader> wrong;
  for (const bool swap : {true, false}) {
    bool counted = false;
    for (const auto padding : {Padding::HighBits, Padding::Anything, Padding::None}) {
      // High bits that add up as the counts do are meant.
      if (padding == Padding::Anything && counted) continue;
      auto header = parse(bytes, swap, padding);
      if (!header) continue;
      counted = counted || padding == Padding::HighBits;
      if (!wrong) wrong = header;
      // A padded file that lost its last four bytes has the length of one without: there the
      // padding would be the first particle's mass, which is not zero.
      if (padding == Padding::None && file.size() >= 32 &&
          value_at<std::uint32_t>(bytes.data() + 28, swap) == 0)
        continue;
      if (header->particles() > file.size() / kSmallestRecord) continue;
      for (const auto& [positions, velocities] :
           {std::pair{false, false}, {true, false}, {true, true}}) {
        header->double_positions = positions;
        header->double_velocities = velocities;
        if (length_of(*header) == file.size()) return header;
      }
    }
  }
  if (!wrong) return {};
  // Three counts that add up to a fourth are no accident, if the time is one that codes write.
  if (!(std::abs(wrong->time) < 1e6) || (wrong->time != 0 && std::abs(wrong->time) < 1e-12))
    return {};
  throw BadFile(
      fmt::format("the file has {} bytes, which is no length of a Tipsy file with {} gas, {} dark "
                  "matter and {} star particles",
                  file.size(), wrong->gas, wrong->dark, wrong->stars),
      path, "the file is truncated or damaged: copy it again");
}

}  // namespace haloscope::io
