#include "compute/distributed/hand_out_points.h"

#include "core/array.h"
#include "core/give_back.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace haloscope::compute::distributed {

namespace {

// The words for each rank, one rank's behind the other's: rows, then a column after the other.
LargeVector<std::uint32_t> words_of_ranks(const clusters::LatticePoints& points, int ranks,
                                          Device device, std::vector<std::uint64_t>& counts) {
  const std::uint64_t all = points.count, words = points.column.size() + 1;
  LargeVector<std::uint16_t> owner(static_cast<std::size_t>(all));
  std::vector<std::uint64_t> begin, size;
  {
    const std::vector<std::uint32_t> order = curve_order(points, device);
    for (int r = 0; r < ranks; ++r) {
      begin.push_back(part_begin(all, r, ranks));
      size.push_back(part_begin(all, r + 1, ranks) - begin.back());
      counts.push_back(size.back() * words);
      tbb::parallel_for(begin.back(), begin.back() + size.back(),
                        [&](std::uint64_t k) { owner[order[std::size_t(k)]] = std::uint16_t(r); });
    }
  }
  // Stretches of rows write at once, and each rank's rows ascend: so how many of each rank stand in
  // those before is counted first.
  constexpr std::uint64_t kStretch = 1 << 16;
  const std::uint64_t stretches = (all + kStretch - 1) / kStretch;
  std::vector<std::vector<std::uint64_t>> before(std::size_t(stretches),
                                                 std::vector<std::uint64_t>(size.size(), 0));
  const auto for_rows = [&](const auto& f) {
    tbb::parallel_for(std::uint64_t(0), stretches, [&](std::uint64_t s) {
      for (std::uint64_t row = s * kStretch, end = std::min(all, row + kStretch); row < end; ++row)
        f(row, owner[std::size_t(row)], before[std::size_t(s)]);
    });
  };
  for_rows([](std::uint64_t, std::size_t r, std::vector<std::uint64_t>& of) { ++of[r]; });
  std::vector<std::uint64_t> sum(size.size(), 0);
  for (auto& of : before)
    for (std::size_t r = 0; r < sum.size(); ++r) sum[r] += std::exchange(of[r], sum[r]);
  LargeVector<std::uint32_t> send(std::size_t(all * words));
  for_rows([&](std::uint64_t row, std::size_t r, std::vector<std::uint64_t>& of) {
    std::uint64_t at = begin[r] * words + of[r]++;
    send[std::size_t(at)] = std::uint32_t(row);
    for (const std::uint32_t* column : points.column)
      send[std::size_t(at += size[r])] = column[row];
  });
  return send;
}

}  // namespace

PartOfPoints hand_out_points(Ranks& ranks, const clusters::LatticePoints* points, Device device) {
  std::array<std::uint32_t, 2> shape{};  // columns and shift
  if (points) shape = {std::uint32_t(points->column.size()), points->shift};
  ranks.broadcast(shape.data(), sizeof shape);
  std::vector<std::uint64_t> counts, received;
  LargeVector<std::uint32_t> send;
  if (points)
    send = words_of_ranks(*points, ranks.size(), device, counts);
  else
    counts.assign(std::size_t(ranks.size()), 0);
  const LargeVector<std::uint32_t> words = ranks.exchange_many<std::uint32_t>(
      std::span<const std::uint32_t>(send.data(), send.size()), counts, received);
  give_back(send);
  PartOfPoints part;
  part.shift = shape[1];
  const std::size_t count = words.size() / (shape[0] + 1);
  part.column.resize(shape[0]);
  tbb::parallel_for(std::size_t(0), std::size_t(shape[0]) + 1, [&](std::size_t c) {
    const std::uint32_t* const begin = words.data() + c * count;
    (c == 0 ? part.row : part.column[c - 1]).assign(begin, begin + count);
  });
  return part;
}

}  // namespace haloscope::compute::distributed
