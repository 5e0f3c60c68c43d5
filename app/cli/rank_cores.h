#pragma once

#include "compute/exec/ranks.h"

#include <cstdint>
#include <optional>
#include <string>

namespace haloscope::app::cli {

// The cores of one machine, as the ranks on it have them.
struct RankCores {
  std::uint64_t ranks = 0;
  std::uint64_t of_ranks = 0;    // on which one rank or another may compute
  std::uint64_t of_machine = 0;  // that the launcher has there
  std::uint64_t of_job = 0;      // that Slurm has given here; 0: it is not known
};

// What the user is told where ranks leave more than half of the machine's cores idle, though the
// job has them; nothing where there are fewer than 4.
std::optional<std::string> few_cores_in_words(const RankCores& cores);

// Warns of that on the machine of rank 0. All ranks call it.
void warn_of_few_cores(compute::Ranks& ranks);

}  // namespace haloscope::app::cli
