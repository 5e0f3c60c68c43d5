#pragma once

#include "compute/exec/named_range.h"
#include "core/timings.h"

#include <chrono>
#include <optional>

namespace haloscope::compute {

// Adds the wall-clock time of one phase after the other to the timings; waits for the executor at
// the end of each. A phase that an error ends is not timed.
template <class Exec>
class Phases {
 public:
  Phases(Exec& exec, Timings& timings) : exec_(exec), timings_(timings) {}

  // Ends the phase before, if there is one.
  void begin(const char* name) {
    if (range_)
      end();
    else
      exec_.synchronize();
    name_ = name;
    range_.emplace(name);
    start_ = Clock::now();
  }
  void end() {
    if (!range_) return;
    exec_.synchronize();
    timings_.add(name_, std::chrono::duration<double, std::milli>(Clock::now() - start_).count());
    range_.reset();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Exec& exec_;
  Timings& timings_;
  const char* name_ = nullptr;
  std::optional<NamedRange> range_;
  Clock::time_point start_;
};

}  // namespace haloscope::compute
