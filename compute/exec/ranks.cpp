#include "compute/exec/ranks.h"

#include "compute/exec/own_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace haloscope::compute {

namespace {

class Alone final : public Ranks {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  bool in_one_process() const override { return true; }
  void move(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    each_own_piece(0, out, in, [](const Outgoing& piece, const Incoming& to) {
      std::memmove(to.data, piece.data, static_cast<std::size_t>(piece.bytes));
    });
  }
};

}  // namespace

Ranks& alone() {
  static Alone one;
  return one;
}

void Ranks::barrier() {
  all_counts(0);
}

void Ranks::broadcast(void* data, std::uint64_t bytes, int root) {
  // Numbered from the root: each rank hears from the one without its lowest set bit.
  const int n = size(), self = (rank() - root + n) % n;
  const auto real = [&](int number) { return (number + root) % n; };
  int below = 1;
  while (below < n && !(self & below)) below <<= 1;
  if (self != 0) {
    const Incoming in{real(self & ~below), data, bytes};
    move({}, {&in, 1});
  }
  std::vector<Outgoing> out;
  for (int bit = below >> 1; bit > 0; bit >>= 1)
    if (self + bit < n) out.push_back({real(self + bit), data, bytes});
  if (!out.empty()) move(out, {});
}

std::vector<std::uint64_t> Ranks::all_counts(std::uint64_t own) {
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(size()));
  const std::vector<std::uint64_t> one_each(counts.size(), 1);
  gather_bytes(&own, counts.data(), one_each, sizeof own, -1);
  return counts;
}

// To one root, or for -1 to all.
void Ranks::gather_bytes(const void* own, void* all, std::span<const std::uint64_t> counts,
                         std::size_t element, int root) {
  const std::uint64_t bytes = counts[static_cast<std::size_t>(rank())] * element;
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  std::uint64_t at = 0;
  for (int r = 0; r < size(); ++r) {
    if (root < 0 || r == root) out.push_back({r, own, bytes});
    const std::uint64_t theirs = counts[static_cast<std::size_t>(r)] * element;
    if (root < 0 || rank() == root) in.push_back({r, static_cast<std::byte*>(all) + at, theirs});
    at += theirs;
  }
  move(out, in);
}

std::vector<std::string> Ranks::all_texts(const std::string& own) {
  std::vector<std::uint64_t> counts;
  const std::vector<char> all = all_gather<char>(std::span<const char>(own), &counts);
  std::vector<std::string> texts;
  std::size_t at = 0;
  for (const std::uint64_t n : counts) {
    texts.emplace_back(all.data() + at, static_cast<std::size_t>(n));
    at += static_cast<std::size_t>(n);
  }
  return texts;
}

std::string ranks_in_words(int ranks) {
  return ranks > 1 ? fmt::format(", {} ranks", ranks) : "";
}

}  // namespace haloscope::compute
