#include "compute/distributed/domains.h"

#include <algorithm>

namespace haloscope::compute::distributed {

namespace {

// Of all ranks together for each stretch: its size is then known to one part in some tens.
constexpr std::uint64_t kSamplesPerRank = 4096;

}  // namespace

Domains::Domains(Ranks& ranks, std::span<const PointPart> parts) {
  if (ranks.size() == 1) return;
  std::uint64_t own = 0;
  for (const PointPart& part : parts) own += part.count;
  const std::uint64_t all = ranks.sum(own);
  // One step on all ranks, so that each sample stands for as many points.
  const std::uint64_t step =
      std::max<std::uint64_t>(1, all / (kSamplesPerRank * std::uint64_t(ranks.size())));
  std::vector<std::uint64_t> codes;
  for (const PointPart& part : parts)
    for (std::uint64_t i = step / 2; i < part.count; i += step)
      codes.push_back(
          spatial::morton_code(part.position[0][i], part.position[1][i], part.position[2][i]));
  codes = ranks.all_gather<std::uint64_t>(codes);
  std::sort(codes.begin(), codes.end());
  for (int r = 1; r < ranks.size(); ++r) {
    const std::uint64_t at = part_begin(codes.size(), r, ranks.size());
    begin_.push_back(codes.empty() ? 0 : codes[std::size_t(std::min(at, codes.size() - 1))]);
  }
}

}  // namespace haloscope::compute::distributed
