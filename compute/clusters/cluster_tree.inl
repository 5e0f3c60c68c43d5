#pragma once

#include "compute/clusters/cluster_tree.h"
#include "compute/clusters/condense.inl"
#include "compute/clusters/label_clusters.inl"
#include "compute/clusters/spanning_tree.inl"
#include "compute/exec/shared_labels.inl"
#include "compute/hierarchy/dendrogram.inl"
#include "compute/hierarchy/flat_cut.inl"
#include "compute/spatial/placed_points.inl"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace haloscope::compute::clusters {

template <class Exec>
class ClusterTreeOn : public ClusterTree {
 public:
  explicit ClusterTreeOn(Progress& progress)
      : shared_(std::make_shared<SharedExecutor<Exec>>(progress)), progress_(progress) {}
  ClusterTreeOn(Device device, Progress& progress)
      : shared_(std::make_shared<SharedExecutor<Exec>>(device)), progress_(progress) {}

  void grow(const LatticePoints& points, const SpanningTreeSettings& settings, Timings* timings,
            SpanningTreeWork* work) override {
    forget();
    require_tree(points.count, points.column.size(), settings);
    require_shift(points);
    with_columns(points, [&]<int D>(const spatial::Columns<D>& columns, const auto& placed) {
      grow_from<D>(columns, std::uint32_t(points.count), settings, timings, work, placed);
    });
  }

  void grow(std::vector<std::shared_ptr<const spatial::PointSet>> sets,
            const SpanningTreeSettings& settings, Timings* timings,
            SpanningTreeWork* work) override {
    forget();
    std::uint64_t count = 0;
    for (const auto& set : sets) count += set->count();
    require_tree(count, 3, settings);
    spatial::PlacedPoints<Exec> placed(exec_, std::move(sets));
    const spatial::PointsView view = placed.view();
    grow_from<3>(
        {{view.position.x, view.position.y, view.position.z}, view.rows, 0, view.position.blocks},
        std::uint32_t(count), settings, timings, work, [&] {
          exec_.synchronize();
          placed.free();
        });
  }

  void take(const SpanningTree& tree, Timings* timings) override {
    forget();
    Timings own_timings;
    Phases<Exec> phases(exec_, timings ? *timings : own_timings);
    phases.begin("dendrogram");
    progress_.report("dendrogram", 0);
    hierarchy::ForestOn<Exec> forest;
    forest.points = tree.points;
    forest.edges = std::uint32_t(tree.a.size());
    forest.a = upload(exec_, tree.a, "spanning tree");
    forest.b = upload(exec_, tree.b, "spanning tree");
    auto dendrogram = hierarchy::DendrogramMaker<Exec>(exec_, std::move(forest)).make();
    phases.end();
    tree_ = {tree.points, upload(exec_, tree.a, "spanning tree"),
             upload(exec_, tree.b, "spanning tree"),
             upload(exec_, tree.squared_weight, "spanning tree"),
             upload(exec_, tree.squared_core, "core distances")};
    dendrogram_ = std::move(dendrogram);
    exec_.synchronize();
  }

  SpanningTree spanning_tree() const override { return on_host(tree_); }
  hierarchy::Dendrogram dendrogram() const override { return download(exec_, dendrogram_); }

  std::uint32_t cut(std::uint32_t ranks, std::uint64_t least_members) override {
    // Room that the new labels take, if nobody else keeps these.
    cut_labels_ = {};
    const std::lock_guard lock(shared_->mutex);
    auto made = cutter_.cut(exec_, dendrogram_.order.data(), dendrogram_.between.data(),
                            std::uint32_t(dendrogram_.order.size()), ranks, least_members);
    exec_.synchronize();
    cut_members_ = std::move(made.members);
    cut_labels_ = std::make_shared<SharedLabels<Exec>>(shared_, std::move(made.label));
    return std::uint32_t(cut_members_.size());
  }
  hierarchy::FlatCut last_cut() const override {
    return {cut_labels_->download(), members_of_cut()};
  }
  std::shared_ptr<const ResidentLabels> labels_of_cut() const override { return cut_labels_; }
  std::vector<std::uint64_t> members_of_cut() const override {
    const std::lock_guard lock(shared_->mutex);
    return download(exec_, cut_members_);
  }
  void keep_cuts_alone() override {
    exec_.synchronize();
    auto order = std::move(dendrogram_.order), between = std::move(dendrogram_.between);
    forget();
    dendrogram_.order = std::move(order);
    dendrogram_.between = std::move(between);
    exec_.synchronize();
  }

