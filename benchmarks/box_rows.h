#pragma once

#include <cstddef>
#include <string>

namespace haloscope::benchmarks {

struct BoxRowsSetup {
  std::string file, device = "cuda";
  double box = 152;
  std::size_t count = 1000000;  // points that are sought in a box
  int repeats = 20;
};

// How long points_in_box() takes for cubes that hold about so many points, about five particles of
// a universe that stays on a device. Prints a line for each. Throws Error.
void bench_box_rows(const BoxRowsSetup& setup);

}  // namespace haloscope::benchmarks
