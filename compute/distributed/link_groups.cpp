#include "compute/distributed/link_groups.h"

#include "compute/exec/named_range.h"
#include "core/array.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace haloscope::compute::distributed {

namespace {

struct SentPoint {
  std::uint32_t x, y, z, number;
};

// Two groups that are one: the smallest numbers that two ranks know of them.
struct Pair {
  std::uint32_t low, high;
  bool operator<(const Pair& other) const {
    return low != other.low ? low < other.low : high < other.high;
  }
  bool operator==(const Pair&) const = default;
};

// A hair more than the length: coordinates are rounded.
std::uint32_t reach_in_steps(const haloscope::Domain& domain, double length) {
  constexpr double kMost = 2147483647;
  return std::uint32_t(std::min(std::ceil(length / domain.step()) + 1, kMost));
}

// Points in the order in which they go to the ranks: copies of a point are noted by where the point
// stands in the parts.
struct Outbox {
  std::vector<SentPoint> points;
  std::vector<std::uint64_t> from;    // of each, among all points of this rank
  std::vector<std::uint64_t> counts;  // by rank
};

Outbox sort_by_rank(const Domains& domains, std::span<const NumberedPart> parts,
                    std::uint32_t reach) {
  Outbox box;
  box.counts.assign(std::size_t(domains.size()), 0);
  const auto each_copy = [&](const auto& use) {
    std::uint64_t place = 0;
    for (const NumberedPart& part : parts)
      for (std::uint64_t i = 0; i < part.points.count; ++i, ++place) {
        const SentPoint point{part.points.position[0][i], part.points.position[1][i],
                              part.points.position[2][i], part.first + std::uint32_t(i)};
        domains.each_near({point.x, point.y, point.z}, reach,
                          [&](int rank) { use(std::size_t(rank), point, place); });
      }
  };
  each_copy([&](std::size_t rank, const SentPoint&, std::uint64_t) { ++box.counts[rank]; });
  std::vector<std::uint64_t> next(box.counts.size(), 0);
  std::exclusive_scan(box.counts.begin(), box.counts.end(), next.begin(), std::uint64_t(0));
  const std::uint64_t copies = next.back() + box.counts.back();
  box.points.resize(std::size_t(copies));
  box.from.resize(std::size_t(copies));
  each_copy([&](std::size_t rank, const SentPoint& point, std::uint64_t place) {
    const std::uint64_t to = next[rank]++;
    box.points[std::size_t(to)] = point;
    box.from[std::size_t(to)] = place;
  });
  return box;
}

// For each point the smallest number in its group of these points.
std::vector<std::uint32_t> link_here(clusters::Clustering& clustering,
                                     const haloscope::Domain& domain,
                                     const std::vector<SentPoint>& points,
                                     const clusters::ClusterSettings& settings, Timings& timings) {
  const std::size_t n = points.size();
  std::vector<std::uint32_t> smallest(n);
  for (std::size_t i = 0; i < n; ++i) smallest[i] = points[i].number;
  if (n == 0) return smallest;
  std::vector<std::uint32_t> labels;
  {
    std::array<Array<std::uint32_t>, 3> position;
    for (auto& axis : position) axis = Array<std::uint32_t>(n);
    for (std::size_t i = 0; i < n; ++i) {
      position[0][i] = points[i].x;
      position[1][i] = points[i].y;
      position[2][i] = points[i].z;
    }
    clustering.set_points(domain, {position[0].data(), position[1].data(), position[2].data()}, n);
    clustering.run(settings, timings);
    labels = clustering.labels();
    clustering.set_points({});
  }
  for (std::size_t i = 0; i < n; ++i)
    if (labels[i] != clusters::kNoise)
      smallest[labels[i]] = std::min(smallest[labels[i]], points[i].number);
  for (std::size_t i = 0; i < n; ++i)
    if (labels[i] != clusters::kNoise && labels[i] != i) smallest[i] = smallest[labels[i]];
  return smallest;
}

void sort_unique(std::vector<Pair>& pairs) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

// Groups that pairs make one, by the smallest number of each.
class JoinedGroups {
 public:
  explicit JoinedGroups(const std::vector<Pair>& pairs) {
    for (const Pair& pair : pairs) {
      const std::uint32_t a = of(pair.low), b = of(pair.high);
      if (a != b) below_[std::max(a, b)] = std::min(a, b);
    }
  }

  std::uint32_t of(std::uint32_t number) {
    std::uint32_t root = number;
    for (auto found = below_.find(root); found != below_.end(); found = below_.find(root))
      root = found->second;
    // Short ways for those that ask after this one.
    while (number != root) {
      std::uint32_t& next = below_.at(number);
      number = next;
      next = root;
    }
    return root;
  }

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> below_;
};

}  // namespace

std::vector<std::uint32_t> link_groups(Ranks& ranks, clusters::Clustering& clustering,
                                       const haloscope::Domain& domain,
                                       std::span<const NumberedPart> parts,
                                       const clusters::ClusterSettings& settings,
                                       Timings& timings) {
  std::uint64_t own = 0;
  std::vector<PointPart> points;
  for (const NumberedPart& part : parts) {
    points.push_back(part.points);
    own += part.points.count;
  }
  Outbox box;
  std::vector<std::uint64_t> received;
  std::vector<SentPoint> here;
  {
    const TimedRange timer(timings, "exchange");
    const Domains domains(ranks, points);
    box = sort_by_rank(domains, parts, reach_in_steps(domain, settings.linking_length));
    here = ranks.exchange<SentPoint>(box.points, box.counts, received);
    box.points = {};
  }
  std::vector<std::uint32_t> said = link_here(clustering, domain, here, settings, timings);
  here = {};
  const TimedRange timer(timings, "join");
  std::vector<std::uint64_t> back;
  const std::vector<std::uint32_t> heard = ranks.exchange<std::uint32_t>(said, received, back);
  said = {};
  // What the ranks say of one point, in the order of the ranks.
  std::vector<std::uint32_t> groups(std::size_t(own), clusters::kNoise);
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < heard.size(); ++i) {
    std::uint32_t& group = groups[std::size_t(box.from[i])];
    if (group == clusters::kNoise)
      group = heard[i];
    else if (group != heard[i])
      pairs.push_back({std::min(group, heard[i]), std::max(group, heard[i])});
  }
  sort_unique(pairs);
  pairs = ranks.all_gather<Pair>(pairs);
  sort_unique(pairs);
  JoinedGroups joined(pairs);
  for (std::uint32_t& group : groups) group = joined.of(group);
  return groups;
}

}  // namespace haloscope::compute::distributed
