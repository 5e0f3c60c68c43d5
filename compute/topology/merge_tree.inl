#pragma once

#include "compute/exec/buffer.h"
#include "compute/exec/kept_blocks.h"
#include "compute/exec/map_words.inl"
#include "compute/exec/phases.h"
#include "compute/exec/shared_labels.inl"
#include "compute/exec/slices.inl"
#include "compute/topology/basin_tree.inl"
#include "compute/topology/basins.inl"
#include "compute/topology/contacts.inl"
#include "compute/topology/grid_blocks.h"
#include "compute/topology/merge_tree.h"
#include "compute/topology/point_segments.inl"
#include "compute/topology/segments.inl"
#include "compute/topology/sweep_keys.inl"
#include "compute/topology/tell_branches.inl"
#include "core/error.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

// Merge trees from basins and their contacts, for either executor (the way of ExTreeM: Lukasczyk,
// Will, Wetzels, Weber, Garth 2024). On a GPU the contacts' spanning forest is made by Borůvka's
// rounds, and branches from its dendrogram (basin_branches.inl); on a CPU contacts are merged one
// after another (merge_contacts_cpu.h).
namespace haloscope::compute::topology {

// What cells of whole grids, their maxima and saddles, tell.
struct CellsOfMoments {
  const std::uint64_t* moment;
  CellListView saddles;
  std::uint32_t* cell;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    cell[i] = std::uint32_t(saddles[saddle_of_moment(moment[i])]);
  }
};

template <class Exec>
class MergeTreeOn : public MergeTree {
 public:
  explicit MergeTreeOn(Progress& progress)
      : shared_(std::make_shared<SharedExecutor<Exec>>(progress)), progress_(progress) {}
  MergeTreeOn(Device device, Progress& progress)
      : shared_(std::make_shared<SharedExecutor<Exec>>(device)), progress_(progress) {}

  void grow(const ScalarGrid& grid, const TreeSettings& settings, Timings* timings) override {
    require_grid(grid, settings);
    const std::lock_guard lock(shared_->mutex);
    grow_or_forget(grid.shape, settings, timings, [&](Phases<Exec>& phases) {
      std::visit([&](const auto& values) { grow_from(values.data(), settings, phases); },
                 grid.values);
      phases.begin("download");
      download_branches();
    });
  }

  void grow_in_place(const GridShape& shape, const float* values, const TreeSettings& settings,
                     Timings* timings) override {
    // Only their number is looked at.
    require_grid({shape, std::span<const float>(values, std::size_t(shape.count()))}, settings);
    const std::lock_guard lock(shared_->mutex);
    grow_or_forget(shape, settings, timings, [&](Phases<Exec>& phases) {
      Buffer<float, Exec> none;
      const auto sweep = [this, values, settings](const GridBlock& block) {
        return sweep_of(exec_, shape_, block, values_in_grid(block, values), settings);
      };
      grow_by(sweep, values, none, settings, phases);
      if (blocks_.size() > 1) sweep_again_ = sweep;
    });
  }

  const Branches& branches() const override {
    const std::lock_guard lock(shared_->mutex);
    download_branches();
    return branches_;
  }

  Triplets triplets() override {
    const std::lock_guard lock(shared_->mutex);
    const std::uint64_t cells = tree_.basins.of_cell.cells;
    require_short_cells("triplets");
    find_branches_of_cells();
    Buffer<std::uint32_t, Exec> saddle(exec_, cells, "triplets"), top(exec_, cells, "triplets");
    parallel_for(exec_, "triplets", cells,
                 TopsOfCells{std::as_const(branch_of_cell_).data(), tree_.basins.maximum.view(),
                             saddle.data(), top.data()});
    parallel_for(exec_, "triplets", tree_.basins.count(),
                 TopsOfMaxima{tree_.basins.maximum.view(), tree_.saddle_cell.view(),
                              tree_.elders.death.data(), tree_.elders.parent.data(),
                              tree_.saddles.moment.data(), saddle.data(), top.data()});
    return {download(exec_, saddle), download(exec_, top)};
  }

