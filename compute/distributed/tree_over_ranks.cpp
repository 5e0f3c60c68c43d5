#include "compute/distributed/tree_over_ranks.h"

#include "compute/clusters/cluster_tree.h"
#include "compute/clusters/nearest_lists.inl"
#include "compute/clusters/union_find.h"
#include "compute/distributed/hand_out_points.h"
#include "compute/distributed/part_search.h"
#include "compute/distributed/pieces.h"
#include "compute/exec/named_range.h"
#include "compute/hierarchy/components.inl"
#include "core/check.h"
#include "core/error.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace haloscope::compute::distributed {

namespace {

using clusters::kFarAway;
constexpr std::uint32_t kNobody = hierarchy::kNone;

// An edge by its rows, as trees have it.
struct TreeEdge {
  std::uint64_t weight = kFarAway, ends = hierarchy::kNoEdge;
  bool operator<(const TreeEdge& other) const {
    return weight != other.weight ? weight < other.weight : ends < other.ends;
  }
};

// One that may be in the tree, between fragments of all ranks.
struct Link {
  TreeEdge edge;
  std::uint32_t from = kNobody, to = kNobody;
};

// Sets of so many things, each called by its first.
class Sets {
 public:
  explicit Sets(std::uint32_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::uint32_t(0));
  }
  std::uint32_t find(std::uint32_t i) { return view().find(i); }
  std::uint32_t join(std::uint32_t a, std::uint32_t b) { return view().unite(a, b); }

 private:
  clusters::UnionFind view() { return {parent_.data()}; }
  std::vector<std::uint32_t> parent_;
};

// One rank's part of the work.
class TreeOverRanks {
 public:
  TreeOverRanks(Ranks& ranks, const PartOfPoints& part, int samples, Device device,
                std::uint64_t at_once, Progress& progress, Timings& timings)
      : ranks_(ranks),
        part_(part),
        samples_(samples),
        device_(device),
        at_once_(at_once),
        progress_(progress),
        timings_(timings),
        search_(make_part_search(part, device, progress)) {
    search_->set_outlines(ranks.rank(), of_ranks(search_->outline()));
    const TimedRange timer(timings_, "outlines");
    below_ = search_->distances_to_others();
  }

  clusters::SpanningTree make() {
    find_core_distances();
    span_own();
    break_up();
    join_over_ranks();
    work_.device_bytes = search_->peak_device_memory();
    return collect();
  }

  TreeOverRanksWork work() const { return work_; }

