#include "analysis/clusters/tree_plots.h"
#include "core/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

namespace haloscope::analysis {

namespace {

using compute::clusters::CondensedTree;
using compute::hierarchy::kNone;

constexpr std::size_t kMostEnds = 60;   // clusters that are drawn without what is in them
constexpr std::size_t kMostSteps = 64;  // of a cluster's width

// A cluster of the condensed tree as it is drawn: where it splits off one that is not drawn, the
// other one is the same cluster still.
struct DrawnCluster {
  double top = 0, bottom = 0;         // heights
  std::vector<std::uint32_t> parts;   // clusters of the condensed tree, the first one largest
  std::vector<std::size_t> children;  // up to two
  std::uint64_t size = 0;             // points at its top
  double left = 0, right = 0;         // by points, of all
  double leaf = 0;                    // by leaves
  bool selected = false;
};

class DrawnTree {
 public:
  explicit DrawnTree(const FoundClusters& found)
      : tree_(*found.condensed), children_(tree_.clusters()) {
    for (std::uint32_t c = 1; c < tree_.clusters(); ++c) children_[tree_.parent[c]].push_back(c);
    choose_ends(found);
    choose_heights(found.hierarchy->height);
    densest_.assign(tree_.clusters(), 0);
    for (std::size_t p = 0; p < tree_.point_cluster.size(); ++p) {
      double& densest = densest_[tree_.point_cluster[p]];
      densest = std::max(densest, tree_.point_lambda[p]);
    }
    for (std::size_t c = tree_.clusters(); c-- > 1;)
      densest_[tree_.parent[c]] = std::max(densest_[tree_.parent[c]], densest_[c]);
    // No recursion: trees may be as deep as they have clusters.
    draw(0, top_);
    for (std::size_t k = 0; k < clusters_.size(); ++k) {
      // Appending moves what a reference would point to.
      const std::vector<std::uint32_t> kept = kept_children(clusters_[k].parts.back());
      for (const std::uint32_t child : kept) {
        clusters_[k].children.push_back(clusters_.size());
        draw(child, clusters_[k].bottom);
      }
    }
    lay_out();
  }

  const std::vector<DrawnCluster>& clusters() const { return clusters_; }
  std::size_t ends() const { return ends_; }

  // The points that have left a drawn cluster, as pairs of a height, descending, and how many are
  // left below it.
  std::vector<std::vector<std::pair<double, std::uint64_t>>> widths() const {
    std::vector<std::size_t> drawn(tree_.clusters());
    std::vector<double> leaves_at(tree_.clusters());  // of clusters that are not drawn
    std::vector<bool> is_within(tree_.clusters());
    for (std::size_t k = 0; k < clusters_.size(); ++k)
      for (const std::uint32_t part : clusters_[k].parts) drawn[part] = k + 1;
    for (std::uint32_t c = 1; c < tree_.clusters(); ++c) {
      if (drawn[c] != 0) continue;
      const std::uint32_t parent = tree_.parent[c];
      drawn[c] = drawn[parent];
      // What splits within a cluster that is drawn as one leaves it point by point.
      is_within[c] = is_end_[parent] || is_within[parent];
      if (is_within[c]) continue;
      const bool out = leaves_at[parent] != 0;
      leaves_at[c] = out ? leaves_at[parent] : height_of(tree_.birth[c]);
    }
    std::vector<std::vector<double>> left(clusters_.size());
    for (std::size_t p = 0; p < tree_.point_cluster.size(); ++p) {
      const std::uint32_t c = tree_.point_cluster[p];
      left[drawn[c] - 1].push_back(leaves_at[c] != 0 ? leaves_at[c]
                                                     : height_of(tree_.point_lambda[p]));
    }
    std::vector<std::vector<std::pair<double, std::uint64_t>>> widths(clusters_.size());
    for (std::size_t k = 0; k < clusters_.size(); ++k) {
      std::vector<double>& at = left[k];
      std::sort(at.begin(), at.end(), std::greater<>());
      const std::size_t step = std::max<std::size_t>(1, at.size() / kMostSteps);
      std::uint64_t width = clusters_[k].size;
      widths[k].push_back({clusters_[k].top, width});
      for (std::size_t i = 0; i < at.size(); i += step) {
        const std::size_t end = std::min(at.size(), i + step);
        width -= end - i;
        widths[k].push_back({std::max(at[end - 1], clusters_[k].bottom), width});
      }
    }
    return widths;
  }

 private:
  double height_of(double lambda) const {
    return std::clamp(1 / lambda, bottom_, top_);  // 1/∞ is 0
  }

