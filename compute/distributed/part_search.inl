#pragma once

#include "compute/clusters/spanning_tree.inl"
#include "compute/distributed/part_places.inl"
#include "compute/exec/phases.h"
#include "compute/exec/slices.inl"

#include <thrust/copy.h>
#include <thrust/fill.h>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <utility>

// Searches among the points of a rank, for either executor.
namespace haloscope::compute::distributed {

template <int D, class Exec>
class PartSearchOn final : public PartSearch {
 public:
  template <class... ExecArguments>
  PartSearchOn(const PartOfPoints& part, int min_samples, Progress& progress, Timings& timings,
               ExecArguments&&... exec)
      : exec_(std::forward<ExecArguments>(exec)...),
        count_(part.count()),
        shift_(part.shift),
        samples_(min_samples),
        phases_(exec_, timings),
        maker_(exec_, {min_samples}, progress, phases_, nullptr) {
    rows_ = upload(exec_, part.row, "rows");
    for (const auto& column : part.column) columns_.push_back(upload(exec_, column, "positions"));
    exec_.synchronize();
  }

  void place() override {
    spatial::Columns<D> columns{};
    for (std::size_t a = 0; a < columns_.size(); ++a) columns.column[a] = columns_[a].data();
    columns.rows = rows_.data();
    columns.shift = shift_;
    maker_.place(columns, count_);
    phases_.end();
    columns_.clear();
    rows_ = {};
  }

  std::vector<std::uint32_t> outline() const override {
    if (count_ == 0) return {};
    const std::size_t begin = outline_begin(), count = outline_blocks();
    std::vector<std::uint32_t> words(1 + count * kBoxWords);
    words[0] = levels().blocks[outline_level()];
    exec_.download(words.data() + 1, maker_.tree().boxes.data() + begin,
                   count * sizeof(LatticeBox<D>));
    return words;
  }

  void set_outlines(int self, const std::vector<std::vector<std::uint32_t>>& of_ranks) override {
    phases_.begin("outlines");
    others_.clear();
    others_.resize(of_ranks.size());
    for (std::size_t r = 0; r < of_ranks.size(); ++r) {
      const std::vector<std::uint32_t>& words = of_ranks[r];
      if (int(r) == self || words.empty()) continue;
      Other& other = others_[r];
      other.levels = levels_above(words[0]);
      other.boxes = Buffer<LatticeBox<D>, Exec>(exec_, other.levels.all(), "boxes of other ranks");
      exec_.upload(other.boxes.data(), words.data() + 1,
                   other.levels.all() * sizeof(LatticeBox<D>));
    }
    std::vector<OutlineView<D>> views;
    for (const Other& other : others_) views.push_back(view_of(other));
    const auto on_device = upload(exec_, views, "boxes of other ranks");
    way_ = room<std::uint64_t>(count_);
    linked_ = room<std::uint8_t>(count_);
    if (count_ > 0) {
      exec_.zero(linked_.data(), count_);
      const int highest = DistanceToOthers<D>::highest(levels());
      parallel_for(
          exec_, "other ranks", levels().blocks[highest],
          DistanceToOthers<D>{tree(), on_device.data(), int(views.size()), way_.data()});
    }
    phases_.end();
  }

  AskingPoints find_core() override {
    if (count_ >= 2) maker_.find_neighbors();
    AskingPoints asking;
    if (samples_ > 1 && count_ > 0) {
      phases_.begin("core");
      // Of one point there are no neighbors here.
      if (count_ < 2) {
        maker_.core() = room<std::uint64_t>(count_);
        thrust::fill_n(exec_.policy(), maker_.core().data(), count_, kFarAway);
      }
      const auto places = chosen(MayBeNearer{way_.data(), core_data()});
      auto limits = room<std::uint64_t>(places.size());
      parallel_for(exec_, "core distances", places.size(),
                   BelowCore{places.data(), core_data(), limits.data()});
      asking = {download(exec_, places), download(exec_, limits)};
    }
    phases_.end();
    return asking;
  }

  std::vector<std::uint64_t> nearest_here(const std::vector<std::uint32_t>& places,
                                          int most) override {
    const auto listed = upload(exec_, places, "points near other ranks");
    auto squared = room<std::uint64_t>(places.size() * std::size_t(most));
    parallel_for(exec_, "nearest neighbors", places.size(),
                 NearestHere<D>{tree(), listed.data(), most, squared.data()});
    return download(exec_, squared);
  }

