#include "compute/distributed/distinct_values.h"

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
  for (const std::uint64_t value : values)
    ++counts[std::size_t(std::upper_bound(begins.begin(), begins.end(), value) - begins.begin())];
  const std::vector<std::uint64_t> heard = ranks.exchange<std::uint64_t>(values, counts, received);
  std::vector<std::uint64_t> distinct = heard;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  const std::uint64_t own = distinct.size();
  const auto of_ranks = ranks.all_gather<std::uint64_t>(std::span(&own, 1));
  std::uint64_t before = 0;
  for (int r = 0; r < ranks.rank(); ++r) before += of_ranks[std::size_t(r)];
  std::vector<std::uint32_t> answers;
  answers.reserve(heard.size());
  for (const std::uint64_t value : heard)
    answers.push_back(std::uint32_t(
        before + std::uint64_t(std::lower_bound(distinct.begin(), distinct.end(), value) -
                               distinct.begin())));
  std::vector<std::uint64_t> back;
  return ranks.exchange<std::uint32_t>(answers, received, back);
}

}  // namespace haloscope::compute::distributed
