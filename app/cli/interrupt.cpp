#include "app/cli/interrupt.h"

#include <atomic>
#include <csignal>

namespace haloscope::app::cli {

namespace {

std::atomic<Progress*> listening{nullptr};
static_assert(std::atomic<Progress*>::is_always_lock_free, "signal handlers may not lock");

// The default handlers come back first, so that a program that does not react can still be ended.
void cancel(int) {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  if (Progress* progress = listening.load()) progress->cancel();
}

}  // namespace

InterruptCancels::InterruptCancels(Progress& progress) {
  listening = &progress;
  std::signal(SIGINT, cancel);
  std::signal(SIGTERM, cancel);
}

InterruptCancels::~InterruptCancels() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  listening = nullptr;
}

}  // namespace haloscope::app::cli
