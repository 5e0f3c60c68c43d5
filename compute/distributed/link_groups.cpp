#include "compute/distributed/link_groups.h"

#include "compute/distributed/number_table.h"
#include "compute/distributed/numbered_points.h"
#include "compute/distributed/outbox.h"
#include "compute/exec/named_range.h"
#include "core/array.h"
#include "core/give_back.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

namespace haloscope::compute::distributed {

namespace {

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
  Array<NumberedPoint> points;
  Array<std::uint32_t> from;          // of each, among all points of this rank
  std::vector<std::uint64_t> counts;  // by rank
};

Outbox sort_by_rank(const Domains& domains, const PointsOfParts& points, std::uint32_t reach) {
  Outbox box;
  box.counts = sort_copies(
      domains.size(), points.count(),
      [&](std::uint64_t place, const auto& use) {
        const NumberedPoint point = points[place];
        domains.each_near({point.x, point.y, point.z}, reach,
                          [&](int rank) { use(std::size_t(rank), point); });
      },
      [&](std::size_t copies) {
        box.points = Array<NumberedPoint>(copies);
        box.from = Array<std::uint32_t>(copies);
      },
      [&](std::size_t to, std::uint64_t place, const NumberedPoint& point) {
        box.points[to] = point;
        box.from[to] = std::uint32_t(place);
      });
  return box;
}

// What a rank says of the points that it has.
struct Said {
  // The smallest number of a core point in each point's cluster of these, or kNoise; of
  // friends-of-friends groups the smallest number, also of a point without friends.
  LargeVector<std::uint32_t> names;
  LargeVector<std::uint8_t> core;  // DBSCAN alone
};

// In the order of their numbers: a border point belongs to the core neighbor that comes first. The
// points' memory is given back before they are clustered.
Said cluster_here(clusters::Clustering& clustering, const haloscope::Domain& domain,
                  LargeVector<NumberedPoint> points, clusters::ClusterSettings settings,
                  Timings& timings) {
  const std::size_t n = points.size();
  settings.keep_core = settings.min_points > 2;
  Said said;
  if (n == 0) return said;
  // Of one kind they come so: ranks have ascending numbers.
  const auto by_number = [](const NumberedPoint& a, const NumberedPoint& b) {
    return a.number < b.number;
  };
  std::atomic<bool> sorted{true};
  tbb::parallel_for(std::size_t(1), n, [&](std::size_t i) {
    if (by_number(points[i], points[i - 1])) sorted.store(false, std::memory_order_relaxed);
  });
  LargeVector<std::uint32_t> order;  // none: as they came
  if (!sorted) {
    order.resize(n);
    tbb::parallel_for(std::size_t(0), n, [&](std::size_t i) { order[i] = std::uint32_t(i); });
    tbb::parallel_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return by_number(points[a], points[b]);
    });
  }
  const auto place = [&](std::size_t i) { return order.empty() ? i : std::size_t(order[i]); };
  LargeVector<std::uint32_t> number(n);
  {
    std::array<Array<std::uint32_t>, 3> position;
    for (auto& axis : position) axis = Array<std::uint32_t>(n);
    tbb::parallel_for(std::size_t(0), n, [&](std::size_t i) {
      const NumberedPoint& point = points[place(i)];
      position[0][i] = point.x;
      position[1][i] = point.y;
      position[2][i] = point.z;
      number[i] = point.number;
    });
    give_back(points);
    clustering.set_points(domain, {position[0].data(), position[1].data(), position[2].data()}, n);
  }
  clustering.run(settings, timings);
  const std::vector<std::uint32_t> labels = clustering.labels();
  LargeVector<std::uint8_t> core(settings.keep_core ? n : 0);
  if (settings.keep_core) clustering.copy_core(core.data());
  clustering.set_points({});
  said.names.resize(n);
  said.core.resize(core.size());
  tbb::parallel_for(std::size_t(0), n, [&](std::size_t i) {
    std::uint32_t first = labels[i];
    if (first == clusters::kNoise && !settings.keep_core) first = std::uint32_t(i);
    said.names[place(i)] = first == clusters::kNoise ? clusters::kNoise : number[first];
    if (settings.keep_core) said.core[place(i)] = core[i];
  });
  return said;
}

