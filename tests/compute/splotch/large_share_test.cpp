#include "compute/splotch/large_share.h"

#include "tests/catch.h"

// How the large splats' work is divided between the CPU and the GPU; needs neither.

using namespace haloscope::compute::splotch;

TEST_CASE("the CPU's share ends when the GPU's does", "[splotch]") {
  LargeShare share;
  CHECK(share.cpu_fraction(LargeOn::Cpu, 1e9) == 1);
  CHECK(share.cpu_fraction(LargeOn::Gpu, 1e12) == 0);
  CHECK(share.cpu_fraction(LargeOn::Auto, 0) == 0);
  for (int i = 0; i < 100; ++i) {
    share.record_cpu(1e9, 100);  // 1e7 per millisecond
    share.record_gpu(1e9, 25);   // 4e7 per millisecond
    share.record_overhead(5);
  }
  // 2e9 updates: the GPU alone needs 50 ms. With f on the CPU: 200 f + 5 = 50 (1 − f).
  const double f = share.cpu_fraction(LargeOn::Auto, 2e9);
  CHECK(200 * f + 5 == Approx(50 * (1 - f)).epsilon(1e-3));
  // Little work is not worth the handing over.
  CHECK(share.cpu_fraction(LargeOn::Auto, 1e8) == 0);
}
