#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::benchmarks {

struct PicturesOverGpus {
  std::vector<std::string> devices{"cuda", "cuda:1"};
  std::uint64_t count = 32000000;  // of one device
  double radius = 1.5;             // median, pixels
  int size = 2048, repeats = 20;
  std::string wire = "auto";  // auto, nccl, peer, host
  // The memory of a device is the most that the process held there: of one kind it is told alone.
  std::vector<std::string> pictures{"light", "deterministic", "map"};
};

// Pictures of made particles on several devices of this process beside one. Weak: each device has
// as many particles as the one has alone; strong: those of one are divided among all. Prints the
// time of a picture until it is in the first rank's host memory, its phases on the slowest rank,
// what went over the wire, and the most device memory of a rank until then.
void bench_pictures_over_gpus(const PicturesOverGpus& setup);

}  // namespace haloscope::benchmarks
