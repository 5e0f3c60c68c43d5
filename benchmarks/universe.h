#pragma once

#include "core/array.h"
#include "core/domain.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::benchmarks {

// Of repeated measurements.
struct Statistics {
  double median = 0, low = 0, high = 0;  // high: 95th percentile
};
Statistics statistics(std::vector<double> samples);

// Particles in a periodic box, in fixed point and in the order of the file.
struct Universe {
  Domain domain;
  std::array<Array<std::uint32_t>, 3> position;
  std::size_t count() const { return position[0].size(); }
};

// Reads raw little-endian float32 x y z per particle. Throws Error.
Universe read_universe(const std::string& path, double box);

}  // namespace haloscope::benchmarks
