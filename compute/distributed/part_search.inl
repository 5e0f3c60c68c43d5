#pragma once

#include "compute/clusters/spanning_tree.inl"
#include "compute/distributed/collect_edges.h"
#include "compute/distributed/device_pieces.inl"
#include "compute/distributed/part_colors.inl"
#include "compute/distributed/part_edges.inl"
#include "compute/distributed/part_outlines.inl"
#include "compute/distributed/part_rounds.inl"
#include "compute/distributed/pieces.h"
#include "compute/exec/phases.h"
#include "compute/exec/slices.inl"

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/fill.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>

#include <algorithm>
#include <span>
#include <utility>

// The part of a rank, for either executor: ranks ask one another from device to device, and what
// goes through the hosts is counts.
namespace haloscope::compute::distributed {

template <int D, class Exec>
class PartSearchOn final : public PartSearch {
 public:
  template <class... ExecArguments>
  PartSearchOn(const PartOfPoints& part, const PartSearchSettings& settings, Ranks& ranks,
               DeviceRanks& wire, Progress& progress, Timings& timings, ExecArguments&&... exec)
      : exec_(std::forward<ExecArguments>(exec)...),
        ranks_(ranks),
        wire_(wire),
        count_(part.count()),
        shift_(part.shift),
        settings_(settings),
        progress_(progress),
        phases_(exec_, timings),
        maker_(exec_, {settings.min_samples}, progress, phases_, nullptr) {
    rows_ = upload(exec_, part.row, "rows");
    for (const auto& column : part.column) columns_.push_back(upload(exec_, column, "positions"));
    exec_.synchronize();
    connect();
  }

  void make() override {
    place();
    phases_.begin("outlines");
    outlines_.share(maker_.tree(), ranks_, pieces_);
    way_ = outlines_.ways_from(exec_, maker_.tree());
    phases_.end();
    find_core();
    span();
    phases_.begin("joining ranks");
    join_ranks();
    phases_.begin("order");
    put_in_order(joined_);
    forget_rounds();
    edges_.set(exec_, colored(), maker_.edges(), sure_, joined_);
    joined_ = {};
    maker_.forget_edges();
    phases_.end();
    work_.bytes = wire_.carried().sent_bytes;
    if constexpr (Exec::is_cuda) work_.device_bytes = exec_.peak_memory();
  }

  std::uint64_t edges() const override { return edges_.count(); }
  std::vector<TreeEdge> every_edge(std::uint64_t step) const override {
    return edges_.every(exec_, step);
  }
  std::vector<std::uint64_t> edges_before(const std::vector<TreeEdge>& bounds) const override {
    return edges_.before(exec_, bounds);
  }
  void copy_edges(std::uint64_t begin, std::span<TreeEdge> to) const override {
    edges_.copy(exec_, begin, to);
  }
  std::vector<std::uint32_t> rows() const override {
    auto rows = room<std::uint32_t>(count_);
    parallel_for(exec_, "rows", count_, clusters::RowsOfPlaces<D>{tree(), rows.data()});
    return download(exec_, rows);
  }
  std::vector<std::uint64_t> core() const override { return download(exec_, core_); }
  const TreeOverRanksWork& work() const override { return work_; }

 private:
  template <class T>
  Buffer<T, Exec> room(std::size_t size) const {
    return Buffer<T, Exec>(exec_, size, "search of other ranks");
  }
  template <class Keep>
  Buffer<std::uint32_t, Exec> chosen(const Keep& keep, std::uint32_t count) const {
    return choose_numbers(exec_, count, keep);
  }
  bool has_core() const { return settings_.min_samples > 1; }
  BlockTreeView<D> tree() const { return maker_.tree().view(); }
  const spatial::BlockLevels& levels() const { return maker_.tree().levels; }

  // A first exchange: NCCL takes some 20 ms for connections, once.
  void connect() {
    phases_.begin("connecting ranks");
    auto word = room<std::uint32_t>(1);
    exec_.zero(word.data(), sizeof(std::uint32_t));
    std::vector<std::uint64_t> counts;
    pieces_.gather_all(word.data(), word.size(), counts);
    exec_.synchronize();
    phases_.end();
  }

  // --- The tree of boxes, and those of other ranks.

  void place() {
    spatial::Columns<D> columns{};
    for (std::size_t a = 0; a < columns_.size(); ++a) columns.column[a] = columns_[a].data();
    columns.rows = rows_.data();
    columns.shift = shift_;
    maker_.place(columns, count_);
    phases_.end();
    columns_.clear();
    rows_ = {};
  }

  // --- What points ask of other ranks.