  const ClusterTotals& condense(std::uint32_t min_cluster_size, double step) override {
    labels_ = {};
    ClusterTotals former = std::move(condensed_.totals);
    condensed_ = {};
    lambda_ = {tree_.squared_weight.data(), step};
    if (tree_.points < 2)
      condensed_.totals = totals_of(condense_few(min_cluster_size));
    else
      condensed_ =
          Condenser<Exec>(exec_, dendrogram_, lambda_, min_cluster_size, std::move(former)).make();
    return condensed_.totals;
  }
  const ClusterTotals& totals() const override { return condensed_.totals; }
  CondensedTree last_condensed() const override {
    if (tree_.points < 2) return condense_few(2);
    return download(exec_, condensed_, dendrogram_, lambda_);
  }
  std::uint32_t label(const ChosenClusters& chosen) override {
    labels_ = {};
    if (tree_.points < 2)
      labels_ = upload(exec_, label_points(condense_few(2), condensed_.totals, chosen));
    else
      labels_ = label_clusters(exec_, condensed_, dendrogram_, lambda_, chosen);
    exec_.synchronize();
    return std::uint32_t(labels_.cluster.size());
  }
  HdbscanClusters last_labels() const override { return download(exec_, labels_); }

  std::uint64_t peak_device_memory() const override {
    if constexpr (Exec::is_cuda)
      return exec_.peak_memory();
    else
      return 0;
  }

 private:
  // Of one point or none.
  CondensedTree condense_few(std::uint32_t min_cluster_size) const {
    return clusters::condense(dendrogram(), {}, min_cluster_size);
  }

  SpanningTree on_host(const SpanningTreeOn<Exec>& tree) const {
    return {tree.points, download(exec_, tree.a), download(exec_, tree.b),
            download(exec_, tree.squared_weight), download(exec_, tree.squared_core)};
  }

  // Calls use(columns, placed) with columns on the executor; placed() frees them.
  template <class Use>
  void with_columns(const LatticePoints& points, const Use& use) {
    const std::size_t dimensions = points.column.size();
    std::vector<Buffer<std::uint32_t, Exec>> buffers;
    for (const std::uint32_t* column : points.column) {
      buffers.emplace_back(exec_, points.count, "positions");
      if (points.count)
        exec_.upload(buffers.back().data(), column, points.count * sizeof(std::uint32_t));
    }
    const auto in = [&]<int D>() {
      spatial::Columns<D> columns{};
      for (std::size_t a = 0; a < dimensions; ++a) columns.column[a] = buffers[a].data();
      columns.shift = points.shift;
      use(columns, [&] { buffers.clear(); });
    };
    // Columns that are not there are zeros: each dimension of its own would be compiled for
    // minutes.
    if (dimensions <= 3) return in.template operator()<3>();
    if (dimensions <= 6) return in.template operator()<6>();
    in.template operator()<8>();
  }

  void forget() {
    labels_ = {};
    condensed_ = {};
    tree_ = {};
    dendrogram_ = {};
    cut_labels_ = {};
    cut_members_ = {};
    cutter_.forget();
  }

  // Calls placed() where the columns are not read any more.
  template <int D, class Placed>
  void grow_from(const spatial::Columns<D>& columns, std::uint32_t count,
                 const SpanningTreeSettings& settings, Timings* timings, SpanningTreeWork* work,
                 const Placed& placed) {
    Timings own_timings;
    Phases<Exec> phases(exec_, timings ? *timings : own_timings);
    auto made = SpanningTreeMaker<D, Exec>(exec_, settings, progress_, phases, work)
                    .make(columns, count, placed);
    phases.begin("dendrogram");
    progress_.report("dendrogram", 0);
    auto dendrogram = hierarchy::DendrogramMaker<Exec>(exec_, std::move(made.forest)).make();
    phases.end();
    tree_ = std::move(made.tree);
    dendrogram_ = std::move(dendrogram);
  }

  std::shared_ptr<SharedExecutor<Exec>> shared_;
  Exec& exec_ = shared_->exec;
  Progress& progress_;  // only while a tree grows
  SpanningTreeOn<Exec> tree_;
  hierarchy::DendrogramOn<Exec> dendrogram_;
  std::shared_ptr<SharedLabels<Exec>> cut_labels_;
  Buffer<std::uint64_t, Exec> cut_members_;
  hierarchy::FlatCutter<Exec> cutter_;
  CondensedOn<Exec> condensed_;
  Lambdas lambda_{};
  LabelsOn<Exec> labels_;
};

}  // namespace haloscope::compute::clusters
