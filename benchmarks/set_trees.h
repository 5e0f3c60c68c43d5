#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::benchmarks {

// What is measured of merge trees of the sets that fields.h makes.
struct SetTrees {
  std::vector<std::string> sets, methods{"reduced", "triplet"};
  std::vector<std::uint32_t> sizes{512};  // cells along each axis
  std::vector<int> neighbors{14}, threads{0};
  bool periodic = false;
  int repeats = 3;
  std::string device = "cuda";
  std::string write_to;     // .npy; empty: not written
  double cancel_after = 0;  // seconds; 0: never
};

// Makes each set, grows its tree by each method and prints the phases, and at the end one table of
// all. Throws Error where two methods find different trees.
void measure_sets(const SetTrees& setup);

}  // namespace haloscope::benchmarks
