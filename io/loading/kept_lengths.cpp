#include "io/loading/kept_lengths.h"

#include "core/atomic_file.h"
#include "core/error.h"
#include "io/bytes/positioned_file.h"
#include "io/loading/row_map.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <type_traits>

namespace haloscope::io {

namespace fs = std::filesystem;

namespace {

constexpr std::uint32_t kVersion = 2;
// In the machine's own byte order: what another order wrote is not known again.
constexpr std::uint64_t kMagic = 0x53544c4f4c4148ULL;  // "HALOLTS"
constexpr std::uint32_t kMostSections = 64;
constexpr std::size_t kPiece = std::size_t(1) << 24;  // bytes written between two looks at progress

// The file: a head, then one section after the other, each with its lengths behind it as float32.
struct Head {
  std::uint64_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t sections = 0;
};
struct SectionHead {
  LengthsKey key;
  std::uint64_t lengths = 0;  // checksum, and that of the key
};
static_assert(std::is_trivially_copyable_v<SectionHead> && sizeof(SectionHead) == 72);

// In four lanes, whose multiplications overlap. Mixing as in hash_bits; no defense against design.
std::uint64_t checksum_of_block(const char* from, std::size_t bytes) {
  constexpr std::size_t kLanes = 4, kStep = 8 * kLanes;
  std::uint64_t hash[kLanes]{};
  const auto mix = [&hash](const char* at, std::size_t size) {
    std::uint64_t words[kLanes]{};
    std::memcpy(words, at, size);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      hash[lane] = (hash[lane] ^ words[lane]) * 0xff51afd7ed558ccdULL;
      hash[lane] ^= hash[lane] >> 32;
    }
  };
  std::size_t at = 0;
  for (; at + kStep <= bytes; at += kStep) mix(from + at, kStep);
  mix(from + at, bytes - at);
  std::uint64_t all = 0;
  for (const std::uint64_t lane : hash) all = hash_bits(all, lane);
  return all;
}

// Of blocks, chained in order.
std::uint64_t checksum_of_sums(std::uint64_t bytes, const std::vector<std::uint64_t>& sums) {
  std::uint64_t hash = hash_bits(bytes, 0);
  for (const std::uint64_t sum : sums) hash = hash_bits(hash, sum);
  return hash;
}

// On all cores.
std::vector<std::uint64_t> sums_of_bytes(const void* data, std::size_t bytes) {
  constexpr std::size_t kBlock = kSummedTogether * sizeof(float);
  const auto* from = static_cast<const char*>(data);
  std::vector<std::uint64_t> sums((bytes + kBlock - 1) / kBlock);
  tbb::parallel_for(std::size_t(0), sums.size(), [&](std::size_t b) {
    sums[b] = checksum_of_block(from + b * kBlock, std::min(kBlock, bytes - b * kBlock));
  });
  return sums;
}

std::uint64_t checksum(const void* data, std::size_t bytes) {
  return checksum_of_sums(bytes, sums_of_bytes(data, bytes));
}

// So that damage to a key gives its lengths to nobody else.
std::uint64_t with_key(std::uint64_t checksum, const LengthsKey& key) {
  static_assert(sizeof key == 64);  // without padding
  return checksum ^ checksum_of_block(reinterpret_cast<const char*>(&key), sizeof key);
}

struct Section {
  SectionHead head;
  std::uint64_t offset = 0;  // of its lengths
  std::uint64_t bytes() const { return head.key.count * sizeof(float); }
};

// Nothing unless the file is of this version and exactly as long as its heads say.
std::vector<Section> sections_of(const PositionedFile& file) {
  Head head;
  if (file.size() < sizeof head) return {};
  file.read(0, sizeof head, &head, "the head");
  if (head.magic != kMagic || head.version != kVersion || head.sections > kMostSections) return {};
  std::vector<Section> sections;
  std::uint64_t at = sizeof head;
  for (std::uint32_t i = 0; i < head.sections; ++i) {
    Section section;
    if (file.size() - at < sizeof section.head) return {};
    file.read(at, sizeof section.head, &section.head, "a section's head");
    at += sizeof section.head;
    section.offset = at;
    if (section.head.key.count > (file.size() - at) / sizeof(float)) return {};
    at += section.bytes();
    sections.push_back(section);
  }
  return at == file.size() ? sections : std::vector<Section>{};
}

std::optional<fs::path> cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache && fs::path(cache).is_absolute()) return fs::path(cache) / "haloscope";
  const char* home = std::getenv("HOME");
  if (home && fs::path(home).is_absolute()) return fs::path(home) / ".cache" / "haloscope";
  return {};
}

struct OtherLengths {
  SectionHead head;
  Array<float> lengths;
};

// Whether an older section stays beside what is written of its type now.
bool stays_beside(const LengthsKey& older, const LengthsKey& now) {
  LengthsKey same = older;
  same.neighbors = now.neighbors;
  return same == now && older.neighbors != now.neighbors;
}

// What stays of a file beside those, the last written of a type first; nothing where it cannot be
// read. From one opening: another process may put a new file there at any time.
std::vector<OtherLengths> others_in(const std::string& path, const std::vector<KeptLengths>& kept) {
  std::vector<OtherLengths> others;
  std::set<std::int32_t> full;  // types
  try {
    const PositionedFile file(path);
    for (const Section& section : sections_of(file)) {
      const LengthsKey& older = section.head.key;
      const auto now = std::find_if(kept.begin(), kept.end(), [&](const KeptLengths& one) {
        return one.key.type == older.type;
      });
      if (now != kept.end() && (!stays_beside(older, now->key) || !full.insert(older.type).second))
        continue;
      Array<float> lengths(section.head.key.count);
      file.read(section.offset, section.bytes(), lengths.data(), "the lengths");
      others.push_back({section.head, std::move(lengths)});
    }
  } catch (const Error&) {
    // As good as not there.
  }
  return others;
}

