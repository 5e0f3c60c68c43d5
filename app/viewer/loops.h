#pragma once

#include "app/viewer/viewer.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace haloscope::app::viewer {

// Wakes a sleeping loop from any thread.
class Doorbell {
 public:
  void ring() {
    {
      const std::lock_guard lock(mutex_);
      rung_ = true;
    }
    changed_.notify_one();
  }
  // Until it was rung since the last call, or so long.
  void wait(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, at_most, [this] { return rung_; });
    rung_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool rung_ = false;
};

// How a session is shown without a display.
struct HeadlessChoice {
  double scale = 1;  // of letters and buttons
  // Every frame is drawn, at the pace of a window: for measuring.
  bool real_time = false;
  std::string stats;  // file for the times of frames; empty: none
};

// Runs a session without a display until its commands are done and all files are written; `bell` is
// rung where the viewer wants to be woken. Throws the first Error of a command or job, and
// Cancelled.
void run_headless(Viewer& viewer, Doorbell& bell, const HeadlessChoice& choice, Progress& progress);

// Opens the window and runs until the user closes it; sleeps while nothing happens. Throws Error
// where no window can be opened. `stats`: file for the times of frames; empty: none.
void run_window(Viewer& viewer, const std::string& stats, Progress& progress);
// Wakes that loop; from any thread.
void wake_window();

}  // namespace haloscope::app::viewer
