#pragma once

#include "compute/clusters/clustering.h"
#include "compute/clusters/dbscan_steps.inl"
#include "compute/clusters/densebox.inl"
#include "compute/clusters/fdbscan.inl"
#include "compute/clusters/grid_dbscan.inl"
#include "compute/spatial/placed_points.inl"
#include "core/array.h"
#include "core/check.h"
#include "core/error.h"

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

// Friends-of-friends and DBSCAN by any of the searches, for either executor.
namespace haloscope::compute::clusters {

template <class Exec>
class ClusteringOn : public Clustering {
 public:
  ClusteringOn() = default;
  explicit ClusteringOn(Device device) : exec_(device) {}
  ~ClusteringOn() override { wait_for_sets(); }

  void set_points(const Domain& domain, const std::array<const std::uint32_t*, 3>& position,
                  std::uint64_t count) override {
    forget_points(count);
    domain_ = domain;
    placed_ = spatial::PlacedPoints<Exec>(exec_, position, count);
  }

  void set_points(std::vector<std::shared_ptr<const spatial::PointSet>> sets) override {
    std::uint64_t count = 0;
    for (const auto& set : sets) count += set->count();
    forget_points(count);
    domain_ = sets.empty() ? Domain{} : sets.front()->domain();
    for (const auto& set : sets) HALOSCOPE_CHECK(set->domain() == domain_, ==, true);
    placed_ = spatial::PlacedPoints<Exec>(exec_, std::move(sets));
  }

  void require_memory(std::uint64_t count, Algorithm algorithm) const override {
    if (algorithm == Algorithm::FdbScan && count > spatial::kMostLeaves)
      throw Error(std::to_string(count) + " points are more than one tree can hold (2147483647)",
                  "halo finding", "let the algorithm be chosen (auto)");
    const std::uint64_t bytes = memory(count, algorithm);
    if constexpr (Exec::is_cuda) {
      const std::uint64_t free = exec_.free_memory();
      if (bytes <= free) return;
      const auto gigabytes = [](std::uint64_t b) { return std::to_string(b / 1000000000) + " GB"; };
      throw Error("clustering " + std::to_string(count) + " points takes " + gigabytes(bytes) +
                      " of GPU memory, of which " + gigabytes(free) + " are free",
                  "halo finding", "choose fewer types, or the CPU (--device cpu)");
    } else {
      require_host_memory(bytes, "halo finding");
    }
  }

  std::uint64_t memory(std::uint64_t count, Algorithm algorithm) const override {
    return count * bytes_per_point(algorithm) + kBytesAtLeast;
  }

  void run(const ClusterSettings& settings, Timings& timings) override {
    if (!(settings.linking_length > 0) || !std::isfinite(settings.linking_length))
      throw Error("the linking length must be a positive number", "halo finding");
    if (settings.min_points < 2)
      throw Error("the minimum number of points must be at least 2", "halo finding");
    if (placed_.count() == 0) return;
    if (!placed_.there() && !placed_.shared() && sorted_.empty())
      throw Error("the points were given up when memory ran out", "halo finding",
                  "set them once more");
    const double reach = settings.linking_length / domain_.step();
    switch (choose(settings.algorithm, reach)) {
      case Algorithm::FdbScan:
        return cluster<FdbscanSearch<Exec>>(reach, settings, timings);
      case Algorithm::DenseBox:
        return cluster<DenseBoxSearch<Exec>>(reach, settings, timings);
      default:
        return cluster<GridSearch<Exec>>(reach, settings, timings);
    }
  }

  std::uint64_t count() const override { return placed_.count(); }

  void copy_labels(std::uint32_t* to) const override {
    const std::size_t points = placed_.count();
    if (labels_.empty())
      std::fill_n(to, points, kNoise);
    else
      exec_.download(to, labels_.data(), points * sizeof(*to));
  }

  void copy_core(std::uint8_t* to) const override {
    HALOSCOPE_CHECK(core_.size(), ==, std::size_t(placed_.count()));
    exec_.download(to, core_.data(), core_.size());
  }

  const std::uint32_t* resident_labels() const override { return labels_.data(); }

  std::uint64_t peak_device_memory() const override {
    if constexpr (Exec::is_cuda)
      return exec_.peak_memory();
    else
      return 0;
  }

 private:
  // The fullest moment of each search, where every point has a cell or leaf of its own.
  static std::uint64_t bytes_per_point(Algorithm algorithm) {
    switch (algorithm) {
      case Algorithm::FdbScan:  // building: positions 12, codes 8, points 16, nodes 32, counters 4
        return 73;
      case Algorithm::DenseBox:  // keys 8, points 16, leaves 32 + 4 + 8, nodes 32, counters 4
        return 105;
      default:  // sorting: positions 12, keys 8, order 4, points 16, cells 4
        return 45;
    }
  }
  static constexpr std::uint64_t kBytesAtLeast = 64 << 20;  // rows of few points, sorting

