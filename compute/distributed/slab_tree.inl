#pragma once

#include "compute/distributed/distinct_values.h"
#include "compute/distributed/slab_tree.h"
#include "compute/exec/atomics.h"
#include "compute/exec/map_words.inl"
#include "compute/exec/phases.h"
#include "compute/exec/slices.inl"
#include "compute/topology/basin_tree.inl"
#include "core/check.h"
#include "core/error.h"

#include <tbb/parallel_sort.h>
#include <thrust/copy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

// Merge trees over ranks, for either executor. Each rank finds the basins of its slab as of a block
// of the grid (grid_blocks.h). Ways up that end in the rim have codes; the codes of all rims are
// gathered on all ranks and followed there (rims.inl). Then each rank finds the contacts of its
// cells and joins basins at these alone: the edges of its spanning forest. No other contact of its
// own can be an edge of the forest of all, for it is the last one of a ring of contacts already. So
// these edges are all that goes to the other ranks, which join them again.
namespace haloscope::compute::distributed {

// What numbers of values that differ stand for. Several cells store the same bits.
template <class T>
struct BitsOfPlaces {
  const T* value;
  const std::uint32_t* key;
  topology::Levels levels;
  std::uint64_t* bits;
  HALOSCOPE_HD void operator()(std::size_t v) const {
    atomic_store(bits + key[v], topology::sweep_bits(topology::ordered_bits(value[v]), levels));
  }
};

struct ReplaceKeys {
  const std::uint32_t* place;
  std::uint32_t* key;
  HALOSCOPE_HD void operator()(std::size_t v) const { key[v] = place[key[v]]; }
};

struct BitsOfSaddles {
  const std::uint64_t* moment;
  const std::uint64_t* of_saddle;
  std::uint64_t* bits;
  HALOSCOPE_HD void operator()(std::size_t e) const {
    bits[e] = of_saddle[topology::saddle_of_moment(moment[e])];
  }
};

template <class Exec>
class SlabTreeOn : public SlabTree {
 public:
  template <class Argument>
  SlabTreeOn(Argument& argument, Ranks& ranks, Progress& progress)
      : exec_(argument), ranks_(ranks), progress_(progress) {}

  void grow(const topology::GridShape& shape, const topology::GridValues& own,
            const topology::TreeSettings& settings, Timings* timings) override {
    topology::require_shape(shape, settings);
    forget();
    shape_ = shape;
    slabs_.emplace(shape, ranks_.size());
    Timings times;
    Phases<Exec> phases(exec_, times);
    try {
      std::visit([&](const auto& values) { grow_from(values, settings, phases); }, own);
      phases.end();
      branches_ = tree_.branches(exec_, kind_);
    } catch (...) {
      forget();
      throw;
    }
    if (!timings) return;
    const Timings sums = times.summed();
    for (const auto& [phase, samples] : sums.samples()) timings->add(phase, samples.front());
  }

  const topology::Branches& branches() const override { return branches_; }

  topology::Segments segments(const topology::Simplification& simplification,
                              topology::Labeling labeling) override {
    const std::uint32_t own = block().own();
    Buffer<std::uint32_t, Exec> label(exec_, own, "labels");
    const bool by_branch = labeling == topology::Labeling::Branch;
    if (by_branch) tree_.require_dendrogram(exec_);
    const auto made = tree_.segments(exec_, kind_, simplification, labeling);
    if (by_branch) find_branches_of_cells(label.data());
    map_words(exec_, "labels", own,
              by_branch ? std::as_const(label).data() : std::as_const(*this).own_basins(),
              label.data(), topology::LabelOfBasin{made.of_basin.data()});
    topology::Segments segments{download(exec_, label), {}};
    const std::vector<std::uint32_t> number = download(exec_, made.number);
    for (std::uint32_t k = 0; k < number.size(); ++k)
      if (number[k] > segments.branch.size()) segments.branch.push_back(k);
    return segments;
  }

 private:
  template <class T>
  static constexpr bool kIsShort = sizeof(T) <= sizeof(std::uint32_t);

  void forget() {
    slabs_.reset();
    key_ = {};
    basin_ = {};
    tree_ = {};
    branches_ = {};
  }

