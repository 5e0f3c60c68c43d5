#include "compute/exec/rank_fault.h"
#include "compute/exec/ranks.h"
#include "core/error.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

namespace haloscope::compute {

namespace {

// How often a thread that waits looks whether it should stop.
constexpr std::chrono::milliseconds kPatience{50};

// One core copies 10 GB/s, and memory that nobody has touched a tenth of it.
constexpr std::size_t kCopiedAtOnce = 4 << 20;  // bytes

void copy_bytes(void* to, const void* from, std::size_t bytes) {
  const auto copy = [=](std::size_t begin, std::size_t size) {
    std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, size);
  };
  if (bytes <= kCopiedAtOnce) return copy(0, bytes);
  tbb::parallel_for(std::size_t(0), (bytes + kCopiedAtOnce - 1) / kCopiedAtOnce,
                    [=](std::size_t k) {
                      const std::size_t begin = k * kCopiedAtOnce;
                      copy(begin, std::min(kCopiedAtOnce, bytes - begin));
                    });
}

// What a thread has laid out for another one, until that has copied it.
struct Laid {
  const void* data;
  std::uint64_t bytes;
  std::uint64_t* open;  // how many of the sender's are not copied yet
};

struct Table {
  explicit Table(int count)
      : size(count), laid(static_cast<std::size_t>(count) * static_cast<std::size_t>(count)) {}

  std::deque<Laid>& between(int from, int to) {
    return laid[static_cast<std::size_t>(from) * static_cast<std::size_t>(size) +
                static_cast<std::size_t>(to)];
  }

  const int size;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::deque<Laid>> laid;
  bool failed = false;
};

class ThreadRank final : public Ranks {
 public:
  ThreadRank(Table& table, int rank) : table_(table), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return table_.size; }
  bool in_one_process() const override { return true; }
  void check_others() override {
    {
      const std::lock_guard lock(table_.mutex);
      if (table_.failed) throw RankFault("another rank has failed");
    }
    check();
  }

  void move(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    std::uint64_t open = out.size();
    {
      const std::lock_guard lock(table_.mutex);
      for (const Outgoing& piece : out)
        table_.between(rank_, piece.to).push_back({piece.data, piece.bytes, &open});
    }
    table_.changed.notify_all();
    try {
      for (const Incoming& piece : in) take(piece);
      std::unique_lock lock(table_.mutex);
      wait(lock, [&] { return open == 0; });
    } catch (...) {
      withdraw(out, open);
      throw;
    }
  }

 private:
  template <class Ready>
  void wait(std::unique_lock<std::mutex>& lock, const Ready& ready) {
    while (!ready()) {
      if (table_.failed) throw RankFault("another rank has failed");
      table_.changed.wait_for(lock, kPatience);
      lock.unlock();
      check();
      lock.lock();
    }
  }

  void take(const Incoming& piece) {
    std::unique_lock lock(table_.mutex);
    auto& queue = table_.between(piece.from, rank_);
    wait(lock, [&] { return !queue.empty(); });
    const Laid laid = queue.front();
    queue.pop_front();
    const bool fits = laid.bytes == piece.bytes;
    lock.unlock();
    {
      // Whatever happens: the sender waits for it.
      const auto tell = [&](void*) {
        {
          const std::lock_guard told(table_.mutex);
          --*laid.open;
        }
        table_.changed.notify_all();
      };
      const std::unique_ptr<void, decltype(tell)> at_end(&table_, tell);
      if (fits && laid.bytes > 0)
        copy_bytes(piece.data, laid.data, static_cast<std::size_t>(laid.bytes));
    }
    if (!fits)
      throw Error("rank " + std::to_string(piece.from) + " sends " + std::to_string(laid.bytes) +
                      " bytes where " + std::to_string(piece.bytes) + " are expected",
                  "ranks");
  }

  // Nobody may copy from here any more.
  void withdraw(std::span<const Outgoing> out, const std::uint64_t& open) {
    std::unique_lock lock(table_.mutex);
    for (const Outgoing& piece : out) {
      auto& queue = table_.between(rank_, piece.to);
      std::erase_if(queue, [&](const Laid& one) {
        const bool own = one.open == &open;
        if (own) --*one.open;
        return own;
      });
    }
    table_.changed.wait(lock, [&] { return open == 0; });
  }

  Table& table_;
  const int rank_;
};

}  // namespace

void run_thread_ranks(int size, const std::function<void(Ranks&)>& work) {
  if (size < 1) throw Error("there must be one rank at least", "ranks");
  Table table(size);
  std::exception_ptr first;
  std::vector<std::thread> threads;
  for (int r = 0; r < size; ++r)
    threads.emplace_back([&, r] {
      ThreadRank rank(table, r);
      try {
        work(rank);
      } catch (...) {
        const std::lock_guard lock(table.mutex);
        if (!table.failed) first = std::current_exception();
        table.failed = true;
      }
      table.changed.notify_all();
    });
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace haloscope::compute
