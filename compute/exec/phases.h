#pragma once

#include "core/timings.h"

#include <chrono>

namespace haloscope::compute {

// Adds the wall-clock time of one phase after the other to the timings; waits for the executor at
// the end of each.
template <class Exec>
class Phases {
 public:
  Phases(Exec& exec, Timings& timings) : exec_(exec), timings_(timings) {
    exec_.synchronize();
    start_ = Clock::now();
  }
  void end(const char* name) {
    exec_.synchronize();
    const auto now = Clock::now();
    timings_.add(name, std::chrono::duration<double, std::milli>(now - start_).count());
    start_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Exec& exec_;
  Timings& timings_;
  Clock::time_point start_;
};

}  // namespace haloscope::compute