  const topology::GridBlock& block() const { return slabs_->block(ranks_.rank()); }
  bool has_cells() const { return block().own() > 0; }
  // Of the first own cell and the next ones; those of the rim lie around them.
  std::uint32_t* own_basins() { return basin_.data() + basins_before_; }
  const std::uint32_t* own_basins() const { return basin_.data() + basins_before_; }

  template <class T>
  void grow_from(std::span<const T> values, const topology::TreeSettings& settings,
                 Phases<Exec>& phases) {
    HALOSCOPE_CHECK(values.size(), ==, std::size_t(block().own()));
    kind_ = topology::kKindOf<T>;
    if (!kIsShort<T> && shape_.count() > topology::kMostCells)
      throw Error("values of 64 bits are ordered in grids of at most " +
                      std::to_string(topology::kMostCells) + " cells, and it has " +
                      std::to_string(shape_.count()),
                  "grid", "give float32 values");
    phases.begin("upload");
    progress_.report("merge tree", 0);
    Buffer<T, Exec> value = with_rim(values);
    phases.begin("order of cells");
    topology::SweepOn<Exec> swept;
    if (has_cells())
      swept = topology::sweep_of(exec_, shape_, block(),
                                 topology::BlockValues<T>{value.data(), 0, block().view.count()},
                                 settings);
    // Keys of short values tell these again.
    if constexpr (kIsShort<T>)
      value = {};
    else
      order_over_ranks(value, settings.levels, swept.key);
    topology::with_neighbors(settings.connectivity, [&]<int C>() { find_tree<C>(swept, phases); });
    phases.begin("branches");
    progress_.report("merge tree", 0.8);
    tree_.begin_values(exec_);
    if constexpr (kIsShort<T>)
      tree_.template take_values_of_keys<T>(exec_, settings.levels);
    else
      gather_values(value);
    tree_.basins.key = {};
    key_ = std::move(swept.key);
    own_maxima_ = {};
    own_saddles_ = {};
  }

  template <class T>
  Buffer<T, Exec> with_rim(std::span<const T> values) {
    const std::size_t plane = block().view.plane(), before = block().own_begin();
    const bool has = has_cells();
    const auto rim = slabs_->fetch_rim<T>(ranks_, has ? values.first(plane) : values,
                                          has ? values.last(plane) : values);
    Buffer<T, Exec> value(exec_, block().view.count(), "grid");
    if (!has) return value;
    exec_.upload(value.data(), rim.data(), before * sizeof(T));
    exec_.upload(value.data() + before, values.data(), values.size() * sizeof(T));
    exec_.upload(value.data() + before + values.size(), rim.data() + before,
                 (rim.size() - before) * sizeof(T));
    return value;
  }

  // Keys of values of 64 bits are their places among those that differ: in this slab until now.
  template <class T>
  void order_over_ranks(const Buffer<T, Exec>& value, topology::Levels levels,
                        Buffer<std::uint32_t, Exec>& key) {
    const std::uint32_t* const begin = std::as_const(key).data();
    const std::size_t distinct =
        key.empty() ? 0
                    : 1 + std::size_t(thrust::reduce(exec_.policy(), begin, begin + key.size(), 0u,
                                                     thrust::maximum<std::uint32_t>()));
    Buffer<std::uint64_t, Exec> bits(exec_, distinct, "values");
    parallel_for(exec_, "values", key.size(),
                 BitsOfPlaces<T>{value.data(), key.data(), levels, bits.data()});
    const auto place = upload(exec_, places_of_values(ranks_, download(exec_, bits)), "values");
    parallel_for(exec_, "values", key.size(), ReplaceKeys{place.data(), key.data()});
    exec_.synchronize();
  }

  template <int C>
  void find_tree(topology::SweepOn<Exec>& swept, Phases<Exec>& phases) {
    phases.begin("basins");
    progress_.report("merge tree", 0.1);
    topology::BlockBasins<Exec> found;
    if (has_cells())
      found = topology::find_basins<C>(exec_, block(), swept.view(), std::move(swept.cell));
    share_basins(found);
    phases.begin("saddles");
    progress_.report("merge tree", 0.4);
    if (tree_.count() == 0) return;
    auto contacts = topology::begin_contacts(exec_, tree_.ages());
    if (has_cells())
      contacts.template add<C>(
          topology::LinkView<C>{block().view, swept.view(),
                                std::as_const(*this).own_basins() - block().own_begin()},
          {found.saddle.data(), 0}, std::uint32_t(found.saddle.size()));
    auto own = topology::join_basins(exec_, std::move(contacts), tree_.ages(), tree_.count());
    if (!own.end.empty())
      topology::elders_of_ends(exec_, own.end, tree_.ages(), own.saddles);  // tells both ends
    progress_.report("merge tree", 0.6);
    auto all = topology::begin_contacts(exec_, tree_.ages());
    all.add(share_contacts(own.saddles, download(exec_, found.saddle)));
    tree_.join(exec_, std::move(all));
  }

