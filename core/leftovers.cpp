#include "core/leftovers.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace haloscope {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kBegin = ".haloscope-", kEnd = ".tmp";

// FNV-1a: names of machines may be long and may hold any characters.
std::string short_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return std::string(digits, 12);
}

// Of this machine; empty where it has none of its own.
std::string machine() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0) return {};
  const std::string_view text(name);
  return text.empty() || text == "(none)" || text.starts_with("localhost") ? std::string()
                                                                           : short_hash(text);
}

// A new one at each start of the kernel; empty where it does not tell.
std::string boot() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  return file >> id && !id.empty() ? short_hash(id) : std::string();
}

struct Origin {
  std::string machine, boot;
};

const Origin& here() {
  static const Origin origin{machine(), boot()};
  return origin;
}

// Of a temporary file's name; nothing in both where it is none.
Origin origin_of(std::string_view name) {
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return {};
  name.remove_prefix(kBegin.size());
  const auto first = name.find('-');
  const auto second = first == std::string_view::npos ? first : name.find('-', first + 1);
  if (second == std::string_view::npos) return {};
  return {std::string(name.substr(0, first)),
          std::string(name.substr(first + 1, second - first - 1))};
}

bool may_judge(const Origin& origin) {
  const Origin& mine = here();
  if (mine.boot.empty() || origin.boot.empty()) return false;
  return origin.boot == mine.boot || (!mine.machine.empty() && origin.machine == mine.machine);
}

bool lock(int descriptor) {
  // Of the open file and not of the process: it holds between threads too, and a library that opens
  // and closes the same file does not end it.
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return ::fcntl(descriptor, F_OFD_SETLK, &whole) == 0;
}

void remove_if_left(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (descriptor < 0) return;
  struct stat status {};
  // Unlinked under the lock: who made it a moment ago sees that it is gone and makes another.
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && lock(descriptor))
    ::unlink(path.c_str());
  ::close(descriptor);
}

}  // namespace

std::string temporary_prefix() {
  return std::string(kBegin) + here().machine + "-" + here().boot + "-" +
         std::to_string(::getpid()) + "-";
}

bool hold_temporary(int descriptor) {
  if (!lock(descriptor) && (errno == EAGAIN || errno == EACCES)) return false;
  struct stat status {};
  return ::fstat(descriptor, &status) != 0 || status.st_nlink > 0;
}

void remove_leftovers(const std::string& folder) noexcept {
  try {
    static std::mutex mutex;
    static std::set<std::string> done;
    std::error_code failed;
    const fs::path whole = fs::canonical(folder, failed);
    {
      const std::lock_guard guard(mutex);
      if (failed || !done.insert(whole.string()).second) return;
    }
    fs::directory_iterator entry(whole, failed);
    for (; !failed && entry != fs::directory_iterator(); entry.increment(failed))
      if (may_judge(origin_of(entry->path().filename().string()))) remove_if_left(entry->path());
  } catch (const std::exception&) {
    // They cost space and nothing else.
  }
}

}  // namespace haloscope
