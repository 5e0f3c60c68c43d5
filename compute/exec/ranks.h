#pragma once

#include "core/array.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

// Processes, or threads of one process, that work on one job.
namespace haloscope::compute {

// One piece of memory that goes to another rank, or comes from it. Nothing need be sent: empty
// pieces are matched as others are.
struct Outgoing {
  int to = 0;
  const void* data = nullptr;
  std::uint64_t bytes = 0;
};
struct Incoming {
  int from = 0;
  void* data = nullptr;
  std::uint64_t bytes = 0;
};

// The interface of what carries memory between ranks. Ranks are numbered from 0. All functions
// throw RankFault where another rank has failed or was lost, and what set_check() was given throws.
// One thread of each rank calls them.
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  bool first() const { return rank() == 0; }

  // Sends and receives at once; returns when all has arrived here and may be overwritten here.
  // Pieces between two ranks arrive in the order in which they were named; both name the same
  // numbers of bytes, 64 bits of them. A rank may send to itself.
  virtual void move(std::span<const Outgoing> out, std::span<const Incoming> in) = 0;

  // Whether the ranks are threads of one process, which see one another's memory.
  virtual bool in_one_process() const { return false; }

  // Throws as a rank that waits would: for who waits for something else than ranks.
  virtual void check_others() { check(); }

  // Is called while a rank waits, and may throw: for Ctrl-C. On the thread that waits.
  void set_check(std::function<void()> check) { check_ = std::move(check); }

  // Returns when all ranks have called it.
  void barrier();
  // The bytes of `root` on all ranks, by a tree.
  void broadcast(void* data, std::uint64_t bytes, int root = 0);

  // The elements of all ranks, in their order, on all of them; they may have different numbers.
  template <class T>
  std::vector<T> all_gather(std::span<const T> own, std::vector<std::uint64_t>* counts = nullptr);
  // The same on `root` alone; nothing on the others.
  template <class T>
  std::vector<T> gather(std::span<const T> own, int root = 0,
                        std::vector<std::uint64_t>* counts = nullptr);
  // `counts[r]` elements of `send`, one rank's behind the other's, go to rank r. Returns what came
  // from all ranks, in their order, and in `received` how many from each.
  template <class T>
  std::vector<T> exchange(std::span<const T> send, std::span<const std::uint64_t> counts,
                          std::vector<std::uint64_t>& received);

  // The same of many elements, which nobody sets to zero before they come.
  template <class T>
  LargeVector<T> exchange_many(std::span<const T> send, std::span<const std::uint64_t> counts,
                               std::vector<std::uint64_t>& received);

  // Element by element op(op(rank 0's, rank 1's), …), so that it is the same for sums of floats on
  // all ranks. Vectors of one length. Each rank reduces its share of them.
  template <class T, class Op>
  void all_reduce(std::span<T> values, const Op& op);
  template <class T>
  T sum(T value);

  // A text of each rank, on all of them.
  std::vector<std::string> all_texts(const std::string& own);

 protected:
  void check() const {
    if (check_) check_();
  }

 private:
  std::vector<std::uint64_t> all_counts(std::uint64_t own);
  void gather_bytes(const void* own, void* all, std::span<const std::uint64_t> counts,
                    std::size_t element, int root);
  template <class Elements>
  Elements exchange_as(std::span<const typename Elements::value_type> send,
                       std::span<const std::uint64_t> counts, std::vector<std::uint64_t>& received);

  std::function<void()> check_;
};

// ", 3 ranks", behind the device that a job ran on; nothing for one.
std::string ranks_in_words(int ranks);

// A process that is alone.
Ranks& alone();
// `ranks`, or the process alone where that is null.
inline Ranks& ranks_or_alone(Ranks* ranks) {
  return ranks ? *ranks : alone();
}

// So many threads, each of which calls work(its ranks). For tests, and for several devices of one
// process. Rethrows what the first that failed has thrown, after all have ended.
void run_thread_ranks(int size, const std::function<void(Ranks&)>& work);

