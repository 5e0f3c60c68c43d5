#pragma once

#include "compute/exec/buffer.h"
#include "compute/exec/map_words.inl"
#include "compute/exec/phases.h"
#include "compute/exec/shared_labels.inl"
#include "compute/exec/slices.inl"
#include "compute/hierarchy/elder_rule.inl"
#include "compute/topology/basins.inl"
#include "compute/topology/contacts.inl"
#include "compute/topology/merge_tree.h"
#include "compute/topology/point_segments.inl"
#include "compute/topology/segments.inl"
#include "compute/topology/sweep_keys.inl"
#include "core/error.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

// Merge trees from basins and their spanning forest, for either executor (the way of ExTreeM:
// Lukasczyk, Will, Wetzels, Weber, Garth 2024, with Borůvka's rounds in place of its last step).
namespace haloscope::compute::topology {

struct CellsOfMoments {
  const std::uint64_t* moment;
  std::uint32_t* cell;
  HALOSCOPE_HD void operator()(std::size_t i) const { cell[i] = cell_of_moment(moment[i]); }
};

struct TopsOfCells {
  const std::uint32_t *branch, *maximum;
  std::uint32_t *saddle, *top;
  HALOSCOPE_HD void operator()(std::size_t v) const {
    const bool is_looked_at = branch[v] != kNone;
    saddle[v] = is_looked_at ? std::uint32_t(v) : kNone;
    top[v] = is_looked_at ? maximum[branch[v]] : kNone;
  }
};

struct TopsOfMaxima {
  const std::uint32_t *maximum, *death, *parent;
  const std::uint64_t* moment;
  std::uint32_t *saddle, *top;
  HALOSCOPE_HD void operator()(std::size_t b) const {
    if (death[b] == kNone) return;
    saddle[maximum[b]] = cell_of_moment(moment[death[b]]);
    top[maximum[b]] = maximum[parent[b]];
  }
};

// What branches tell: of basin b, that `edge` ends.
struct MaximumOf {
  const std::uint32_t* maximum;
  HALOSCOPE_HD std::uint64_t operator()(std::uint32_t b, std::uint32_t) const { return maximum[b]; }
};
struct SaddleOf {
  const std::uint64_t* moment;
  HALOSCOPE_HD std::uint64_t operator()(std::uint32_t, std::uint32_t edge) const {
    return edge == kNone ? kNoCell : cell_of_moment(moment[edge]);
  }
};
struct AgeOf {
  const std::uint32_t *of_basin, *age;
  HALOSCOPE_HD std::uint32_t operator()(std::uint32_t b, std::uint32_t edge) const {
    return edge == kNone ? kNoBranch : age[of_basin[b]];
  }
};
struct BirthOf {
  const std::uint64_t* birth;
  HALOSCOPE_HD std::uint64_t operator()(std::uint32_t b, std::uint32_t) const { return birth[b]; }
};
struct DeathOf {
  const std::uint64_t* value;
  HALOSCOPE_HD std::uint64_t operator()(std::uint32_t, std::uint32_t edge) const {
    return edge == kNone ? 0 : value[edge];
  }
};

template <class T, class Tell>
struct FillColumn {
  const std::uint32_t *by_age, *death;
  Tell tell;
  T* values;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::uint32_t b = by_age[k];
    values[k] = tell(b, death[b]);
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
    grow_or_forget(grid.shape, [&] {
      std::visit([&](const auto& values) { grow_from(grid.shape, values, settings, timings); },
                 grid.values);
    });
  }

  void grow_in_place(const GridShape& shape, const float* values, const TreeSettings& settings,
                     Timings* timings) override {
    // Only their number is looked at.
    require_grid({shape, std::span<const float>(values, std::size_t(shape.count()))}, settings);
    const std::lock_guard lock(shared_->mutex);
    grow_or_forget(shape, [&] {
      Timings own_timings;
      Phases<Exec> phases(exec_, timings ? *timings : own_timings);
      Buffer<float, Exec> none;
      grow_of(shape, values, none, settings, phases);
      phases.end();
    });
  }

  const Branches& branches() const override {
    const std::lock_guard lock(shared_->mutex);
    download_branches();
    return branches_;
  }

  Triplets triplets() override {
    const std::lock_guard lock(shared_->mutex);
    find_branches_of_cells();
    const std::size_t cells = basins_.of_cell.size();
    Buffer<std::uint32_t, Exec> saddle(exec_, cells, "triplets"), top(exec_, cells, "triplets");
    parallel_for(
        exec_, "triplets", cells,
        TopsOfCells{branch_of_cell_.data(), basins_.maximum.data(), saddle.data(), top.data()});
    parallel_for(exec_, "triplets", basins_.count,
                 TopsOfMaxima{basins_.maximum.data(), elders_.death.data(), elders_.parent.data(),
                              saddles_.moment.data(), saddle.data(), top.data()});
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
    if (basins_.count > 0)
      exec_.download(&view.count, made.number.data() + basins_.count - 1, sizeof(view.count));
    return view;
  }

