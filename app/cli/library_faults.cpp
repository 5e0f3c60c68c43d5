#include "app/cli/library_faults.h"

#include <csignal>
#include <cstddef>
#include <dlfcn.h>
#include <execinfo.h>
#include <initializer_list>
#include <string_view>
#include <ucontext.h>
#include <unistd.h>

namespace haloscope::app::cli {

namespace {

constexpr int kUserFault = 2;
constexpr std::size_t kStackBytes = 65536;

void* place_of(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<void*>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<void*>(machine.pc);
#else
  return nullptr;
#endif
}

// Neither is promised to be safe in a handler; what they take no fault of libhdf5 can hold.
std::string_view library_of(const void* place) {
  Dl_info where{};
  if (!place || dladdr(place, &where) == 0 || !where.dli_fname) return "";
  return where.dli_fname;
}

// Whether the faulting code is libhdf5's, or was called by it in the C library (memcpy).
bool is_in_hdf5(const void* place) {
  constexpr int kMost = 32;
  void* frames[kMost];
  const int count = ::backtrace(frames, kMost);
  int at = 0;
  while (at < count && frames[at] != place) ++at;
  for (; at < count; ++at) {
    const std::string_view library = library_of(frames[at]);
    if (library.find("/libc.so") != std::string_view::npos) continue;
    return library.find("libhdf5") != std::string_view::npos;
  }
  return library_of(place).find("libhdf5") != std::string_view::npos;
}

void handle(int signal, siginfo_t*, void* context) {
  if (is_in_hdf5(place_of(context))) {
    constexpr char kSentence[] =
        "haloscope: error: the HDF5 library broke down over a damaged file, or because memory ran "
        "out: copy the file again, or free memory\n";
    const auto written = ::write(STDERR_FILENO, kSentence, sizeof kSentence - 1);
    (void)written;
    ::_exit(kUserFault);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void tell_faults_of_hdf5() {
  // Loads what backtrace() needs while nothing is wrong.
  void* frame = nullptr;
  ::backtrace(&frame, 1);
  // Broken files may also make the library call itself until the stack ends.
  static char stack[kStackBytes];
  stack_t own{};
  own.ss_sp = stack;
  own.ss_size = sizeof stack;
  ::sigaltstack(&own, nullptr);
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE}) ::sigaction(signal, &action, nullptr);
}

}  // namespace haloscope::app::cli
