#include "app/cli/interrupt.h"

#include <atomic>
#include <csignal>

namespace haloscope::app::cli {

namespace {

std::atomic<Progress*> listening{nullptr};
static_assert(std::atomic<Progress*>::is_always_lock_free, "signal handlers may not lock");

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

// The default handlers come back first, so that a program that does not react can still be ended.
void cancel(int) {
  for (const int signal : kSignals)
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
  if (Progress* progress = listening.load()) progress->cancel();
}

}  // namespace

InterruptCancels::InterruptCancels(Progress& progress) {
  listening = &progress;
  for (const int signal : kSignals)
    // nohup has the end of the terminal ignored, and means it.
    if (std::signal(signal, cancel) == SIG_IGN && signal == SIGHUP) std::signal(signal, SIG_IGN);
}

InterruptCancels::~InterruptCancels() {
  for (const int signal : kSignals)
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
  listening = nullptr;
}

}  // namespace haloscope::app::cli