 private:
  std::vector<std::vector<std::uint32_t>> of_ranks(const std::vector<std::uint32_t>& own) {
    std::vector<std::uint64_t> counts;
    const std::vector<std::uint32_t> all =
        ranks_.all_gather<std::uint32_t>(std::span<const std::uint32_t>(own), &counts);
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
  Questions questions(const std::vector<std::uint32_t>& points,
                      const std::vector<std::uint64_t>& limits) {
    Questions asked;
    asked.counts.assign(std::size_t(ranks_.size()), 0);
    for (int r = 0; r < ranks_.size(); ++r) {
      if (r == ranks_.rank()) continue;
      const std::vector<std::uint8_t> reached = search_->reach(r, points, limits);
      for (std::size_t k = 0; k < points.size(); ++k) {
        if (!reached[k]) continue;
        asked.queries.push_back(query(points[k], limits[k]));
        asked.from.push_back(std::uint32_t(k));
        ++asked.counts[std::size_t(r)];
      }
    }
    return asked;
  }
  PlaceQuery query(std::uint32_t point, std::uint64_t limit) const {
    PlaceQuery query{};
    for (std::size_t a = 0; a < part_.column.size(); ++a) query.at[a] = part_.column[a][point];
    query.row = part_.row[point];
    query.color = fragment_.empty() ? kNobody : component_of(point);
    query.core = core_.empty() ? 0 : core_[point];
    query.limit = limit;
    return query;
  }

  void find_core_distances() {
    const int others = samples_ - 1;
    if (others == 0) return;
    const TimedRange timer(timings_, "core");
    progress_.report("core distances", 0);
    core_ = search_->distances_here(others);
    std::vector<std::uint32_t> points;
    std::vector<std::uint64_t> limits;
    for (std::uint32_t i = 0; i < part_.count(); ++i) {
      if (below_[i] >= core_[i]) continue;
      points.push_back(i);
      limits.push_back(core_[i] == kFarAway ? kFarAway : core_[i] - 1);
    }
    in_pieces(points, limits,
              [&](const auto& some, const auto& within) { ask_for_core(some, within, others); });
    search_->set_core(core_);
  }

  // Calls f(some of the points, their limits): questions and answers of all points at once may take
  // many times the memory of the points.
  template <class F>
  void in_pieces(const std::vector<std::uint32_t>& points, const std::vector<std::uint64_t>& limits,
                 const F& f) {
    for_pieces(ranks_, points.size(), at_once_, [&](std::uint64_t begin, std::uint64_t end) {
      const auto part = [&](const auto& all) {
        return std::vector(all.begin() + std::ptrdiff_t(begin), all.begin() + std::ptrdiff_t(end));
      };
      f(part(points), part(limits));
    });
  }

  void ask_for_core(const std::vector<std::uint32_t>& points,
                    const std::vector<std::uint64_t>& limits, int others) {
    const Questions asked = questions(points, limits);
    work_.core_questions += asked.queries.size();
    std::vector<std::uint64_t> received, back;
    const auto theirs = ranks_.exchange<PlaceQuery>(asked.queries, asked.counts, received);
    const auto found = search_->nearest(theirs, others);
    for (std::uint64_t& count : received) count *= std::uint64_t(others);
    const auto heard = ranks_.exchange<std::uint64_t>(found, received, back);
    improve_core(points, asked, heard, std::size_t(others));
  }

  // The nearest on this rank and on others together.
  void improve_core(const std::vector<std::uint32_t>& points, const Questions& asked,
                    const std::vector<std::uint64_t>& heard, std::size_t most) {
    std::vector<std::uint32_t> number(points.size(), kNobody), asking;
    for (const std::uint32_t k : asked.from) {
      if (number[k] != kNobody) continue;
      number[k] = std::uint32_t(asking.size());
      asking.push_back(points[k]);
    }
    std::vector<std::uint64_t> nearest = search_->nearest_here(asking, int(most)), both(2 * most);
    for (std::size_t q = 0; q < asked.from.size(); ++q) {
      const auto end = std::ptrdiff_t(most);
      const auto own = nearest.begin() + std::ptrdiff_t(number[asked.from[q]]) * end;
      const auto other = heard.begin() + std::ptrdiff_t(q) * end;
      std::merge(own, own + end, other, other + end, both.begin());
      std::copy_n(both.begin(), most, own);
    }
    for (std::size_t k = 0; k < asking.size(); ++k) core_[asking[k]] = nearest[k * most + most - 1];
  }

  void span_own() {
    const auto maker = clusters::make_cluster_tree(device_, progress_);
    own_ = maker->span(part_.view(), core_.empty() ? nullptr : core_.data(), {samples_}, &timings_);
    own_.squared_core = {};
  }

  // Edges that are surely in the whole tree make fragments. An edge is, where it is the first that
  // leaves what lies on one side of it: no shorter one that leaves it was put off, and no way to
  // another rank is as short.
  void break_up() {
    const TimedRange timer(timings_, "fragments");
    const std::uint32_t count = part_.count();
    for (std::size_t i = 0; i < core_.size(); ++i) below_[i] = std::max(below_[i], core_[i]);
    Sets sets(count);
    std::vector<std::uint64_t> way = below_;    // of each set
    std::vector<std::uint8_t> waits(count, 0);  // an edge that leaves the set was put off
    std::vector<std::uint32_t> put_off;
    for (std::uint32_t e = 0; e < own_.a.size(); ++e) {
      const std::uint32_t a = sets.find(own_.a[e]), b = sets.find(own_.b[e]);
      const std::uint64_t weight = own_.squared_weight[e];
      if ((waits[a] || weight >= way[a]) && (waits[b] || weight >= way[b])) {
        waits[a] = waits[b] = 1;
        put_off.push_back(e);
        continue;
      }
      const std::uint32_t stays = sets.join(a, b);
      way[stays] = std::min(way[a], way[b]);
      waits[stays] = waits[a] | waits[b];
      sure_.push_back(rows_of(e));
    }
    number_fragments(sets);
    for (const std::uint32_t e : put_off)
      links_.push_back({rows_of(e), fragment_[own_.a[e]], fragment_[own_.b[e]]});
    own_ = {};
  }
  // Numbers here compare as rows do: the smaller stays the first.
  TreeEdge rows_of(std::uint32_t e) const {
    return {own_.squared_weight[e],
            hierarchy::ends_key(part_.row[own_.a[e]], part_.row[own_.b[e]])};
  }
  void number_fragments(Sets& sets) {
    const std::uint32_t count = part_.count();
    std::uint32_t fragments = 0;
    fragment_.resize(count);
    // A set is called by its first point.
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t root = sets.find(i);
      fragment_[i] = root == i ? fragments++ : fragment_[root];
    }
    std::uint32_t first = 0, all = 0;
    const std::vector<std::uint32_t> of_all =
        ranks_.all_gather<std::uint32_t>(std::span<const std::uint32_t>(&fragments, 1));
    for (int r = 0; r < ranks_.size(); ++r) {
      if (r == ranks_.rank()) first = all;
      all += of_all[std::size_t(r)];
    }
    for (std::uint32_t& fragment : fragment_) fragment += first;
    component_.resize(all);
    std::iota(component_.begin(), component_.end(), std::uint32_t(0));
    work_.fragments = all;
  }