  // The largest clusters that were selected, or where none was, of those that do not split.
  void choose_ends(const FoundClusters& found) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> ends;
    is_selected_.assign(tree_.clusters(), false);
    for (std::size_t k = 0; k < found.node.size(); ++k) {
      is_selected_[found.node[k]] = true;
      ends.push_back({found.members[k], found.node[k]});
    }
    if (ends.empty())
      for (std::uint32_t c = 0; c < tree_.clusters(); ++c)
        if (children_[c].empty()) ends.push_back({tree_.size[c], c});
    std::sort(ends.begin(), ends.end(), [](const auto& p, const auto& q) {
      return p.first != q.first ? p.first > q.first : p.second < q.second;
    });
    ends.resize(std::min(ends.size(), kMostEnds));
    ends_ = ends.size();
    is_end_.assign(tree_.clusters(), false);
    is_drawn_.assign(tree_.clusters(), false);
    for (const auto& [size, end] : ends) {
      is_end_[end] = true;
      for (std::uint32_t c = end; c != kNone && !is_drawn_[c]; c = tree_.parent[c])
        is_drawn_[c] = true;
    }
  }
  void choose_heights(const std::vector<double>& height) {
    top_ = height.back();
    bottom_ = *std::upper_bound(height.begin(), height.end(), 0.0);
  }

  std::vector<std::uint32_t> kept_children(std::uint32_t c) const {
    std::vector<std::uint32_t> kept;
    if (is_end_[c]) return kept;
    for (const std::uint32_t child : children_[c])
      if (is_drawn_[child]) kept.push_back(child);
    return kept;
  }

  void draw(std::uint32_t c, double top) {
    DrawnCluster drawn;
    drawn.top = top;
    drawn.size = tree_.size[c];
    drawn.parts = {c};
    drawn.selected = is_selected_[c];
    // What is selected is drawn from its own birth on.
    for (auto kept = kept_children(c); kept.size() == 1 && !is_selected_[kept[0]];
         kept = kept_children(kept[0]))
      drawn.parts.push_back(kept[0]);
    const std::uint32_t last = drawn.parts.back();
    if (!kept_children(last).empty()) {
      drawn.bottom = height_of(tree_.birth[kept_children(last)[0]]);
    } else {
      drawn.bottom = height_of(densest_[last]);
    }
    clusters_.push_back(std::move(drawn));
  }

  // By points, and by leaves, which stand one after another.
  void lay_out() {
    clusters_[0].right = 1;
    const double all = double(clusters_[0].size);
    for (DrawnCluster& cluster : clusters_) {
      if (cluster.children.empty()) continue;
      // Side by side below the middle of what is left of their parent.
      double width = 0;
      for (const std::size_t child : cluster.children) width += double(clusters_[child].size) / all;
      double left = (cluster.left + cluster.right - width) / 2;
      for (const std::size_t child : cluster.children) {
        clusters_[child].left = left;
        left += double(clusters_[child].size) / all;
        clusters_[child].right = left;
      }
    }
    std::vector<std::size_t> waiting{0};
    double leaf = 0;
    std::vector<std::size_t> order;
    while (!waiting.empty()) {
      const std::size_t k = waiting.back();
      waiting.pop_back();
      order.push_back(k);
      for (std::size_t n = clusters_[k].children.size(); n-- > 0;)
        waiting.push_back(clusters_[k].children[n]);
      if (clusters_[k].children.empty()) clusters_[k].leaf = leaf++;
    }
    for (std::size_t n = order.size(); n-- > 0;) {
      DrawnCluster& cluster = clusters_[order[n]];
      if (cluster.children.empty()) continue;
      cluster.leaf =
          (clusters_[cluster.children.front()].leaf + clusters_[cluster.children.back()].leaf) / 2;
    }
  }

