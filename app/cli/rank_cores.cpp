#include "app/cli/rank_cores.h"

#include "compute/exec/mpi/rank_watch.h"
#include "core/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <sched.h>
#include <span>
#include <unistd.h>
#include <vector>

namespace haloscope::app::cli {

namespace {

constexpr std::uint64_t kFewestCores = 4;

// A bit for each core, of 8192: a kernel may know more than the 1024 of cpu_set_t.
using Mask = std::array<std::uint64_t, 128>;

// Empty where it is not told.
Mask cores_of(pid_t process) {
  Mask mask{};
  if (::sched_getaffinity(process, sizeof mask, reinterpret_cast<cpu_set_t*>(mask.data())) != 0)
    return {};
  return mask;
}

std::uint64_t count(const Mask& mask) {
  std::uint64_t cores = 0;
  for (const std::uint64_t word : mask) cores += std::uint64_t(std::popcount(word));
  return cores;
}

// Of a container or of a job those that it was given: the launcher, which started this process, has
// them all.
std::uint64_t cores_of_machine() {
  const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
  const std::uint64_t all = online > 0 ? std::uint64_t(online) : 0,
                      given = count(cores_of(::getppid()));
  return given > 0 ? std::min(all, given) : all;
}

std::uint64_t cores_of_slurm() {
  const char* const job = std::getenv("SLURM_JOB_ID");
  const char* const cores = std::getenv("SLURM_CPUS_ON_NODE");
  return job && cores ? std::strtoull(cores, nullptr, 10) : 0;
}

}  // namespace

std::optional<std::string> few_cores_in_words(const RankCores& cores) {
  const std::uint64_t had =
      cores.of_job > 0 ? std::min(cores.of_job, cores.of_machine) : cores.of_machine;
  if (had < kFewestCores || cores.of_ranks == 0 || 2 * cores.of_ranks >= had) return {};
  return fmt::format(
      "{} here {} on {} of {} cores, as the launcher binds {}: mpirun --bind-to none, or srun "
      "--cpus-per-task, gives {} more",
      cores.ranks == 1 ? "the rank" : fmt::format("the {} ranks", cores.ranks),
      cores.ranks == 1 ? "computes" : "compute", cores.of_ranks, had,
      cores.ranks == 1 ? "it" : "them", cores.ranks == 1 ? "it" : "them");
}

void warn_of_few_cores(compute::Ranks& ranks) {
  const Mask own = cores_of(0);
  const std::vector<Mask> all = ranks.all_gather<Mask>(std::span(&own, 1));
  const std::vector<std::string> hosts = ranks.all_texts(compute::host_name());
  if (!ranks.first()) return;
  RankCores cores;
  Mask together{};
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (hosts[r] != hosts[0]) continue;
    ++cores.ranks;
    for (std::size_t w = 0; w < together.size(); ++w) together[w] |= all[r][w];
  }
  cores.of_ranks = count(together);
  cores.of_machine = cores_of_machine();
  cores.of_job = cores_of_slurm();
  if (const auto words = few_cores_in_words(cores)) log::warn(*words);
}

}  // namespace haloscope::app::cli