  void set_core(const std::vector<std::uint32_t>& places,
                const std::vector<std::uint64_t>& squared) override {
    put(places, squared, maker_.core().data());
  }

  std::uint32_t span() override {
    fragment_ = room<std::uint32_t>(count_);
    color_ = room<std::uint32_t>(count_);
    if (samples_ > 1)
      parallel_for(exec_, "ways", count_, RaiseWays{core_data(), way_.data()});
    if (count_ >= 2)
      sure_ = maker_.connect(way_.data(), fragment_.data());
    else if (count_ == 1)
      exec_.zero(fragment_.data(), sizeof(std::uint32_t));
    phases_.end();
    fragments_ = count_ - sure_;
    if (count_ == 0) return 0;
    block_color_ = room<std::uint32_t>(levels().all());
    least_row_ = room<std::uint32_t>(levels().all());
    parallel_for(exec_, "least rows", levels().blocks[0],
                 clusters::LeastRows<D>{tree(), least_row_.data()});
    for (int level = 1; level < levels().count; ++level)
      parallel_for(exec_, "least rows", levels().blocks[level],
                   clusters::LeastUpperRows{levels(), level, least_row_.data()});
    exec_.synchronize();
    return fragments_;
  }

  std::vector<Link> links() const override {
    if (fragments_ < 2) return {};
    auto links = room<Link>(fragments_ - 1);
    parallel_for(exec_, "links", links.size(),
                 LinksOfEdges<D>{maker_.uncolored(), maker_.edges() + sure_, fragment_.data(),
                                 links.data()});
    return download(exec_, links);
  }

  void order_sure_edges() override {
    if (sure_ == 0) return;
    phases_.begin("order");
    sure_edges_ = room<TreeEdge>(sure_);
    const auto ordered = clusters::order_edges(exec_, maker_.uncolored(), maker_.edges(), sure_);
    parallel_for(exec_, "order", sure_,
                 EdgesInOrder{ordered.order.data(), ordered.weight.data(), ordered.ends.data(),
                              sure_edges_.data()});
    phases_.end();
  }
  std::vector<TreeEdge> sure_edges() const override { return download(exec_, sure_edges_); }

  void set_components(const std::vector<std::uint32_t>& of_fragments) override {
    if (count_ == 0) return;
    is_colored_ = true;
    const auto component = upload(exec_, of_fragments, "components");
    parallel_for(exec_, "colors", count_,
                 ColorFragments{fragment_.data(), component.data(), color_.data()});
    parallel_for(exec_, "colors", levels().blocks[0],
                 clusters::ColorBlocks<D>{tree(), color_.data(), block_color_.data()});
    for (int level = 1; level < levels().count; ++level)
      parallel_for(exec_, "colors", levels().blocks[level],
                   clusters::ColorUpperBlocks{levels(), level, block_color_.data()});
    exec_.synchronize();
  }

  std::vector<std::uint32_t> outline_colors() const override {
    if (count_ == 0) return {};
    std::vector<std::uint32_t> colors(outline_blocks());
    exec_.download(colors.data(), block_color_.data() + outline_begin(),
                   colors.size() * sizeof(std::uint32_t));
    return colors;
  }

  void set_outline_colors(const std::vector<std::vector<std::uint32_t>>& of_ranks) override {
    for (std::size_t r = 0; r < of_ranks.size(); ++r)
      if (others_[r].levels.count > 0)
        others_[r].block_color = upload(exec_, of_ranks[r], "components");
    exec_.synchronize();
  }

  AskingPoints needy(const std::vector<std::uint64_t>& limit_of_component) override {
    if (count_ == 0) return {};
    const auto limit = upload(exec_, limit_of_component, "components");
    const auto places =
        chosen(IsWithoutLink{way_.data(), limit.data(), color_.data(), linked_.data()});
    auto limits = room<std::uint64_t>(places.size());
    parallel_for(exec_, "points near other ranks", places.size(),
                 LimitsOfPlaces{places.data(), color_.data(), limit.data(), limits.data()});
    return {download(exec_, places), download(exec_, limits)};
  }