  Segments segments(const Simplification& simplification, Labeling labeling) override {
    const std::lock_guard lock(shared_->mutex);
    const auto made = label(simplification, labeling);
    Segments segments{download(exec_, label_), {}};
    const std::vector<std::uint32_t> number = download(exec_, made.number);
    for (std::uint32_t k = 0; k < number.size(); ++k)
      if (number[k] > segments.branch.size()) segments.branch.push_back(k);
    label_ = {};
    return segments;
  }

  SegmentsView segments_in_place(const Simplification& simplification, Labeling labeling) override {
    const std::lock_guard lock(shared_->mutex);
    const auto made = label(simplification, labeling);
    SegmentsView view{label_.data(), 0};
    if (tree_.basins.count() > 0)
      exec_.download(&view.count, made.number.data() + tree_.basins.count() - 1,
                     sizeof(view.count));
    return view;
  }

  void keep_points(std::span<const std::uint32_t> cell, Labeling labeling) override {
    const std::lock_guard lock(shared_->mutex);
    points_ = {};
    if (cell.size() >= kNoBranch)
      throw Error(std::to_string(cell.size()) + " points are more than 32 bits count", "merge tree",
                  "keep fewer");
    require_short_cells("cells of points");
    if (labeling == Labeling::Branch) find_branches_of_cells();
    points_ = find_units(exec_, cell, labeling, unit_of_cell(labeling), tree_.basins.count());
    exec_.synchronize();
  }

  PointSegments segment_points(const Simplification& simplification) override {
    const std::lock_guard lock(shared_->mutex);
    if (!points_.kept) throw Error("there are no points to label", "merge tree", "keep them first");
    const auto made = segments_of_basins(simplification, points_.labeling);
    const std::size_t count = points_.unit.size();
    Buffer<std::uint32_t, Exec> label(exec_, count, "labels of points");
    map_words(exec_, "labels of points", count, points_.unit.data(), label.data(),
              LabelOfBasin{made.of_basin.data()});
    SegmentSums<Exec> sums = sum_up(exec_, points_, made);
    exec_.synchronize();
    const auto segments = std::uint32_t(sums.branch.size());
    return {std::make_shared<SharedLabels<Exec>>(shared_, std::move(label)), segments,
            std::make_shared<SharedSegmentLists<Exec>>(shared_, std::move(sums))};
  }

  std::uint64_t peak_device_memory() const override {
    if constexpr (Exec::is_cuda)
      return exec_.peak_memory();
    else
      return 0;
  }

 private:
  void forget() {
    blocks_.clear();
    sweep_again_ = {};
    key_ = {};
    tree_ = {};
    branch_of_cell_ = {};
    points_ = {};
    branches_ = {};
  }

  // Grow: void(Phases<Exec>&).
  template <class Grow>
  void grow_or_forget(const GridShape& shape, const TreeSettings& settings, Timings* timings,
                      const Grow& grow) {
    const KeepFreedMemory<Exec> keep(exec_);  // of the tree before too
    forget();
    // The labels' memory is kept for those of the next grid of that size: asked for again, it takes
    // a GPU half a millisecond at 512³. Of the largest grids it is needed meanwhile.
    if (label_.size() != std::size_t(shape.count()) || shape.count() > kMostCells) label_ = {};
    try {
      shape_ = shape;
      blocks_ = blocks_of(shape, settings);
      Timings own;
      Phases<Exec> phases(exec_, own);
      grow(phases);
      phases.end();
      if (!timings) return;
      const Timings sums = own.summed();  // of all blocks
      for (const auto& [phase, times] : sums.samples()) timings->add(phase, times.front());
    } catch (...) {
      forget();
      label_ = {};
      throw;
    }
  }