  const CondensedTree& tree_;
  std::vector<std::vector<std::uint32_t>> children_;
  std::vector<bool> is_selected_, is_end_, is_drawn_;
  std::vector<double> densest_;  // λ of the last point of each cluster and of those in it
  double top_ = 0, bottom_ = 0;
  std::size_t ends_ = 0;
  std::vector<DrawnCluster> clusters_;  // parents before their children
};

void add_break(PlotLayer& layer) {
  layer.points.push_back({kNotThere, kNotThere});
}

std::string words_of(const DrawnCluster& cluster, const std::string& unit) {
  return fmt::format("{} points, from {:.4g}{}{} down{}", cluster.size, cluster.top,
                     unit.empty() ? "" : " ", unit,
                     cluster.selected ? ": a cluster that was selected" : "");
}

PlotPart part_of(const DrawnCluster& cluster, double left, double right, const std::string& unit) {
  return {left, right, cluster.bottom, cluster.top, cluster.parts.front(), words_of(cluster, unit)};
}

// A branch is where it splits off: a rectangle around that selects it with all that lies in it.
void let_select_branches(Plot& plot) {
  PlotPieces pieces;
  pieces.branches = true;
  for (const PlotPart& part : plot.branches)
    pieces.places.push_back({(part.x_low + part.x_high) / 2, part.y_high, part.number});
  plot.particles = PlotParticles{};
  plot.particles->pieces = std::make_shared<const PlotPieces>(std::move(pieces));
}

PlotLayer lines(const std::string& name, bool faint) {
  PlotLayer layer;
  layer.kind = LayerKind::Line;
  layer.name = name;
  layer.faint = faint;
  return layer;
}

Plot empty_plot(const ClusterHierarchy& hierarchy, const char* name) {
  Plot plot;
  plot.name = name;
  plot.y = {
      hierarchy.length_unit.empty() ? "height" : fmt::format("height [{}]", hierarchy.length_unit),
      AxisScale::Log};
  plot.why_empty = "no cluster splits off";
  return plot;
}

struct TreeLayers {
  PlotLayer others = lines("clusters that split", true), selected = lines("selected", false);
  PlotLayer& of(const DrawnCluster& cluster) { return cluster.selected ? selected : others; }
};

Plot finished(Plot plot, TreeLayers layers, const char* caption, const FoundClusters& found,
              const DrawnTree& tree) {
  for (PlotLayer* layer : {&layers.others, &layers.selected})
    if (!layer->points.empty()) plot.layers.push_back(std::move(*layer));
  plot.caption = caption;
  if (tree.ends() < found.node.size())
    plot.caption += fmt::format(" Drawn are the {} largest of {} clusters that were selected.",
                                tree.ends(), found.node.size());
  plot.notes = {version(), plot.caption};
  return plot;
}

Plot dendrogram_plot(const FoundClusters& found, const DrawnTree& tree) {
  const ClusterHierarchy& hierarchy = *found.hierarchy;
  Plot plot = empty_plot(hierarchy, "dendrogram");
  plot.x = {"clusters", AxisScale::Linear, 1, -1, double(tree.ends())};
  TreeLayers layers;
  for (const DrawnCluster& cluster : tree.clusters()) {
    PlotLayer& layer = layers.of(cluster);
    const std::string words = words_of(cluster, hierarchy.length_unit);
    for (const double y : {cluster.top, cluster.bottom}) {
      PlotPoint point;
      point.x = cluster.leaf;
      point.y = y;
      point.words = words;
      layer.points.push_back(point);
    }
    add_break(layer);
    plot.branches.push_back(
        part_of(cluster, cluster.leaf - 0.5, cluster.leaf + 0.5, hierarchy.length_unit));
    if (cluster.children.size() < 2) continue;
    for (const std::size_t child : cluster.children)
      layers.others.points.push_back({tree.clusters()[child].leaf, cluster.bottom});
    add_break(layers.others);
  }
  return finished(std::move(plot), std::move(layers), "Where clusters split as the height falls.",
                  found, tree);
}

Plot icicle_plot(const FoundClusters& found, const DrawnTree& tree) {
  const ClusterHierarchy& hierarchy = *found.hierarchy;
  Plot plot = empty_plot(hierarchy, "condensed_tree");
  plot.x = {"fraction of the points", AxisScale::Linear, 1, -0.02, 1.02};
  TreeLayers layers;
  const auto widths = tree.widths();
  const double all = double(tree.clusters()[0].size);
  for (std::size_t k = 0; k < tree.clusters().size(); ++k) {
    const DrawnCluster& cluster = tree.clusters()[k];
    PlotLayer& layer = layers.of(cluster);
    const double middle = (cluster.left + cluster.right) / 2;
    const auto corner = [&](double side, double height, std::uint64_t width) {
      PlotPoint point;
      point.x = middle + side * double(width) / all / 2;
      point.y = height;
      point.words = words_of(cluster, hierarchy.length_unit);
      layer.points.push_back(point);
    };
    // Down the left side in steps, and up the right one.
    std::uint64_t width = cluster.size;
    for (const auto& [height, below] : widths[k]) {
      corner(-1, height, width);
      corner(-1, height, below);
      width = below;
    }
    corner(-1, cluster.bottom, width);
    // Tops and bottoms of what splits would be a ladder behind the clusters.
    if (!cluster.selected) add_break(layer);
    corner(1, cluster.bottom, width);
    for (std::size_t i = widths[k].size(); i-- > 0;) {
      corner(1, widths[k][i].first, widths[k][i].second);
      corner(1, widths[k][i].first, i > 0 ? widths[k][i - 1].second : cluster.size);
    }
    if (cluster.selected) corner(-1, cluster.top, cluster.size);
    add_break(layer);
    const double half = double(cluster.size) / all / 2;
    plot.branches.push_back(part_of(cluster, middle - half, middle + half, hierarchy.length_unit));
  }
  return finished(std::move(plot), std::move(layers),
                  "The condensed tree: clusters are as wide as they have points.", found, tree);
}

}  // namespace

std::vector<Plot> condensed_tree_plots(const FoundClusters& found) {
  const ClusterHierarchy& hierarchy = *found.hierarchy;
  if (!found.condensed) return {};
  if (hierarchy.height.empty() || hierarchy.height.back() <= 0)
    return {empty_plot(hierarchy, "dendrogram"), empty_plot(hierarchy, "condensed_tree")};
  const DrawnTree tree(found);
  std::vector<Plot> plots{dendrogram_plot(found, tree), icicle_plot(found, tree)};
  for (Plot& plot : plots) let_select_branches(plot);
  return plots;
}

}  // namespace haloscope::analysis
