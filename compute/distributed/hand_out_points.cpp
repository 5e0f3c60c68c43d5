#include "compute/distributed/hand_out_points.h"

#include <array>
#include <utility>

namespace haloscope::compute::distributed {

namespace {

// The words for each rank, one rank's behind the other's: rows, then a column after the other.
std::vector<std::uint32_t> words_of_ranks(const clusters::LatticePoints& points, int ranks,
                                          std::vector<std::uint64_t>& counts) {
  const std::uint64_t all = points.count, words = points.column.size() + 1;
  std::vector<std::uint16_t> owner(static_cast<std::size_t>(all));
  std::vector<std::uint64_t> next, size;
  {
    const std::vector<std::uint32_t> order = cpu_curve_order(points);
    for (int r = 0; r < ranks; ++r) {
      const std::uint64_t begin = part_begin(all, r, ranks), end = part_begin(all, r + 1, ranks);
      for (std::uint64_t k = begin; k < end; ++k) owner[order[std::size_t(k)]] = std::uint16_t(r);
      next.push_back(begin * words);
      size.push_back(end - begin);
      counts.push_back((end - begin) * words);
    }
  }
  std::vector<std::uint32_t> send(std::size_t(all * words));
  for (std::uint64_t row = 0; row < all; ++row) {
    const std::size_t r = owner[std::size_t(row)];
    std::uint64_t at = next[r]++;
    send[std::size_t(at)] = std::uint32_t(row);
    for (const std::uint32_t* column : points.column)
      send[std::size_t(at += size[r])] = column[row];
  }
  return send;
}

}  // namespace

PartOfPoints hand_out_points(Ranks& ranks, const clusters::LatticePoints* points) {
  std::array<std::uint32_t, 2> shape{};  // columns and shift
  if (points) shape = {std::uint32_t(points->column.size()), points->shift};
  ranks.broadcast(shape.data(), sizeof shape);
  std::vector<std::uint64_t> counts, received;
  std::vector<std::uint32_t> send;
  if (points)
    send = words_of_ranks(*points, ranks.size(), counts);
  else
    counts.assign(std::size_t(ranks.size()), 0);
  const std::vector<std::uint32_t> words = ranks.exchange<std::uint32_t>(send, counts, received);
  PartOfPoints part;
  part.shift = shape[1];
  const std::size_t count = words.size() / (shape[0] + 1);
  const auto column = [&](std::size_t c) {
    const auto begin = words.begin() + std::ptrdiff_t(c * count);
    return std::vector<std::uint32_t>(begin, begin + std::ptrdiff_t(count));
  };
  part.row = column(0);
  for (std::size_t c = 1; c <= shape[0]; ++c) part.column.push_back(column(c));
  return part;
}

}  // namespace haloscope::compute::distributed