  // Of values on the host.
  template <class T>
  void grow_from(const T* values, const TreeSettings& settings, Phases<Exec>& phases) {
    if (sizeof(T) > sizeof(std::uint32_t) && blocks_.size() > 1)
      throw Error(
          "values of 64 bits are ordered in whole grids only, and it has " +
              std::to_string(shape_.count()) + " cells",
          "grid",
          "give float32 values, or at most " + std::to_string(kMostCells) + " cells at once");
    Buffer<T, Exec> value;
    const auto sweep = [this, values, settings, &value](const GridBlock& block) {
      value = upload_block(block, values);
      auto made = sweep_of(exec_, shape_, block,
                           BlockValues<T>{value.data(), 0, block.view.count()}, settings);
      if constexpr (kIsShort<T>) value = {};
      return made;
    };
    phases.begin("upload");
    grow_by(sweep, values, value, settings, phases);
    // `value` is gone then.
    if (blocks_.size() > 1)
      sweep_again_ = [this, values, settings](const GridBlock& block) {
        const Buffer<T, Exec> again = upload_block(block, values);
        return sweep_of(exec_, shape_, block, BlockValues<T>{again.data(), 0, block.view.count()},
                        settings);
      };
  }

  // With the rim, which may lie at the grid's other end.
  template <class T>
  Buffer<T, Exec> upload_block(const GridBlock& block, const T* values) {
    const std::size_t count = block.view.count();
    const BlockValues<T> in_grid = values_in_grid(block, values);
    const auto before_end =
        std::size_t(std::min<std::uint64_t>(count, in_grid.cells - in_grid.start));
    Buffer<T, Exec> value(exec_, count, "grid");
    exec_.upload(value.data(), values + in_grid.start, before_end * sizeof(T));
    exec_.upload(value.data() + before_end, values, (count - before_end) * sizeof(T));
    return value;
  }

  template <class T>
  static constexpr bool kIsShort = sizeof(T) <= sizeof(std::uint32_t);

  // Sweep: SweepOn<Exec>(const GridBlock&), which of a whole grid may leave its values in `owned`
  // when it returns.
  template <class T, class Sweep>
  void grow_by(const Sweep& sweep, const T* values, Buffer<T, Exec>& owned,
               const TreeSettings& settings, Phases<Exec>& phases) {
    with_neighbors(settings.connectivity, [&]<int C>() { find_forest<C>(sweep, phases); });
    phases.begin("branches");
    progress_.report("merge tree", 0.8);
    tree_.begin_values(exec_);
    branches_.kind = kKindOf<T>;
    if constexpr (kIsShort<T>)
      tree_.template take_values_of_keys<T>(exec_, settings.levels);
    else
      take_values(owned.empty() ? values : owned.data());
    tree_.basins.key = {};
  }

