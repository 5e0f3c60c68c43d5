// What ranks tell one another, on threads of one process, and on the process alone.

#include "compute/exec/ranks.h"

#include "compute/exec/mpi/mpi_ranks.h"
#include "compute/exec/mpi/rank_watch.h"
#include "compute/exec/rank_fault.h"
#include "core/error.h"
#include "tests/catch.h"

#include <atomic>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute;

namespace {

// Catch's checks are for one thread: what the ranks found is collected, and checked afterwards.
class Findings {
 public:
  void note(bool right) {
    ++made_;
    wrong_ += !right;
  }
  bool all_right(int expected) const { return made_ == expected && wrong_ == 0; }

 private:
  std::atomic<int> made_{0}, wrong_{0};
};

template <class F>
void on_several(const F& work) {
  for (int size = 1; size <= 5; ++size) {
    INFO(size << " ranks");
    Findings found;
    run_thread_ranks(size, [&](Ranks& ranks) { work(ranks, found); });
    CHECK(found.all_right(size));
  }
}

}  // namespace

TEST_CASE("ranks gather vectors of differing lengths", "[ranks]") {
  on_several([](Ranks& ranks, Findings& found) {
    const std::vector<int> own(std::size_t(ranks.rank()), 10 + ranks.rank());
    std::vector<std::uint64_t> counts;
    const std::vector<int> all = ranks.all_gather<int>(own, &counts);
    std::vector<int> expected;
    for (int r = 0; r < ranks.size(); ++r) expected.insert(expected.end(), std::size_t(r), 10 + r);
    const int root = ranks.size() - 1;
    const std::vector<int> at_root = ranks.gather<int>(own, root);
    bool right = all == expected && counts.size() == std::size_t(ranks.size());
    for (int r = 0; right && r < ranks.size(); ++r)
      right = counts[std::size_t(r)] == std::uint64_t(r);
    right = right && (ranks.rank() == root ? at_root == expected : at_root.empty());
    found.note(right);
  });
}

TEST_CASE("ranks exchange what each has for each", "[ranks]") {
  on_several([](Ranks& ranks, Findings& found) {
    // From r to s: (r + 2 s) % 4 elements 100 r + s, so that some pairs have nothing to say.
    const auto from_to = [](int r, int s) {
      return std::vector<std::uint64_t>(std::size_t((r + 2 * s) % 4), std::uint64_t(100 * r + s));
    };
    std::vector<std::uint64_t> send, counts, received, expected;
    for (int s = 0; s < ranks.size(); ++s) {
      const auto some = from_to(ranks.rank(), s), others = from_to(s, ranks.rank());
      send.insert(send.end(), some.begin(), some.end());
      counts.push_back(some.size());
      expected.insert(expected.end(), others.begin(), others.end());
    }
    const auto got = ranks.exchange<std::uint64_t>(send, counts, received);
    bool right = got == expected;
    for (int r = 0; r < ranks.size(); ++r)
      right = right && received[std::size_t(r)] == from_to(r, ranks.rank()).size();
    found.note(right);
  });
}

TEST_CASE("large pieces arrive whole", "[ranks]") {
  // More than is copied at once, with a last part that is shorter.
  static constexpr std::uint64_t kBytes = 2 * (4 << 20) + 5;
  on_several([](Ranks& ranks, Findings& found) {
    const auto byte = [](int from, std::uint64_t i) {
      return std::uint8_t(i * 7 + i / 4099 + std::uint64_t(from));
    };
    std::vector<std::uint8_t> send;
    for (int s = 0; s < ranks.size(); ++s)
      for (std::uint64_t i = 0; i < kBytes; ++i) send.push_back(byte(ranks.rank(), i));
    const std::vector<std::uint64_t> counts(std::size_t(ranks.size()), kBytes);
    std::vector<std::uint64_t> received;
    const auto got = ranks.exchange_many<std::uint8_t>(send, counts, received);
    bool right = received == counts && got.size() == counts.size() * kBytes;
    for (int r = 0; right && r < ranks.size(); ++r)
      for (std::uint64_t i = 0; right && i < kBytes; ++i)
        right = got[std::size_t(std::uint64_t(r) * kBytes + i)] == byte(r, i);
    found.note(right);
  });
}