// Begin and end of part `part` of `count` things that are cut into `parts` of nearly one size.
inline std::uint64_t part_begin(std::uint64_t count, int part, int parts) {
  const auto p = std::uint64_t(part), n = std::uint64_t(parts);
  return count / n * p + count % n * p / n;
}

// ---------------------------------------------------------------------------------------------

template <class T>
std::vector<T> Ranks::all_gather(std::span<const T> own, std::vector<std::uint64_t>* counts) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<std::uint64_t> of_ranks = all_counts(own.size());
  std::uint64_t total = 0;
  for (const std::uint64_t n : of_ranks) total += n;
  std::vector<T> all(static_cast<std::size_t>(total));
  gather_bytes(own.data(), all.data(), of_ranks, sizeof(T), -1);
  if (counts) *counts = std::move(of_ranks);
  return all;
}

template <class T>
std::vector<T> Ranks::gather(std::span<const T> own, int root, std::vector<std::uint64_t>* counts) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<std::uint64_t> of_ranks = all_counts(own.size());
  std::uint64_t total = 0;
  if (rank() == root)
    for (const std::uint64_t n : of_ranks) total += n;
  std::vector<T> all(static_cast<std::size_t>(total));
  gather_bytes(own.data(), all.data(), of_ranks, sizeof(T), root);
  if (counts) *counts = std::move(of_ranks);
  return all;
}

template <class T>
std::vector<T> Ranks::exchange(std::span<const T> send, std::span<const std::uint64_t> counts,
                               std::vector<std::uint64_t>& received) {
  return exchange_as<std::vector<T>>(send, counts, received);
}

template <class T>
LargeVector<T> Ranks::exchange_many(std::span<const T> send, std::span<const std::uint64_t> counts,
                                    std::vector<std::uint64_t>& received) {
  return exchange_as<LargeVector<T>>(send, counts, received);
}

template <class Elements>
Elements Ranks::exchange_as(std::span<const typename Elements::value_type> send,
                            std::span<const std::uint64_t> counts,
                            std::vector<std::uint64_t>& received) {
  using T = typename Elements::value_type;
  static_assert(std::is_trivially_copyable_v<T>);
  const auto n = static_cast<std::size_t>(size());
  received.assign(n, 0);
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  for (std::size_t r = 0; r < n; ++r) {
    out.push_back({int(r), &counts[r], sizeof counts[r]});
    in.push_back({int(r), &received[r], sizeof received[r]});
  }
  move(out, in);
  std::uint64_t total = 0, at = 0;
  for (const std::uint64_t count : received) total += count;
  Elements all(static_cast<std::size_t>(total));
  total = 0;
  for (std::size_t r = 0; r < n; ++r) {
    out[r] = {int(r), send.data() + at, counts[r] * sizeof(T)};
    in[r] = {int(r), all.data() + total, received[r] * sizeof(T)};
    at += counts[r];
    total += received[r];
  }
  move(out, in);
  return all;
}

template <class T, class Op>
void Ranks::all_reduce(std::span<T> values, const Op& op) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (size() == 1) return;
  std::vector<std::uint64_t> counts, received;
  for (int r = 0; r < size(); ++r)
    counts.push_back(part_begin(values.size(), r + 1, size()) -
                     part_begin(values.size(), r, size()));
  const std::vector<T> shares = exchange<T>(values, counts, received);
  const auto own = static_cast<std::size_t>(counts[static_cast<std::size_t>(rank())]);
  std::vector<T> reduced(shares.begin(), shares.begin() + std::ptrdiff_t(own));
  for (std::size_t r = 1; r < static_cast<std::size_t>(size()); ++r)
    for (std::size_t i = 0; i < own; ++i) reduced[i] = op(reduced[i], shares[r * own + i]);
  const std::vector<T> all = all_gather<T>(reduced);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = all[i];
}

template <class T>
T Ranks::sum(T value) {
  all_reduce(std::span<T>(&value, 1), [](T a, T b) { return T(a + b); });
  return value;
}

}  // namespace haloscope::compute
