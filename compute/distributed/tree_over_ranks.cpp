#include "compute/distributed/tree_over_ranks.h"

#include "compute/clusters/cluster_tree.h"
#include "compute/clusters/nearest_lists.inl"
#include "compute/distributed/component_links.h"
#include "compute/distributed/hand_out_points.h"
#include "compute/distributed/part_search.h"
#include "compute/distributed/pieces.h"
#include "compute/exec/named_range.h"
#include "compute/hierarchy/components.inl"
#include "compute/hierarchy/dendrogram.h"
#include "core/check.h"
#include "core/error.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace haloscope::compute::distributed {

using clusters::kFarAway;

namespace {

constexpr std::uint32_t kNobody = hierarchy::kNone;

}  // namespace

// One rank's part of the work.
class TreeOverRanks::Maker {
 public:
  Maker(Ranks& ranks, const PartOfPoints& part, int samples, Device device, Progress& progress,
        Timings& timings, std::uint64_t at_once)
      : ranks_(ranks),
        count_(part.count()),
        samples_(samples),
        at_once_(at_once),
        progress_(progress),
        timings_(timings),
        search_(make_part_search(part, samples, device, progress, timings)) {}

  void make() {
    search_->place();
    search_->set_outlines(ranks_.rank(), of_ranks(search_->outline()));
    find_core_distances();
    join_fragments();
    search_->order_sure_edges();
    work_.device_bytes = search_->peak_device_memory();
  }

  clusters::SpanningTree collect() {
    const TimedRange timer(timings_, "collect");
    std::vector<TreeEdge> own = search_->sure_edges();
    own.insert(own.end(), links_->joined().begin(), links_->joined().end());
    auto edges = ranks_.gather<TreeEdge>(std::span<const TreeEdge>(own));
    own = {};
    clusters::SpanningTree tree;
    const auto points = std::uint32_t(ranks_.sum(count_));
    collect_core(tree, points);
    if (!ranks_.first()) return tree;
    tbb::parallel_sort(edges.begin(), edges.end());
    const std::size_t wanted = points > 0 ? points - 1 : 0;
    HALOSCOPE_CHECK(edges.size(), ==, wanted);
    tree.points = points;
    tree.a.resize(wanted);
    tree.b.resize(wanted);
    tree.squared_weight.resize(wanted);
    tbb::parallel_for(std::size_t(0), wanted, [&](std::size_t e) {
      tree.a[e] = std::uint32_t(edges[e].ends >> 32);
      tree.b[e] = std::uint32_t(edges[e].ends);
      tree.squared_weight[e] = edges[e].weight;
    });
    return tree;
  }

