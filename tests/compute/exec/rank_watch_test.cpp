// How ranks settle what the user is told when one of them fails or is lost: each rank a thread with
// connections of its own.

#include "compute/exec/mpi/rank_watch.h"

#include "compute/exec/ranks.h"
#include "tests/catch.h"

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute;

namespace {

// What was told, by which rank, and the codes of all ranks.
struct Job {
  std::mutex mutex;
  std::vector<std::string> told;
  std::vector<int> tellers;
  std::atomic<int> stopped{0};
  std::vector<int> codes;
  std::string what_stays;  // empty: nothing

  std::unique_ptr<RankWatch> watch(Ranks& ranks, std::function<bool()> interrupted = {}) {
    RankWatch::Reactions reactions;
    reactions.tell = [this, rank = ranks.rank()](const RankEnd& end) {
      const std::lock_guard lock(mutex);
      told.push_back(end.sentence);
      tellers.push_back(rank);
    };
    reactions.stop = [this] { ++stopped; };
    reactions.interrupted = std::move(interrupted);
    if (!what_stays.empty()) reactions.what_stays = [this] { return what_stays; };
    return watch_ranks(ranks, std::move(reactions), 60);
  }
};

// Of a rank that works on and on.
int code_of_end(const RankWatch& watch) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (watch.ended() == 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return watch.ended();
}

// Ranks run work(rank, its watch) and note the code that it returns.
template <class F>
void run_watched(int size, Job& job, const F& work) {
  job.codes.assign(std::size_t(size), -1);
  run_thread_ranks(size, [&](Ranks& ranks) {
    auto watch = job.watch(ranks);
    job.codes[std::size_t(ranks.rank())] = work(ranks.rank(), watch);
  });
}

}  // namespace

TEST_CASE("the fault of one rank is told once with its name, and ends all", "[ranks]") {
  for (const int failing : {0, 1, 3}) {
    Job job;
    run_watched(4, job, [&](int rank, auto& watch) {
      if (rank != failing) return code_of_end(*watch);
      return watch->report({RankEnd::Kind::Fault, "the disk is full", 2});
    });
    REQUIRE(job.told.size() == 1);
    CHECK(job.told[0] == "the disk is full (" + rank_words(failing, 4, host_name()) + ")");
    CHECK(job.codes == std::vector<int>(4, 2));
    CHECK(job.stopped == 4);
  }
}

TEST_CASE("a fault that all ranks share is told once without a rank", "[ranks]") {
  Job job;
  run_watched(3, job, [&](int, auto& watch) {
    return watch->report({RankEnd::Kind::Fault, "there is no such file", 2});
  });
  CHECK(job.told == std::vector<std::string>{"there is no such file"});
  CHECK(job.codes == std::vector<int>(3, 2));
}

TEST_CASE("a rank that is lost is told by the first that is left", "[ranks]") {
  for (const int lost : {0, 1, 2}) {
    Job job;
    run_watched(4, job, [&](int rank, auto& watch) {
      if (rank != lost) return code_of_end(*watch);
      // As the system does with the connections of a process that was killed.
      watch.reset();
      return 2;
    });
    REQUIRE(job.told.size() == 1);
    CHECK_THAT(job.told[0],
               Catch::StartsWith(rank_words(lost, 4, host_name()) + " ended without a word"));
    CHECK(job.tellers[0] == (lost == 0 ? 1 : 0));
    CHECK(job.codes == std::vector<int>(4, 2));
  }
}

TEST_CASE("two ranks that are lost end all others, whichever they are", "[ranks]") {
  for (const int second : {1, 3}) {
    Job job;
    // Else rank 0 may hear of the other's loss before its own, and tell it.
    std::latch first_is_gone(1);
    run_watched(6, job, [&](int rank, auto& watch) {
      if (rank != 0 && rank != second) return code_of_end(*watch);
      if (rank == second) first_is_gone.wait();
      watch.reset();
      if (rank == 0) first_is_gone.count_down();
      return 2;
    });
    REQUIRE(job.told.size() == 1);
    CHECK_THAT(job.told[0], Catch::Contains(" ended without a word"));
    CHECK(job.tellers[0] > 0);
    CHECK(job.codes == std::vector<int>(6, 2));
  }
}

TEST_CASE("Ctrl-C on one rank ends all with one sentence", "[ranks]") {
  for (const std::string what_stays : {"", "five frames stay"}) {
    Job job;
    job.what_stays = what_stays;
    job.codes.assign(3, -1);
    run_thread_ranks(3, [&](Ranks& ranks) {
      const auto watch = job.watch(ranks, [rank = ranks.rank()] { return rank == 2; });
      job.codes[std::size_t(ranks.rank())] = code_of_end(*watch);
    });
    CHECK(job.told ==
          std::vector<std::string>{" (" + rank_words(2, 3, host_name()) + "); " +
                                   (what_stays.empty() ? "nothing was written" : what_stays)});
    CHECK(job.codes == std::vector<int>(3, 130));
  }
}

TEST_CASE("Ctrl-C is in time until rank 0 and the interrupted rank are done", "[ranks]") {
  for (const int working : {-1, 0, 2}) {
    Job job;
    job.codes.assign(3, -1);
    run_thread_ranks(3, [&](Ranks& ranks) {
      const int rank = ranks.rank();
      std::atomic<bool> asked{false};
      const auto watch = job.watch(ranks, [&] { return rank == 2 && asked; });
      if (rank != working) watch->arrive();
      ranks.barrier();
      asked = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1500));
      job.codes[std::size_t(rank)] = watch->ended();
      ranks.barrier();
      watch->leave();
    });
    CHECK(job.told.size() == (working < 0 ? 0 : 1));
    CHECK(job.codes == std::vector<int>(3, working < 0 ? 0 : 130));
  }
}

TEST_CASE("ranks that are done leave without a word", "[ranks]") {
  Job job;
  job.codes.assign(4, -1);
  run_thread_ranks(4, [&](Ranks& ranks) {
    const auto watch = job.watch(ranks);
    ranks.barrier();
    watch->leave();
    // The first are gone while the others are still here.
    std::this_thread::sleep_for(std::chrono::milliseconds(60 * ranks.rank()));
    job.codes[std::size_t(ranks.rank())] = watch->ended();
  });
  CHECK(job.told.empty());
  CHECK(job.codes == std::vector<int>(4, 0));
  CHECK(job.stopped == 0);
}