  std::vector<std::uint32_t> seeds(const std::vector<std::uint64_t>& limit_of_component) override {
    if (count_ == 0) return {};
    const auto limit = upload(exec_, limit_of_component, "components");
    auto shortest = room<std::uint64_t>(limit.size());
    auto seed = room<std::uint32_t>(limit.size());
    thrust::fill_n(exec_.policy(), shortest.data(), shortest.size(), kFarAway);
    thrust::fill_n(exec_.policy(), seed.data(), seed.size(), hierarchy::kNone);
    parallel_for(exec_, "seeds", count_,
                 ShortestWays{way_.data(), limit.data(), color_.data(), shortest.data()});
    parallel_for(
        exec_, "seeds", count_,
        FirstOfShortest{way_.data(), limit.data(), shortest.data(), color_.data(), seed.data()});
    std::vector<std::uint32_t> places = download(exec_, seed);
    std::erase(places, hierarchy::kNone);
    return places;
  }

  PartQuestions questions(int rank, const AskingPoints& points) override {
    const auto asking = std::uint32_t(points.place.size());
    if (asking == 0) return {};
    const auto places = upload(exec_, points.place, "points near other ranks");
    const auto limits = upload(exec_, points.limit, "points near other ranks");
    TreeOfColors<D> colored = maker_.uncolored();
    if (is_colored_) colored.color = color_.data();
    const auto from =
        chosen(ReachOutline<D>{tree(), view_of(others_[std::size_t(rank)]), places.data(),
                               limits.data(), colored.color},
               asking);
    auto queries = room<PlaceQuery>(from.size());
    parallel_for(
        exec_, "questions", from.size(),
        WriteQueries<D>{colored, places.data(), from.data(), limits.data(), queries.data()});
    return {download(exec_, queries), download(exec_, from)};
  }

  void set_ways(const std::vector<std::uint32_t>& places, const std::vector<std::uint64_t>& squared,
                const std::vector<std::uint8_t>& linked) override {
    put(places, squared, way_.data());
    put(places, linked, linked_.data());
  }
  void forget_links(const std::vector<std::uint32_t>& places) override {
    const auto listed = upload(exec_, places, "points near other ranks");
    parallel_for(exec_, "links", places.size(),
                 PutAtPlaces<std::uint8_t>{listed.data(), nullptr, linked_.data()});
    exec_.synchronize();
  }

  std::vector<std::uint64_t> nearest(const std::vector<PlaceQuery>& queries, int most) override {
    const auto asked = upload(exec_, queries, "questions of other ranks");
    auto squared = room<std::uint64_t>(queries.size() * std::size_t(most));
    parallel_for(exec_, "nearest neighbors", queries.size(),
                 NearestOfQuery<D>{tree(), asked.data(), shift_, most, squared.data()});
    return download(exec_, squared);
  }

  std::vector<EdgeToPart> first_edges(const std::vector<PlaceQuery>& queries) override {
    const auto asked = upload(exec_, queries, "questions of other ranks");
    auto edges = room<EdgeToPart>(queries.size());
    TreeOfColors<D> points = maker_.uncolored();
    points.color = color_.data();
    points.block_color = block_color_.data();
    points.least_row = least_row_.data();
    parallel_for(exec_, "searches", queries.size(),
                 FirstEdgeOfQuery<D>{points, asked.data(), shift_, edges.data()});
    return download(exec_, edges);
  }

  std::vector<std::uint32_t> rows() const override {
    auto rows = room<std::uint32_t>(count_);
    parallel_for(exec_, "rows", count_, RowsOfPart<D>{tree(), rows.data()});
    return download(exec_, rows);
  }
  std::vector<std::uint64_t> core() override { return download(exec_, maker_.core()); }

  std::uint64_t peak_device_memory() const override {
    if constexpr (Exec::is_cuda)
      return exec_.peak_memory();
    else
      return 0;
  }

 private:
  // Finer boxes send fewer questions to other ranks, and more memory: of many points those of up to
  // so many each, else so many boxes.
  static constexpr std::uint32_t kMostOutlineBlocks = 32768, kPointsOfOutlineBlock = 512;
  static constexpr std::size_t kBoxWords = sizeof(LatticeBox<D>) / sizeof(std::uint32_t);

  struct Other {
    spatial::BlockLevels levels;
    Buffer<LatticeBox<D>, Exec> boxes;
    Buffer<std::uint32_t, Exec> block_color;
  };

  template <class T>
  Buffer<T, Exec> room(std::size_t size) const {
    return Buffer<T, Exec>(exec_, size, "search of other ranks");
  }

