#include "analysis/clusters/tree_plots.h"
#include "core/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace haloscope::analysis {

namespace {

using compute::hierarchy::kNone;

constexpr int kSamples = 256;
constexpr const char* kThisCut = "this cut";

// What the first ranks of a tree have merged.
class MergedClusters {
 public:
  MergedClusters(const ClusterHierarchy& hierarchy, std::uint64_t least_members)
      : dendrogram_(hierarchy.dendrogram), least_(least_members) {
    const std::size_t edges = hierarchy.height.size();
    kept_.assign(edges, 0);
    for (std::size_t e = 0; e < edges; ++e) {
      const std::uint32_t parent = dendrogram_.edge_parent[e];
      if (parent != kNone && dendrogram_.size[e] >= least_) ++kept_[parent];
    }
    count_ = least_ <= 1 ? hierarchy.tree.points : 0;
    if (least_ <= 1)
      for (const std::uint32_t parent : dendrogram_.point_parent)
        if (parent != kNone) ++kept_[parent];
  }
  // Merges the next edge.
  void merge(std::size_t rank) {
    const std::uint32_t size = dendrogram_.size[rank];
    count_ += size >= least_ ? 1 : 0;
    count_ -= kept_[rank];
    largest_ = std::max(largest_, size);
  }
  std::uint64_t count() const { return count_; }
  std::uint32_t largest() const { return largest_; }

 private:
  const compute::hierarchy::Dendrogram& dendrogram_;
  std::uint64_t least_;
  std::vector<std::uint8_t> kept_;  // of the two that an edge merges, those that count
  std::uint64_t count_ = 0;
  std::uint32_t largest_ = 1;
};

}  // namespace

Plot cut_plot(const FoundClusters& found, std::uint64_t least_members,
              std::optional<double> mean_spacing) {
  const ClusterHierarchy& hierarchy = *found.hierarchy;
  const std::vector<double>& height = hierarchy.height;
  Plot plot;
  plot.name = "cuts";
  plot.x = {hierarchy.length_unit.empty()
                ? "height of the cut"
                : fmt::format("height of the cut [{}]", hierarchy.length_unit),
            AxisScale::Log};
  plot.y = {"clusters, and points of the largest", AxisScale::Log};
  plot.why_empty = "the tree has no two points apart";
  const auto first = std::upper_bound(height.begin(), height.end(), 0.0);
  if (first == height.end()) return plot;
  const double low = std::log10(*first), high = std::log10(height.back());
  PlotLayer clusters, largest;
  clusters.kind = largest.kind = LayerKind::Line;
  clusters.name = least_members > 1 ? fmt::format("clusters of {} points or more", least_members)
                                    : "clusters, single points too";
  largest.name = "points of the largest";
  largest.faint = true;
  MergedClusters merged(hierarchy, least_members);
  std::size_t rank = 0;
  for (int k = 0; k <= kSamples; ++k) {
    // The ends are heights themselves, whatever rounding says.
    const double at = k == 0          ? *first
                      : k == kSamples ? height.back()
                                      : std::pow(10, low + (high - low) * k / kSamples);
    for (; rank < height.size() && height[rank] <= at; ++rank) merged.merge(rank);
    const std::string words = fmt::format(
        "{:.4g}{}{}: {} cluster{}, the largest of {}", at, hierarchy.length_unit.empty() ? "" : " ",
        hierarchy.length_unit, merged.count(), merged.count() == 1 ? "" : "s", merged.largest());
    PlotPoint point;
    point.x = at;
    point.words = words;
    point.y = merged.count() > 0 ? double(merged.count()) : kNotThere;
    clusters.points.push_back(point);
    point.y = double(merged.largest());
    largest.points.push_back(point);
  }
  plot.layers = {std::move(clusters), std::move(largest)};
  if (mean_spacing) plot.marks.push_back({usual_linking_in_words(), kUsualLinking * *mean_spacing});
  plot.caption = "Clusters of each cut of the tree, and the largest one.";
  plot.notes.push_back(version());
  return with_cut_marked(std::move(plot), found);
}

Plot with_cut_marked(Plot plot, const FoundClusters& found) {
  std::erase_if(plot.marks, [](const PlotMark& mark) { return mark.name == kThisCut; });
  if (found.cut_height > 0) {
    PlotMark& mark = plot.marks.emplace_back();
    mark.name = kThisCut;
    mark.at = *found.cut_height;
    mark.movable = true;
  }
  return plot;
}

std::string usual_linking_in_words() {
  return fmt::format("{} mean spacings", kUsualLinking);
}

}  // namespace haloscope::analysis