void write_pieces(AtomicFile& file, const void* data, std::size_t bytes, Progress& progress) {
  for (std::size_t at = 0; at < bytes; at += kPiece) {
    progress.report("keeping smoothing lengths", double(at) / double(bytes));
    file.write(static_cast<const char*>(data) + at, std::min(kPiece, bytes - at));
  }
}

}  // namespace

std::vector<std::uint64_t> block_sums(const void* values, std::uint64_t count) {
  return sums_of_bytes(values, std::size_t(count) * sizeof(float));
}

LengthsKey lengths_key(const Domain& domain, int type, int neighbors, std::uint64_t count,
                       const std::array<std::vector<std::uint64_t>, 3>& sums) {
  LengthsKey key;
  key.type = type;
  key.neighbors = neighbors;
  key.count = count;
  std::copy(domain.origin.begin(), domain.origin.end(), key.origin);
  key.side = domain.side;
  key.periodic = domain.periodic;
  for (const auto& of_axis : sums)
    key.positions = hash_bits(key.positions, checksum_of_sums(count * sizeof(float), of_axis));
  return key;
}

LengthsKey lengths_key(const Domain& domain, const ParticleColumns& columns, int neighbors) {
  std::array<std::vector<std::uint64_t>, 3> sums;
  for (std::size_t axis = 0; axis < 3; ++axis)
    sums[axis] = block_sums(columns.position[axis].data(), columns.count);
  return lengths_key(domain, columns.type, neighbors, columns.count, sums);
}

std::vector<LengthsPlace> lengths_places(const SnapshotInfo& info, KeepLengths keep) {
  if (info.files.empty() || keep == KeepLengths::Nowhere) return {};
  const std::string& file = info.files.front();
  std::vector<LengthsPlace> places{{file + kKeptLengthsEnding, false}};
  std::error_code failed;
  const fs::path full = fs::weakly_canonical(fs::absolute(file, failed), failed);
  const auto folder = cache_folder();
  if (folder && !failed) {
    const std::string place = full.string();
    const fs::path kept =
        *folder / fmt::format("{}-{:016x}{}", full.filename().string(),
                              checksum(place.data(), place.size()), kKeptLengthsEnding);
    places.push_back({kept.string(), true});
  }
  if (keep == KeepLengths::Cache) std::reverse(places.begin(), places.end());
  return places;
}

bool LengthsOfRows::is_right(const std::vector<std::uint64_t>& sums_of_all) const {
  return checksum_of_sums(count * sizeof(float), sums_of_all) == checksum;
}

std::optional<LengthsOfRows> read_lengths_of(const std::string& path, const LengthsKey& key,
                                             RowRange rows) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return {};
  try {
    const PositionedFile file(path);
    for (const Section& section : sections_of(file)) {
      if (!(section.head.key == key)) continue;
      // The last block that begins here is read whole.
      const auto up_to_block = [](std::uint64_t row) {
        return (row + kSummedTogether - 1) / kSummedTogether * kSummedTogether;
      };
      const std::uint64_t begin = rows.begin, first_block = up_to_block(begin);
      const std::uint64_t end =
          rows.end == begin ? begin : std::min(up_to_block(rows.end), key.count);
      LengthsOfRows read;
      read.count = key.count;
      read.checksum = with_key(section.head.lengths, key);
      read.lengths = Array<float>(std::size_t(end - begin));
      // Reading from several threads costs less than the pages' first touch by one.
      const std::size_t bytes = read.lengths.size() * sizeof(float);
      tbb::parallel_for(std::size_t(0), (bytes + kPiece - 1) / kPiece, [&](std::size_t piece) {
        const std::size_t at = piece * kPiece;
        file.read(section.offset + begin * sizeof(float) + at, std::min(kPiece, bytes - at),
                  reinterpret_cast<char*>(read.lengths.data()) + at, "the lengths");
      });
      if (first_block < end)
        read.sums = block_sums(read.lengths.data() + (first_block - begin), end - first_block);
      read.lengths.shrink(std::size_t(rows.end - begin));
      return read;
    }
  } catch (const Error&) {
    // As good as not there.
  }
  return {};
}

std::optional<Array<float>> read_lengths(const std::string& path, const LengthsKey& key) {
  auto all = read_lengths_of(path, key, {0, key.count});
  if (!all || !all->is_right(all->sums)) return {};
  return std::move(all->lengths);
}

void write_lengths(const std::string& path, const std::vector<KeptLengths>& kept,
                   Progress& progress) {
  const std::vector<OtherLengths> others = others_in(path, kept);
  AtomicFile file(path);
  Head head;
  head.sections = std::uint32_t(kept.size() + others.size());
  std::uint64_t bytes = sizeof head;
  for (const auto& one : kept) bytes += sizeof(SectionHead) + one.key.count * sizeof(float);
  for (const auto& other : others)
    bytes += sizeof other.head + other.lengths.size() * sizeof(float);
  file.require_space(bytes);
  file.write(&head, sizeof head);
  for (const auto& one : kept) {
    const std::size_t size = one.key.count * sizeof(float);
    const SectionHead section{one.key, with_key(checksum(one.lengths, size), one.key)};
    file.write(&section, sizeof section);
    write_pieces(file, one.lengths, size, progress);
  }
  for (const auto& other : others) {
    file.write(&other.head, sizeof other.head);
    write_pieces(file, other.lengths.data(), other.lengths.size() * sizeof(float), progress);
  }
  file.commit(false);
}

}  // namespace haloscope::io