  void keep_points(std::span<const std::uint32_t> cell, Labeling labeling) override {
    const std::lock_guard lock(shared_->mutex);
    points_ = {};
    if (cell.size() >= kNoBranch)
      throw Error(std::to_string(cell.size()) + " points are more than 32 bits count", "merge tree",
                  "keep fewer");
    if (labeling == Labeling::Branch) find_branches_of_cells();
    points_ = find_units(exec_, cell, labeling, unit_of_cell(labeling), basins_.count);
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
    const SegmentSums<Exec> sums = sum_up(exec_, points_, made);
    PointSegments segments{nullptr, download(exec_, sums.branch), download(exec_, sums.cells),
                           download(exec_, sums.points)};
    exec_.synchronize();
    segments.labels = std::make_shared<SharedLabels<Exec>>(shared_, std::move(label));
    return segments;
  }

  std::uint64_t peak_device_memory() const override {
    if constexpr (Exec::is_cuda)
      return exec_.peak_memory();
    else
      return 0;
  }

 private:
  void forget() {
    key_ = {};
    basins_ = {};
    saddles_ = {};
    elders_ = {};
    birth_ = {};
    death_ = {};
    branch_of_cell_ = {};
    points_ = {};
    branches_ = {};
  }

  hierarchy::AgesView ages() const { return {basins_.age.data(), basins_.by_age.data()}; }

  template <class Grow>
  void grow_or_forget(const GridShape& shape, const Grow& grow) {
    forget();
    // The labels' memory is kept for those of the next grid of that size: asked for again, it takes
    // a GPU half a millisecond at 512³.
    if (label_.size() != std::size_t(shape.count())) label_ = {};
    try {
      grow();
    } catch (...) {
      forget();
      label_ = {};
      throw;
    }
  }

  template <class T>
  void grow_from(const GridShape& shape, std::span<const T> values, const TreeSettings& settings,
                 Timings* timings) {
    Timings own_timings;
    Phases<Exec> phases(exec_, timings ? *timings : own_timings);
    phases.begin("upload");
    progress_.report("merge tree", 0);
    Buffer<T, Exec> value(exec_, values.size(), "grid");
    exec_.upload(value.data(), values.data(), values.size_bytes());
    grow_of(shape, value.data(), value, settings, phases);
    phases.begin("download");
    download_branches();
    phases.end();
  }

  // Gives up `owned` as soon as it can, where that is the values' memory.
  template <class T>
  void grow_of(const GridShape& shape, const T* value, Buffer<T, Exec>& owned,
               const TreeSettings& settings, Phases<Exec>& phases) {
    constexpr bool kShort = sizeof(T) <= sizeof(std::uint32_t);
    phases.begin("order of cells");
    progress_.report("merge tree", 0);
    SweepOn<Exec> sweep = sweep_of(exec_, shape, value, settings);
    if (kShort) owned = {};
    with_neighbors(settings.connectivity, [&]<int C>() {
      phases.begin("basins");
      progress_.report("merge tree", 0.1);
      basins_ = find_basins<C>(exec_, sweep.grid, sweep.view(), std::move(sweep.cell));
      phases.begin("saddles");
      progress_.report("merge tree", 0.4);
      if (basins_.count > 0)
        saddles_ = ContactForest<C, Exec>(exec_, sweep.grid, sweep.view(), basins_).make();
    });
    basins_.saddle = {};
    key_ = std::move(sweep.key);
    phases.begin("branches");
    progress_.report("merge tree", 0.8);
    if (basins_.count > 0) find_elders();
    branches_.kind = kKindOf<T>;
    if constexpr (kShort)
      take_values<GatherKeyBits<T>>(key_.data(), settings.levels);
    else
      take_values<GatherBits<T>>(value);
  }

  void find_elders() {
    hierarchy::ForestOn<Exec> forest;
    forest.points = basins_.count;
    forest.edges = saddles_.count;
    forest.a = Buffer<std::uint32_t, Exec>(exec_, saddles_.count, "saddles");
    forest.b = Buffer<std::uint32_t, Exec>(exec_, saddles_.count, "saddles");
    thrust::copy_n(exec_.policy(), saddles_.a.data(), saddles_.count, forest.a.data());
    thrust::copy_n(exec_.policy(), saddles_.b.data(), saddles_.count, forest.b.data());
    elders_ =
        hierarchy::ElderRule<Exec>(exec_, std::move(forest), saddles_.a.data(), saddles_.b.data())
            .make(ages(), saddles_.moment.data());
    saddles_.a = {};
    saddles_.b = {};
  }

