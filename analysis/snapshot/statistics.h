#pragma once

#include "compute/splotch/renderer.h"
#include "core/timings.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>

namespace haloscope::analysis {

// What a run cost: counts of the last frame, milliseconds per phase (medians over the repetitions),
// peak memory.
struct Statistics {
  std::string device;
  int width = 0, height = 0;
  int repeat = 1, ranks = 1;
  compute::splotch::Counts counts;
  Timings timings;
  std::uint64_t host_peak_bytes = 0;
  std::uint64_t device_peak_bytes = 0;

  // Adds the phases of one more frame.
  void add(const compute::splotch::Frame& frame);
};

// The most memory this process has held, bytes (getrusage).
std::uint64_t peak_host_memory();

// Keys: device, ranks, image, repeat, counts {…}, milliseconds {read, smoothing lengths, upload,
// project, sort, small, medium, large, composite, total, and others a strategy reports}, memory
// {host_peak_bytes, device_peak_bytes}.
nlohmann::json to_json(const Statistics& statistics);

// Writes to_json, whole or not at all.
void write_statistics(const std::string& path, const Statistics& statistics);

// The same in a few lines for people; phases that took no time are left out.
std::string in_words(const Statistics& statistics);

}  // namespace haloscope::analysis
