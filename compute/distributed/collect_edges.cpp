#include "compute/distributed/collect_edges.h"

#include "compute/distributed/pieces.h"
#include "core/array.h"
#include "core/check.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace haloscope::compute::distributed {

namespace {

// Each share of the order is that between two bounds.
std::vector<TreeEdge> bounds_of_shares(Ranks& ranks, const PartSearch& part,
                                       const CollectSettings& settings) {
  std::vector<TreeEdge> some = ranks.all_gather<TreeEdge>(part.every_edge(settings.step));
  tbb::parallel_sort(some.begin(), some.end());
  std::vector<TreeEdge> bounds;
  for (std::size_t i = settings.steps_of_share; i < some.size(); i += settings.steps_of_share)
    bounds.push_back(some[i]);
  return bounds;
}

// On rank 0.
class SharesOfRanks {
 public:
  // `places`: where the shares begin in the run of each rank, and the run ends, rank after rank.
  SharesOfRanks(std::vector<std::uint64_t> places, std::size_t ranks)
      : places_(std::move(places)), ranks_(ranks), of_rank_(places_.size() / ranks) {}

  std::uint64_t place(std::size_t rank, std::size_t share) const {
    return places_[rank * of_rank_ + share];
  }
  std::uint64_t edges_before(std::size_t share) const {
    std::uint64_t sum = 0;
    for (std::size_t r = 0; r < ranks_; ++r) sum += place(r, share);
    return sum;
  }
  std::uint64_t edges() const { return edges_before(of_rank_ - 1); }

  // `edges`: of the shares from `first` to before `last`, one rank's behind the other's.
  void merge(const TreeEdge* edges, std::size_t first, std::size_t last,
             clusters::SpanningTree& tree) const {
    tbb::parallel_for(first, last, [&](std::size_t share) {
      std::vector<TreeEdge> merged;
      std::vector<std::ptrdiff_t> runs{0};
      const TreeEdge* of_rank = edges;
      for (std::size_t r = 0; r < ranks_; ++r) {
        const std::uint64_t begin = place(r, first);
        merged.insert(merged.end(), of_rank + (place(r, share) - begin),
                      of_rank + (place(r, share + 1) - begin));
        runs.push_back(std::ptrdiff_t(merged.size()));
        of_rank += place(r, last) - begin;
      }
      merge_runs(merged, runs);
      const std::uint64_t to = edges_before(share);
      for (std::size_t e = 0; e < merged.size(); ++e) {
        tree.a[to + e] = std::uint32_t(merged[e].ends >> 32);
        tree.b[to + e] = std::uint32_t(merged[e].ends);
        tree.squared_weight[to + e] = merged[e].weight;
      }
    });
  }

 private:
  // `runs`: where each begins, and the last one ends.
  static void merge_runs(std::vector<TreeEdge>& edges, const std::vector<std::ptrdiff_t>& runs) {
    const std::size_t count = runs.size() - 1;
    for (std::size_t width = 1; width < count; width *= 2)
      for (std::size_t r = 0; r + width < count; r += 2 * width)
        std::inplace_merge(edges.begin() + runs[r], edges.begin() + runs[r + width],
                           edges.begin() + runs[std::min(r + 2 * width, count)]);
  }

  std::vector<std::uint64_t> places_;
  std::size_t ranks_, of_rank_;
};

}  // namespace

void collect_edges(Ranks& ranks, const PartSearch& part, clusters::SpanningTree& tree,
                   const CollectSettings& settings) {
  const std::vector<TreeEdge> bounds = bounds_of_shares(ranks, part, settings);
  std::vector<std::uint64_t> own{0};
  for (const std::uint64_t place : part.edges_before(bounds)) own.push_back(place);
  own.push_back(part.edges());
  const auto size = std::size_t(ranks.size());
  const SharesOfRanks shares(ranks.gather<std::uint64_t>(own), size);
  if (ranks.first()) {
    const std::uint64_t wanted = tree.points > 0 ? tree.points - 1 : 0;
    HALOSCOPE_CHECK(shares.edges(), ==, wanted);
    tree.a.resize(wanted);
    tree.b.resize(wanted);
    tree.squared_weight.resize(wanted);
  }
  const std::size_t count = own.size() - 1;
  for (std::size_t first = 0; first < count; first += settings.shares_at_once) {
    const std::size_t last = std::min(count, first + std::size_t(settings.shares_at_once));
    if (!ranks.first()) {
      LargeVector<TreeEdge> sent(own[last] - own[first]);
      part.copy_edges(own[first], sent);
      const Outgoing out{0, sent.data(), sent.size() * sizeof(TreeEdge)};
      ranks.move(std::span(&out, 1), {});
      continue;
    }
    LargeVector<TreeEdge> edges(shares.edges_before(last) - shares.edges_before(first));
    part.copy_edges(own[first], std::span(edges).first(own[last] - own[first]));
    std::vector<Incoming> in;
    TreeEdge* to = edges.data() + (own[last] - own[first]);
    for (std::size_t r = 1; r < size; ++r) {
      const std::uint64_t its = shares.place(r, last) - shares.place(r, first);
      in.push_back({int(r), to, its * sizeof(TreeEdge)});
      to += its;
    }
    ranks.move({}, in);
    shares.merge(edges.data(), first, last, tree);
  }
}

void put_in_order(std::vector<TreeEdge>& edges) {
  tbb::parallel_sort(edges.begin(), edges.end());
}

void collect_core(Ranks& ranks, const PartSearch& part, clusters::SpanningTree& tree,
                  const CollectSettings& settings) {
  const std::vector<std::uint32_t> rows = part.rows();
  const std::vector<std::uint64_t> core = part.core();
  if (ranks.first()) tree.squared_core.resize(tree.points);
  for_pieces(
      ranks, rows.size(), settings.points_at_once, [&](std::uint64_t begin, std::uint64_t end) {
        const auto some_rows =
            ranks.gather<std::uint32_t>(std::span(rows).subspan(begin, end - begin));
        const auto some_core =
            ranks.gather<std::uint64_t>(std::span(core).subspan(begin, end - begin));
        tbb::parallel_for(std::size_t(0), some_rows.size(),
                          [&](std::size_t i) { tree.squared_core[some_rows[i]] = some_core[i]; });
      });
}

}  // namespace haloscope::compute::distributed
