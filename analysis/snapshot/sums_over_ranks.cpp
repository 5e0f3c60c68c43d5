#include "analysis/snapshot/sums_over_ranks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace haloscope::analysis {

namespace {

// The rank that has a row; `counts`: how many each rank has.
std::size_t rank_with(std::uint64_t row, const std::vector<std::uint64_t>& counts) {
  std::size_t r = 0;
  for (std::uint64_t behind = counts[0]; behind <= row; behind += counts[++r]) {
  }
  return r;
}

}  // namespace

std::vector<std::uint64_t> sums_over_ranks(const compute::PartOfRows& rows,
                                           const std::uint32_t* own) {
  constexpr std::uint64_t kBlock = io::kSummedTogether;
  compute::Ranks& ranks = rows.ranks();
  if (ranks.size() == 1) return io::block_sums(own, rows.count());
  const std::uint64_t count = rows.count();
  const auto counts = ranks.all_gather<std::uint64_t>(std::span(&count, 1));
  // Rows of a block that begins on a rank before this one go there.
  const std::uint64_t head = std::min(count, (kBlock - rows.first() % kBlock) % kBlock);
  std::vector<std::uint64_t> to(counts.size(), 0), from;
  if (head > 0) to[rank_with(rows.first() / kBlock * kBlock, counts)] = head;
  const std::vector<std::uint32_t> behind =
      ranks.exchange<std::uint32_t>(std::span(own, std::size_t(head)), to, from);
  // Only the last block that begins here can have rows of others.
  const std::uint64_t whole = (count - head) / kBlock * kBlock;
  std::vector<std::uint64_t> sums = io::block_sums(own + head, whole);
  std::vector<std::uint32_t> last(own + head + whole, own + count);
  last.insert(last.end(), behind.begin(), behind.end());
  for (const std::uint64_t sum : io::block_sums(last.data(), last.size())) sums.push_back(sum);
  return ranks.all_gather<std::uint64_t>(sums);
}

io::LengthsKey key_over_ranks(const compute::PartOfRows& rows, const Domain& domain,
                              const ParticleColumns& own, int neighbors) {
  std::array<std::vector<std::uint64_t>, 3> sums;
  for (std::size_t axis = 0; axis < 3; ++axis)
    sums[axis] = sums_over_ranks(rows, own.position[axis].data());
  return io::lengths_key(domain, own.type, neighbors, rows.total(), sums);
}

}  // namespace haloscope::analysis