  struct AskingPoints {
    Buffer<std::uint32_t, Exec> place;
    Buffer<std::uint64_t, Exec> limit;  // squared
  };
  // Some of them, one after the other.
  struct Stretch {
    const std::uint32_t* place;
    const std::uint64_t* limit;
    std::uint32_t count;
  };
  // Their questions, rank after rank.
  struct Questions {
    Buffer<PlaceQuery<D>, Exec> queries;
    Buffer<std::uint32_t, Exec> from;   // of each, which of the points asks
    std::vector<std::uint64_t> counts;  // by rank
  };

  TreeOfColors<D> colored() const {
    TreeOfColors<D> points{tree(), has_core() ? core_.data() : nullptr, nullptr, nullptr, nullptr};
    if (!colors_.known()) return points;
    points.color = colors_.of_points();
    points.block_color = colors_.of_blocks();
    points.least_row = least_row_.data();
    return points;
  }

  Questions questions(const Stretch& points) {
    Questions asked;
    std::vector<Buffer<std::uint32_t, Exec>> of_ranks;
    std::size_t total = 0;
    for (std::size_t r = 0; r < outlines_.ranks(); ++r) {
      of_ranks.emplace_back();
      if (int(r) != ranks_.rank())
        of_ranks.back() =
            chosen(ReachOutline<D>{tree(), outlines_.of(r), points.place, points.limit,
                                   colors_.known() ? colors_.of_points() : nullptr},
                   points.count);
      asked.counts.push_back(of_ranks.back().size());
      total += of_ranks.back().size();
    }
    asked.queries = room<PlaceQuery<D>>(total);
    asked.from = room<std::uint32_t>(total);
    std::uint32_t* to = asked.from.data();
    for (const auto& of_rank : of_ranks) {
      thrust::copy_n(exec_.policy(), of_rank.data(), of_rank.size(), to);
      to += of_rank.size();
    }
    parallel_for(exec_, "questions", total,
                 WriteQueries<D>{colored(), points.place, asked.from.data(), points.limit,
                                 asked.queries.data()});
    return asked;
  }

  // Calls f(a stretch of the points): questions and answers of all points at once may take many
  // times the memory of the points.
  template <class F>
  void in_pieces(const AskingPoints& points, const F& f) {
    for_pieces(ranks_, points.place.size(), settings_.asked_at_once,
               [&](std::uint64_t begin, std::uint64_t end) {
                 f(Stretch{points.place.data() + begin, points.limit.data() + begin,
                           std::uint32_t(end - begin)});
               });
  }
  // Calls f(begin, count) for the questions of each rank.
  template <class F>
  static void for_ranks(const Questions& asked, const F& f) {
    std::size_t begin = 0;
    for (const std::uint64_t count : asked.counts) {
      f(begin, std::size_t(count));
      begin += std::size_t(count);
    }
  }

  // --- Core distances among all points.

  void find_core() {
    progress_.report("core distances", 0);
    if (count_ >= 2) maker_.find_neighbors();
    phases_.end();
    if (!has_core()) return;
    phases_.begin("core questions");
    if (count_ >= 2)
      core_ = std::move(maker_.core());
    else if (count_ == 1) {
      core_ = room<std::uint64_t>(1);
      thrust::fill_n(exec_.policy(), core_.data(), 1, kFarAway);
    }
    AskingPoints points;
    points.place = chosen(MayBeNearer{way_.data(), core_.data()}, count_);
    points.limit = room<std::uint64_t>(points.place.size());
    parallel_for(exec_, "core distances", points.place.size(),
                 BelowCore{points.place.data(), core_.data(), points.limit.data()});
    in_pieces(points, [this](const Stretch& some) { ask_for_core(some); });
    parallel_for(exec_, "ways", count_, RaiseWays{core_.data(), way_.data()});
    if (count_ >= 2) maker_.core() = std::move(core_);
    phases_.end();
  }

