#include "compute/exec/cpu.h"
#include "tests/catch.h"

#include <atomic>

using namespace haloscope;

TEST_CASE("a loop of the CPU executor ends when its job is cancelled", "[exec]") {
  Progress progress;
  compute::Cpu exec(progress);
  constexpr std::size_t kSteps = 10'000'000;
  std::atomic<std::size_t> done{0};
  CHECK_THROWS_AS(compute::parallel_for(exec, "test", kSteps,
                                        [&](std::size_t) {
                                          if (++done == 1000) progress.cancel();
                                        }),
                  Cancelled);
  CHECK(done < kSteps / 2);
}
