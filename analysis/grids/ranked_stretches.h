#pragma once

#include "compute/exec/part_of_rows.h"
#include "compute/exec/ranks.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace haloscope::analysis {

inline constexpr std::size_t kCellsOfStretch = std::size_t(1) << 16;

inline std::size_t stretches_of(std::size_t cells) {
  return (cells + kCellsOfStretch - 1) / kCellsOfStretch;
}

// The stretches of a grid whose cells lie on the ranks one behind the other, and what each adds to
// a sum. Sums of floats run from the first cell of a stretch to its last, so that they depend on
// neither threads nor ranks; where that is another rank's, what was summed up to there goes to that
// rank, which goes on with it.
template <class Part>
class RankedStretches {
 public:
  RankedStretches(compute::Ranks& ranks, std::size_t cells) : ranks_(ranks), cells_(ranks, cells) {}

  std::uint64_t first_cell() const { return cells_.first(); }
  std::uint64_t total() const { return cells_.total(); }  // cells of all ranks

  // Calls pass(part, begin, end) for this rank's cells of each stretch, by their own numbers, many
  // side by side. Returns the stretches of all ranks, in their order.
  template <class Pass>
  std::vector<Part> run(const Pass& pass) const {
    const auto own = std::size_t(cells_.count());
    // Of the stretch that began before.
    const std::size_t over = std::size_t(first_cell() % kCellsOfStretch);
    const std::size_t head = over == 0 ? 0 : std::min(own, kCellsOfStretch - over);
    std::vector<Part> parts(stretches_of(own - head));
    tbb::parallel_for(std::size_t(0), parts.size(), [&](std::size_t k) {
      Part part;  // beside those of other threads
      pass(part, head + k * kCellsOfStretch, std::min(own, head + (k + 1) * kCellsOfStretch));
      parts[k] = part;
    });
    if (ranks_.size() == 1) return parts;
    Part begun = from_before();
    if (head > 0) pass(begun, 0, head);
    const std::uint64_t end = first_cell() + own;
    const bool is_open = end % kCellsOfStretch != 0 && end < cells_.total();
    const bool head_ends = over > 0 && !(is_open && parts.empty()) && own > 0;
    Part open = begun;
    if (is_open && !parts.empty()) {
      open = parts.back();
      parts.pop_back();
    }
    to_next(open);
    if (head_ends) parts.insert(parts.begin(), begun);
    return ranks_.all_gather<Part>(std::span<const Part>(parts));
  }

 private:
  Part from_before() const {
    Part begun;
    if (ranks_.first()) return begun;
    const compute::Incoming in{ranks_.rank() - 1, &begun, sizeof begun};
    ranks_.move({}, std::span(&in, 1));
    return begun;
  }
  void to_next(const Part& open) const {
    if (ranks_.rank() + 1 == ranks_.size()) return;
    const compute::Outgoing out{ranks_.rank() + 1, &open, sizeof open};
    ranks_.move(std::span(&out, 1), {});
  }

  compute::Ranks& ranks_;
  compute::PartOfRows cells_;
};

}  // namespace haloscope::analysis
