#pragma once

#include "app/viewer/loops.h"
#include "app/viewer/viewer.h"
#include "tests/catch.h"
#include "tests/test_paths.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace haloscope::test {

// Holds the threads of jobs where they tell how far they are, so that a job is still under way when
// a test asks for its end, on a machine of any speed.
class JobGate {
 public:
  void close() { set(true); }
  void open() { set(false); }
  // The thread that made the gate is never held.
  void pass() {
    if (std::this_thread::get_id() == owner_) return;
    std::unique_lock lock(mutex_);
    ++held_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !closed_; });
    --held_;
  }
  // Returns whether a job is held, or is within 10 s.
  bool holds() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10),
                             [this] { return closed_ && held_ > 0; });
  }

 private:
  void set(bool closed) {
    {
      const std::lock_guard lock(mutex_);
      closed_ = closed;
    }
    changed_.notify_all();
  }

  const std::thread::id owner_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false;
  int held_ = 0;  // jobs
};

// A session as somebody watches it, with snapshots that are open: without more the sample.
struct SampleWindow {
  app::viewer::Doorbell bell;
  JobGate gate;
  app::viewer::Viewer viewer;
  double now = 1;

  explicit SampleWindow(const std::string& files = sample_file())
      : viewer(base(), [this] {
          bell.ring();
          gate.pass();
        }) {
    viewer.set_picture_size(64, 48);
    viewer.push("open " + files);
    REQUIRE(comes([this] { return viewer.settled() && viewer.state().camera; }));
  }
  ~SampleWindow() {
    gate.open();
    viewer.stop();
  }

  static render::RenderRequest base() {
    render::RenderRequest base;
    base.compute.device = "cpu";
    return base;
  }
  bool comes(const std::function<bool()>& there) {
    for (int k = 0; k < 1200; ++k) {
      viewer.update(now += 0.05);
      if (there()) return true;
      bell.wait(std::chrono::milliseconds(50));
    }
    return false;
  }
  bool comes_to_rest() {
    viewer.update(now += 0.05);
    return comes([this] { return viewer.settled(); });
  }
};

}  // namespace haloscope::test