  void ask_for_core(const Stretch& points) {
    const int most = settings_.min_samples - 1;
    const Questions asked = questions(points);
    work_.core_questions += asked.queries.size();
    std::vector<std::uint64_t> received, back;
    const auto theirs = pieces_.exchange(asked.queries, asked.counts, received);
    auto found = room<std::uint64_t>(theirs.size() * std::size_t(most));
    parallel_for(exec_, "nearest neighbors", theirs.size(),
                 NearestOfQuery<D>{tree(), theirs.data(), shift_, most, found.data()});
    for (std::uint64_t& count : received) count *= std::uint64_t(most);
    const auto heard = pieces_.exchange(found, received, back);
    auto asks = room<std::uint8_t>(points.count);
    if (points.count) exec_.zero(asks.data(), points.count);
    parallel_for(exec_, "questions", asked.from.size(), MarkAsking{asked.from.data(), asks.data()});
    const auto asking = chosen(IsMarked{asks.data()}, points.count);
    auto squared = room<std::uint64_t>(points.count * std::size_t(most));
    parallel_for(exec_, "nearest neighbors", asking.size(),
                 NearestHere<D>{tree(), asking.data(), points.place, most, squared.data()});
    for_ranks(asked, [&](std::size_t begin, std::size_t count) {
      parallel_for(exec_, "core distances", count,
                   MergeNearest{asked.from.data() + begin, heard.data() + begin * std::size_t(most),
                                most, squared.data()});
    });
    parallel_for(exec_, "core distances", asking.size(),
                 PutCore{asking.data(), points.place, squared.data(), most, core_.data()});
    exec_.synchronize();
  }

  // --- The tree of the points here, and its fragments.

  void span() {
    progress_.report("spanning tree", 0);
    if (count_ < 2) fragment_ = room<std::uint32_t>(count_);
    if (count_ == 1) exec_.zero(fragment_.data(), sizeof(std::uint32_t));
    if (count_ >= 2) sure_ = maker_.connect(way_.data(), &fragment_);
    phases_.end();
    if (has_core() && count_ >= 2) core_ = std::move(maker_.core());
  }

  void number_fragments() {
    const std::uint32_t own = count_ - sure_;
    std::uint32_t first = 0;
    const auto of_ranks = ranks_.all_gather<std::uint32_t>(std::span(&own, 1));
    for (int r = 0; r < ranks_.size(); ++r) {
      if (r == ranks_.rank()) first = left_;
      left_ += of_ranks[std::size_t(r)];
    }
    work_.fragments = left_;
    component_ = room<std::uint32_t>(own);
    thrust::sequence(exec_.policy(), component_.begin(), component_.end(), first);
    links_ = room<Link>(own > 0 ? own - 1 : 0);
    parallel_for(
        exec_, "links", links_.size(),
        LinksOfEdges<D>{colored(), maker_.edges() + sure_, fragment_.data(), first, links_.data()});
  }

  // --- Borůvka's rounds over the fragments of all ranks.

  void join_ranks() {
    number_fragments();
    colors_.begin(tree(), fragment_.data(), component_.data());
    linked_ = room<std::uint8_t>(count_);
    if (count_ > 0) exec_.zero(linked_.data(), count_);
    ends_ = room<std::uint64_t>(count_);
    to_ = room<std::uint32_t>(count_);
    least_row_ = room<std::uint32_t>(levels().all());
    if (count_ > 0)
      parallel_for(exec_, "least rows", levels().blocks[0],
                   clusters::LeastRows<D>{tree(), least_row_.data()});
    for (int level = 1; level < levels().count; ++level)
      parallel_for(exec_, "least rows", levels().blocks[level],
                   clusters::LeastUpperRows{levels(), level, least_row_.data()});
    for (const std::uint32_t all = left_; left_ > 1; ++work_.rounds) {
      progress_.report("spanning tree", 1 - double(left_) / double(all));
      const std::uint32_t before = left_;
      colors_.color();
      outlines_.share_colors(colors_.of_blocks(), pieces_);
      lightest_ = room<std::uint64_t>(left_);
      thrust::fill_n(exec_.policy(), lightest_.data(), left_, kFarAway);
      auto first = first_links();
      auto limits = limits_of(first);
      // Of components that no link leaves, one point asks without a limit: else all of them would.
      if (thrust::count(exec_.policy(), limits.begin(), limits.end(), kFarAway) > 0) {
        colors_.color_all();
        ask(seeds(limits));
        colors_.find_near(point_links());
        first = first_links();
        limits = limits_of(first);
      }
      colors_.reach(point_links(), limits);
      ask(needy(limits));
      join(first_links());
      HALOSCOPE_CHECK(left_, <, before);
    }
  }

  // Before the edges are sorted, which would else be the peak of memory.
  void forget_rounds() {
    colors_.forget();
    for (auto* words : {&way_, &ends_, &lightest_}) *words = {};
    for (auto* numbers : {&to_, &fragment_, &least_row_, &component_}) *numbers = {};
    linked_ = {};
    links_ = {};
  }

  PointLinks point_links() { return {way_.data(), ends_.data(), to_.data(), linked_.data()}; }

