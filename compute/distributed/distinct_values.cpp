#include "compute/distributed/distinct_values.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cstddef>
#include <span>

namespace haloscope::compute::distributed {

namespace {

// Where the stretches of the ranks begin, but for that of the first.
std::vector<std::uint64_t> stretches(Ranks& ranks, const std::vector<std::uint64_t>& values) {
  constexpr std::size_t kSample = 256;  // of each rank
  std::vector<std::uint64_t> sample;
  const std::size_t step = values.size() / kSample + 1;
  for (std::size_t i = step / 2; i < values.size(); i += step) sample.push_back(values[i]);
  sample = ranks.all_gather<std::uint64_t>(sample);
  std::sort(sample.begin(), sample.end());
  std::vector<std::uint64_t> begins;
  for (int r = 1; r < ranks.size() && !sample.empty(); ++r)
    begins.push_back(sample[std::size_t(part_begin(sample.size(), r, ranks.size()))]);
  return begins;
}

}  // namespace

std::vector<std::uint32_t> places_of_values(Ranks& ranks,
                                            const std::vector<std::uint64_t>& values) {
  const std::vector<std::uint64_t> begins = stretches(ranks, values);
  std::vector<std::uint64_t> counts(std::size_t(ranks.size()), 0), received;
  // Values ascend: those of a rank stand together.
  auto behind = values.begin();
  for (std::size_t r = 0; r < counts.size(); ++r) {
    const auto begin = behind;
    behind = r < begins.size() ? std::lower_bound(begin, values.end(), begins[r]) : values.end();
    counts[r] = std::uint64_t(behind - begin);
  }
  const std::vector<std::uint64_t> heard = ranks.exchange<std::uint64_t>(values, counts, received);
  std::vector<std::uint64_t> distinct = heard;
  tbb::parallel_sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  const std::uint64_t own = distinct.size();
  const auto of_ranks = ranks.all_gather<std::uint64_t>(std::span(&own, 1));
  std::uint64_t before = 0;
  for (int r = 0; r < ranks.rank(); ++r) before += of_ranks[std::size_t(r)];
  std::vector<std::uint32_t> answers(heard.size());
  tbb::parallel_for(std::size_t(0), heard.size(), [&](std::size_t i) {
    answers[i] = std::uint32_t(
        before + std::uint64_t(std::lower_bound(distinct.begin(), distinct.end(), heard[i]) -
                               distinct.begin()));
  });
  std::vector<std::uint64_t> back;
  return ranks.exchange<std::uint32_t>(answers, received, back);
}

}  // namespace haloscope::compute::distributed