  // Those of the first `count` numbers, of all points where nothing is said, that are to be kept.
  template <class Keep>
  Buffer<std::uint32_t, Exec> chosen(const Keep& keep, std::uint32_t count) const {
    auto all = room<std::uint32_t>(count);
    const thrust::counting_iterator<std::uint32_t> first(0);
    const auto* const end =
        thrust::copy_if(exec_.policy(), first, first + count, all.data(), keep);
    auto some = room<std::uint32_t>(std::size_t(end - all.data()));
    thrust::copy_n(exec_.policy(), all.data(), some.size(), some.data());
    return some;
  }
  template <class Keep>
  Buffer<std::uint32_t, Exec> chosen(const Keep& keep) const {
    return chosen(keep, count_);
  }

  template <class T>
  void put(const std::vector<std::uint32_t>& places, const std::vector<T>& values, T* to) {
    const auto listed = upload(exec_, places, "points near other ranks");
    const auto given = upload(exec_, values, "points near other ranks");
    parallel_for(exec_, "points near other ranks", places.size(),
                 PutAtPlaces<T>{listed.data(), given.data(), to});
    exec_.synchronize();
  }

  BlockTreeView<D> tree() const { return maker_.tree().view(); }
  const spatial::BlockLevels& levels() const { return maker_.tree().levels; }
  const std::uint64_t* core_data() { return maker_.core().data(); }

  int outline_level() const {
    const std::uint32_t most = std::max(kMostOutlineBlocks, count_ / kPointsOfOutlineBlock);
    int level = 0;
    while (levels().blocks[level] > most) ++level;
    return level;
  }
  std::size_t outline_begin() const { return levels().begin[outline_level()]; }
  std::size_t outline_blocks() const { return levels().all() - outline_begin(); }

  static spatial::BlockLevels levels_above(std::uint32_t blocks) {
    spatial::BlockLevels levels;
    std::uint32_t begin = 0;
    for (;; blocks = (blocks + kFan - 1) / kFan) {
      levels.begin[levels.count] = begin;
      levels.blocks[levels.count] = blocks;
      ++levels.count;
      begin += blocks;
      if (blocks == 1) return levels;
    }
  }

  OutlineView<D> view_of(const Other& other) const {
    return {{nullptr, other.boxes.data(), 0, other.levels},
            other.block_color.empty() ? nullptr : other.block_color.data()};
  }

  mutable Exec exec_;
  const std::uint32_t count_, shift_;
  const int samples_;
  Phases<Exec> phases_;
  clusters::SpanningTreeMaker<D, Exec> maker_;  // its rows are those among all points
  std::vector<Buffer<std::uint32_t, Exec>> columns_;
  Buffer<std::uint32_t, Exec> rows_;
  // By place, and by block. A point's way: no edge to another rank is lighter.
  Buffer<std::uint64_t, Exec> way_;
  Buffer<std::uint8_t, Exec> linked_;
  Buffer<std::uint32_t, Exec> fragment_, color_, block_color_, least_row_;
  bool is_colored_ = false;
  std::uint32_t sure_ = 0, fragments_ = 0;
  Buffer<TreeEdge, Exec> sure_edges_;
  std::vector<Other> others_;
};

// Columns that are not there are zeros, as in clusters::ClusterTree.
template <class Exec, class... ExecArguments>
std::unique_ptr<PartSearch> made_part_search(const PartOfPoints& part, int min_samples,
                                             Progress& progress, Timings& timings,
                                             ExecArguments&&... exec) {
  const auto made = [&]<int D>() -> std::unique_ptr<PartSearch> {
    return std::make_unique<PartSearchOn<D, Exec>>(part, min_samples, progress, timings,
                                                   std::forward<ExecArguments>(exec)...);
  };
  const std::size_t dimensions = part.column.size();
  if (dimensions <= 3) return made.template operator()<3>();
  if (dimensions <= 6) return made.template operator()<6>();
  return made.template operator()<8>();
}

template <int D, class Exec>
std::vector<std::uint32_t> curve_order(Exec& exec, const clusters::LatticePoints& points) {
  if (points.count == 0) return {};
  spatial::Columns<D> columns{};
  columns.shift = points.shift;
  std::vector<Buffer<std::uint32_t, Exec>> on_device;
  for (std::size_t a = 0; a < points.column.size(); ++a) {
    on_device.emplace_back(exec, std::size_t(points.count), "positions");
    exec.upload(on_device.back().data(), points.column[a],
                on_device.back().size() * sizeof(std::uint32_t));
    columns.column[a] = on_device.back().data();
  }
  return download(exec, spatial::order_points(exec, columns, std::uint32_t(points.count)));
}

}  // namespace haloscope::compute::distributed
