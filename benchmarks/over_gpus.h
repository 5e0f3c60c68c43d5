#pragma once

#include "compute/exec/device.h"
#include "core/timings.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

// What benchmarks on several devices of one process have in common.
namespace haloscope::benchmarks {

std::vector<compute::Device> devices_named(const std::vector<std::string>& words);

double milliseconds_since(std::chrono::steady_clock::time_point begin);

// The phases of a rank: a time for each repeat.
class PhaseTimes {
 public:
  void add(const Timings& timings);
  // " build 1.25 link 3.50": medians, milliseconds.
  std::string in_words(int decimals) const;

 private:
  std::map<std::string, std::vector<double>> samples_;
};

// Throws Error where one of them is no power of two.
void require_powers_of_two(std::uint32_t copies, std::uint32_t devices);

}  // namespace haloscope::benchmarks
