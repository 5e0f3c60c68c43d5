#pragma once

#include "compute/exec/buffer.h"
#include "compute/exec/phases.h"
#include "compute/gravity/potential_cells.inl"
#include "compute/gravity/tree_potential.h"
#include "compute/spatial/octree.h"
#include "core/error.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// Potentials of a tree, for either executor; each has its own sum_groups(exec, work).
namespace haloscope::compute::gravity {

// Cells larger than this part of a box are opened, so that a group and a cell that see each other
// by one image are clear of the images next to it.
inline constexpr double kLargestImaged = 1.0 / 4;

// Groups whose potentials tell how large those of all are.
inline constexpr std::uint32_t kSampledGroups = 1024;
// What one cell may leave out per accuracy. The errors of some hundred cells of either sign add up
// to a third of this in 99 of 100 bodies.
inline constexpr double kPerAccuracy = 1;

inline void check_options(const TreePotentialOptions& options, const Domain& domain) {
  if (!(options.opening_angle >= 0.1 && options.opening_angle <= 1.2))
    throw Error("an opening angle of " + std::to_string(options.opening_angle) + " cannot be",
                "potentials", "choose one from 0.1 to 1.2");
  if (!(options.accuracy >= 1e-6 && options.accuracy <= 1))
    throw Error("an accuracy of " + std::to_string(options.accuracy) + " cannot be", "potentials",
                "choose one from 0.000001 to 1");
  if (!(options.softening_support >= 0 && std::isfinite(options.softening_support)))
    throw Error("a softening of " + std::to_string(options.softening_support) + " cannot be",
                "potentials", "choose 0 or more");
  if (options.leaf_size < 2 || options.leaf_size > 1024)
    throw Error("leaves of " + std::to_string(options.leaf_size) + " bodies cannot be",
                "potentials", "choose a leaf size from 2 to 1024");
  if (options.images == Images::None) return;
  if (!domain.periodic)
    throw Error("periodic potentials need a periodic box, and there is none", "potentials",
                "choose isolated potentials");
  if (options.softening_support > domain.side / 8)
    throw Error("a softening support of " + std::to_string(options.softening_support) +
                    " is more than an eighth of the box (" + std::to_string(domain.side) + ")",
                "potentials", "choose a smaller softening");
}

template <class Exec>
class TreePotentialOn : public TreePotential {
 public:
  template <class Made>  // what an executor is made from
  TreePotentialOn(const Made& made, const Progress* progress)
      : exec_(made),
        progress_(progress),
        builder_(spatial::make_octree_builder(exec_.device(), progress)) {}

  void set_bodies(std::shared_ptr<const spatial::PointSet> points, const float* mass) override {
    mass_ = {};
    builder_->set_points(points);
    if (mass) {
      mass_ = Buffer<float, Exec>(exec_, points->count(), "masses");
      exec_.upload(mass_.data(), mass, points->count() * sizeof(float));
      exec_.synchronize();
      spatial::OctreeColumns columns;
      columns.mass = mass;
      builder_->set_columns(columns);
    }
    points_ = std::move(points);
  }

  TreePotentialCounts sum(const TreePotentialOptions& options, float* potential,
                          Timings* timings) override {
    if (!points_) throw Error("there are no bodies", "potentials", "set them first");
    check_options(options, points_->domain());
    TreePotentialCounts counts;
    counts.bodies = std::uint32_t(points_->count());
    if (counts.bodies == 0) return counts;
    Timings unused;
    Timings& times = timings ? *timings : unused;
    spatial::OctreeOptions tree_options;
    tree_options.leaf_size = options.leaf_size;
    const auto tree = builder_->build(tree_options, &times);
    counts.bad_masses = tree->counts().bad_masses;
    Phases<Exec> phases(exec_, times);
    Buffer<Derivatives<float>, Exec> grid;
    if (options.images == Images::Ewald) {
      begin(phases, "ewald");
      const auto& made = ewald_grid();
      grid = Buffer<Derivatives<float>, Exec>(exec_, made.size(), "Ewald's correction");
      exec_.upload(grid.data(), made.data(), made.size() * sizeof(made[0]));
    }
    begin(phases, "cells");
    counts.total_mass = mass_of(tree->view());
    sum_tree(options, tree->view(), grid.data(), phases, potential, counts);
    phases.end();
    return counts;
  }