  std::uint32_t component_of(std::uint32_t point) const { return component_[fragment_[point]]; }

  // Borůvka's rounds. All ranks know the component of each fragment.
  void join_over_ranks() {
    const TimedRange timer(timings_, "rounds");
    const auto fragments = std::uint32_t(component_.size());
    has_link_.assign(part_.count(), 0);
    Sets sets(fragments);
    for (std::uint32_t left = fragments; left > 1; ++work_.rounds) {
      progress_.report("spanning tree", 1 - double(left) / double(fragments));
      color();
      std::vector<Link> first = first_links();
      if (needs_seeds(first)) {
        ask_seeds(first);
        first = first_links();
      }
      ask_needy(first);
      const std::uint32_t joined = unite(sets, first_links());
      HALOSCOPE_CHECK(joined, >, 0u);
      left -= joined;
    }
  }

  void color() {
    std::vector<std::uint32_t> colors(part_.count());
    for (std::uint32_t i = 0; i < part_.count(); ++i) colors[i] = component_of(i);
    search_->set_colors(colors);
    search_->set_outline_colors(of_ranks(search_->outline_colors()));
  }

  bool leaves(const Link& link) const { return component_[link.from] != component_[link.to]; }

  // The first of the known links that leave each component.
  std::vector<Link> first_links() {
    std::vector<Link> first(component_.size());
    const auto offer = [&](const Link& link) {
      for (const std::uint32_t fragment : {link.from, link.to}) {
        Link& of_component = first[component_[fragment]];
        if (link.edge < of_component.edge) of_component = link;
      }
    };
    std::for_each(links_.begin(), links_.end(), offer);
    for (const PointLink& one : point_links_) offer(one.link);
    std::vector<Link> own;
    for (const Link& link : first)
      if (link.from != kNobody) own.push_back(link);
    const auto all = ranks_.all_gather<Link>(std::span<const Link>(own));
    std::for_each(all.begin(), all.end(), offer);
    return first;
  }

  bool needs_seeds(const std::vector<Link>& first) const {
    for (std::uint32_t c = 0; c < first.size(); ++c)
      if (component_[c] == c && first[c].from == kNobody) return true;
    return false;
  }

  // Of components that no link leaves, one point asks without a limit: else all of them would.
  void ask_seeds(const std::vector<Link>& first) {
    std::vector<std::uint32_t> seed(component_.size(), kNobody), points;
    for (std::uint32_t i = 0; i < part_.count(); ++i) {
      const std::uint32_t c = component_of(i);
      if (first[c].from == kNobody && (seed[c] == kNobody || below_[i] < below_[seed[c]]))
        seed[c] = i;
    }
    for (const std::uint32_t point : seed)
      if (point != kNobody) points.push_back(point);
    ask(points, std::vector<std::uint64_t>(points.size(), kFarAway));
  }

  void ask_needy(const std::vector<Link>& first) {
    std::vector<std::uint32_t> points;
    std::vector<std::uint64_t> limits;
    for (std::uint32_t i = 0; i < part_.count(); ++i) {
      const std::uint64_t limit = first[component_of(i)].edge.weight;
      if (has_link_[i] || below_[i] > limit) continue;
      points.push_back(i);
      limits.push_back(limit);
    }
    ask(points, limits);
  }

  // Each of these points gets its first link to other ranks, or knows that there is none within its
  // limit. Both hold until the link's ends are of one component: what is foreign only becomes less.
  void ask(const std::vector<std::uint32_t>& points, const std::vector<std::uint64_t>& limits) {
    in_pieces(points, limits,
              [&](const auto& some, const auto& within) { ask_some(some, within); });
  }

