#pragma once

#include "compute/clusters/tree_edges.inl"
#include "compute/distributed/part_search.h"
#include "compute/exec/buffer.h"
#include "compute/exec/slices.inl"
#include "core/host_device.h"

#include <thrust/merge.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

// A rank's edges of the spanning tree in their order, for either executor.
namespace haloscope::compute::distributed {

struct EdgesInOrder {
  const std::uint32_t* order;
  const std::uint64_t *weight, *ends;  // of each number
  TreeEdge* edges;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    edges[k] = {weight[order[k]], ends[order[k]]};
  }
};

struct EveryEdge {
  const TreeEdge* edges;
  std::uint64_t step;
  TreeEdge* some;
  HALOSCOPE_HD void operator()(std::size_t k) const { some[k] = edges[k * step]; }
};
// How many edges, which stand in their order, come before each of the bounds.
struct EdgesBefore {
  const TreeEdge* edges;
  std::uint64_t count;
  const TreeEdge* bounds;
  std::uint64_t* before;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    std::uint64_t low = 0, high = count;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (edges[middle] < bounds[k])
        low = middle + 1;
      else
        high = middle;
    }
    before[k] = low;
  }
};

template <class Exec>
class EdgesOfPart {
 public:
  // Those that were sure, `sure` of them by the ends_key() of their places, and those of the
  // rounds, which are in their order.
  template <int D>
  void set(Exec& exec, const clusters::TreeOfColors<D>& points, const std::uint64_t* edge,
           std::uint32_t sure, const std::vector<TreeEdge>& joined) {
    Buffer<TreeEdge, Exec> some(exec, sure, kName);
    {
      const auto ordered = clusters::order_edges(exec, points, edge, sure);
      parallel_for(exec, "order", sure,
                   EdgesInOrder{ordered.order.data(), ordered.weight.data(), ordered.ends.data(),
                                some.data()});
      exec.synchronize();
    }
    auto others = upload(exec, joined, kName);
    // Thrust goes on from null pointers where there is nothing.
    if (others.size() == 0) {
      edges_ = std::move(some);
    } else if (some.size() == 0) {
      edges_ = std::move(others);
    } else {
      edges_ = Buffer<TreeEdge, Exec>(exec, some.size() + others.size(), kName);
      thrust::merge(exec.policy(), some.begin(), some.end(), others.begin(), others.end(),
                    edges_.begin());
    }
    exec.synchronize();
  }

  std::uint64_t count() const { return edges_.size(); }
  std::vector<TreeEdge> every(Exec& exec, std::uint64_t step) const {
    Buffer<TreeEdge, Exec> some(exec, (edges_.size() + step - 1) / step, kName);
    parallel_for(exec, "edges", some.size(), EveryEdge{edges_.data(), step, some.data()});
    return download(exec, some);
  }
  std::vector<std::uint64_t> before(Exec& exec, const std::vector<TreeEdge>& bounds) const {
    const auto sought = upload(exec, bounds, kName);
    Buffer<std::uint64_t, Exec> before(exec, bounds.size(), kName);
    parallel_for(exec, "edges", bounds.size(),
                 EdgesBefore{edges_.data(), edges_.size(), sought.data(), before.data()});
    return download(exec, before);
  }
  void copy(Exec& exec, std::uint64_t begin, std::span<TreeEdge> to) const {
    if (!to.empty()) exec.download(to.data(), edges_.data() + begin, to.size_bytes());
  }

 private:
  static constexpr const char* kName = "edges of the spanning tree";
  Buffer<TreeEdge, Exec> edges_;
};

}  // namespace haloscope::compute::distributed
