#pragma once

#include "compute/exec/device_ranks.h"

#include <string>

namespace haloscope::benchmarks {

// auto, host, peer or nccl. Throws Error for other words.
compute::Wire wire_named(const std::string& name);

}  // namespace haloscope::benchmarks
