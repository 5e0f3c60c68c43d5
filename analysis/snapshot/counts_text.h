#pragma once

#include "core/particles.h"

#include <string>

namespace haloscope::analysis {

// "3 wrapped into the box, 2 left out (position not finite)"; empty where nothing was odd.
std::string counts_text(const LoadCounts& counts);

}  // namespace haloscope::analysis
