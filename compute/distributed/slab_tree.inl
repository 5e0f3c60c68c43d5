#pragma once

#include "compute/distributed/distinct_values.h"
#include "compute/distributed/rank_buffers.inl"
#include "compute/distributed/slab_basins.inl"
#include "compute/distributed/slab_edges.inl"
#include "compute/distributed/slab_tree.h"
#include "compute/exec/atomics.h"
#include "compute/exec/map_words.inl"
#include "compute/exec/phases.h"
#include "compute/exec/slices.inl"
#include "compute/topology/basin_tree.inl"
#include "core/check.h"
#include "core/error.h"

#include <thrust/copy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// Merge trees over ranks, for either executor. Each rank finds the basins of its slab, block by
// block (grid_blocks.h, slab_basins.inl). Then it finds the contacts of its cells and joins basins
// at these alone: the edges of its spanning forest. No other contact of its own can be an edge of
// the forest of all, for it is the last one of a ring of contacts already. So these edges are all
// that goes to the other ranks, which join them again. It goes from device to device; through host
// memory go counts, and values of 64 bits, of which the ranks make one order.
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
  SlabTreeOn(Argument& argument, Ranks& ranks, Device device, Wire wire, Progress& progress)
      : exec_(argument),
        ranks_(ranks),
        wire_(make_device_ranks(ranks, device, wire)),
        progress_(progress) {}

  void grow(const topology::GridShape& shape, const topology::GridValues& own,
            const topology::TreeSettings& settings, Timings* timings) override {
    grow_or_forget(shape, settings, timings, [&](Phases<Exec>& phases) {
      std::visit([&](const auto& values) { grow_from(values, settings, phases); }, own);
    });
  }

  void grow_in_place(const topology::GridShape& shape, const float* own,
                     const topology::TreeSettings& settings, Timings* timings) override {
    grow_or_forget(shape, settings, timings, [&](Phases<Exec>& phases) {
      phases.begin("upload");
      progress_.report("merge tree", 0);
      const std::uint64_t cells = slabs_->cells(rank()), plane = slabs_->plane();
      const auto beside = std::make_shared<Buffer<float, Exec>>(
          exec_, cells > 0 ? std::size_t(2 * plane) : 0, "grid");
      exec_.synchronize();
      slabs_->fetch_beside(*wire_, rank(), own, cells > 0 ? own + (cells - plane) : own,
                           beside->data() + (cells > 0 ? plane : 0), beside->data(), sizeof(float));
      kind_ = topology::kKindOf<float>;
      sweep_ = [this, own, beside, settings](const topology::GridBlock& block) {
        return sweep_of(exec_, shape_, block,
                        values_from(block, own, 0, slabs_->cells(rank()), *beside), settings);
      };
      find_tree_of_blocks(settings, phases);
      take_values_of_keys<float>(settings);
    });
  }

  const topology::Branches& branches() override {
    if (branches_.maximum.size() != tree_.count()) branches_ = tree_.branches(exec_, kind_);
    return branches_;
  }

  topology::Segments segments(const topology::Simplification& simplification,
                              topology::Labeling labeling) override {
    const std::size_t own = slabs_ ? std::size_t(slabs_->cells(rank())) : 0;
    Buffer<std::uint32_t, Exec> label(exec_, own, "labels");
    const bool by_branch = labeling == topology::Labeling::Branch;
    if (by_branch) tree_.require_dendrogram(exec_);
    const auto made = tree_.segments(exec_, kind_, simplification, labeling);
    if (by_branch) find_branches_of_cells(label.data());
    map_words(exec_, "labels", own, by_branch ? std::as_const(label).data() : basins_.data(),
              label.data(), topology::LabelOfBasin{made.of_basin.data()});
    topology::Segments segments{download(exec_, label), {}};
    const std::vector<std::uint32_t> number = download(exec_, made.number);
    for (std::uint32_t k = 0; k < number.size(); ++k)
      if (number[k] > segments.branch.size()) segments.branch.push_back(k);
    return segments;
  }

  const DeviceRanks& wire() const override { return *wire_; }

  std::uint64_t peak_device_memory() const override {
    if constexpr (Exec::is_cuda)
      return exec_.peak_memory();
    else
      return 0;
  }

 private:
  using Words = Buffer<std::uint32_t, Exec>;

  template <class T>
  static constexpr bool kIsShort = sizeof(T) <= sizeof(std::uint32_t);

  void forget() {
    slabs_.reset();
    sweep_ = {};
    key_ = {};
    basins_ = {};
    tree_ = {};
    branches_ = {};
    own_maxima_ = {};
    own_saddles_ = {};
  }

  int rank() const { return ranks_.rank(); }
  const std::vector<topology::GridBlock>& blocks() const { return slabs_->blocks(rank()); }

  // Grow: void(Phases<Exec>&).
  template <class Grow>
  void grow_or_forget(const topology::GridShape& shape, const topology::TreeSettings& settings,
                      Timings* timings, const Grow& grow) {
    topology::require_shape(shape, settings);
    forget();
    Timings times;
    try {
      shape_ = shape;
      slabs_.emplace(shape, ranks_.size(), settings);
      Phases<Exec> phases(exec_, times);
      grow(phases);
      phases.end();
    } catch (...) {
      forget();
      throw;
    }
    if (!timings) return;
    const Timings sums = times.summed();  // of all blocks
    for (const auto& [phase, samples] : sums.samples()) timings->add(phase, samples.front());
  }

  // Of values on the host.
  template <class T>
  void grow_from(std::span<const T> values, const topology::TreeSettings& settings,
                 Phases<Exec>& phases) {
    HALOSCOPE_CHECK(values.size(), ==, std::size_t(slabs_->cells(rank())));
    kind_ = topology::kKindOf<T>;
    phases.begin("upload");
    progress_.report("merge tree", 0);
    const auto beside = std::make_shared<Buffer<T, Exec>>(fetch_beside(values));
    if constexpr (kIsShort<T>) {
      sweep_ = [this, values, beside, settings](const topology::GridBlock& block) {
        std::uint64_t begin = 0;
        const Buffer<T, Exec> part = upload_part(block, values, begin);
        return sweep_of(exec_, shape_, block,
                        values_from(block, part.data(), begin, part.size(), *beside), settings);
      };
      find_tree_of_blocks(settings, phases);
      take_values_of_keys<T>(settings);
    } else {
      grow_long(values, *beside, settings, phases);
    }
  }

  // The planes beside the slab: that behind it first.
  template <class T>
  Buffer<T, Exec> fetch_beside(std::span<const T> values) {
    const auto plane = std::size_t(slabs_->plane());
    std::vector<T> beside(values.empty() ? 0 : 2 * plane);
    slabs_->fetch_beside(ranks_, rank(), values.data(),
                         values.data() + (values.empty() ? 0 : values.size() - plane),
                         beside.data() + (values.empty() ? 0 : plane), beside.data(), sizeof(T));
    return upload(exec_, beside, "grid");
  }

  // The values of a block that lie in the slab. `begin`: the first of them there.
  template <class T>
  Buffer<T, Exec> upload_part(const topology::GridBlock& block, std::span<const T> values,
                              std::uint64_t& begin) {
    const std::uint64_t plane = slabs_->plane(), at = block.first - slabs_->first_cell(rank());
    begin = at > 0 ? at - plane : 0;
    std::uint64_t end = at + block.own();
    if (end < values.size()) end += plane;
    Buffer<T, Exec> part(exec_, std::size_t(end - begin), "grid");
    exec_.upload(part.data(), values.data() + begin, part.size() * sizeof(T));
    return part;
  }

  // Of a block, from those of a slab from cell `begin` on.
  template <class T>
  topology::BlockValues<T> values_from(const topology::GridBlock& block, const T* values,
                                       std::uint64_t begin, std::uint64_t count,
                                       const Buffer<T, Exec>& beside) const {
    const std::uint64_t at = block.first - slabs_->first_cell(rank());
    // The plane before the slab comes last.
    const bool is_before = at == 0 && block.view.rim[0] > 0;
    const std::uint64_t start =
        is_before ? count + slabs_->plane() : at - block.own_begin() - begin;
    return {values, start, count, beside.data(), beside.size()};
  }

  // Values of 64 bits, which are ordered in slabs of one block.
  template <class T>
  void grow_long(std::span<const T> values, const Buffer<T, Exec>& beside,
                 const topology::TreeSettings& settings, Phases<Exec>& phases) {
    if (shape_.count() > topology::kMostCells)
      throw Error("values of 64 bits are ordered in grids of at most " +
                      std::to_string(topology::kMostCells) + " cells, and it has " +
                      std::to_string(shape_.count()),
                  "grid", "give float32 values");
    if (slabs_->is_in_blocks())
      throw Error("values of 64 bits are ordered in slabs of one block only", "grid",
                  "give float32 values, or start more ranks");
    Buffer<T, Exec> value;
    topology::SweepOn<Exec> swept;
    sweep_ = [&swept](const topology::GridBlock&) { return std::move(swept); };
    phases.begin("order of cells");
    if (!blocks().empty()) {
      value = with_rim(values, beside);
      swept = sweep_of(exec_, shape_, blocks().front(),
                       topology::BlockValues<T>{value.data(), 0, value.size()}, settings);
    }
    order_over_ranks(value, settings.levels, swept.key);
    find_tree_of_blocks(settings, phases);
    sweep_ = {};
    gather_values(value);
    tree_.basins.key = {};
  }

  template <class T>
  Buffer<T, Exec> with_rim(std::span<const T> values, const Buffer<T, Exec>& beside) {
    const topology::GridBlock& block = blocks().front();
    const std::size_t plane = slabs_->plane(), before = block.own_begin();
    Buffer<T, Exec> value(exec_, block.view.count(), "grid");
    thrust::copy_n(exec_.policy(), beside.data() + plane, before, value.data());
    exec_.upload(value.data() + before, values.data(), values.size() * sizeof(T));
    thrust::copy_n(exec_.policy(), beside.data(), value.size() - before - values.size(),
                   value.data() + before + values.size());
    return value;
  }

  // Keys of values of 64 bits are their places among those that differ: in this slab until now.
  template <class T>
  void order_over_ranks(const Buffer<T, Exec>& value, topology::Levels levels, Words& key) {
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

  void find_tree_of_blocks(const topology::TreeSettings& settings, Phases<Exec>& phases) {
    topology::with_neighbors(settings.connectivity, [&]<int C>() { find_tree<C>(phases); });
    phases.begin("branches");
    progress_.report("merge tree", 0.8);
    tree_.begin_values(exec_);
  }

  template <class T>
  void take_values_of_keys(const topology::TreeSettings& settings) {
    tree_.template take_values_of_keys<T>(exec_, settings.levels);
    tree_.basins.key = {};
    own_maxima_ = {};
    own_saddles_ = {};
    // Values of a slab that is one block are not looked at again.
    if (blocks().size() <= 1) sweep_ = {};
  }

  template <int C>
  void find_tree(Phases<Exec>& phases) {
    basins_ = SlabBasins<Exec>(exec_, *slabs_, rank());
    topology::CellLists<Exec> maxima, saddles;
    std::vector<Words> keys;
    std::vector<std::uint64_t> counts;
    topology::SweepOn<Exec> swept;
    const double parts = double(blocks().size());
    for (const topology::GridBlock& block : blocks()) {
      phases.begin("order of cells");
      progress_.report("merge tree", 0.4 * double(counts.size()) / parts);
      swept = {};
      swept = sweep_(block);
      phases.begin("basins");
      auto found = topology::find_basins<C>(exec_, block, swept.view(), std::move(swept.cell));
      if (std::uint64_t(saddles.count()) + found.saddle.size() >= topology::kNone)
        throw Error("its saddles are more than 32 bits count", "merge tree",
                    "smooth the grid or give a threshold");
      basins_.add(exec_, block, std::move(found.of_cell), found.count, maxima.count());
      counts.push_back(found.count);
      saddles.add(std::move(found.saddle), block.shift());
      maxima.add(std::move(found.maximum), block.shift());
      keys.push_back(std::move(found.key));
    }
    phases.begin("basins");
    share_basins(std::move(maxima), counts, std::move(keys));
    if (tree_.count() > 0) {
      auto own = find_edges<C>(saddles, swept, phases);
      progress_.report("merge tree", 0.6);
      share_edges(std::move(own), saddles);
    }
    if (blocks().size() == 1) key_ = std::move(swept.key);
  }

  // The forest of this rank's contacts. `swept`: the last block.
  template <int C>
  topology::SaddlesOn<Exec> find_edges(const topology::CellLists<Exec>& saddles,
                                       topology::SweepOn<Exec>& swept, Phases<Exec>& phases) {
    auto contacts = topology::begin_contacts(exec_, tree_.ages());
    for (std::size_t b = 0; b < blocks().size(); ++b) {
      const topology::GridBlock& block = blocks()[b];
      if (blocks().size() > 1) {
        phases.begin("order of cells");
        progress_.report("merge tree", 0.4 + 0.2 * double(b) / double(blocks().size()));
        swept = {};
        swept = sweep_(block);
      }
      phases.begin("saddles");
      contacts.template add<C>(
          topology::LinkView<C>{block.view, swept.view(), basins_.of_block(block)},
          {saddles.part(b).data(), saddles.first(b)}, std::uint32_t(saddles.part(b).size()));
    }
    phases.begin("saddles");
    if (blocks().size() > 1) swept = {};
    auto own = topology::join_basins(exec_, std::move(contacts), tree_.ages(), tree_.count());
    if (!own.end.empty())
      topology::elders_of_ends(exec_, own.end, tree_.ages(), own.saddles);  // tells both ends
    return std::move(own.saddles);
  }

  // Lists of cells of all ranks, of which `own` has those of this one, with `counts` of each block.
  topology::CellList<Exec> cells_of_ranks(const Words& own,
                                          const std::vector<std::uint64_t>& counts,
                                          const char* name, std::uint32_t& first_own) {
    const auto of_blocks = ranks_.all_gather<std::uint64_t>(counts);
    std::vector<std::uint32_t> first;
    std::vector<std::uint64_t> shift;
    std::uint64_t cells = 0;
    for (int r = 0; r < ranks_.size(); ++r) {
      if (r == rank()) first_own = std::uint32_t(cells);
      for (const topology::GridBlock& block : slabs_->blocks(r)) {
        first.push_back(std::uint32_t(cells));
        cells += of_blocks[shift.size()];
        shift.push_back(block.shift());
      }
    }
    if (cells >= hierarchy::kNone)
      throw Error(std::string("the ") + name + " of all ranks are more than 32 bits count",
                  "merge tree", "smooth the grid or give a threshold");
    return {std::uint32_t(cells), all_gather(exec_, ranks_, *wire_, own, name),
            upload(exec_, first, name), upload(exec_, shift, name)};
  }

  void share_basins(topology::CellLists<Exec> maxima, const std::vector<std::uint64_t>& counts,
                    std::vector<Words> keys) {
    auto& basins = tree_.basins;
    own_maxima_ = maxima.make(exec_, "maxima").in_block;
    std::uint32_t first = 0;
    basins.maximum = cells_of_ranks(own_maxima_, counts, "maxima", first);
    basins.key = all_gather(exec_, ranks_, *wire_,
                            topology::joined(exec_, std::move(keys), "maxima"), "maxima");
    basins.find_ages(exec_);
    basins_.share(exec_, ranks_, *wire_, first, tree_.count());
  }

  // Joins basins at the edges of all ranks' forests. Of this rank's saddles those of its edges go
  // to the others.
  void share_edges(topology::SaddlesOn<Exec> edges, topology::CellLists<Exec>& saddles) {
    const std::size_t count = saddles.count();
    Words up_to(exec_, count, "saddles");
    exec_.zero(up_to.data(), count * sizeof(std::uint32_t));
    parallel_for(exec_, "saddles", edges.count, MarkSaddles{edges.moment.data(), up_to.data()});
    thrust::inclusive_scan(exec_.policy(), up_to.begin(), up_to.end(), up_to.begin());
    std::vector<std::uint64_t> counts;
    std::uint32_t used = 0;
    for (std::size_t b = 0; b < blocks().size(); ++b) {
      const std::uint32_t before = used;
      const std::size_t end = saddles.first(b) + saddles.part(b).size();
      if (end > 0) exec_.download(&used, up_to.data() + end - 1, sizeof used);
      counts.push_back(used - before);
    }
    own_saddles_ = Words(exec_, used, "saddles");
    {
      const Words cell = saddles.make(exec_, "saddles").in_block;
      parallel_for(exec_, "saddles", count,
                   KeepSaddles{up_to.data(), cell.data(), own_saddles_.data()});
    }
    std::uint32_t first = 0;
    tree_.saddle_cell = cells_of_ranks(own_saddles_, counts, "saddles", first);
    Buffer<std::uint64_t, Exec> moment(exec_, edges.count, "contacts"),
        ends(exec_, edges.count, "contacts");
    parallel_for(exec_, "saddles", edges.count,
                 ShareEdges{edges.moment.data(), edges.a.data(), edges.b.data(), up_to.data(),
                            first, moment.data(), ends.data()});
    edges = {};
    up_to = {};
    // Saddles are numbered rank after rank: sorted lists in a row are in order.
    topology::sort_known(exec_, moment, ends);
    auto all = topology::begin_contacts(exec_, tree_.ages());
    auto moments = all_gather(exec_, ranks_, *wire_, moment, "contacts");
    moment = {};
    auto all_ends = all_gather(exec_, ranks_, *wire_, ends, "contacts");
    ends = {};
    all.add(std::move(moments), std::move(all_ends));
    tree_.join(exec_, std::move(all));
  }

  // Ordered bits of maxima and saddles from the ranks that have their values.
  template <class T>
  void gather_values(const Buffer<T, Exec>& value) {
    const auto bits_of = [&](Words& own) {
      Buffer<std::uint64_t, Exec> bits(exec_, own.size(), "values");
      parallel_for(exec_, "values", own.size(),
                   topology::GatherBits<T>{value.data(), own.data(), bits.data()});
      own = {};
      return all_gather(exec_, ranks_, *wire_, bits, "values");
    };
    tree_.birth = bits_of(own_maxima_);
    const auto of_saddle = bits_of(own_saddles_);
    parallel_for(exec_, "saddles", tree_.saddles.count,
                 BitsOfSaddles{tree_.saddles.moment.data(), of_saddle.data(), tree_.death.data()});
    exec_.synchronize();
  }

  void find_branches_of_cells(std::uint32_t* branch) {
    for (const topology::GridBlock& block : blocks()) {
      topology::SweepOn<Exec> again;
      if (sweep_) again = sweep_(block);
      const auto& key = sweep_ ? again.key : key_;
      const std::uint64_t at = block.first - slabs_->first_cell(rank());
      parallel_for(exec_, "branches of cells", block.own(),
                   topology::FindBranchOfCell{
                       key.data() + block.own_begin(), block.first, tree_.saddle_cell.view(),
                       tree_.elders.view(tree_.saddles.moment.data()), tree_.ages(),
                       tree_.elders.death.data(), tree_.elders.parent.data(), basins_.data() + at,
                       branch + at});
      exec_.synchronize();
    }
  }

  Exec exec_;
  Ranks& ranks_;
  const std::unique_ptr<DeviceRanks> wire_;
  Progress& progress_;
  topology::GridShape shape_;
  topology::ValueKind kind_ = topology::ValueKind::Real;
  std::optional<GridSlabs> slabs_;
  // Null where the keys of the slab's only block are kept.
  std::function<topology::SweepOn<Exec>(const topology::GridBlock&)> sweep_;
  Words key_;
  SlabBasins<Exec> basins_;
  topology::BasinTree<Exec> tree_;
  topology::Branches branches_;     // downloaded when they are asked for
  Words own_maxima_, own_saddles_;  // as numbered in their blocks
};

}  // namespace haloscope::compute::distributed