 private:
  double mass_of(const OctreeView& tree) {
    OctreeSums root;
    exec_.download(&root, tree.node_number > 0 ? tree.node_sums : tree.leaf_sums, sizeof(root));
    return root.mass;
  }

  void sum_tree(const TreePotentialOptions& options, const OctreeView& tree,
                const Derivatives<float>* grid, Phases<Exec>& phases, float* potential,
                TreePotentialCounts& counts) {
    const spatial::HeldPoints held = points_->hold();
    const spatial::PointsView& points = held.view;
    const Domain& domain = points_->domain();
    const double total = counts.total_mass, per_total = total > 0 ? 1 / total : 0;
    const double support = options.softening_support / domain.step() * kUnitsPerStep;
    Buffer<PotentialSource, Exec> sources(exec_, tree.bodies, "potentials");
    parallel_for(exec_, "potentials", tree.bodies,
                 PackSources{points, tree.order, mass_.data(), per_total, sources.data()});
    CellStore<Exec> store(exec_, tree, sources.data(), per_total);
    const auto groups = make_groups(exec_, sources.data(), tree.bodies);
    Buffer<float, Exec> result(exec_, tree.bodies, "potentials");
    Buffer<unsigned long long, Exec> terms(exec_, 2, "potentials");
    const bool imaged = options.images != Images::None;
    PotentialWork work{};
    work.sources = sources.data();
    work.cells = store.cells();
    work.spreads = store.spreads();
    work.groups = groups.data();
    work.group_number = std::uint32_t(groups.size());
    work.order = tree.order;
    work.rows = points.rows;
    work.soft = soft_sums(support);
    work.fine = support < kCoarseSupport;
    work.wide = !imaged && domain.periodic;
    work.ewald.grid = grid;
    work.per_unit = total * kUnitsPerStep / domain.step();
    work.per_box = total / domain.side;
    work.potential = result.data();
    work.terms = terms.data();
    Opening opening{1 / options.opening_angle, support,
                    (imaged ? kLargestImaged : 2) * kUnitsPerDomain};
    store.make(exec_, opening);
    begin(phases, "scale");
    counts.typical = typical(work);
    if (counts.typical > 0) {
      begin(phases, "cells");
      opening.per_error = work.per_unit / (kPerAccuracy * options.accuracy * counts.typical);
      store.make(exec_, opening);
    }
    exec_.zero(terms.data(), 2 * sizeof(unsigned long long));
    begin(phases, "potentials");
    sum_groups(exec_, work);
    begin(phases, "download");
    exec_.download(potential, result.data(), tree.bodies * sizeof(float));
    unsigned long long found[2];
    exec_.download(found, terms.data(), sizeof(found));
    counts.cell_terms = found[0];
    counts.body_terms = found[1];
  }

  // Root mean square of potentials over some groups, rounded so that executors, whose sums differ
  // in their last digits, open the same cells.
  double typical(PotentialWork work) {
    const std::uint32_t every = (work.group_number + kSampledGroups - 1) / kSampledGroups;
    const std::uint32_t number = (work.group_number + every - 1) / every;
    Buffer<BodyGroup, Exec> picked(exec_, number, "potentials");
    parallel_for(exec_, "potentials", number, PickGroups{work.groups, every, picked.data()});
    work.groups = picked.data();
    work.group_number = number;
    sum_groups(exec_, work);
    Buffer<double, Exec> squares(exec_, number, "potentials");
    parallel_for(exec_, "potentials", number, SquareGroup{work, squares.data()});
    double sum = 0;
    for (const double square : download(exec_, squares)) sum += square / number;
    return sum > 0 && std::isfinite(sum) ? std::exp2(std::round(8 * std::log2(sum)) / 16) : 0;
  }

  // GPUs have no loops that end early.
  void begin(Phases<Exec>& phases, const char* phase) const {
    if (progress_ && progress_->cancelled()) throw Cancelled();
    phases.begin(phase);
  }

  Exec exec_;
  const Progress* progress_;
  std::unique_ptr<spatial::OctreeBuilder> builder_;
  std::shared_ptr<const spatial::PointSet> points_;
  Buffer<float, Exec> mass_;
};

}  // namespace haloscope::compute::gravity
