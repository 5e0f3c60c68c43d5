#pragma once

#include "compute/brute_force/row_distance.h"
#include "compute/brute_force/row_search.h"
#include "compute/clusters/cuslink.h"
#include "compute/exec/phases.h"
#include "compute/hierarchy/dendrogram.inl"
#include "compute/hierarchy/spanning_forest.inl"
#include "core/check.h"
#include "core/host_device.h"

#include <thrust/copy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cstdint>
#include <utility>

// cuSLINK for either executor. What searches among the rows is the executor's own, RowSearch.
namespace haloscope::compute::clusters {

using brute_force::RowSearch;

struct CoreOfLists {
  brute_force::NearestRows lists;
  std::uint32_t neighbor;  // counted from 0
  float* core;
  HALOSCOPE_HD void operator()(std::size_t row) const {
    core[row] = lists.distance[row * lists.k + neighbor];
  }
};

// Lists of neighbors as a graph, of distances or of mutual reachability.
struct GraphOfLists {
  using Key = std::uint32_t;
  brute_force::NearestRows lists;
  const float* core;  // null: distances

  HALOSCOPE_HD std::uint64_t begin(std::uint32_t row) const { return std::uint64_t(row) * lists.k; }
  HALOSCOPE_HD std::uint64_t end(std::uint32_t row) const { return begin(row) + lists.k; }
  HALOSCOPE_HD std::uint32_t neighbor(std::uint64_t e) const { return lists.row[e]; }
  HALOSCOPE_HD Key key(std::uint32_t row, std::uint64_t e) const {
    float length = lists.distance[e];
    if (core) {
      const float a = core[row], b = core[lists.row[e]];
      length = length < a ? a : length;
      length = length < b ? b : length;
    }
    return hierarchy::weight_key(length, false);
  }
};

struct CountRows {
  const std::uint32_t* color;
  std::uint32_t* size;
  HALOSCOPE_HD void operator()(std::size_t row) const { atomic_add(size + color[row], 1); }
};

struct IsOfOtherColor {
  const std::uint32_t* color;
  std::uint32_t left_out;
  HALOSCOPE_HD bool operator()(std::uint32_t row) const { return color[row] != left_out; }
};

struct TakeFoundKeys {
  const std::uint64_t* found;  // of each row
  const std::uint32_t* color;
  hierarchy::TakenView<std::uint32_t> taken;
  HALOSCOPE_HD void operator()(std::size_t row) const {
    const std::uint64_t key = found[row];
    if (key == brute_force::kNoNeighbor) return;
    atomic_minimum(taken.key + color[row],
                   hierarchy::weight_key(brute_force::distance_of_key(key), false));
  }
};

struct TakeFoundEnds {
  const std::uint64_t* found;
  const std::uint32_t* color;
  hierarchy::TakenView<std::uint32_t> taken;
  HALOSCOPE_HD void operator()(std::size_t row) const {
    const std::uint64_t key = found[row];
    if (key == brute_force::kNoNeighbor) return;
    const std::uint32_t own = color[row];
    if (hierarchy::weight_key(brute_force::distance_of_key(key), false) != taken.key[own]) return;
    atomic_minimum(taken.ends + own,
                   hierarchy::ends_key(std::uint32_t(row), brute_force::row_of(key)));
  }
};

template <class Exec>
class CuslinkMaker {
 public:
  using Grower = hierarchy::ForestGrower<Exec, std::uint32_t>;

  CuslinkMaker(Exec& exec, const brute_force::Rows& rows, const CuslinkSettings& settings,
               Progress& progress, Timings& timings)
      : exec_(exec), rows_(rows), progress_(progress), phases_(exec, timings), settings_(settings) {
    made_.neighbors =
        settings.neighbors ? settings.neighbors : default_cuslink_neighbors(rows.count);
  }

