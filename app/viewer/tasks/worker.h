#pragma once

#include "core/progress.h"

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace haloscope::app::viewer {

// One job: what to do, and what to do with its fault, both on the worker's thread.
struct Job {
  std::string name;
  std::function<void(const std::shared_ptr<Progress>&)> work;
  // With one sentence; not called for a job that was cancelled.
  std::function<void(const std::string&)> failed;
  // A newer job cancels it; else it is finished first (a coarse picture of a moving camera, which
  // would never be seen otherwise).
  bool gives_way = true;
};

// A thread that does one job at a time. Of those that wait only the latest is kept: a picture that
// nobody wants any more is never begun. No call waits for the job but wait() and the destructor.
// Task (task.h) adds how a result comes back.
class Worker {
 public:
  struct Status {
    bool busy = false;
    std::string name, phase;
    double fraction = 0;  // of the phase
  };

  // `wake` is called from the thread whenever something changed, to wake a sleeping event loop.
  explicit Worker(std::function<void()> wake = {});
  // Cancels and waits.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void submit(Job job);
  // Cancels the running job and forgets the waiting one.
  void cancel();
  Status status() const;
  bool busy() const { return status().busy; }
  // Until nothing runs and nothing waits.
  void wait();

 private:
  void loop();
  void run(Job& job);
  void listen(const std::string& phase, double fraction);
  void wake() const;

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Job> waiting_;
  std::shared_ptr<Progress> running_;
  bool running_gives_way_ = true;
  bool ends_ = false;
  Status status_;
  std::thread thread_;  // last: begins when all else is there
};

}  // namespace haloscope::app::viewer
