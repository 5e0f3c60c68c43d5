#pragma once

#include "analysis/clusters/cluster_hierarchy.h"
#include "analysis/clusters/size_choice.h"
#include "io/catalogs/plain_dataset.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

// What a catalog of clusters holds beside its table: Tree/i, j and weight; Dendrogram/Z;
// Condensed/parent, child, lambda_val and child_size; labels; ranges of sizes, and labels of the
// best ones. Holds what it makes for that; what it is given is borrowed.
class ClusterDatasets {
 public:
  void add_tree(const ClusterHierarchy& hierarchy);
  void add_linkage(const ClusterHierarchy& hierarchy);
  // Nothing where there is no condensed tree (null).
  void add_condensed(const compute::clusters::CondensedTree* tree,
                     const ClusterHierarchy& hierarchy);
  // How persistent each least size is, and which resolutions were asked for; nothing where the size
  // was not chosen (null).
  void add_sizes(const SizeChoice* sizes, bool with_resolutions);
  // Of particles that were selected, under the group of their labels.
  void add_rows(const std::string& group, const std::vector<std::uint64_t>& rows);
  // Under a group "Labels", or "Labels/PartType1": the cluster of each row, -1 for none.
  void add_labels(const std::string& group, const std::vector<std::uint32_t>& labels);
  void add_probability(const std::string& group, const std::vector<double>& values);
  void add_probability(const std::string& group, const std::vector<float>& values);
  void add_outlier_score(const std::string& group, const std::vector<double>& values);
  void add_outlier_score(const std::string& group, const std::vector<float>& values);

  const std::vector<io::PlainDataset>& all() const { return all_; }

 private:
  template <class T>
  void add(const std::string& name, const std::string& unit, const std::string& description,
           const std::vector<T>& values);

  std::vector<io::PlainDataset> all_;
  std::vector<compute::hierarchy::LinkageRow> linkage_;
  CondensedRows condensed_;
  std::array<std::vector<double>, 3> ranges_;       // above, up to, persistence
  std::array<std::vector<double>, 4> resolutions_;  // size, and the same
  std::vector<std::uint32_t> leaves_, clusters_;
};

// The group of a resolution's labels: "Resolutions/0" of the best one, by type of a snapshot.
std::string resolution_group(std::size_t resolution, std::optional<int> type = {});

}  // namespace haloscope::analysis