  // The first link that leaves each component, of all that ranks know.
  Buffer<Link, Exec> first_links() {
    auto weight = room<std::uint64_t>(left_), ends = room<std::uint64_t>(left_);
    auto first = room<Link>(left_);
    const FirstLinks of{weight.data(), ends.data(), first.data()};
    const ListedLinks listed{links_.data()};
    const auto linked = choose_among(exec_, colors_.near(), IsMarked{linked_.data()});
    const LinksOfPoints of_points{point_links(), colors_.of_points(), linked.data()};
    const auto step = [&]<template <class> class Step>() {
      parallel_for(exec_, "links", links_.size(), Step<ListedLinks>{listed, of});
      parallel_for(exec_, "links", linked.size(), Step<LinksOfPoints>{of_points, of});
    };
    parallel_for(exec_, "links", left_, ForgetFirst{of});
    step.template operator()<LeastWeights>();
    step.template operator()<LeastEnds>();
    step.template operator()<TakeLinks>();
    const auto offering = chosen(OffersLink{first.data()}, left_);
    auto own = room<Link>(offering.size());
    parallel_for(exec_, "links", offering.size(),
                 GatherLinks{first.data(), offering.data(), own.data()});
    std::vector<std::uint64_t> counts;
    const auto all = pieces_.gather_all(own.data(), own.size(), counts);
    parallel_for(exec_, "links", left_, ForgetFirst{of});
    const ListedLinks offered{all.data()};
    parallel_for(exec_, "links", all.size(), LeastWeights<ListedLinks>{offered, of});
    parallel_for(exec_, "links", all.size(), LeastEnds<ListedLinks>{offered, of});
    parallel_for(exec_, "links", all.size(), TakeLinks<ListedLinks>{offered, of});
    exec_.synchronize();
    return first;
  }

  Buffer<std::uint64_t, Exec> limits_of(const Buffer<Link, Exec>& first) {
    auto limits = room<std::uint64_t>(first.size());
    parallel_for(exec_, "links", first.size(), LimitsOfLinks{first.data(), limits.data()});
    return limits;
  }

  AskingPoints seeds(const Buffer<std::uint64_t, Exec>& limits) {
    auto shortest = room<std::uint64_t>(left_);
    auto seed = room<std::uint32_t>(left_);
    thrust::fill_n(exec_.policy(), shortest.data(), left_, kFarAway);
    thrust::fill_n(exec_.policy(), seed.data(), left_, hierarchy::kNone);
    parallel_for(exec_, "seeds", count_,
                 ShortestWays{way_.data(), limits.data(), colors_.of_points(), shortest.data()});
    parallel_for(exec_, "seeds", count_,
                 FirstOfShortest{way_.data(), limits.data(), shortest.data(), colors_.of_points(),
                                 seed.data()});
    const auto components = chosen(HasSeed{seed.data()}, left_);
    AskingPoints points{room<std::uint32_t>(components.size()),
                        room<std::uint64_t>(components.size())};
    parallel_for(exec_, "seeds", components.size(),
                 PlaceOfSeed{seed.data(), components.data(), points.place.data()});
    thrust::fill_n(exec_.policy(), points.limit.data(), components.size(), kFarAway);
    exec_.synchronize();
    return points;
  }

  AskingPoints needy(const Buffer<std::uint64_t, Exec>& limits) {
    AskingPoints points;
    points.place = choose_among(exec_, colors_.near(),
                                IsNeedyPoint{point_links(), colors_.of_points(), limits.data()});
    points.limit = room<std::uint64_t>(points.place.size());
    parallel_for(exec_, "points near other ranks", points.place.size(),
                 LimitsOfPlaces{points.place.data(), colors_.of_points(), limits.data(),
                                points.limit.data()});
    return points;
  }

  // Each of these points gets its first link to other ranks, or a bound below which it has none:
  // its limit, or what is lighter for its component. Both hold until the link's ends are of one
  // component: what is foreign only becomes less.
  void ask(const AskingPoints& points) {
    in_pieces(points, [this](const Stretch& some) { ask_for_edges(some); });
  }
  void ask_for_edges(const Stretch& points) {
    const Questions asked = questions(points);
    work_.edge_questions += asked.queries.size();
    std::vector<std::uint64_t> received, back;
    const auto theirs = pieces_.exchange(asked.queries, asked.counts, received);
    auto found = room<EdgeToPart>(theirs.size());
    parallel_for(
        exec_, "searches", theirs.size(),
        FirstEdgeOfQuery<D>{colored(), theirs.data(), shift_, lightest_.data(), found.data()});
    const auto heard = pieces_.exchange(found, received, back);
    auto answers = room<Answers>(points.count);
    parallel_for(exec_, "links", points.count, NoAnswers{points.limit, answers.data()});
    for_ranks(asked, [&](std::size_t begin, std::size_t count) {
      parallel_for(exec_, "links", count,
                   TakeAnswers{asked.from.data() + begin, heard.data() + begin, answers.data()});
    });
    parallel_for(exec_, "links", points.count,
                 KeepAnswers{points.place, answers.data(), point_links()});
    exec_.synchronize();
  }

