#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

// Condensed trees and the choice of their least size in plain words: a tree is taken apart edge by
// edge, the longest first, and what is left is looked at as a set of points.
namespace haloscope::test {

struct SlowEdge {
  std::uint32_t a = 0, b = 0;
  double height = 0;
};

struct SlowCluster {
  std::vector<std::uint32_t> points;  // ascending
  double birth = 0, weight = 0;
  std::size_t parent = ~std::size_t(0);
  std::vector<std::size_t> children;
};

class SlowCondensedTree {
 public:
  std::vector<SlowCluster> clusters;  // the first holds all points
  std::vector<std::size_t> point_cluster;
  std::vector<double> point_lambda;

  // `edges` by ascending height. A set of points is large where it has two or more and they weigh
  // `least` together.
  SlowCondensedTree(const std::vector<SlowEdge>& edges, std::vector<double> weight, double least)
      : point_cluster(weight.size(), 0),
        point_lambda(weight.size(), HUGE_VAL),
        weight_(std::move(weight)),
        least_(least) {
    std::vector<std::uint32_t> all;
    for (std::uint32_t p = 0; p < weight_.size(); ++p) all.push_back(p);
    follow(add(all, 0, ~std::size_t(0)), all, edges);
  }

  std::vector<std::size_t> leaves() const {
    std::vector<std::size_t> found;
    for (std::size_t c = 1; c < clusters.size(); ++c)
      if (clusters[c].children.empty()) found.push_back(c);
    return found;
  }

  // What leaves a cluster is its points one by one, and the children that it splits into.
  double stability(std::size_t c) const {
    double sum = 0;
    for (const std::uint32_t p : clusters[c].points) {
      double end = point_lambda[p];
      for (const std::size_t child : clusters[c].children)
        for (const std::uint32_t q : clusters[child].points)
          if (q == p) end = clusters[child].birth;
      if (end > clusters[c].birth && weight_[p] > 0) sum += weight_[p] * (end - clusters[c].birth);
    }
    return sum;
  }

 private:
  double weigh(const std::vector<std::uint32_t>& points) const {
    double sum = 0;
    for (const std::uint32_t p : points) sum += weight_[p];
    return sum;
  }

  std::size_t add(const std::vector<std::uint32_t>& points, double birth, std::size_t parent) {
    SlowCluster& one = clusters.emplace_back();
    one.points = points;
    one.birth = birth;
    one.weight = weigh(points);
    one.parent = parent;
    return clusters.size() - 1;
  }

  struct Side {
    std::vector<std::uint32_t> points;
    std::vector<SlowEdge> edges;
  };

  // What edges still hold together with a point, and the rest.
  static std::vector<Side> part(const std::vector<std::uint32_t>& points,
                                const std::vector<SlowEdge>& edges, std::uint32_t from) {
    std::set<std::uint32_t> reached{from};
    for (std::size_t before = 0; before != reached.size();) {
      before = reached.size();
      for (const SlowEdge& edge : edges)
        if (reached.count(edge.a) + reached.count(edge.b) == 1) {
          reached.insert(edge.a);
          reached.insert(edge.b);
        }
    }
    std::vector<Side> sides(2);
    for (const std::uint32_t p : points) sides[reached.count(p) ? 0 : 1].points.push_back(p);
    for (const SlowEdge& edge : edges) sides[reached.count(edge.a) ? 0 : 1].edges.push_back(edge);
    return sides;
  }

  void follow(std::size_t c, std::vector<std::uint32_t> points, std::vector<SlowEdge> edges) {
    while (!edges.empty()) {
      const SlowEdge longest = edges.back();
      edges.pop_back();
      const double lambda = longest.height > 0 ? 1 / longest.height : HUGE_VAL;
      std::vector<Side> sides = part(points, edges, longest.a);
      std::vector<Side> large;
      for (Side& side : sides)
        if (side.points.size() >= 2 && weigh(side.points) >= least_)
          large.push_back(std::move(side));
        else
          for (const std::uint32_t p : side.points) {
            point_cluster[p] = c;
            point_lambda[p] = lambda;
          }
      if (large.size() == 2) {
        for (Side& side : large) {
          const std::size_t child = add(side.points, lambda, c);
          clusters[c].children.push_back(child);
          follow(child, std::move(side.points), std::move(side.edges));
        }
        return;
      }
      if (large.empty()) return;
      points = std::move(large[0].points);
      edges = std::move(large[0].edges);
    }
  }

  std::vector<double> weight_;
  double least_;
};

// PLSCAN (Bot, McInnes and Aerts 2025) by trying the sizes one by one.
struct SlowSizes {
  struct Range {
    double above = 0, up_to = 0, persistence = 0;
    std::set<std::vector<std::uint32_t>> leaves;  // as sets of points
  };
  std::vector<Range> ranges;

  // Any set that edges hold together may be a leaf, so that nothing changes between the weights of
  // two of these.
  SlowSizes(const std::vector<SlowEdge>& edges, const std::vector<double>& weight, double above) {
    std::set<double> sizes{above};
    for (std::size_t kept = 1; kept <= edges.size(); ++kept) {
      std::set<std::uint32_t> held{edges[kept - 1].a};
      for (std::size_t before = 0; before != held.size();) {
        before = held.size();
        for (std::size_t k = 0; k < kept; ++k)
          if (held.count(edges[k].a) + held.count(edges[k].b) == 1) {
            held.insert(edges[k].a);
            held.insert(edges[k].b);
          }
      }
      double sum = 0;
      for (const std::uint32_t p : held) sum += weight[p];
      if (sum > above) sizes.insert(sum);
    }
    std::map<std::vector<std::uint32_t>, double> length;  // of sizes at which each set is a leaf
    double low = above;
    for (const double size : sizes) {
      if (size == above) continue;
      Range range{low, size, 0, {}};
      const SlowCondensedTree tree(edges, weight, size);
      for (const std::size_t leaf : tree.leaves()) {
        range.leaves.insert(tree.clusters[leaf].points);
        length[tree.clusters[leaf].points] += size - low;
      }
      low = size;
      if (!range.leaves.empty()) ranges.push_back(range);
    }
    for (Range& range : ranges)
      for (const auto& leaf : range.leaves) range.persistence += length[leaf];
  }
};

}  // namespace haloscope::test
