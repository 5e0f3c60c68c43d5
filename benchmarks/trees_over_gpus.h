#pragma once

#include <string>
#include <vector>

namespace haloscope::benchmarks {

struct TreesOverGpusSetup {
  std::string file;
  double box = 84;
  int copies = 1;  // along each axis, of one GPU: a power of two
  std::vector<std::string> devices{"cuda", "cuda:1"};
  std::vector<int> min_samples{1, 5};
  int repeats = 5;
  bool check = false;  // the tree beside that of the first device alone
};

// Spanning trees of copies of a universe on several devices of this process, each with as many
// copies as one has alone, beside that one: from positions on the devices to each rank's edges of
// the tree, in order. Prints medians with spread, steps, questions, bytes between ranks and memory.
void bench_trees_over_gpus(const TreesOverGpusSetup& setup);

}  // namespace haloscope::benchmarks
