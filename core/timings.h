#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace haloscope {

// Milliseconds per named phase, one sample per repetition.
class Timings {
 public:
  void add(const std::string& phase, double milliseconds) {
    samples_[phase].push_back(milliseconds);
  }
  const std::map<std::string, std::vector<double>>& samples() const { return samples_; }
  // Median over the samples of a phase; 0 where there are none.
  double median(const std::string& phase) const;
  // One sample per phase: the sum of its samples, as for the pieces of one frame.
  Timings summed() const;
  void clear() { samples_.clear(); }

 private:
  std::map<std::string, std::vector<double>> samples_;
};

// Adds the wall-clock time of its scope to a phase.
class ScopedTimer {
 public:
  ScopedTimer(Timings& timings, std::string phase)
      : timings_(timings), phase_(std::move(phase)), start_(Clock::now()) {}
  ~ScopedTimer() {
    timings_.add(phase_, std::chrono::duration<double, std::milli>(Clock::now() - start_).count());
  }
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  Timings& timings_;
  std::string phase_;
  Clock::time_point start_;
};

}  // namespace haloscope
