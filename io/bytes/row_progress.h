#pragma once

#include "core/progress.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>

namespace haloscope::io {

// Adds up rows that several threads have read. Only the job's own thread, which takes part in the
// parallel loop, reports; every thread learns of a cancellation.
class RowProgress {
 public:
  RowProgress(Progress& progress, std::string phase, std::uint64_t total)
      : progress_(progress), phase_(std::move(phase)), total_(total) {
    progress_.report(phase_, 0);
  }

  void advance(std::uint64_t rows) {
    const std::uint64_t done = done_.fetch_add(rows, std::memory_order_relaxed) + rows;
    if (std::this_thread::get_id() == owner_)
      // Readers may hand over more rows than were asked for.
      progress_.report(phase_, total_ == 0 ? 1.0 : std::min(1.0, double(done) / double(total_)));
    else if (progress_.cancelled())
      throw Cancelled();
  }

 private:
  Progress& progress_;
  std::string phase_;
  std::uint64_t total_;
  std::atomic<std::uint64_t> done_{0};
  std::thread::id owner_ = std::this_thread::get_id();
};

}  // namespace haloscope::io
