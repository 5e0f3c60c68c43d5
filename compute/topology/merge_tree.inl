#pragma once

#include "compute/exec/buffer.h"
#include "compute/exec/phases.h"
#include "compute/exec/slices.inl"
#include "compute/hierarchy/elder_rule.inl"
#include "compute/topology/basins.inl"
#include "compute/topology/contacts.inl"
#include "compute/topology/merge_tree.h"
#include "compute/topology/segments.inl"
#include "compute/topology/sweep_keys.inl"

#include <cstdint>
#include <span>
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

template <class Exec>
class MergeTreeOn : public MergeTree {
 public:
  explicit MergeTreeOn(Progress& progress) : exec_(progress), progress_(progress) {}
  MergeTreeOn(Device device, Progress& progress) : exec_(device), progress_(progress) {}

  void grow(const ScalarGrid& grid, const TreeSettings& settings, Timings* timings) override {
    forget();
    require_grid(grid, settings);
    try {
      std::visit([&](const auto& values) { grow_from(grid.shape, values, settings, timings); },
                 grid.values);
    } catch (...) {
      forget();
      throw;
    }
  }

  const Branches& branches() const override { return branches_; }

  Triplets triplets() override {
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
    require_simplification(simplification);
    const bool by_branch = labeling == Labeling::Branch;
    if (by_branch) find_branches_of_cells();
    const JoinNoise join{
        simplification, branches_.kind, elders_.death.data(),
        birth_.data(),  death_.data(),  by_branch ? elders_.parent.data() : elders_.across.data(),
        nullptr};
    const auto made = segment_basins(exec_, basins_.count, join, ages());
    const auto& of_cell = by_branch ? branch_of_cell_ : basins_.of_cell;
    Buffer<std::uint32_t, Exec> label(exec_, of_cell.size(), "labels");
    parallel_for(exec_, "labels", of_cell.size(),
                 LabelCells{of_cell.data(), made.of_basin.data(), label.data()});
    Segments segments{download(exec_, label), {}};
    const std::vector<std::uint32_t> number = download(exec_, made.number);
    for (std::uint32_t k = 0; k < number.size(); ++k)
      if (number[k] > segments.branch.size()) segments.branch.push_back(k);
    return segments;
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
    branches_ = {};
  }

  hierarchy::AgesView ages() const { return {basins_.age.data(), basins_.by_age.data()}; }

  template <class T>
  void grow_from(const GridShape& shape, std::span<const T> values, const TreeSettings& settings,
                 Timings* timings) {
    Timings own_timings;
    Phases<Exec> phases(exec_, timings ? *timings : own_timings);
    phases.begin("upload");
    progress_.report("merge tree", 0);
    Buffer<T, Exec> value(exec_, values.size(), "grid");
    exec_.upload(value.data(), values.data(), values.size_bytes());
    phases.begin("order of cells");
    SweepOn<Exec> sweep = sweep_of(exec_, shape, value.data(), settings);
    with_neighbors(settings.connectivity, [&]<int C>() {
      phases.begin("basins");
      progress_.report("merge tree", 0.1);
      basins_ = find_basins<C>(exec_, sweep.grid, sweep.view(), std::move(sweep.cell));
      phases.begin("saddles");
      progress_.report("merge tree", 0.4);
      if (basins_.count > 0)
        saddles_ = ContactForest<C, Exec>(exec_, sweep.grid, sweep.view(), basins_).make();
    });
    key_ = std::move(sweep.key);
    phases.begin("branches");
    progress_.report("merge tree", 0.8);
    if (basins_.count > 0) find_elders();
    take_values(value.data());
    phases.begin("download");
    download_branches(kKindOf<T>);
    phases.end();
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

  template <class T>
  void take_values(const T* value) {
    birth_ = Buffer<std::uint64_t, Exec>(exec_, basins_.count, "maxima");
    death_ = Buffer<std::uint64_t, Exec>(exec_, saddles_.count, "saddles");
    Buffer<std::uint32_t, Exec> cell(exec_, saddles_.count, "saddles");
    parallel_for(exec_, "saddles", saddles_.count,
                 CellsOfMoments{saddles_.moment.data(), cell.data()});
    parallel_for(exec_, "maxima", basins_.count,
                 GatherBits<T>{value, basins_.maximum.data(), birth_.data()});
    parallel_for(exec_, "saddles", saddles_.count,
                 GatherBits<T>{value, cell.data(), death_.data()});
  }

  void download_branches(ValueKind kind) {
    const auto maximum = download(exec_, basins_.maximum), age = download(exec_, basins_.age),
               by_age = download(exec_, basins_.by_age), death = download(exec_, elders_.death),
               parent = download(exec_, elders_.parent), across = download(exec_, elders_.across);
    const auto moment = download(exec_, saddles_.moment), birth = download(exec_, birth_),
               value = download(exec_, death_);
    branches_.kind = kind;
    for (const std::uint32_t b : by_age) {
      const bool ends = death[b] != kNone;
      branches_.maximum.push_back(maximum[b]);
      branches_.saddle.push_back(ends ? cell_of_moment(moment[death[b]]) : kNoCell);
      branches_.parent.push_back(ends ? age[parent[b]] : kNoBranch);
      branches_.across.push_back(ends ? age[across[b]] : kNoBranch);
      branches_.birth.push_back(birth[b]);
      branches_.death.push_back(ends ? value[death[b]] : 0);
    }
  }

  void find_branches_of_cells() {
    if (!branch_of_cell_.empty()) return;
    const std::size_t cells = basins_.of_cell.size();
    branch_of_cell_ = Buffer<std::uint32_t, Exec>(exec_, cells, "branches of cells");
    parallel_for(exec_, "branches of cells", cells,
                 FindBranchOfCell{SweepView{key_.data()}, elders_.view(saddles_.moment.data()),
                                  ages(), basins_.of_cell.data(), branch_of_cell_.data()});
  }

  mutable Exec exec_;
  Progress& progress_;
  Buffer<std::uint32_t, Exec> key_;
  BasinsOn<Exec> basins_;
  SaddlesOn<Exec> saddles_;
  hierarchy::EldersOn<Exec> elders_;
  Buffer<std::uint64_t, Exec> birth_, death_;  // ordered bits: of maxima, of saddles
  Buffer<std::uint32_t, Exec> branch_of_cell_;
  Branches branches_;
};

}  // namespace haloscope::compute::topology