  template <class Gather, class... From>
  void take_values(const From&... from) {
    birth_ = Buffer<std::uint64_t, Exec>(exec_, basins_.count, "maxima");
    death_ = Buffer<std::uint64_t, Exec>(exec_, saddles_.count, "saddles");
    Buffer<std::uint32_t, Exec> cell(exec_, saddles_.count, "saddles");
    parallel_for(exec_, "saddles", saddles_.count,
                 CellsOfMoments{saddles_.moment.data(), cell.data()});
    parallel_for(exec_, "maxima", basins_.count,
                 Gather{from..., basins_.maximum.data(), birth_.data()});
    parallel_for(exec_, "saddles", saddles_.count, Gather{from..., cell.data(), death_.data()});
  }

  // A column of all branches, from the highest maximum on.
  template <class T, class Tell>
  std::vector<T> column(const Tell& tell) const {
    Buffer<T, Exec> values(exec_, basins_.count, "branches");
    parallel_for(
        exec_, "branches", basins_.count,
        FillColumn<T, Tell>{basins_.by_age.data(), elders_.death.data(), tell, values.data()});
    return download(exec_, values);
  }

  void download_branches() const {
    if (branches_.maximum.size() == basins_.count) return;
    const hierarchy::AgesView ages = this->ages();
    const std::uint32_t* const parent = elders_.parent.data();
    branches_.maximum = column<std::uint64_t>(MaximumOf{basins_.maximum.data()});
    branches_.saddle = column<std::uint64_t>(SaddleOf{saddles_.moment.data()});
    branches_.parent = column<std::uint32_t>(AgeOf{parent, ages.age});
    branches_.across = column<std::uint32_t>(AgeOf{elders_.across.data(), ages.age});
    branches_.birth = column<std::uint64_t>(BirthOf{birth_.data()});
    branches_.death = column<std::uint64_t>(DeathOf{death_.data()});
  }

  // Basins, or branches by the basins of their maxima.
  const Buffer<std::uint32_t, Exec>& unit_of_cell(Labeling labeling) const {
    return labeling == Labeling::Branch ? branch_of_cell_ : basins_.of_cell;
  }

  SegmentsOn<Exec> segments_of_basins(const Simplification& simplification, Labeling labeling) {
    require_simplification(simplification);
    const auto& to = labeling == Labeling::Branch ? elders_.parent : elders_.across;
    const JoinNoise join{simplification, branches_.kind, elders_.death.data(),
                         birth_.data(),  death_.data(),  to.data(),
                         nullptr};
    return segment_basins(exec_, basins_.count, join, ages());
  }

  SegmentsOn<Exec> label(const Simplification& simplification, Labeling labeling) {
    if (labeling == Labeling::Branch) find_branches_of_cells();
    auto made = segments_of_basins(simplification, labeling);
    const auto& of_cell = unit_of_cell(labeling);
    if (label_.size() != of_cell.size())
      label_ = Buffer<std::uint32_t, Exec>(exec_, of_cell.size(), "labels");
    map_words(exec_, "labels", of_cell.size(), of_cell.data(), label_.data(),
              LabelOfBasin{made.of_basin.data()});
    return made;
  }

  void find_branches_of_cells() {
    if (!branch_of_cell_.empty()) return;
    const std::size_t cells = basins_.of_cell.size();
    branch_of_cell_ = Buffer<std::uint32_t, Exec>(exec_, cells, "branches of cells");
    parallel_for(exec_, "branches of cells", cells,
                 FindBranchOfCell{SweepView{key_.data()}, elders_.view(saddles_.moment.data()),
                                  ages(), elders_.death.data(), elders_.parent.data(),
                                  basins_.of_cell.data(), branch_of_cell_.data()});
  }

  std::shared_ptr<SharedExecutor<Exec>> shared_;
  Exec& exec_ = shared_->exec;
  Progress& progress_;
  Buffer<std::uint32_t, Exec> key_;
  BasinsOn<Exec> basins_;
  SaddlesOn<Exec> saddles_;
  hierarchy::EldersOn<Exec> elders_;
  Buffer<std::uint64_t, Exec> birth_, death_;  // ordered bits: of maxima, of saddles
  Buffer<std::uint32_t, Exec> branch_of_cell_, label_;
  PointUnits<Exec> points_;
  mutable Branches branches_;  // downloaded when they are asked for
};

}  // namespace haloscope::compute::topology