  void ask_some(const std::vector<std::uint32_t>& points,
                const std::vector<std::uint64_t>& limits) {
    const Questions asked = questions(points, limits);
    work_.edge_questions += asked.queries.size();
    std::vector<std::uint64_t> received, back;
    const auto theirs = ranks_.exchange<PlaceQuery>(asked.queries, asked.counts, received);
    std::vector<EdgeToPart> found = search_->first_edges(theirs);
    for (EdgeToPart& edge : found)
      if (edge.to != kNobody) edge.to = fragment_[edge.to];
    const auto heard = ranks_.exchange<EdgeToPart>(found, received, back);
    std::vector<Link> best(points.size());
    for (std::size_t q = 0; q < heard.size(); ++q) {
      const EdgeToPart& edge = heard[q];
      const TreeEdge met{edge.weight, edge.ends};
      Link& link = best[asked.from[q]];
      if (edge.to != kNobody && met < link.edge)
        link = {met, fragment_[points[asked.from[q]]], edge.to};
    }
    for (std::size_t k = 0; k < points.size(); ++k) {
      const std::uint32_t point = points[k];
      if (best[k].from != kNobody) {
        below_[point] = best[k].edge.weight;
        has_link_[point] = 1;
        point_links_.push_back({point, best[k]});
      } else if (limits[k] != kFarAway) {
        below_[point] = limits[k] + 1;
      }
    }
  }

  // Returns how many components are less; the same on all ranks.
  std::uint32_t unite(Sets& sets, const std::vector<Link>& first) {
    std::uint32_t joined = 0;
    for (const Link& link : first) {
      if (link.from == kNobody) continue;
      const std::uint32_t a = sets.find(link.from), b = sets.find(link.to);
      if (a == b) continue;  // the other side has taken it
      sets.join(a, b);
      joined_.push_back(link.edge);
      ++joined;
    }
    for (std::uint32_t f = 0; f < component_.size(); ++f) component_[f] = sets.find(f);
    std::erase_if(links_, [this](const Link& link) { return !leaves(link); });
    std::erase_if(point_links_, [this](const PointLink& one) {
      if (leaves(one.link)) return false;
      has_link_[one.point] = 0;
      return true;
    });
    return joined;
  }

  // On rank 0 the whole tree.
  clusters::SpanningTree collect() {
    const TimedRange timer(timings_, "collect");
    auto edges = ranks_.gather<TreeEdge>(std::span<const TreeEdge>(sure_));
    sure_ = {};
    clusters::SpanningTree tree;
    const auto points = std::uint32_t(ranks_.sum(part_.count()));
    collect_core(tree, points);
    if (!ranks_.first()) return tree;
    edges.insert(edges.end(), joined_.begin(), joined_.end());
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

  void collect_core(clusters::SpanningTree& tree, std::uint32_t points) {
    if (samples_ == 1 || points < 2) return;
    const auto rows = ranks_.gather<std::uint32_t>(std::span<const std::uint32_t>(part_.row));
    const auto core = ranks_.gather<std::uint64_t>(std::span<const std::uint64_t>(core_));
    tree.squared_core.resize(core.size());
    for (std::size_t i = 0; i < rows.size(); ++i) tree.squared_core[rows[i]] = core[i];
  }

  struct PointLink {
    std::uint32_t point;
    Link link;
  };

  Ranks& ranks_;
  const PartOfPoints& part_;
  const int samples_;
  const Device device_;
  const std::uint64_t at_once_;
  Progress& progress_;
  Timings& timings_;
  std::unique_ptr<PartSearch> search_;
  std::vector<std::uint64_t> core_;   // squared, of each point; empty: the tree is of distances
  clusters::SpanningTree own_;        // of the points here, by their numbers
  std::vector<std::uint64_t> below_;  // no link of the point to another rank weighs less
  std::vector<std::uint8_t> has_link_;
  std::vector<TreeEdge> sure_, joined_;   // of the tree: of this rank's own, and of the rounds
  std::vector<std::uint32_t> fragment_;   // of each point, among those of all ranks
  std::vector<std::uint32_t> component_;  // of each fragment
  std::vector<Link> links_;               // between fragments of this rank
  std::vector<PointLink> point_links_;    // to other ranks, one of a point at most
  TreeOverRanksWork work_;                // of this rank
};

// Of all ranks.
TreeOverRanksWork of_all_ranks(Ranks& ranks, TreeOverRanksWork own) {
  own.core_questions = ranks.sum(own.core_questions);
  own.edge_questions = ranks.sum(own.edge_questions);
  ranks.all_reduce(std::span(&own.device_bytes, 1),
                   [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
  return own;
}

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
  PartOfPoints part;
  {
    const TimedRange timer(timings, "exchange");
    progress.report("points to ranks", 0);
    part = hand_out_points(ranks, points);
  }
  TreeOverRanks maker(ranks, part, samples, device, asked_at_once, progress, timings);
  clusters::SpanningTree tree = maker.make();
  const TreeOverRanksWork done = of_all_ranks(ranks, maker.work());
  if (work) *work = done;
  return tree;
}

}  // namespace haloscope::compute::distributed
