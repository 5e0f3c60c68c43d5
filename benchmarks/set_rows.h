#pragma once

#include "benchmarks/measure.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace haloscope::benchmarks {

// What one method took of one set.
struct SetRow {
  std::string set, cells, type;
  int neighbors = 0;
  std::string device, method;
  int threads = 0;  // of the CPU; 0: all
  double megavoxels = 0;
  std::string missing;  // why there are no figures; empty: there are
  Measured measured;
  int runs = 0;
  double on_device = 0;  // ms without the ways to the device and back
  std::size_t maxima = 0, pairs = 0;
  std::uint64_t bytes = 0;  // on the device, most at once until then
  double times = 0;         // of the time of the first method there
  double faster = 0;        // than the first row of this set and method
  std::string cancelled;    // how many ms after that it ended; empty: it was not

  bool is_gpu() const { return device.starts_with("cuda"); }
  double rate() const { return 1e3 * megavoxels / measured.wall.median; }
  double core_rate() const { return megavoxels / measured.core_seconds.median; }
};

// One line for each row, and below it a table with a line for each set and size that tells the
// seconds of each method on each device and number of threads, as that of Nigmetov and Morozov
// does.
void print_rows(std::span<const SetRow> rows);

}  // namespace haloscope::benchmarks