void sort_unique(std::vector<Pair>& pairs) {
  tbb::parallel_sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

// Groups that pairs make one: of each that is not the smallest of its group, that one.
NumberTable join_groups(const std::vector<Pair>& pairs) {
  std::unordered_map<std::uint32_t, std::uint32_t> below;
  const auto find = [&](std::uint32_t number) {
    std::uint32_t root = number;
    for (auto found = below.find(root); found != below.end(); found = below.find(root))
      root = found->second;
    // Short ways for those that ask after this one.
    while (number != root) {
      std::uint32_t& next = below.at(number);
      number = next;
      next = root;
    }
    return root;
  };
  for (const Pair& pair : pairs) {
    const std::uint32_t a = find(pair.low), b = find(pair.high);
    if (a != b) below[std::max(a, b)] = std::min(a, b);
  }
  NumberTable joined(below.size());
  for (const auto& [number, next] : below) joined.add(number, find(number));
  return joined;
}

// What the ranks say of the points of this one.
struct Heard {
  LargeVector<std::uint32_t> names;  // as box.points
  LargeVector<std::uint8_t> core;    // DBSCAN alone
};

// Calls f(place in the box, rank) for what all ranks say, a rank at a time: none says two things of
// one point.
template <class F>
void each_heard(const Outbox& box, const F& f) {
  std::size_t begin = 0;
  for (std::size_t rank = 0; rank < box.counts.size(); ++rank) {
    const std::size_t end = begin + std::size_t(box.counts[rank]);
    tbb::parallel_for(begin, end, [&](std::size_t i) { f(i, rank); });
    begin = end;
  }
}

// The word of the rank in whose part of space a point lies: it has all of the point's neighbors.
// Of core points others may know more of the cluster: pairs tell where its names differ.
struct OwnersWord {
  std::vector<std::uint32_t> groups;
  std::vector<Pair> pairs;
};

OwnersWord hear(const Domains& domains, const PointsOfParts& points, const Outbox& box,
                const Heard& heard) {
  OwnersWord word;
  const auto own = static_cast<std::size_t>(points.count());
  word.groups.assign(own, clusters::kNoise);
  std::vector<std::uint8_t> core(heard.core.empty() ? 0 : own, 0);
  LargeVector<std::uint32_t> owner(own);
  tbb::parallel_for(std::size_t(0), own, [&](std::size_t i) {
    const NumberedPoint point = points[i];
    owner[i] = std::uint32_t(domains.owner(point.x, point.y, point.z));
  });
  each_heard(box, [&](std::size_t i, std::size_t rank) {
    const auto place = static_cast<std::size_t>(box.from[i]);
    if (owner[place] != rank) return;
    word.groups[place] = heard.names[i];
    if (!core.empty()) core[place] = heard.core[i];
  });
  tbb::enumerable_thread_specific<std::vector<Pair>> found;
  each_heard(box, [&](std::size_t i, std::size_t) {
    const auto place = static_cast<std::size_t>(box.from[i]);
    const std::uint32_t group = word.groups[place], other = heard.names[i];
    if (other == group || other == clusters::kNoise || (!core.empty() && !core[place])) return;
    found.local().push_back({std::min(group, other), std::max(group, other)});
  });
  for (const auto& some : found) word.pairs.insert(word.pairs.end(), some.begin(), some.end());
  sort_unique(word.pairs);
  return word;
}

}  // namespace

std::vector<std::uint32_t> link_groups(Ranks& ranks, clusters::Clustering& clustering,
                                       const haloscope::Domain& domain,
                                       std::span<const NumberedPart> parts,
                                       const clusters::ClusterSettings& settings,
                                       Timings& timings) {
  const PointsOfParts points(parts);
  std::vector<PointPart> places;
  for (const NumberedPart& part : parts) places.push_back(part.points);
  // A core point within one length of a part has all its neighbors within two.
  const double reach = (settings.min_points > 2 ? 2 : 1) * settings.linking_length;
  std::optional<Domains> domains;
  Outbox box;
  std::vector<std::uint64_t> received;
  LargeVector<NumberedPoint> here;
  {
    const TimedRange timer(timings, "exchange");
    domains.emplace(ranks, places);
    box = sort_by_rank(*domains, points, reach_in_steps(domain, reach));
    here = ranks.exchange_many<NumberedPoint>({box.points.data(), box.points.size()}, box.counts,
                                              received);
    box.points = {};
  }
  Said said = cluster_here(clustering, domain, std::move(here), settings, timings);
  const TimedRange timer(timings, "join");
  std::vector<std::uint64_t> back;
  Heard heard;
  heard.names = ranks.exchange_many<std::uint32_t>(said.names, received, back);
  if (settings.min_points > 2)
    heard.core = ranks.exchange_many<std::uint8_t>(said.core, received, back);
  said = {};
  OwnersWord word = hear(*domains, points, box, heard);
  std::vector<Pair> pairs = ranks.all_gather<Pair>(word.pairs);
  sort_unique(pairs);
  const NumberTable joined = join_groups(pairs);
  tbb::parallel_for(std::size_t(0), word.groups.size(), [&](std::size_t i) {
    if (word.groups[i] == clusters::kNoise) return;
    if (const std::uint32_t root = joined.of(word.groups[i]); root != NumberTable::kNone)
      word.groups[i] = root;
  });
  return std::move(word.groups);
}

}  // namespace haloscope::compute::distributed
