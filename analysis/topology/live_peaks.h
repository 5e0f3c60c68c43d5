#pragma once

#include "analysis/finding.h"
#include "analysis/topology/grid_tree.h"
#include "compute/topology/merge_tree.h"
#include "core/labels.h"
#include "core/particles.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace haloscope::analysis {

// The particles of a grid where its merge tree is, so that another threshold labels them there in a
// few milliseconds, by any thread. On a GPU it keeps the labels of the last two thresholds: that
// which is shown, and the one that takes its place. So a threshold that is dragged does not fill a
// GPU.
class LivePeaks {
 public:
  // `cells`: of each row of the files; `types`: what was read of them.
  LivePeaks(std::shared_ptr<const GridTree> tree, std::shared_ptr<const Labels> cells,
            const std::vector<ParticleColumns>& types);

  // Puts the particles where the tree is, 4 bytes each. Throws Error where memory runs out.
  void keep(compute::topology::Labeling labeling);
  // The same, if they are not there for this labeling. Types lie one after another, without rows
  // that were not read. The labels that were made last are not made again.
  std::shared_ptr<const compute::topology::PointSegments> segments(
      const compute::topology::Simplification& simplification,
      compute::topology::Labeling labeling);

  // Where each type lies among the labels.
  const std::map<int, ResidentPieces::Range>& ranges() const { return ranges_; }
  std::uint64_t bytes() const;  // of host memory
  // The labels by rows of the files, on the host.
  Labels on_host(const compute::topology::PointSegments& segments) const;

 private:
  std::uint64_t rows_read() const;
  void keep_locked(compute::topology::Labeling labeling);

  std::shared_ptr<const GridTree> tree_;
  std::shared_ptr<const Labels> cells_;
  std::map<int, std::vector<std::uint64_t>> rejected_;  // rows, ascending
  std::map<int, ResidentPieces::Range> ranges_;
  std::mutex mutex_;
  std::optional<compute::topology::Labeling> labeling_;
  compute::topology::Simplification simplification_;  // of the newest
  std::shared_ptr<const compute::topology::PointSegments> newest_;
  std::shared_ptr<const compute::ResidentLabels> older_;
};

// Those of a snapshot's peaks; null: the tree knows no basins, there are more particles than labels
// can have, or no room for them.
std::shared_ptr<LivePeaks> make_live_peaks(const std::shared_ptr<const GridTree>& tree,
                                           const std::shared_ptr<const Labels>& cells,
                                           const std::vector<ParticleColumns>& types,
                                           SegmentKind kind);

}  // namespace haloscope::analysis
