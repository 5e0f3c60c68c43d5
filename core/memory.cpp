#include "core/array.h"
#include "core/host_memory.h"

#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace haloscope {

namespace {

// MemAvailable counts the page cache that the kernel would give up.
std::uint64_t available_host_memory() {
  std::ifstream meminfo("/proc/meminfo");
  std::string key;
  std::uint64_t kib = 0;
  std::string unit;
  while (meminfo >> key >> kib >> unit)
    if (key == "MemAvailable:") return kib * 1024;
  return std::uint64_t(sysconf(_SC_PHYS_PAGES)) * std::uint64_t(sysconf(_SC_PAGE_SIZE));
}

}  // namespace

bool has_host_memory(std::uint64_t bytes) {
  // Virtual machines may grow their memory as it is used, so physical size is no upper bound there;
  // we refuse only what is beyond both.
  const std::uint64_t physical =
      std::uint64_t(sysconf(_SC_PHYS_PAGES)) * std::uint64_t(sysconf(_SC_PAGE_SIZE));
  return bytes <= physical / 2 || bytes <= available_host_memory();
}

void require_host_memory(std::uint64_t bytes, const char* purpose) {
  require_host_memory(bytes, purpose, "choose fewer particle types (--types), fields or pixels");
}

void require_host_memory(std::uint64_t bytes, const std::string& purpose,
                         const std::string& remedy) {
  if (has_host_memory(bytes)) return;
  const std::uint64_t available = available_host_memory();
  auto gib = [](std::uint64_t b) {
    return std::to_string(b >> 30) + "." + std::to_string((b >> 20) % 1024 * 10 / 1024) + " GiB";
  };
  throw Error("not enough memory for " + purpose + ": " + gib(bytes) + " needed, " +
                  gib(available) + " free",
              "host memory", remedy);
}

void* allocate_uninitialised(std::size_t bytes) {
  constexpr std::size_t kHugePage = std::size_t(2) << 20;
  if (bytes < 2 * kHugePage) return std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  void* data = std::aligned_alloc(kHugePage, (bytes + kHugePage - 1) / kHugePage * kHugePage);
  // Only pages that are used whole, so that no memory is lost; a refusal costs only time.
  if (data) (void)::madvise(data, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
  return data;
}

}  // namespace haloscope
