#pragma once

#include <chrono>
#include <functional>
#include <vector>

namespace haloscope::compute::splotch {

// How long an executor works on what it is given between construction and stop(). The host need not
// wait for it before it asks. A GPU's is in phase_timer.cuh.
template <class Exec>
class WorkTimer {
 public:
  static_assert(!Exec::is_cuda, "phase_timer.cuh is missing");

  explicit WorkTimer(Exec&) {}
  void stop() { end_ = Clock::now(); }
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(end_ - begin_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now(), end_;
};

// Told once the work that they time has been put on the executor, since reading them waits for it.
using LaterTimes = std::vector<std::function<void()>>;

}  // namespace haloscope::compute::splotch
