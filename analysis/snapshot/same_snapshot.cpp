#include "analysis/snapshot/same_snapshot.h"

#include "core/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace haloscope::analysis {

namespace {

constexpr const char* kRemedy = "give a path that is the same on all machines";

constexpr std::uint64_t kBlockBytes = 4096, kMostBlocks = 64, kFewestBlocks = 2;
constexpr std::uint64_t kBlocksOfAll = 4096;  // of all ranks: some seconds on a slow file system

// FNV-1a, by bytes.
class Hash {
 public:
  void add(const unsigned char* bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) value_ = (value_ ^ bytes[i]) * 0x100000001b3ULL;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  const int descriptor_;
};

std::string fingerprint_of(const std::string& path, std::uint64_t blocks) {
  const OpenFile file(path);
  struct stat now {};
  if (file.descriptor() < 0 || ::fstat(file.descriptor(), &now) != 0 || !S_ISREG(now.st_mode))
    return {};
  const auto bytes = std::uint64_t(now.st_size);
  // The last block ends where the file does. A small file is read whole.
  const std::uint64_t last = bytes > kBlockBytes ? bytes - kBlockBytes : 0;
  const std::uint64_t pieces = std::min(blocks, (bytes + kBlockBytes - 1) / kBlockBytes);
  Hash hash;
  std::array<unsigned char, kBlockBytes> block{};
  for (std::uint64_t k = 0; k < pieces; ++k) {
    const auto at = pieces == 1 ? 0 : compute::part_begin(last, int(k), int(pieces - 1));
    const ssize_t some = ::pread(file.descriptor(), block.data(), block.size(), off_t(at));
    if (some < 0) return {};
    hash.add(block.data(), std::size_t(some));
  }
  return fmt::format("{} {:016x}", bytes, hash.value());
}

// The number of the first line in which two texts of equally many lines differ.
std::size_t first_other_line(const std::string& a, const std::string& b) {
  std::size_t line = 0;
  for (std::size_t i = 0; i < a.size() && i < b.size() && a[i] == b[i]; ++i) line += a[i] == '\n';
  return line;
}

void require_same_contents(compute::Ranks& ranks, const std::vector<std::string>& files) {
  if (ranks.size() == 1 || ranks.in_one_process()) return;
  const std::vector<std::string> all =
      ranks.all_texts(fmt::format("{}", fmt::join(fingerprints_of(files, ranks.size()), "\n")));
  for (int r = 1; r < ranks.size(); ++r) {
    const std::string& its = all[std::size_t(r)];
    if (its == all[0]) continue;
    // Ranks have the same number of files where all else is the same.
    const std::size_t file = std::min(first_other_line(its, all[0]), files.size() - 1);
    // Places may have other names on other ranks, and all throw the same sentence.
    throw Error(fmt::format("rank {} sees other contents of this file than rank 0", r),
                ranks.all_texts(files[file]).front(), kRemedy);
  }
}

}  // namespace

std::vector<std::string> fingerprints_of(const std::vector<std::string>& files, int ranks) {
  const std::uint64_t readers = std::max<std::uint64_t>(files.size() * std::uint64_t(ranks), 1);
  const std::uint64_t blocks = std::clamp(kBlocksOfAll / readers, kFewestBlocks, kMostBlocks);
  std::vector<std::string> all;
  all.reserve(files.size());
  for (const std::string& file : files) all.push_back(fingerprint_of(file, blocks));
  return all;
}

void require_same_snapshot(compute::Ranks& ranks, const SnapshotInfo& info) {
  std::string own = fmt::format("box {:.17g} at time {:.17g}", info.box_size, info.time);
  for (const auto& [type, one] : info.types)
    if (one.count > 0) own += fmt::format(", {} {} particles", one.count, one.name);
  if (info.files.size() > 1) own += fmt::format(", {} files", info.files.size());
  const std::vector<std::string> all = ranks.all_texts(own);
  for (int r = 1; r < ranks.size(); ++r)
    if (all[std::size_t(r)] != all[0])
      throw Error(
          fmt::format("rank {} sees {} where rank 0 sees {}", r, all[std::size_t(r)], all[0]),
          ranks.all_texts(info.files.front()).front(), kRemedy);
  require_same_contents(ranks, info.files);
}

}  // namespace haloscope::analysis