  // Lists of cells of all ranks, of which `own` has those of this one as they are numbered in its
  // block.
  topology::CellList<Exec> cells_of_ranks(const std::vector<std::uint32_t>& own, const char* name,
                                          std::uint32_t& first_own) {
    std::vector<std::uint64_t> counts;
    const auto all = ranks_.all_gather<std::uint32_t>(own, &counts);
    std::vector<std::uint32_t> first;
    std::vector<std::uint64_t> shift;
    std::uint64_t cells = 0;
    for (int r = 0; r < ranks_.size(); ++r) {
      if (r == ranks_.rank()) first_own = std::uint32_t(cells);
      first.push_back(std::uint32_t(cells));
      shift.push_back(slabs_->block(r).shift());
      cells += counts[std::size_t(r)];
    }
    if (cells >= hierarchy::kNone)
      throw Error(std::string("the ") + name + " of all ranks are more than 32 bits count",
                  "merge tree", "smooth the grid or give a threshold");
    return {std::uint32_t(cells), upload(exec_, all, name), upload(exec_, first, name),
            upload(exec_, shift, name)};
  }

  void share_basins(topology::BlockBasins<Exec>& found) {
    auto& basins = tree_.basins;
    own_maxima_ = download(exec_, found.maximum);
    std::uint32_t first = 0;
    basins.maximum = cells_of_ranks(own_maxima_, "maxima", first);
    basins.key =
        upload(exec_, ranks_.all_gather<std::uint32_t>(download(exec_, found.key)), "maxima");
    basins.find_ages(exec_);
    encode(found, first);
    decode();
  }

  void encode(topology::BlockBasins<Exec>& found, std::uint32_t first) {
    const std::uint64_t slots = slabs_->rims_before(ranks_.size());
    if (std::uint64_t(tree_.count()) + slots >= hierarchy::kNone)
      throw Error(
          "the maxima of a grid over ranks, and the cells at the ends of their slabs, are more "
          "than "
          "32 bits count",
          "merge tree", "smooth the grid or give a threshold");
    const std::uint32_t before = block().own_begin(), own = block().own();
    basins_before_ = (std::size_t(before) + 3) / 4 * 4;  // as map_words() wants it
    basin_ = Buffer<std::uint32_t, Exec>(
        exec_, basins_before_ + own + (block().view.count() - before - own), "basins");
    parallel_for(
        exec_, "basins", own,
        topology::EncodeBasins{found.of_cell.data() + before, before, found.count, first,
                               std::uint32_t(slabs_->rims_before(ranks_.rank())), own_basins()});
    exec_.synchronize();
    found.of_cell = {};
  }

  // Follows the codes of all rims; then those of this rank's cells tell basins.
  void decode() {
    const std::size_t own = block().own(), before = block().own_begin();
    const std::size_t plane = has_cells() ? block().view.plane() : 0;
    std::vector<std::uint32_t> first(plane), last(plane);
    if (plane > 0) {
      exec_.download(first.data(), own_basins(), plane * sizeof(std::uint32_t));
      exec_.download(last.data(), own_basins() + own - plane, plane * sizeof(std::uint32_t));
    }
    const auto rim = slabs_->fetch_rim<std::uint32_t>(ranks_, first, last);
    auto target = upload(exec_, ranks_.all_gather<std::uint32_t>(rim), "basins");
    const topology::RimCode code{std::uint32_t(target.size())};
    Buffer<std::uint32_t, Exec> flag(exec_, 1, "basins");
    do {
      exec_.zero(flag.data(), sizeof(std::uint32_t));
      parallel_for(exec_, "basins", target.size(),
                   topology::FollowCodes{code, target.data(), flag.data()});
    } while (hierarchy::is_set(exec_, flag.data()));
    map_words(exec_, "basins", own, std::as_const(*this).own_basins(), own_basins(),
              topology::DecodeBasin{code, target.data()});
    const std::uint32_t* const of_rim =
        std::as_const(target).data() + slabs_->rims_before(ranks_.rank());
    thrust::copy_n(exec_.policy(), of_rim, before, own_basins() - before);
    thrust::copy_n(exec_.policy(), of_rim + before, rim.size() - before, own_basins() + own);
    exec_.synchronize();
  }

