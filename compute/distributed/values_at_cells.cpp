#include "compute/distributed/values_at_cells.h"

#include "compute/distributed/grid_slabs.h"
#include "compute/distributed/outbox.h"
#include "compute/distributed/pieces.h"
#include "core/check.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>

namespace haloscope::compute::distributed {

std::vector<std::uint32_t> values_at_cells(Ranks& ranks, std::uint64_t planes,
                                           std::uint64_t cells_of_plane,
                                           std::span<const std::uint32_t> own,
                                           std::span<const std::uint32_t> cells,
                                           std::uint64_t at_once) {
  std::vector<std::uint64_t> ends;  // cells of the ranks up to each
  for (int r = 0; r < ranks.size(); ++r)
    ends.push_back(planes_of_rank(planes, r, ranks.size()).end * cells_of_plane);
  const Planes here = planes_of_rank(planes, ranks.rank(), ranks.size());
  HALOSCOPE_CHECK(own.size(), ==, here.count() * cells_of_plane);
  const auto owner = [&](std::uint32_t cell) {
    return std::size_t(std::upper_bound(ends.begin(), ends.end(), cell) - ends.begin());
  };
  std::vector<std::uint32_t> values(cells.size(), kOutsideGrid);
  const std::uint64_t piece = std::max<std::uint64_t>(1, at_once / std::uint64_t(ranks.size()));
  for_pieces(ranks, cells.size(), piece, [&](std::uint64_t begin, std::uint64_t end) {
    std::vector<std::uint32_t> asked, row;
    const auto counts = sort_copies(
        ranks.size(), end - begin,
        [&](std::uint64_t i, const auto& use) {
          const std::uint32_t cell = cells[std::size_t(begin + i)];
          if (cell != kOutsideGrid) use(owner(cell), cell);
        },
        [&](std::size_t all) {
          asked.resize(all);
          row.resize(all);
        },
        [&](std::size_t to, std::uint64_t i, std::uint32_t cell) {
          asked[to] = cell;
          row[to] = std::uint32_t(i);
        });
    std::vector<std::uint64_t> received, answered;
    std::vector<std::uint32_t> questions = ranks.exchange<std::uint32_t>(asked, counts, received);
    tbb::parallel_for(std::size_t(0), questions.size(), [&](std::size_t i) {
      questions[i] = own[std::size_t(questions[i] - here.begin * cells_of_plane)];
    });
    const std::vector<std::uint32_t> answers =
        ranks.exchange<std::uint32_t>(questions, received, answered);
    tbb::parallel_for(std::size_t(0), answers.size(),
                      [&](std::size_t i) { values[std::size_t(begin + row[i])] = answers[i]; });
  });
  return values;
}

}  // namespace haloscope::compute::distributed
