#pragma once

#include "compute/halos/clustering.h"
#include "compute/halos/dbscan_steps.inl"
#include "compute/halos/densebox.inl"
#include "compute/halos/fdbscan.inl"
#include "compute/halos/grid_dbscan.inl"
#include "core/array.h"
#include "core/error.h"

#include <type_traits>

// Friends-of-friends and DBSCAN by any of the searches, for either executor.
namespace haloscope::compute::halos {

template <class Exec>
class ClusteringOn : public Clustering {
 public:
  void set_points(const Domain& domain, const std::array<const std::uint32_t*, 3>& position,
                  std::uint64_t count) override {
    if (count >= kNoise)
      throw Error(std::to_string(count) + " points are more than can be labelled at once",
                  "halo finding", "choose fewer types or a region");
    domain_ = domain;
    count_ = std::uint32_t(count);
    for (std::size_t a = 0; a < 3; ++a) {
      position_[a] = Buffer<std::uint32_t, Exec>(exec_, count_, "positions");
      if (count_) exec_.upload(position_[a].data(), position[a], count_ * sizeof(std::uint32_t));
    }
    labels_ = {};
    exec_.synchronize();
  }

  void require_memory(std::uint64_t count) const override {
    // The grid's fullest moment where each point has a cell of its own: positions 12, sorted points
    // 16 and their cells 4, of each cell 21, labels 4.
    constexpr std::uint64_t kBytesPerPoint = 57;
    const std::uint64_t bytes = count * kBytesPerPoint;
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

  void run(const ClusterSettings& settings, Timings& timings) override {
    if (!(settings.linking_length > 0) || !std::isfinite(settings.linking_length))
      throw Error("the linking length must be a positive number", "halo finding");
    if (settings.min_points < 2)
      throw Error("the minimum number of points must be at least 2", "halo finding");
    if (count_ == 0) return;
    const double reach = settings.linking_length / domain_.step();
    const auto min_points = std::uint32_t(settings.min_points);
    switch (choose(settings.algorithm, reach)) {
      case Algorithm::FdbScan:
        return cluster<FdbscanSearch<Exec>>(reach, min_points, timings);
      case Algorithm::DenseBox:
        return cluster<DenseBoxSearch<Exec>>(reach, min_points, timings);
      default:
        return cluster<GridSearch<Exec>>(reach, min_points, timings);
    }
  }

  std::vector<std::uint32_t> labels() const override {
    std::vector<std::uint32_t> out(count_, kNoise);
    if (!labels_.empty()) exec_.download(out.data(), labels_.data(), count_ * sizeof(out[0]));
    return out;
  }

  std::uint64_t peak_device_memory() const override {
    if constexpr (Exec::is_cuda)
      return exec_.peak_memory();
    else
      return 0;
  }

 private:
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

  template <class Search>
  void cluster(double reach, std::uint32_t min_points, Timings& timings) {
    // Not before they are needed: their memory holds the sorting meanwhile.
    labels_ = {};
    Phases<Exec> phases(exec_, timings);
    const PlacedPoints points{{position_[0].data(), position_[1].data(), position_[2].data()},
                              count_};
    const Search search(exec_, points, reach, min_points, phases);
    const auto index = search.index();
    using Index = std::remove_const_t<decltype(index)>;
    // Who has a neighbor is core, and who has none is in no cluster: nobody needs to be counted.
    const bool all_core = min_points == 2;

    Buffer<std::uint8_t, Exec> core(exec_, all_core ? 0 : count_, "core points");
    if (!all_core) {
      parallel_for(exec_, "core points", count_, FindCores<Index>{index, min_points, core.data()});
      phases.end("core");
    }
    const std::uint32_t sets_count = search.sets_count();
    Buffer<std::uint32_t, Exec> parent(exec_, sets_count, "sets");
    const UnionFind sets{parent.data()};
    parallel_for(exec_, "sets", sets_count, OwnSets{parent.data()});
    search.link(exec_, sets, core.data());
    phases.end("link");
    Buffer<std::uint32_t, Exec> border_of(exec_, all_core ? 0 : count_, "border points");
    if (!all_core) {
      parallel_for(exec_, "border points", count_,
                   FindBorders<Index>{index, core.data(), border_of.data()});
      phases.end("border");
    }

    const Members members = search.members();
    Buffer<std::uint32_t, Exec> smallest(exec_, sets_count, "cluster names");
    Buffer<std::uint8_t, Exec> shared(exec_, all_core ? sets_count : 0, "cluster sizes");
    parallel_for(exec_, "cluster names", sets_count, NoNames{smallest.data()});
    if (all_core) exec_.zero(shared.data(), sets_count);
    parallel_for(exec_, "cluster names", count_,
                 NameSets{members, sets, core.data(), smallest.data(), shared.data()});
    labels_ = Buffer<std::uint32_t, Exec>(exec_, count_, "labels");
    parallel_for(exec_, "labels", count_,
                 WriteLabels{members, sets, core.data(), border_of.data(), smallest.data(),
                             shared.data(), labels_.data()});
    phases.end("label");
  }

  mutable Exec exec_;
  Domain domain_;
  std::uint32_t count_ = 0;
  std::array<Buffer<std::uint32_t, Exec>, 3> position_;
  Buffer<std::uint32_t, Exec> labels_;
};

}  // namespace haloscope::compute::halos