  CuslinkTree make() {
    made_.edges.points = rows_.count;
    made_.graph_trees = rows_.count;
    Grower grower(exec_, rows_.count);
    if (rows_.count > 1) {
      phases_.begin("neighbors");
      RowSearch<Exec> search(exec_, rows_, progress_);
      grow_from_graph(search, grower);
      phases_.begin("connecting");
      while (grower.edges() + 1 < rows_.count) connect(search, grower);
    }
    phases_.begin("dendrogram");
    progress_.report("dendrogram", 0);
    hierarchy::SpanningForest forest =
        hierarchy::RankedEdges<Exec>(exec_, grower, /*descending=*/false)
            .download(exec_, rows_.count);
    made_.edges = std::move(forest.edges);
    made_.weight = std::move(forest.weight);
    made_.dendrogram = hierarchy::dendrogram_on(exec_, made_.edges);
    phases_.end();
    if (!core_.empty()) made_.core = download(exec_, core_);
    if constexpr (Exec::is_cuda) made_.device_memory = exec_.peak_memory();
    return std::move(made_);
  }

 private:
  // Lists are made once, long enough for core distances too.
  void grow_from_graph(RowSearch<Exec>& search, Grower& grower) {
    const std::uint32_t core = settings_.min_samples - 1;
    const std::uint32_t k = std::max(made_.neighbors, core);
    const std::size_t size = std::size_t(rows_.count) * k;
    Buffer<std::uint32_t, Exec> row(exec_, size, "neighbors");
    Buffer<float, Exec> distance(exec_, size, "neighbors");
    const brute_force::NearestRows lists{k, row.data(), distance.data()};
    search.nearest(lists);
    if (core > 0) {
      core_ = Buffer<float, Exec>(exec_, rows_.count, "core distances");
      parallel_for(exec_, "core distances", rows_.count,
                   CoreOfLists{lists, core - 1, core_.data()});
    }
    phases_.begin("graph");
    progress_.report("spanning forest", 0);
    grower.grow(GraphOfLists{lists, core_.empty() ? nullptr : core_.data()});
    made_.graph_trees -= grower.edges();
  }

  // Joins each tree to its nearest other one. The rows of the largest do not search: each other
  // finds its own way, and one of them may be to that.
  void connect(RowSearch<Exec>& search, Grower& grower) {
    progress_.report("connecting", double(made_.connections) / (made_.connections + 1));
    const std::uint32_t n = rows_.count;
    Buffer<std::uint32_t, Exec> size(exec_, n, "components"), searching(exec_, n, "components"),
        least(exec_, n, "components");
    Buffer<std::uint64_t, Exec> found(exec_, n, "components");
    exec_.zero(size.data(), n * sizeof(std::uint32_t));
    parallel_for(exec_, "components", n, CountRows{grower.color(), size.data()});
    const auto largest = std::uint32_t(
        thrust::max_element(exec_.policy(), size.data(), size.data() + n) - size.data());
    const thrust::counting_iterator<std::uint32_t> row(0);
    const auto* const end = thrust::copy_if(exec_.policy(), row, row + n, searching.data(),
                                            IsOfOtherColor{grower.color(), largest});
    thrust::fill(exec_.policy(), least.begin(), least.end(), kInfiniteBits);
    thrust::fill(exec_.policy(), found.begin(), found.end(), brute_force::kNoNeighbor);
    search.foreign({grower.color(), core_.empty() ? nullptr : core_.data(), searching.data(),
                    std::uint32_t(end - searching.data()), least.data(), found.data()});
    grower.take_nothing();
    parallel_for(exec_, "least weights", n,
                 TakeFoundKeys{found.data(), grower.color(), grower.taken()});
    parallel_for(exec_, "first edges", n,
                 TakeFoundEnds{found.data(), grower.color(), grower.taken()});
    const bool joined = grower.join();
    HALOSCOPE_CHECK(joined, ==, true);  // each tree but one found another
    ++made_.connections;
  }

  static constexpr std::uint32_t kInfiniteBits = 0x7f800000;

  Exec& exec_;
  brute_force::Rows rows_;
  Progress& progress_;
  Phases<Exec> phases_;
  CuslinkSettings settings_;
  Buffer<float, Exec> core_;
  CuslinkTree made_;
};

}  // namespace haloscope::compute::clusters
