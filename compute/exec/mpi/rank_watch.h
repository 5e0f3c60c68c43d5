#pragma once

#include "compute/exec/ranks.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace haloscope::compute {

// How a job of several ranks ended, when it did not end well.
struct RankEnd {
  enum class Kind { Fault, Interrupted, Lost };
  Kind kind = Kind::Fault;
  std::string sentence;  // of a fault: without its rank
  int code = 0;          // that all ranks exit with
};

// Watches the other ranks of a job beside its work, by connections of its own (TCP): those of MPI
// say nothing of a rank that was killed, and the thread that works may be far from any message. One
// rank tells the user, once: rank 0, or where that is lost the next one. Ranks are connected to
// the ranks 0 and 1 alone.
class RankWatch {
 public:
  struct Reactions {
    // On one rank only: what the user is told, whole. On a thread of the watch.
    std::function<void(const RankEnd&)> tell;
    // On every rank that is to end: the work should stop. Where the user has interrupted the job
    // it comes before anybody is told, so that what is told of the output stays true. May come more
    // than once. On a thread of the watch.
    std::function<void()> stop;
    // Whether the user has asked this rank to stop; is asked ten times a second.
    std::function<bool()> interrupted;
    // What an interrupted job leaves, in words; null: nothing was written.
    std::function<std::string()> what_stays;
  };

  virtual ~RankWatch() = default;
  // This rank has failed: settles with the others what the user is told. Returns the code to exit
  // with, after it was told or after some seconds.
  virtual int report(const RankEnd& own) = 0;
  // The code to exit with where the job has ended for another rank's sake, else 0.
  virtual int ended() const = 0;
  // The work is done here, and this rank waits for the others. Once rank 0 and the rank that the
  // user interrupted have come so far, the job is no longer interrupted: it ends by itself.
  virtual void arrive() = 0;
  // The work is done here: after a last barrier, so that all have come so far.
  virtual void leave() = 0;
};

// Connects all ranks; all call it. Throws Error where a rank cannot be reached. Where a rank does
// not end by itself so many seconds after the job has, the watch ends its process.
std::unique_ptr<RankWatch> watch_ranks(Ranks& ranks, RankWatch::Reactions reactions,
                                       double patience_s = 5);

// "rank 2 of 4 on HOST".
std::string rank_words(int rank, int size, const std::string& host);
std::string host_name();
// How many of the ranks, this one included, are on its machine and share its memory. All call it.
std::uint64_t ranks_of_this_machine(Ranks& ranks);
// The sum over these ranks, or the largest number of 64 bits. All call it.
std::uint64_t sum_on_this_machine(Ranks& ranks, std::uint64_t own);
// What part of all ranks these are: of what is shared out evenly, so much is on this machine.
double share_of_this_machine(Ranks& ranks);

// Throws Error, the same sentence on all ranks, where they do not run the same program.
void require_same_program(Ranks& ranks, const std::string& own);

}  // namespace haloscope::compute
