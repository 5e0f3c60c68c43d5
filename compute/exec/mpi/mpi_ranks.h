#pragma once

#include "compute/exec/ranks.h"

#include <cstdint>
#include <memory>
#include <string>

namespace haloscope::compute {

// What a launcher (mpirun, srun) has told this process by its environment.
struct Launched {
  std::string launcher;  // "Open MPI", "Slurm", …; empty: nobody launched it
  int rank = 0, size = 1;
};

// Known are Open MPI, Hydra (MPICH, Intel MPI) and Slurm's srun. `value_of` is getenv, or a
// stand-in.
Launched find_launcher(const std::function<const char*(const char*)>& value_of);
Launched find_launcher();

// Where the plugin is looked for, in this order: what HALOSCOPE_MPI names, beside the program, in
// the installation's lib/haloscope.
std::vector<std::string> plugin_places();

// Ranks of MPI, through the plugin.
class MpiRanks : public Ranks {
 public:
  // Leaves MPI after all other ranks have come here too. Not called after a fault: the process ends
  // without it then.
  virtual void finish() = 0;
};

// Loads the plugin and joins the others. Throws Error, one sentence, where there is no plugin,
// where it is of another build, and where it sees not as many ranks as the launcher started.
// `largest_piece`: bytes that are sent at once at most.
std::unique_ptr<MpiRanks> start_mpi(const Launched& launched,
                                    std::uint64_t largest_piece = std::uint64_t(1) << 30);

}  // namespace haloscope::compute
