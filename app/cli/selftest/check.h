#pragma once

#include "compute/exec/device.h"
#include "core/progress.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace haloscope::app::cli {

// What a check computed on one device.
struct Result {
  std::vector<std::uint32_t> exact;  // the same on every machine, to the last bit
  std::vector<float> image;          // sums of float32, whose order may differ
  std::vector<double> figures;       // few numbers that tell what came out
};

struct Stored {
  std::uint64_t checksum = 0;   // of Result::exact
  std::vector<double> figures;  // Result::figures
  double tolerance = 1e-5;      // relative, of figures
};

struct Check {
  std::string name;
  std::function<Result(compute::Device device, Progress& progress)> compute;
  Stored stored;
};

std::uint64_t checksum(const std::vector<std::uint32_t>& values);

// In a few words what differs; empty: nothing.
std::string differs_from_stored(const Check& check, const Result& result);
std::string differs_from_other(const Check& check, const Result& result, const Result& other);

// The result as C++ text for Check::stored.
std::string as_stored(const Result& result);

}  // namespace haloscope::app::cli
