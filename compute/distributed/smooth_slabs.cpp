#include "compute/distributed/smooth_slabs.h"

#include "compute/distributed/grid_slabs.h"
#include "compute/grids/smoothing.h"
#include "core/check.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace haloscope::compute::distributed {

namespace {

// A part of the lines along the first axis for each rank.
class LinesOfRanks {
 public:
  LinesOfRanks(Ranks& ranks, const grids::GridFrame& frame)
      : ranks_(ranks),
        planes_(frame.cells[0]),
        lines_(std::uint64_t(frame.cells[1]) * frame.cells[2]) {}

  std::uint64_t count() const { return lines_of(ranks_.rank()); }

  // All planes of this rank's lines.
  std::vector<float> fetch(const Array<float>& own) const {
    std::vector<float> sent(own.size());
    std::vector<std::uint64_t> counts, received;
    const std::uint64_t planes = planes_of(ranks_.rank());
    std::size_t at = 0;
    for (int r = 0; r < ranks_.size(); ++r) {
      for (std::uint64_t x = 0; x < planes; ++x) {
        std::copy_n(own.data() + x * lines_ + first_line(r), lines_of(r), sent.data() + at);
        at += std::size_t(lines_of(r));
      }
      counts.push_back(planes * lines_of(r));
    }
    return ranks_.exchange<float>(sent, counts, received);
  }

  // All lines of this rank's planes.
  Array<float> give_back(const Array<float>& of_lines) const {
    std::vector<std::uint64_t> counts, received;
    for (int r = 0; r < ranks_.size(); ++r) counts.push_back(planes_of(r) * count());
    const auto heard =
        ranks_.exchange<float>(std::span(of_lines.data(), of_lines.size()), counts, received);
    const std::uint64_t planes = planes_of(ranks_.rank());
    Array<float> own(std::size_t(planes * lines_));
    std::size_t at = 0;
    for (int r = 0; r < ranks_.size(); ++r)
      for (std::uint64_t x = 0; x < planes; ++x) {
        std::copy_n(heard.data() + at, lines_of(r), own.data() + x * lines_ + first_line(r));
        at += std::size_t(lines_of(r));
      }
    return own;
  }

 private:
  std::uint64_t planes_of(int rank) const {
    return planes_of_rank(planes_, rank, ranks_.size()).count();
  }
  std::uint64_t first_line(int rank) const { return part_begin(lines_, rank, ranks_.size()); }
  std::uint64_t lines_of(int rank) const { return first_line(rank + 1) - first_line(rank); }

  Ranks& ranks_;
  std::uint64_t planes_, lines_;
};

}  // namespace

Array<float> smooth_slabs(Ranks& ranks, Device device, const grids::GridFrame& frame,
                          const std::array<double, 3>& sigma, const Array<float>& own) {
  grids::check_smoothing(sigma, frame.cells);
  const Planes planes = planes_of_rank(frame.cells[0], ranks.rank(), ranks.size());
  HALOSCOPE_CHECK(own.size(), ==, planes.count() * frame.cells[1] * frame.cells[2]);
  Array<float> values;
  if (sigma[0] == 0) {
    values = Array<float>(own.size());
    std::copy_n(own.data(), own.size(), values.data());
  } else {
    const LinesOfRanks lines(ranks, frame);
    Array<float> smooth;
    {
      const std::vector<float> fetched = lines.fetch(own);
      smooth = Array<float>(fetched.size());
      std::copy_n(fetched.data(), fetched.size(), smooth.data());
    }
    grids::GridFrame along = frame;
    along.cells[1] = 1;
    along.cells[2] = std::uint32_t(lines.count());
    if (lines.count() > 0) smooth = grids::smooth_grid(device, along, {sigma[0], 0, 0}, smooth);
    values = lines.give_back(smooth);
  }
  if (planes.count() == 0 || (sigma[1] == 0 && sigma[2] == 0)) return values;
  grids::GridFrame across = frame;
  across.cells[0] = std::uint32_t(planes.count());
  return grids::smooth_grid(device, across, {0, sigma[1], sigma[2]}, values);
}

}  // namespace haloscope::compute::distributed