  template <int C, class Sweep>
  void find_forest(const Sweep& sweep, Phases<Exec>& phases) {
    const bool is_whole = blocks_.size() == 1;
    BlocksBasins<Exec> basins(exec_, blocks_);
    CellLists<Exec> saddles;
    SweepOn<Exec> swept;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const GridBlock& block = blocks_[b];
      phases.begin("order of cells");
      progress_.report("merge tree", 0.4 * double(b) / double(blocks_.size()));
      swept = {};
      swept = sweep(block);
      phases.begin("basins");
      progress_.report("merge tree", 0.4 * (double(b) + 0.25) / double(blocks_.size()));
      auto found = find_basins<C>(exec_, block, swept.view(), std::move(swept.cell));
      if (std::uint64_t(saddles.count()) + found.saddle.size() >= kNone)
        throw Error("its saddles are more than 32 bits count", "merge tree",
                    "smooth the grid or give a threshold");
      saddles.add(std::move(found.saddle), block.shift());
      basins.add(std::move(found));
    }
    tree_.basins = basins.make();
    auto contacts = begin_contacts(exec_, tree_.ages());
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const GridBlock& block = blocks_[b];
      progress_.report("merge tree", 0.4 + 0.4 * double(b) / double(blocks_.size()));
      if (!is_whole) {
        phases.begin("order of cells");
        swept = {};
        swept = sweep(block);
      }
      phases.begin("saddles");
      contacts.template add<C>(
          LinkView<C>{block.view, swept.view(), tree_.basins.of_cell.of_block(block)},
          {saddles.part(b).data(), saddles.first(b)}, std::uint32_t(saddles.part(b).size()));
    }
    key_ = is_whole ? std::move(swept.key) : Buffer<std::uint32_t, Exec>();
    swept = {};
    tree_.saddle_cell = saddles.make(exec_, "saddles");
    tree_.join(exec_, std::move(contacts));
  }

  // Of a whole grid.
  template <class T>
  void take_values(const T* value) {
    Buffer<std::uint32_t, Exec> cell(exec_, tree_.saddles.count, "saddles");
    parallel_for(
        exec_, "saddles", tree_.saddles.count,
        CellsOfMoments{tree_.saddles.moment.data(), tree_.saddle_cell.view(), cell.data()});
    parallel_for(exec_, "maxima", tree_.basins.count(),
                 GatherBits<T>{value, tree_.basins.maximum.in_block.data(), tree_.birth.data()});
    parallel_for(exec_, "saddles", tree_.saddles.count,
                 GatherBits<T>{value, cell.data(), tree_.death.data()});
    exec_.synchronize();
  }

  void download_branches() const {
    if (branches_.maximum.size() != tree_.basins.count())
      branches_ = tree_.branches(exec_, branches_.kind);
  }

  // Cells of points and triplets are numbers of 32 bits.
  void require_short_cells(const char* what) const {
    if (shape_.count() <= kMostCells) return;
    throw Error(std::string(what) + " are numbers of 32 bits, and the grid has " +
                    std::to_string(shape_.count()) + " cells",
                "merge tree", "choose a coarser grid or a part of it");
  }

  // Basins, or branches by the basins of their maxima.
  const CellCodes<Exec>& unit_of_cell(Labeling labeling) const {
    return labeling == Labeling::Branch ? branch_of_cell_ : tree_.basins.of_cell;
  }

  SegmentsOn<Exec> segments_of_basins(const Simplification& simplification, Labeling labeling) {
    return tree_.segments(exec_, branches_.kind, simplification, labeling);
  }

  SegmentsOn<Exec> label(const Simplification& simplification, Labeling labeling) {
    if (labeling == Labeling::Branch) find_branches_of_cells();
    auto made = segments_of_basins(simplification, labeling);
    const auto& of_cell = unit_of_cell(labeling);
    if (label_.size() != of_cell.cells)
      label_ = Buffer<std::uint32_t, Exec>(exec_, of_cell.cells, "labels");
    map_words(exec_, "labels", of_cell.cells, of_cell.data(), label_.data(),
              LabelOfBasin{made.of_basin.data()});
    return made;
  }

  void find_branches_of_cells() {
    if (!branch_of_cell_.empty()) return;
    tree_.require_dendrogram(exec_);
    CellCodes<Exec> branch{shape_.count(), 0,
                           Buffer<std::uint32_t, Exec>(exec_, shape_.count(), "branches of cells")};
    for (const GridBlock& block : blocks_) {
      SweepOn<Exec> again;
      if (sweep_again_) again = sweep_again_(block);
      const auto& key = sweep_again_ ? again.key : key_;
      parallel_for(
          exec_, "branches of cells", block.own(),
          FindBranchOfCell{key.data() + block.own_begin(), block.first, tree_.saddle_cell.view(),
                           tree_.elders.view(tree_.saddles.moment.data()), tree_.ages(),
                           tree_.elders.death.data(), tree_.elders.parent.data(),
                           std::as_const(tree_.basins.of_cell).data() + block.first,
                           branch.data() + block.first});
      exec_.synchronize();
    }
    branch_of_cell_ = std::move(branch);
  }

  std::shared_ptr<SharedExecutor<Exec>> shared_;
  Exec& exec_ = shared_->exec;
  Progress& progress_;
  GridShape shape_;
  std::vector<GridBlock> blocks_;
  // Of a grid in blocks, whose keys are not kept.
  std::function<SweepOn<Exec>(const GridBlock&)> sweep_again_;
  Buffer<std::uint32_t, Exec> key_;  // of a whole grid
  BasinTree<Exec> tree_;
  CellCodes<Exec> branch_of_cell_;
  Buffer<std::uint32_t, Exec> label_;
  PointUnits<Exec> points_;
  mutable Branches branches_;  // downloaded when they are asked for
};

}  // namespace haloscope::compute::topology
