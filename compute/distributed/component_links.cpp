#include "compute/distributed/component_links.h"

#include "compute/clusters/nearest_lists.inl"
#include "compute/clusters/union_find.h"
#include "compute/exec/atomics.h"
#include "compute/hierarchy/components.inl"
#include "compute/hierarchy/dendrogram.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace haloscope::compute::distributed {

namespace {

using clusters::kFarAway;
constexpr std::uint32_t kNobody = hierarchy::kNone;

template <class F>
void for_all(std::size_t count, const F& f) {
  constexpr std::size_t kAtOnce = 4096;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, kAtOnce),
                    [&f](const tbb::blocked_range<std::size_t>& some) {
                      for (std::size_t i = some.begin(); i != some.end(); ++i) f(i);
                    });
}

}  // namespace

ComponentLinks::ComponentLinks(Ranks& ranks, std::uint32_t fragments, std::vector<Link> links)
    : component_(fragments), links_(std::move(links)) {
  const std::vector<std::uint32_t> of_ranks =
      ranks.all_gather<std::uint32_t>(std::span<const std::uint32_t>(&fragments, 1));
  std::uint32_t first = 0;
  for (int r = 0; r < ranks.size(); ++r) {
    if (r == ranks.rank()) first = count_;
    count_ += of_ranks[std::size_t(r)];
  }
  std::iota(component_.begin(), component_.end(), first);
  for_all(links_.size(), [&](std::size_t k) {
    links_[k].from += first;
    links_[k].to += first;
  });
}

void ComponentLinks::add(std::uint32_t place, const Link& link) {
  links_.push_back(link);
  place_.push_back(place);
}

// The number of the first link of each component. Links of one weight and ends are one edge.
std::vector<std::uint32_t> ComponentLinks::first_of(const std::vector<Link>& links) const {
  std::vector<std::uint64_t> weight(count_, kFarAway), ends(count_, hierarchy::kNoEdge);
  std::vector<std::uint32_t> first(count_, kNobody);
  const auto for_ends = [&](const auto& f) {
    for_all(links.size(), [&](std::size_t k) {
      f(links[k].edge, links[k].from, k);
      f(links[k].edge, links[k].to, k);
    });
  };
  for_ends([&](const TreeEdge& edge, std::uint32_t c, std::size_t) {
    atomic_minimum(&weight[c], edge.weight);
  });
  for_ends([&](const TreeEdge& edge, std::uint32_t c, std::size_t) {
    if (edge.weight == weight[c]) atomic_minimum(&ends[c], edge.ends);
  });
  for_ends([&](const TreeEdge& edge, std::uint32_t c, std::size_t k) {
    if (edge.weight == weight[c] && edge.ends == ends[c]) atomic_store(&first[c], std::uint32_t(k));
  });
  return first;
}

void ComponentLinks::choose(Ranks& ranks) {
  std::vector<Link> own;
  const std::vector<std::uint32_t> first = first_of(links_);
  for (std::uint32_t c = 0; c < count_; ++c) {
    if (first[c] == kNobody) continue;
    const Link& link = links_[first[c]];
    // That of both its ends is offered once.
    if (std::min(link.from, link.to) == c || first[std::min(link.from, link.to)] != first[c])
      own.push_back(link);
  }
  offered_ = ranks.all_gather<Link>(std::span<const Link>(own));
  chosen_ = first_of(offered_);
}

std::vector<std::uint64_t> ComponentLinks::limits() const {
  std::vector<std::uint64_t> limits(count_, kFarAway);
  for_all(count_, [&](std::size_t c) {
    if (chosen_[c] != kNobody) limits[c] = offered_[chosen_[c]].edge.weight;
  });
  return limits;
}

std::vector<std::uint32_t> ComponentLinks::join(Ranks& ranks) {
  const auto other_end = [&](std::uint32_t c) {
    const Link& link = offered_[chosen_[c]];
    return link.from == c ? link.to : link.from;
  };
  std::vector<std::uint32_t> parent(count_), number(count_);
  std::iota(parent.begin(), parent.end(), std::uint32_t(0));
  const clusters::UnionFind sets{parent.data()};
  for_all(count_, [&](std::size_t c) {
    if (chosen_[c] != kNobody) sets.unite(std::uint32_t(c), other_end(std::uint32_t(c)));
  });
  const auto begin = std::uint32_t(part_begin(count_, ranks.rank(), ranks.size())),
             end = std::uint32_t(part_begin(count_, ranks.rank() + 1, ranks.size()));
  for (std::uint32_t c = begin; c < end; ++c) {
    if (chosen_[c] == kNobody) continue;
    const TreeEdge& edge = offered_[chosen_[c]].edge;
    const std::uint32_t other = other_end(c);
    // Of two that take one edge the first brings it.
    const bool is_other = chosen_[other] != kNobody && other < c &&
                          offered_[chosen_[other]].edge.ends == edge.ends;
    if (!is_other) joined_.push_back(edge);
  }
  std::uint32_t left = 0;
  for (std::uint32_t c = 0; c < count_; ++c)
    if (parent[c] == c) number[c] = left++;
  // All roots have their numbers already, and only these are read.
  const auto renamed = [&](std::uint32_t c) { return number[sets.find(c)]; };
  for_all(component_.size(), [&](std::size_t f) { component_[f] = renamed(component_[f]); });
  for_all(links_.size(), [&](std::size_t k) {
    links_[k].from = renamed(links_[k].from);
    links_[k].to = renamed(links_[k].to);
  });
  count_ = left;
  std::vector<std::uint32_t> forgotten;
  const std::size_t of_points = links_.size() - place_.size();
  std::size_t kept = 0, kept_places = 0;
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const bool leaves = links_[k].from != links_[k].to;
    if (k >= of_points) {
      const std::uint32_t place = place_[k - of_points];
      if (leaves)
        place_[kept_places++] = place;
      else
        forgotten.push_back(place);
    }
    if (leaves) links_[kept++] = links_[k];
  }
  links_.resize(kept);
  place_.resize(kept_places);
  return forgotten;
}

}  // namespace haloscope::compute::distributed
