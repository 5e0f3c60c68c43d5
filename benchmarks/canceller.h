#pragma once

#include "core/progress.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace haloscope::benchmarks {

// Cancels a job after some time, unless it ends before.
class Canceller {
 public:
  using Clock = std::chrono::steady_clock;

  Canceller(Progress& progress, double seconds)
      : thread_([this, &progress, seconds] {
          std::unique_lock lock(mutex_);
          if (ended_.wait_for(lock, std::chrono::duration<double>(seconds),
                              [this] { return has_ended_; }))
            return;
          cancelled_ = Clock::now();
          progress.cancel();
        }) {}
  ~Canceller() { end(); }
  Canceller(const Canceller&) = delete;
  Canceller& operator=(const Canceller&) = delete;

  // To be called when the job has ended. When it was cancelled, if it was.
  std::optional<Clock::time_point> end() {
    {
      const std::lock_guard lock(mutex_);
      has_ended_ = true;
    }
    ended_.notify_one();
    if (thread_.joinable()) thread_.join();
    return cancelled_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::optional<Clock::time_point> cancelled_;
  std::thread thread_;  // the last: it uses the others
};

}  // namespace haloscope::benchmarks
