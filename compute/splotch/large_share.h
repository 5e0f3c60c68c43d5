#pragma once

#include "compute/splotch/settings.h"

#include <algorithm>

namespace haloscope::compute::splotch {

// Which part of the large splats' work the CPU takes while the GPU draws the rest, from throughputs
// measured in earlier frames. Work is counted in pixel updates.
class LargeShare {
 public:
  // The fraction for the CPU, 0 to 1, that ends both at the same time; 0 where handing over the
  // splats and adding the CPU's image would cost more than it saves.
  double cpu_fraction(LargeOn where, double updates) const {
    if (where == LargeOn::Cpu) return 1;
    if (where == LargeOn::Gpu || updates <= 0) return 0;
    // Both sides end at once when f·U/c + o = (1 − f)·U/g.
    const double alone = updates / gpu_rate_;
    const double f = (alone - overhead_ms_) / (updates / cpu_rate_ + alone);
    return f > 0.02 ? std::min(f, 1.0) : 0;
  }

  // One frame's measurements: updates done, milliseconds they took.
  void record_cpu(double updates, double milliseconds) { blend(cpu_rate_, updates, milliseconds); }
  void record_gpu(double updates, double milliseconds) { blend(gpu_rate_, updates, milliseconds); }
  // Time to hand over the splats and to add the CPU's image.
  void record_overhead(double milliseconds) {
    overhead_ms_ = 0.7 * overhead_ms_ + 0.3 * milliseconds;
  }

 private:
  static void blend(double& rate, double updates, double milliseconds) {
    if (updates > 1e6 && milliseconds > 0) rate = 0.7 * rate + 0.3 * updates / milliseconds;
  }
  // Updates per millisecond; first guesses, an H200 beside 16 cores.
  double cpu_rate_ = 2e7;
  double gpu_rate_ = 5e8;
  double overhead_ms_ = 20;
};

}  // namespace haloscope::compute::splotch
