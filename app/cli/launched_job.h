#pragma once

#include "compute/exec/mpi/mpi_ranks.h"
#include "compute/exec/mpi/rank_watch.h"
#include "core/progress.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace haloscope::app::cli {

// The ranks that a launcher (mpirun, srun) started together with this process; or nobody else.
class LaunchedJob {
 public:
  // Cancels `progress` where another rank ends the job.
  explicit LaunchedJob(Progress& progress);
  ~LaunchedJob();

  // Joins the others. Throws Error where that cannot be, and, on all ranks alike, where they were
  // given other words; `speaks` tells which of them says so.
  void join(const std::vector<std::string>& words);
  bool speaks() const;  // the one rank that prints
  bool alone() const { return !ranks_; }
  compute::Ranks* ranks() const { return ranks_.get(); }

  // Throws Error for a command that several ranks cannot do together. All ranks call it.
  void begin(const std::string& command);
  // This rank cannot go on. Has the user told, once for all ranks, in the words of `kind`; returns
  // the code to exit with. Not for jobs of one.
  int fail(compute::RankEnd::Kind kind, const std::string& sentence, int code);
  // All is done, and an interruption of this rank comes too late. Returns after all ranks have come
  // here.
  void finish();

 private:
  std::unique_ptr<compute::MpiRanks> start();
  bool tells_of_itself() const;
  void require_same(const std::vector<std::string>& words) const;
  void stop();

  Progress& progress_;
  const compute::Launched launched_;
  std::atomic<const char*> what_stays_ = nullptr;  // null: what outputs tell
  std::atomic<bool> stopped_ = false;
  bool tells_ = false;  // of this rank, whose fault nobody else knows
  std::unique_ptr<compute::MpiRanks> ranks_;
  std::unique_ptr<compute::RankWatch> watch_;
};

}  // namespace haloscope::app::cli
