#pragma once

#include "core/error.h"

#include <atomic>
#include <functional>
#include <string>
#include <utility>

namespace haloscope {

// How a long job tells how far it is and learns that it should stop. Thread-safe to cancel; report
// from the job's own thread.
class Progress {
 public:
  using Listener = std::function<void(const std::string& phase, double fraction)>;

  Progress() = default;
  explicit Progress(Listener listener) : listener_(std::move(listener)) {}

  // Reports `fraction` in [0, 1] of `phase`; throws Cancelled when somebody asked for it.
  void report(const std::string& phase, double fraction) {
    if (cancelled_.load(std::memory_order_relaxed)) throw Cancelled();
    if (listener_) listener_(phase, fraction);
  }

  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

 private:
  Listener listener_;
  std::atomic<bool> cancelled_{false};
};

}  // namespace haloscope