  static Algorithm choose(Algorithm asked, double reach) {
    if (asked == Algorithm::FdbScan || asked == Algorithm::DenseBox) return asked;
    if (spatial::make_cell_reach(reach).gridded()) return Algorithm::Grid;
    // In lattice steps: far from both ends of what has a grid.
    const bool is_long = reach > 1e6;
    if (asked == Algorithm::Grid)
      throw Error("the linking length is " + std::to_string(reach / 4294967296.0) +
                      " of the domain's side, too " + (is_long ? "long" : "short") + " for a grid",
                  "halo finding", "let the algorithm be chosen (auto)");
    // Nearly all pairs are within a long length, and FDBSCAN would look at each.
    return is_long ? Algorithm::DenseBox : Algorithm::FdbScan;
  }

  // Where memory runs out for the new ones there are none.
  void forget_points(std::uint64_t count) {
    if (count >= kNoise)
      throw Error(std::to_string(count) + " points are more than can be labelled at once",
                  "halo finding", "choose fewer types or a region");
    wait_for_sets();
    sorted_ = {};
    labels_ = {};
    core_ = {};
    placed_ = {};
  }

  // Until nothing reads the sets any more, also where a run has ended in a fault.
  void wait_for_sets() noexcept {
    if (!placed_.shared()) return;
    try {
      exec_.synchronize();
    } catch (const Error&) {
      // The GPU itself is at fault, which its next call tells.
    }
  }

  // Points as they were set, after a search took them.
  void put_points_back() {
    placed_.restore(exec_, sorted_);
    sorted_ = {};
  }

  // Takes the points from a search at its end, also one that ran out of memory, unless somebody
  // else has them still.
  template <class Search>
  struct KeepPoints {
    Search& search;
    bool shared;
    Buffer<spatial::CellPoint, Exec>& to;
    ~KeepPoints() {
      if (!shared) to = search.take_points();
    }
  };

  template <class Search>
  void cluster(double reach, const ClusterSettings& settings, Timings& timings) {
    // Not before they are needed: their memory holds the sorting meanwhile.
    labels_ = {};
    core_ = {};
    put_points_back();
    const std::uint32_t count = placed_.count();
    const auto min_points = std::uint32_t(settings.min_points);
    Phases<Exec> phases(exec_, timings);
    Search search(exec_, placed_, reach, min_points, phases);
    const KeepPoints<Search> keep{search, placed_.shared(), sorted_};
    const auto index = search.index();
    using Index = std::remove_const_t<decltype(index)>;
    // Who has a neighbor is core, and who has none is in no cluster: nobody needs to be counted.
    const bool all_core = min_points == 2;

    if (!all_core) phases.begin("core");
    Buffer<std::uint8_t, Exec> core(exec_, all_core ? 0 : count, "core points");
    if (!all_core)
      parallel_for(exec_, "core points", count, FindCores<Index>{index, min_points, core.data()});
    phases.begin("link");
    const std::uint32_t sets_count = search.sets_count();
    Buffer<std::uint32_t, Exec> parent(exec_, sets_count, "sets");
    const UnionFind sets{parent.data()};
    parallel_for(exec_, "sets", sets_count, OwnSets{parent.data()});
    search.link(exec_, sets, core.data());
    if (!all_core) phases.begin("border");
    std::uint32_t* border_of = all_core ? nullptr : search.room_for_borders();
    Buffer<std::uint32_t, Exec> borders(exec_, all_core || border_of ? 0 : count, "border points");
    if (!border_of) border_of = borders.data();
    if (!all_core)
      parallel_for(exec_, "border points", count,
                   FindBorders<Index>{index, core.data(), border_of});

    phases.begin("label");
    search.forget_index();
    Members members = search.members();
    // Where others have the points, their indices alone are kept.
    Buffer<std::uint32_t, Exec> indices(exec_, placed_.shared() ? count : 0, "indices");
    if (placed_.shared()) {
      parallel_for(exec_, "indices", count, CopyIndices{members.index, indices.data()});
      members.index = {indices.data(), 1};
      search.take_points();
    }
    Buffer<std::uint32_t, Exec> smallest(exec_, sets_count, "cluster names");
    Buffer<std::uint8_t, Exec> shared(exec_, all_core ? sets_count : 0, "cluster sizes");
    parallel_for(exec_, "cluster names", sets_count, NoNames{smallest.data()});
    if (all_core) exec_.zero(shared.data(), sets_count);
    parallel_for(exec_, "cluster names", count,
                 NameSets{members, sets, core.data(), smallest.data(), shared.data()});
    labels_ = Buffer<std::uint32_t, Exec>(exec_, count, "labels");
    parallel_for(exec_, "labels", count,
                 WriteLabels{members, sets, core.data(), border_of, smallest.data(), shared.data(),
                             labels_.data()});
    if (settings.keep_core && !all_core) {
      core_ = Buffer<std::uint8_t, Exec>(exec_, count, "core points");
      parallel_for(exec_, "core points", count,
                   TellCores{members.index, core.data(), core_.data()});
    }
    phases.end();
  }

  mutable Exec exec_;
  Domain domain_;
  spatial::PlacedPoints<Exec> placed_;
  Buffer<spatial::CellPoint, Exec> sorted_;  // what a search left, while positions are freed
  Buffer<std::uint32_t, Exec> labels_;
  Buffer<std::uint8_t, Exec> core_;  // in file order, where asked for
};

}  // namespace haloscope::compute::clusters
