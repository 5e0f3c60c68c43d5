#pragma once

#include "compute/exec/ranks.h"

#include <functional>

namespace haloscope::render {

// Calls `search`, which needs the memory for all particles while it runs, on each rank: the ranks
// of one machine one after another, so that each finds the memory that one process would. All call
// it.
void search_in_turns(compute::Ranks& ranks, const std::function<void()>& search);

}  // namespace haloscope::render
