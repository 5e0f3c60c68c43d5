#include "analysis/topology/tree_arcs.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace haloscope::analysis {

namespace topology = compute::topology;

namespace {

class ArcMaker {
 public:
  explicit ArcMaker(const GridTree& tree)
      : tree_(tree), all_(tree.branches()), super_(tree.levels() == topology::Levels::Super) {}

  TreeArcs make() {
    for (const std::uint64_t cell : all_.maximum) add_node(cell, peak_type(tree_));
    // Each saddle stands once, behind the maxima.
    for (std::size_t b = 0; b < all_.count(); ++b)
      if (all_.saddle[b] != topology::kNoCell && !node_.count(all_.saddle[b]))
        node_[all_.saddle[b]] = add_node(all_.saddle[b], saddle_type(tree_));
    add_root();
    std::vector<std::uint32_t> order = saddles_along_branches();
    std::size_t at = 0;
    for (std::uint32_t b = 0; b < all_.count(); ++b) {
      std::uint32_t node = b;
      for (; at < order.size() && all_.parent[order[at]] == b; ++at)
        go_on(node, node_.at(all_.saddle[order[at]]));
      if (all_.saddle[b] != topology::kNoCell)
        go_on(node, node_.at(all_.saddle[b]));
      else if (root_ != topology::kNoBranch)
        go_on(node, root_);
    }
    return std::move(arcs_);
  }

 private:
  std::uint32_t add_node(std::uint64_t cell, CriticalType type) {
    arcs_.vertex.push_back(cell);
    arcs_.type.push_back(std::int8_t(type));
    return std::uint32_t(arcs_.vertex.size() - 1);
  }

  // Where all components end in one; of a constant grid it is the maximum itself.
  void add_root() {
    if (tree_.threshold() || tree_.last() == all_.maximum.front()) return;
    const auto met = node_.find(tree_.last());
    root_ = met != node_.end() ? met->second
                               : add_node(tree_.last(), super_ ? CriticalType::LocalMinimum
                                                               : CriticalType::LocalMaximum);
  }

  bool is_swept_before(std::uint32_t a, std::uint32_t b) const {
    if (all_.death[a] != all_.death[b])
      return super_ ? all_.death[a] > all_.death[b] : all_.death[a] < all_.death[b];
    return all_.saddle[a] < all_.saddle[b];
  }

  // Branches that end, those of one parent together, as the sweep meets their saddles.
  std::vector<std::uint32_t> saddles_along_branches() const {
    std::vector<std::uint32_t> order(all_.count());
    std::iota(order.begin(), order.end(), 0);
    std::erase_if(order, [&](std::uint32_t b) { return all_.saddle[b] == topology::kNoCell; });
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      if (all_.parent[a] != all_.parent[b]) return all_.parent[a] < all_.parent[b];
      return is_swept_before(a, b);
    });
    return order;
  }

  // Several branches may end at one saddle.
  void go_on(std::uint32_t& node, std::uint32_t next) {
    if (node == next) return;
    arcs_.up.push_back(super_ ? node : next);
    arcs_.down.push_back(super_ ? next : node);
    node = next;
  }

  const GridTree& tree_;
  const topology::Branches& all_;
  bool super_;
  TreeArcs arcs_;
  std::unordered_map<std::uint64_t, std::uint32_t> node_;  // of saddles
  std::uint32_t root_ = topology::kNoBranch;
};

bool is_flat(const GridTree& tree) {
  return std::count(tree.grid().cells.begin(), tree.grid().cells.end(), std::uint64_t(1)) > 0;
}

}  // namespace

TreeArcs arcs_of(const GridTree& tree) {
  return ArcMaker(tree).make();
}

CriticalType saddle_type(const GridTree& tree) {
  if (tree.levels() == topology::Levels::Sub) return CriticalType::Saddle1;
  return is_flat(tree) ? CriticalType::Saddle1 : CriticalType::Saddle2;
}

CriticalType peak_type(const GridTree& tree) {
  return tree.levels() == topology::Levels::Sub ? CriticalType::LocalMinimum
                                                : CriticalType::LocalMaximum;
}

}  // namespace haloscope::analysis