  TreeOverRanksWork work() const {
    TreeOverRanksWork all = work_;
    for (std::uint64_t* number : {&all.core_questions, &all.edge_questions, &all.bytes})
      *number = ranks_.sum(*number);
    ranks_.all_reduce(std::span(&all.device_bytes, 1),
                      [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
    return all;
  }

 private:
  std::uint64_t others() const { return std::uint64_t(ranks_.size() - 1); }

  std::vector<std::vector<std::uint32_t>> of_ranks(const std::vector<std::uint32_t>& own) {
    std::vector<std::uint64_t> counts;
    const std::vector<std::uint32_t> all =
        ranks_.all_gather<std::uint32_t>(std::span<const std::uint32_t>(own), &counts);
    work_.bytes += own.size() * sizeof(std::uint32_t) * others();
    std::vector<std::vector<std::uint32_t>> apart;
    auto begin = all.begin();
    for (const std::uint64_t count : counts) {
      apart.emplace_back(begin, begin + std::ptrdiff_t(count));
      begin += std::ptrdiff_t(count);
    }
    return apart;
  }

  // What some of this rank's points ask of others, rank after rank.
  struct Questions {
    std::vector<PlaceQuery> queries;
    std::vector<std::uint32_t> from;    // of each, which of the points asks
    std::vector<std::uint64_t> counts;  // by rank
  };
  Questions questions(const AskingPoints& points) {
    Questions asked;
    asked.counts.assign(std::size_t(ranks_.size()), 0);
    for (int r = 0; r < ranks_.size(); ++r) {
      if (r == ranks_.rank()) continue;
      PartQuestions of_rank = search_->questions(r, points);
      asked.counts[std::size_t(r)] = of_rank.queries.size();
      if (asked.queries.empty()) {
        asked.queries = std::move(of_rank.queries);
        asked.from = std::move(of_rank.from);
      } else {
        asked.queries.insert(asked.queries.end(), of_rank.queries.begin(), of_rank.queries.end());
        asked.from.insert(asked.from.end(), of_rank.from.begin(), of_rank.from.end());
      }
    }
    return asked;
  }
  template <class T>
  std::vector<T> exchange(const std::vector<T>& send, const std::vector<std::uint64_t>& counts,
                          std::vector<std::uint64_t>& received) {
    work_.bytes += send.size() * sizeof(T);
    return ranks_.exchange<T>(std::span<const T>(send), counts, received);
  }

  void find_core_distances() {
    progress_.report("core distances", 0);
    const AskingPoints points = search_->find_core();
    if (samples_ == 1) return;
    const TimedRange timer(timings_, "core questions");
    in_pieces(points, [this](const AskingPoints& some) { ask_for_core(some); });
  }

  // Calls f(some of the points): questions and answers of all points at once may take many times
  // the memory of the points.
  template <class F>
  void in_pieces(const AskingPoints& points, const F& f) {
    const auto ask = [&](std::uint64_t begin, std::uint64_t end) {
      if (end - begin == points.place.size()) return f(points);
      const auto part = [&](const auto& all) {
        return std::vector(all.begin() + std::ptrdiff_t(begin), all.begin() + std::ptrdiff_t(end));
      };
      f(AskingPoints{part(points.place), part(points.limit)});
    };
    for_pieces(ranks_, points.place.size(), at_once_, ask);
  }

  void ask_for_core(const AskingPoints& points) {
    const auto most = std::size_t(samples_ - 1);
    const Questions asked = questions(points);
    work_.core_questions += asked.queries.size();
    std::vector<std::uint64_t> received, back;
    const auto theirs = exchange(asked.queries, asked.counts, received);
    const auto found = search_->nearest(theirs, int(most));
    for (std::uint64_t& count : received) count *= most;
    improve_core(points, asked, exchange(found, received, back), most);
  }

  // The nearest on this rank and on others together.
  void improve_core(const AskingPoints& points, const Questions& asked,
                    const std::vector<std::uint64_t>& heard, std::size_t most) {
    // Each point's answers one after the other: `next` of each is the one before it, and a point
    // knows its last.
    std::vector<std::uint32_t> last(points.place.size(), kNobody), next(asked.from.size());
    for (std::size_t q = 0; q < asked.from.size(); ++q)
      next[q] = std::exchange(last[asked.from[q]], std::uint32_t(q));
    std::vector<std::uint32_t> places, first;
    for (std::size_t k = 0; k < last.size(); ++k)
      if (last[k] != kNobody) {
        places.push_back(points.place[k]);
        first.push_back(last[k]);
      }
    const std::vector<std::uint64_t> nearest = search_->nearest_here(places, int(most));
    std::vector<std::uint64_t> core(places.size());
    tbb::parallel_for(std::size_t(0), places.size(), [&](std::size_t k) {
      const auto end = std::ptrdiff_t(most);
      const auto here = nearest.begin() + std::ptrdiff_t(k) * end;
      std::vector<std::uint64_t> list(here, here + end), both(2 * most);
      for (std::uint32_t q = first[k]; q != kNobody; q = next[q]) {
        const auto other = heard.begin() + std::ptrdiff_t(q) * end;
        std::merge(list.begin(), list.end(), other, other + end, both.begin());
        std::copy_n(both.begin(), most, list.begin());
      }
      core[k] = list.back();
    });
    search_->set_core(places, core);
  }

  // Edges that are surely in the whole tree make fragments, and Borůvka's rounds join these.
  void join_fragments() {
    progress_.report("spanning tree", 0);
    const std::uint32_t own = search_->span();
    const TimedRange timer(timings_, "joining ranks");
    links_.emplace(ranks_, own, search_->links());
    const std::uint32_t fragments = links_->count();
    work_.fragments = fragments;
    while (links_->count() > 1) {
      const std::uint32_t before = links_->count();
      progress_.report("spanning tree", 1 - double(before) / double(fragments));
      search_->set_components(links_->of_fragments());
      search_->set_outline_colors(of_ranks(search_->outline_colors()));
      links_->choose(ranks_);
      std::vector<std::uint64_t> limits = links_->limits();
      if (std::find(limits.begin(), limits.end(), kFarAway) != limits.end()) {
        // Of components that no link leaves, one point asks without a limit: else all of them
        // would.
        const std::vector<std::uint32_t> seeds = search_->seeds(limits);
        ask({seeds, std::vector<std::uint64_t>(seeds.size(), kFarAway)});
        links_->choose(ranks_);
        limits = links_->limits();
      }
      ask(search_->needy(limits));
      links_->choose(ranks_);
      search_->forget_links(links_->join(ranks_));
      ++work_.rounds;
      HALOSCOPE_CHECK(links_->count(), <, before);
    }
  }

  // Each of these points gets its first link to other ranks, or knows that there is none within its
  // limit. Both hold until the link's ends are of one component: what is foreign only becomes less.
  void ask(const AskingPoints& points) {
    in_pieces(points, [this](const AskingPoints& some) { ask_some(some); });
  }

  void ask_some(const AskingPoints& points) {
    const Questions asked = questions(points);
    work_.edge_questions += asked.queries.size();
    std::vector<std::uint64_t> received, back;
    const auto theirs = exchange(asked.queries, asked.counts, received);
    const auto heard = exchange(search_->first_edges(theirs), received, back);
    std::vector<Link> best(points.place.size());
    for (std::size_t q = 0; q < heard.size(); ++q) {
      const EdgeToPart& edge = heard[q];
      if (edge.to == kNobody) continue;
      const TreeEdge met{edge.weight, edge.ends};
      Link& link = best[asked.from[q]];
      if (met < link.edge) link = {met, asked.queries[q].color, edge.to};
    }
    AskingPoints known;
    std::vector<std::uint8_t> linked;
    for (std::size_t k = 0; k < best.size(); ++k) {
      const bool has_link = best[k].from != kNobody;
      if (has_link) links_->add(points.place[k], best[k]);
      // A point that asked without a limit and met nobody stays as it was.
      if (!has_link && points.limit[k] == kFarAway) continue;
      known.place.push_back(points.place[k]);
      known.limit.push_back(has_link ? best[k].edge.weight : points.limit[k] + 1);
      linked.push_back(has_link);
    }
    search_->set_ways(known.place, known.limit, linked);
  }

  void collect_core(clusters::SpanningTree& tree, std::uint32_t points) {
    if (samples_ == 1 || points < 2) return;
    const auto rows = ranks_.gather<std::uint32_t>(std::span<const std::uint32_t>(search_->rows()));
    const auto core = ranks_.gather<std::uint64_t>(std::span<const std::uint64_t>(search_->core()));
    tree.squared_core.resize(core.size());
    tbb::parallel_for(std::size_t(0), rows.size(),
                      [&](std::size_t i) { tree.squared_core[rows[i]] = core[i]; });
  }

  Ranks& ranks_;
  const std::uint32_t count_;
  const int samples_;
  const std::uint64_t at_once_;
  Progress& progress_;
  Timings& timings_;
  std::unique_ptr<PartSearch> search_;
  std::optional<ComponentLinks> links_;
  TreeOverRanksWork work_;  // of this rank
};

TreeOverRanks::TreeOverRanks(Ranks& ranks, const PartOfPoints& part, int min_samples, Device device,
                             Progress& progress, Timings& timings, std::uint64_t asked_at_once)
    : maker_(std::make_unique<Maker>(ranks, part, min_samples, device, progress, timings,
                                     asked_at_once)) {}
TreeOverRanks::~TreeOverRanks() = default;

void TreeOverRanks::make() {
  maker_->make();
}

clusters::SpanningTree TreeOverRanks::collect() {
  return maker_->collect();
}

TreeOverRanksWork TreeOverRanks::work() const {
  return maker_->work();
}

namespace {

void require_tree_of_ranks(const clusters::LatticePoints& points,
                           const clusters::SpanningTreeSettings& settings) {
  clusters::require_tree(points.count, points.column.size(), settings);
  clusters::require_shift(points);
  if (settings.graph_neighbors > 0)
    throw Error("several ranks cannot make a tree from a graph of neighbors", "spanning tree",
                "start one process");
}

}  // namespace

clusters::SpanningTree span_over_ranks(Ranks& ranks, const clusters::LatticePoints* points,
                                       const clusters::SpanningTreeSettings& settings,
                                       Device device, Progress& progress, Timings& timings,
                                       TreeOverRanksWork* work, std::uint64_t asked_at_once) {
  if (points) require_tree_of_ranks(*points, settings);
  int samples = settings.min_samples;
  ranks.broadcast(&samples, sizeof samples);
  std::optional<TreeOverRanks> maker;
  {
    const TimedRange timer(timings, "exchange");
    progress.report("points to ranks", 0);
    const PartOfPoints part = hand_out_points(ranks, points, device);
    maker.emplace(ranks, part, samples, device, progress, timings, asked_at_once);
  }
  maker->make();
  clusters::SpanningTree tree = maker->collect();
  const TreeOverRanksWork done = maker->work();
  if (work) *work = done;
  return tree;
}

}  // namespace haloscope::compute::distributed
