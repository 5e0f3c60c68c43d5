#include "analysis/clusters/cluster_datasets.h"

#include "core/unit_words.h"

#include <type_traits>

namespace haloscope::analysis {

namespace {

constexpr const char* kProbability =
    "How firmly the row belongs to its cluster, from 0 (in none) to 1: one over the height at "
    "which "
    "it leaves, in parts of the largest such value of the cluster";
constexpr const char* kOutlierScore =
    "GLOSH, from 0 to 1: how much sooner the row leaves than the densest part of where it was "
    "(Campello et al. 2015)";

// Whole numbers below 2³¹ and -1 for all bits set.
template <class T>
constexpr ScalarType scalar_of() {
  if constexpr (std::is_same_v<T, float>)
    return ScalarType::Float32;
  else if constexpr (std::is_same_v<T, double>)
    return ScalarType::Float64;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return ScalarType::Int64;
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return ScalarType::UInt64;
  else
    return ScalarType::Int32;
}

}  // namespace

template <class T>
void ClusterDatasets::add(const std::string& name, const std::string& unit,
                          const std::string& description, const std::vector<T>& values) {
  io::PlainDataset& dataset = all_.emplace_back();
  dataset.name = name;
  dataset.unit = unit;
  dataset.description = description;
  dataset.scalar = scalar_of<T>();
  dataset.rows = values.size();
  dataset.data = values.data();
}

void ClusterDatasets::add_tree(const ClusterHierarchy& hierarchy) {
  const std::string end =
      "end of each edge of the minimum spanning tree, edges by ascending weight";
  add("Tree/i", "", "Smaller " + end + ". " + hierarchy.numbering, hierarchy.tree.a);
  add("Tree/j", "", "Larger " + end + ". " + hierarchy.numbering, hierarchy.tree.b);
  add("Tree/weight", hierarchy.length_unit,
      "Length of each edge: the distance of its ends, for HDBSCAN* at least the core distance of "
      "either",
      hierarchy.height);
}

void ClusterDatasets::add_linkage(const ClusterHierarchy& hierarchy) {
  linkage_ = linkage_of(hierarchy);
  io::PlainDataset& dataset = all_.emplace_back();
  dataset.name = "Dendrogram/Z";
  dataset.unit = hierarchy.length_unit;
  dataset.description =
      "Linkage matrix as SciPy's: two clusters that merge, the height, the points of the new one, "
      "which is numbered behind the points. " +
      hierarchy.numbering;
  dataset.rows = linkage_.size();
  dataset.components = 4;
  dataset.data = linkage_.data();
}

void ClusterDatasets::add_condensed(const compute::clusters::CondensedTree* tree,
                                    const ClusterHierarchy& hierarchy) {
  if (!tree) return;
  condensed_ = condensed_rows(*tree);
  add("Condensed/parent", "", "Cluster that a row leaves; the one of all points is numbered first",
      condensed_.parent);
  add("Condensed/child", "",
      "Point, or from the number of points on cluster, that leaves it. " + hierarchy.numbering,
      condensed_.child);
  add("Condensed/lambda_val", unit_power(hierarchy.length_unit, -1),
      "One over the height at which it leaves", condensed_.lambda);
  add("Condensed/child_size", "", "Points that leave", condensed_.size);
  if (!condensed_.weight.empty())
    add("Condensed/child_weight", "", "Sum of their weights, in units of the mean weight",
        condensed_.weight);
}

void ClusterDatasets::add_sizes(const SizeChoice* sizes, bool with_resolutions) {
  if (!sizes) return;
  for (const compute::clusters::SizeRange& range : sizes->ranges) {
    ranges_[0].push_back(range.above);
    ranges_[1].push_back(range.up_to);
    ranges_[2].push_back(range.persistence);
    leaves_.push_back(range.leaves);
  }
  if (leaves_.empty()) return;
  add("SizeRanges/Above", "", "Least cluster sizes above this one", ranges_[0]);
  add("SizeRanges/UpTo", "", "and up to this one have the same leaf clusters", ranges_[1]);
  add("SizeRanges/Persistence", "",
      "Lengths of the ranges of sizes in which each of these is a leaf, summed", ranges_[2]);
  add("SizeRanges/Leaves", "", "Number of leaf clusters", leaves_);
  if (!with_resolutions) return;
  for (const SizeResolution& one : sizes->resolutions) {
    resolutions_[0].push_back(one.size);
    resolutions_[1].push_back(one.range.above);
    resolutions_[2].push_back(one.range.up_to);
    resolutions_[3].push_back(one.range.persistence);
    clusters_.push_back(std::uint32_t(one.clusters));
  }
  add("Resolutions/Size", "",
      "Least cluster size, of the highest local maxima of the persistence, the highest first",
      resolutions_[0]);
  add("Resolutions/Above", "", "Least cluster sizes above this one", resolutions_[1]);
  add("Resolutions/UpTo", "", "and up to this one have the same clusters", resolutions_[2]);
  add("Resolutions/Persistence", "", "Persistence of this range of sizes", resolutions_[3]);
  add("Resolutions/Clusters", "", "Number of clusters", clusters_);
}

std::string resolution_group(std::size_t resolution, std::optional<int> type) {
  std::string group = "Resolutions/" + std::to_string(resolution);
  if (type) group += "/PartType" + std::to_string(*type);
  return group;
}

void ClusterDatasets::add_rows(const std::string& group, const std::vector<std::uint64_t>& rows) {
  add(group + "/Row", "",
      "Row of the snapshot, from 0, of each particle that was selected, and of each row of the "
      "datasets beside it",
      rows);
}

void ClusterDatasets::add_labels(const std::string& group,
                                 const std::vector<std::uint32_t>& labels) {
  add(group + "/Label", "",
      group.starts_with("Resolutions/")
          ? "Cluster of each row at this size, counted from 0; -1: none"
          : "Cluster of each row, counted from 0: a row of Group; -1: none",
      labels);
}

void ClusterDatasets::add_probability(const std::string& group, const std::vector<double>& values) {
  add(group + "/Probability", "", kProbability, values);
}

void ClusterDatasets::add_probability(const std::string& group, const std::vector<float>& values) {
  add(group + "/Probability", "", kProbability, values);
}

void ClusterDatasets::add_outlier_score(const std::string& group,
                                        const std::vector<double>& values) {
  add(group + "/OutlierScore", "", kOutlierScore, values);
}

void ClusterDatasets::add_outlier_score(const std::string& group,
                                        const std::vector<float>& values) {
  add(group + "/OutlierScore", "", kOutlierScore, values);
}

}  // namespace haloscope::analysis