TEST_CASE("ranks reduce in the order of the ranks, and broadcast from any", "[ranks]") {
  on_several([](Ranks& ranks, Findings& found) {
    // An operation that tells the order of its operands.
    std::vector<std::uint64_t> values(7, std::uint64_t(ranks.rank() + 1));
    ranks.all_reduce(std::span(values),
                     [](std::uint64_t a, std::uint64_t b) { return 10 * a + b; });
    std::uint64_t expected = 0;
    for (int r = 0; r < ranks.size(); ++r) expected = 10 * expected + std::uint64_t(r + 1);
    bool right = values == std::vector<std::uint64_t>(7, expected);
    right = right && ranks.sum(std::uint64_t(1)) == std::uint64_t(ranks.size());
    for (int root = 0; root < ranks.size(); ++root) {
      int word = ranks.rank() == root ? 1000 + root : 0;
      ranks.broadcast(&word, sizeof word, root);
      right = right && word == 1000 + root;
    }
    const auto texts = ranks.all_texts(std::string(std::size_t(ranks.rank()), 'x'));
    right = right && texts.back().size() == std::size_t(ranks.size() - 1);
    ranks.barrier();
    found.note(right);
  });
}

TEST_CASE("a rank that throws ends the others, and its words are told", "[ranks]") {
  std::atomic<int> ended{0};
  const auto work = [&](Ranks& ranks) {
    if (ranks.rank() == 2) throw Error("rank two has no bread");
    try {
      ranks.barrier();
    } catch (const RankFault&) {
      ++ended;
      throw;
    }
  };
  CHECK_THROWS_WITH(run_thread_ranks(4, work), "rank two has no bread");
  CHECK(ended == 3);
}

TEST_CASE("a rank that waits asks whether it should stop", "[ranks]") {
  const auto work = [&](Ranks& ranks) {
    if (ranks.rank() == 0) ranks.set_check([] { throw Cancelled(); });
    // Rank 1 waits for what rank 0 never sends.
    char word = 0;
    const Incoming in{1 - ranks.rank(), &word, 1};
    ranks.move({}, {&in, 1});
  };
  CHECK_THROWS_AS(run_thread_ranks(2, work), Cancelled);
}

TEST_CASE("pieces that do not fit are told, not written beyond their place", "[ranks]") {
  const auto work = [&](Ranks& ranks) {
    const std::uint64_t sent = 1;
    std::uint32_t got = 0;
    const int other = 1 - ranks.rank();
    const Outgoing out{other, &sent, sizeof sent};
    const Incoming in{other, &got, sizeof got};
    ranks.move({&out, 1}, {&in, 1});
  };
  CHECK_THROWS_WITH(run_thread_ranks(2, work), Catch::Contains("sends 8 bytes where 4"));
}

TEST_CASE("parts of nearly one size are all there is", "[ranks]") {
  for (const std::uint64_t count :
       {std::uint64_t(0), std::uint64_t(1), std::uint64_t(10), std::uint64_t(12345678901234567)})
    for (const int parts : {1, 3, 4, 1024}) {
      CHECK(part_begin(count, 0, parts) == 0);
      CHECK(part_begin(count, parts, parts) == count);
      for (const int p : {0, parts / 2, parts - 1}) {
        const auto size = part_begin(count, p + 1, parts) - part_begin(count, p, parts);
        CHECK(size >= count / std::uint64_t(parts));
        CHECK(size <= count / std::uint64_t(parts) + 1);
      }
    }
}

TEST_CASE("launchers are known by their environment", "[ranks]") {
  std::map<std::string, std::string> environment;
  const auto value_of = [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  };
  CHECK(find_launcher(value_of).size == 1);
  environment = {{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}};
  CHECK(find_launcher(value_of).rank == 2);
  CHECK(find_launcher(value_of).launcher == "Open MPI");
  environment = {{"PMI_RANK", "1"}, {"PMI_SIZE", "3"}};
  CHECK(find_launcher(value_of).size == 3);
  // srun, and a batch script before any srun.
  environment = {{"SLURM_PROCID", "5"}, {"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_NTASKS", "8"}};
  CHECK(find_launcher(value_of).rank == 5);
  environment = {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}};
  CHECK(find_launcher(value_of).size == 1);
  environment = {{"PMI_RANK", "nonsense"}, {"PMI_SIZE", "-3"}};
  CHECK(find_launcher(value_of).size == 1);
}

TEST_CASE("programs of different versions refuse to work together", "[ranks]") {
  const auto start = [](const std::string& of_second) {
    run_thread_ranks(3, [&](Ranks& ranks) {
      require_same_program(ranks, ranks.rank() == 1 ? of_second : "haloscope 1 (revision a)");
    });
  };
  CHECK_NOTHROW(start("haloscope 1 (revision a)"));
  CHECK_THROWS_WITH(start("haloscope 1 (revision b)"),
                    Catch::Contains("rank 1 of 3 on ") &&
                        Catch::Contains("runs haloscope 1 (revision b), and rank 0 runs haloscope "
                                        "1 (revision a); start the same program"));
}