  // The edges of all ranks' forests, in the order of their saddles. `cell`: of each of this rank's
  // saddles, of which those of its edges are kept.
  std::vector<topology::KnownContact> share_contacts(const topology::SaddlesOn<Exec>& edges,
                                                     const std::vector<std::uint32_t>& cell) {
    const auto moment = download(exec_, edges.moment);
    const auto a = download(exec_, edges.a), b = download(exec_, edges.b);
    std::vector<std::uint32_t> used;
    used.reserve(moment.size());
    for (const std::uint64_t one : moment) used.push_back(topology::saddle_of_moment(one));
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (const std::uint32_t saddle : used) own_saddles_.push_back(cell[saddle]);
    std::uint32_t first = 0;
    tree_.saddle_cell = cells_of_ranks(own_saddles_, "saddles", first);
    std::vector<topology::KnownContact> contacts;
    contacts.reserve(moment.size());
    for (std::size_t e = 0; e < moment.size(); ++e) {
      const auto at =
          std::lower_bound(used.begin(), used.end(), topology::saddle_of_moment(moment[e])) -
          used.begin();
      contacts.push_back({topology::moment_of_saddle(topology::key_of_moment(moment[e]),
                                                     first + std::uint32_t(at)),
                          a[e], b[e]});
    }
    const auto place = [](const topology::KnownContact& one) {
      return std::tuple(topology::saddle_of_moment(one.moment), one.a, one.b);
    };
    tbb::parallel_sort(contacts.begin(), contacts.end(), [&](const auto& one, const auto& other) {
      return place(one) < place(other);
    });
    // Saddles are numbered rank after rank: these lists in a row are in order.
    return ranks_.all_gather<topology::KnownContact>(contacts);
  }

  // Ordered bits of maxima and saddles from the ranks that have their values.
  template <class T>
  void gather_values(const Buffer<T, Exec>& value) {
    const auto bits_of = [&](const std::vector<std::uint32_t>& own) {
      const auto cell = upload(exec_, own, "values");
      Buffer<std::uint64_t, Exec> bits(exec_, own.size(), "values");
      parallel_for(exec_, "values", own.size(),
                   topology::GatherBits<T>{value.data(), cell.data(), bits.data()});
      return upload(exec_, ranks_.all_gather<std::uint64_t>(download(exec_, bits)), "values");
    };
    tree_.birth = bits_of(own_maxima_);
    const auto of_saddle = bits_of(own_saddles_);
    parallel_for(exec_, "saddles", tree_.saddles.count,
                 BitsOfSaddles{tree_.saddles.moment.data(), of_saddle.data(), tree_.death.data()});
    exec_.synchronize();
  }

  void find_branches_of_cells(std::uint32_t* branch) {
    if (!has_cells()) return;
    parallel_for(
        exec_, "branches of cells", block().own(),
        topology::FindBranchOfCell{
            key_.data() + block().own_begin(), block().first, tree_.saddle_cell.view(),
            tree_.elders.view(tree_.saddles.moment.data()), tree_.ages(), tree_.elders.death.data(),
            tree_.elders.parent.data(), std::as_const(*this).own_basins(), branch});
    exec_.synchronize();
  }

  Exec exec_;
  Ranks& ranks_;
  Progress& progress_;
  topology::GridShape shape_;
  topology::ValueKind kind_ = topology::ValueKind::Real;
  std::optional<GridSlabs> slabs_;
  Buffer<std::uint32_t, Exec> key_;    // of the cells of this rank's block
  Buffer<std::uint32_t, Exec> basin_;  // own_basins(); kNone: the cell is not looked at
  std::size_t basins_before_ = 0;
  topology::BasinTree<Exec> tree_;
  topology::Branches branches_;
  std::vector<std::uint32_t> own_maxima_, own_saddles_;  // as numbered in the block
};

}  // namespace haloscope::compute::distributed
