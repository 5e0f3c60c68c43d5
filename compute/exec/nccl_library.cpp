#include "compute/exec/nccl_library.h"

#include <fmt/format.h>

#include <cstring>
#include <dlfcn.h>

namespace haloscope::compute {

namespace {

constexpr const char* kNcclFile = "libnccl.so.2";

template <class Function>
void find(void* library, const char* name, Function& function, std::string& why_not) {
  void* const symbol = ::dlsym(library, name);
  if (!symbol && why_not.empty()) why_not = fmt::format("{} has no {}", kNcclFile, name);
  std::memcpy(&function, &symbol, sizeof function);
}

NcclLibrary load() {
  NcclLibrary nccl;
  void* const library = ::dlopen(kNcclFile, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* const why = ::dlerror();
    nccl.why_not = why ? why : fmt::format("there is no {}", kNcclFile);
    return nccl;
  }
  find(library, "ncclGetVersion", nccl.version, nccl.why_not);
  find(library, "ncclGetUniqueId", nccl.unique_id, nccl.why_not);
  find(library, "ncclCommInitRank", nccl.init_rank, nccl.why_not);
  find(library, "ncclCommDestroy", nccl.destroy, nccl.why_not);
  find(library, "ncclCommAbort", nccl.abort, nccl.why_not);
  find(library, "ncclCommGetAsyncError", nccl.asynchronous_error, nccl.why_not);
  find(library, "ncclGetErrorString", nccl.error_words, nccl.why_not);
  find(library, "ncclGroupStart", nccl.group_start, nccl.why_not);
  find(library, "ncclGroupEnd", nccl.group_end, nccl.why_not);
  find(library, "ncclSend", nccl.send, nccl.why_not);
  find(library, "ncclRecv", nccl.receive, nccl.why_not);
  return nccl;
}

}  // namespace

std::string NcclLibrary::words() const {
  int code = 0;
  if (!version || version(&code) != kSuccess) return "NCCL";
  // 22703 is 2.27.3; before 2.9 it was 2804 for 2.8.4.
  const int major = code / (code < 10000 ? 1000 : 10000);
  const int rest = code % (code < 10000 ? 1000 : 10000);
  return fmt::format("NCCL {}.{}.{}", major, rest / 100, rest % 100);
}

const NcclLibrary& nccl_library() {
  static const NcclLibrary loaded = load();
  return loaded;
}

}  // namespace haloscope::compute
