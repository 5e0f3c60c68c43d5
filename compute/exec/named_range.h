#pragma once

#include "core/timings.h"

namespace haloscope::compute {

// A stretch of work that Nsight shows by its name (NVTX, domain "haloscope"). Ranges of one thread
// lie within each other. Without a profiler it costs some nanoseconds, and nothing in a build
// without CUDA. The name must outlive the range.
class NamedRange {
 public:
#ifdef HALOSCOPE_HAS_NVTX
  explicit NamedRange(const char* name);
  ~NamedRange();
#else
  explicit NamedRange(const char* /*name*/) {}
  // Not trivial, so that nobody is warned of a range that is not used.
  ~NamedRange() {}
#endif
  NamedRange(const NamedRange&) = delete;
  NamedRange& operator=(const NamedRange&) = delete;
};

// A phase of the timings with a range of the same name.
class TimedRange {
 public:
  TimedRange(Timings& timings, const char* phase) : range_(phase), timer_(timings, phase) {}

 private:
  NamedRange range_;
  ScopedTimer timer_;
};

}  // namespace haloscope::compute
