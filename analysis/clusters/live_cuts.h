#pragma once

#include "compute/clusters/cluster_tree.h"
#include "compute/exec/resident_labels.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace haloscope::analysis {

// A tree that stays on a GPU to be cut there, in a few milliseconds, by any thread. It keeps the
// labels of the last cuts: that which is shown, and the one that takes its place. So what is found
// at many heights does not fill the GPU.
class LiveCuts {
 public:
  struct Cut {
    std::shared_ptr<const compute::ResidentLabels> labels;  // of each point
    std::vector<std::uint64_t> members;                     // of each cluster
  };

  explicit LiveCuts(std::shared_ptr<compute::clusters::ClusterTree> tree) : tree_(std::move(tree)) {
    tree_->keep_cuts_alone();
  }
  Cut cut(std::uint32_t edges, std::uint64_t least_members) {
    const std::lock_guard lock(mutex_);
    older_ = std::move(newest_);
    tree_->cut(edges, least_members);
    newest_ = tree_->labels_of_cut();
    return {newest_, tree_->members_of_cut()};
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<compute::clusters::ClusterTree> tree_;
  std::shared_ptr<const compute::ResidentLabels> newest_, older_;
};

}  // namespace haloscope::analysis
