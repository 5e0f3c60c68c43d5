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
  std::vector<std::string> devices{"cuda"};
  std::string write_to;      // .npy; empty: not written
  double limit = 0;          // seconds of a run and of all repeats of it; 0: none
  bool cancel_half = false;  // once more, and cancel it after half of its time
  double cancel_after = 0;   // seconds; 0: never. Nothing else is measured then
};

// Makes each set, grows its tree on each device by each method and prints the phases, and at the
// end tables of all. A set is made on the first device. Throws Error, after the tables, where two
// methods, devices or numbers of threads find different trees.
void measure_sets(const SetTrees& setup);

}  // namespace haloscope::benchmarks
