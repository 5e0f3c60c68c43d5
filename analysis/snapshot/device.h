#pragma once

#include "compute/spatial/neighbors.h"
#include "compute/splotch/renderer.h"

#include <cstdint>
#include <memory>
#include <string>

namespace haloscope::analysis {

// The renderer of --device: "cpu", "cuda", or "auto", which takes a GPU where there is one. Throws
// Error where "cuda" cannot be had. `memory_budget` (bytes of particles on the GPU) 0: what is
// free.
std::unique_ptr<compute::splotch::Renderer> make_renderer(const std::string& device,
                                                          std::uint64_t memory_budget = 0);

// Nearest neighbors on the same device.
std::unique_ptr<compute::spatial::Neighbors> make_neighbors(const std::string& device);

}  // namespace haloscope::analysis
