#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::benchmarks {

struct TreesOverGpus {
  std::vector<std::string> devices{"cuda", "cuda:1"};
  std::uint32_t side = 1024;
  double sigma = 1.7;  // of the Gaussian, cells
  int neighbors = 14, repeats = 5;
  std::string wire = "auto";  // auto, nccl, peer, host
  bool check = false;         // compares all branches with those of one device
  bool one = true;            // measures the first device alone too
};

// Merge trees of smoothed noise, whose planes several devices of this process share out and make
// themselves, beside that of one device. Prints the time of a tree, its phases on each rank, what
// went over the wire, and the memory of each device.
void bench_trees_over_gpus(const TreesOverGpus& setup);

}  // namespace haloscope::benchmarks