  void join(const Buffer<Link, Exec>& first) {
    auto up = room<std::uint32_t>(left_), number = room<std::uint32_t>(left_),
         flag = room<std::uint32_t>(1);
    parallel_for(exec_, "components", left_, JoinByLinks{first.data(), up.data()});
    const auto begin = std::uint32_t(part_begin(left_, ranks_.rank(), ranks_.size())),
               end = std::uint32_t(part_begin(left_, ranks_.rank() + 1, ranks_.size()));
    const auto bringing = chosen(BringsEdgeOfShare{up.data(), begin}, end - begin);
    auto edges = room<TreeEdge>(bringing.size());
    parallel_for(exec_, "edges", bringing.size(),
                 EdgesOfShare{first.data(), bringing.data(), begin, edges.data()});
    const std::vector<TreeEdge> brought = download(exec_, edges);
    joined_.insert(joined_.end(), brought.begin(), brought.end());
    hierarchy::shorten(exec_, up.data(), 0, left_, flag.data());
    parallel_for(exec_, "components", left_, clusters::MarkRoots{up.data(), number.data()});
    const auto kept = std::uint32_t(
        thrust::count(exec_.policy(), number.begin(), number.end(), std::uint32_t(1)));
    thrust::exclusive_scan(exec_.policy(), number.begin(), number.end(), number.begin());
    parallel_for(exec_, "links", links_.size(),
                 RenameLinks{up.data(), number.data(), links_.data()});
    parallel_for(exec_, "links", colors_.near().size(),
                 RenamePointLinks{colors_.near().data(), up.data(), number.data(),
                                  colors_.of_points(), point_links()});
    parallel_for(exec_, "components", component_.size(),
                 clusters::NumberColors{up.data(), number.data(), component_.data()});
    exec_.synchronize();
    left_ = kept;
  }

  mutable Exec exec_;
  Ranks& ranks_;
  DeviceRanks& wire_;
  DevicePieces<Exec> pieces_{exec_, ranks_, wire_};
  const std::uint32_t count_, shift_;
  const PartSearchSettings settings_;
  Progress& progress_;
  Phases<Exec> phases_;
  clusters::SpanningTreeMaker<D, Exec> maker_;  // its rows are those among all points
  std::vector<Buffer<std::uint32_t, Exec>> columns_;
  Buffer<std::uint32_t, Exec> rows_;
  Buffer<std::uint64_t, Exec> core_;  // by place, squared; the maker has it while it works
  OutlinesOfRanks<D, Exec> outlines_;
  // PointLinks, by place. A point's way: no edge to another rank is lighter.
  Buffer<std::uint64_t, Exec> way_, ends_;
  Buffer<std::uint32_t, Exec> to_;
  Buffer<std::uint8_t, Exec> linked_;
  std::uint32_t sure_ = 0;                            // edges
  std::uint32_t left_ = 0;                            // components of all ranks
  Buffer<std::uint32_t, Exec> fragment_, least_row_;  // by place, by block
  RoundColors<D, Exec> colors_{exec_};
  Buffer<std::uint32_t, Exec> component_;  // of each fragment here
  Buffer<Link, Exec> links_;               // between fragments here
  Buffer<std::uint64_t, Exec> lightest_;   // FirstEdgeOfQuery, of a round
  std::vector<TreeEdge> joined_;           // in rounds, until all have their order
  EdgesOfPart<Exec> edges_;
  TreeOverRanksWork work_;
};

// Columns that are not there are zeros, as in clusters::ClusterTree.
template <class Exec, class... ExecArguments>
std::unique_ptr<PartSearch> made_part_search(const PartOfPoints& part,
                                             const PartSearchSettings& settings, Ranks& ranks,
                                             DeviceRanks& wire, Progress& progress,
                                             Timings& timings, ExecArguments&&... exec) {
  const auto made = [&]<int D>() -> std::unique_ptr<PartSearch> {
    return std::make_unique<PartSearchOn<D, Exec>>(part, settings, ranks, wire, progress, timings,
                                                   std::forward<ExecArguments>(exec)...);
  };
  const std::size_t dimensions = part.column.size();
  if (dimensions <= 3) return made.template operator()<3>();
  if (dimensions <= 6) return made.template operator()<6>();
  return made.template operator()<8>();
}

}  // namespace haloscope::compute::distributed
