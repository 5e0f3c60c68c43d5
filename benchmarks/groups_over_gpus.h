#pragma once

#include <string>
#include <vector>

namespace haloscope::benchmarks {

struct OverGpusSetup {
  std::string file;
  double box = 84, epsilon = 0.042;
  int copies = 4;  // along each axis, of one GPU; an even number of GPUs cuts x
  std::vector<std::string> devices{"cuda", "cuda:1"};
  std::string scaling = "both";  // weak, strong, both
  std::string wire = "auto";     // auto, nccl, peer, host
  int repeats = 7;
  bool check = false;  // groups beside those of the first device alone
};

// Friends-of-friends groups of copies of a universe on several devices of this process beside one.
// Weak: each device has as many copies as the one has alone; strong: the copies of one are divided
// among all. Prints medians, phases, what went over the wire and how long that took.
void bench_groups_over_gpus(const OverGpusSetup& setup);

}  // namespace haloscope::benchmarks
