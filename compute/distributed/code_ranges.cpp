#include "compute/distributed/code_ranges.h"

#include <tbb/parallel_sort.h>

#include <algorithm>

namespace haloscope::compute::distributed {

void CodeRanges::merge() {
  tbb::parallel_sort(ranges_.begin(), ranges_.end(),
                     [](const CodeRange& a, const CodeRange& b) { return a.begin < b.begin; });
  std::size_t kept = 0;
  for (const CodeRange& range : ranges_) {
    if (kept > 0 && range.begin <= ranges_[kept - 1].end)
      ranges_[kept - 1].end = std::max(ranges_[kept - 1].end, range.end);
    else
      ranges_[kept++] = range;
  }
  ranges_.resize(kept);
}

bool CodeRanges::has(std::uint64_t code) const {
  const auto behind =
      std::upper_bound(ranges_.begin(), ranges_.end(), code,
                       [](std::uint64_t c, const CodeRange& range) { return c < range.begin; });
  return behind != ranges_.begin() && code < std::prev(behind)->end;
}

std::vector<CodeRange> CodeRanges::of_others(std::span<const std::uint64_t> cuts, int own,
                                             std::vector<std::uint64_t>& counts) const {
  std::vector<CodeRange> all;
  counts.assign(cuts.size() + 1, 0);
  auto next = ranges_.begin();
  for (std::size_t r = 0; r <= cuts.size(); ++r) {
    const std::uint64_t begin = r == 0 ? 0 : cuts[r - 1];
    const std::uint64_t end = r == cuts.size() ? kEndOfCodes : cuts[r];
    while (next != ranges_.end() && next->end <= begin) ++next;
    if (int(r) == own) continue;
    const std::size_t before = all.size();
    for (auto at = next; at != ranges_.end() && at->begin < end; ++at) {
      const CodeRange inside{std::max(at->begin, begin), std::min(at->end, end)};
      if (inside.begin < inside.end) all.push_back(inside);
    }
    counts[r] = all.size() - before;
  }
  return all;
}

}  // namespace haloscope::compute::distributed
