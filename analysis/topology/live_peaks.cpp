#include "analysis/topology/live_peaks.h"

#include "analysis/file_rows.h"
#include "analysis/topology/structures.h"
#include "core/error.h"

#include <utility>

namespace haloscope::analysis {

namespace topology = compute::topology;

namespace {

// Values of the rows that were read, behind what there is.
void append_read(const std::vector<std::uint32_t>& rows, const std::vector<std::uint64_t>& rejected,
                 std::vector<std::uint32_t>& to) {
  auto from = rows.begin();
  for (const std::uint64_t row : rejected) {
    const auto left_out = rows.begin() + std::ptrdiff_t(row);
    to.insert(to.end(), from, left_out);
    from = left_out + 1;
  }
  to.insert(to.end(), from, rows.end());
}

}  // namespace

LivePeaks::LivePeaks(std::shared_ptr<const GridTree> tree, std::shared_ptr<const Labels> cells,
                     const std::vector<ParticleColumns>& types)
    : tree_(std::move(tree)), cells_(std::move(cells)) {
  for (const ParticleColumns& columns : types)
    if (cells_->of.count(columns.type) > 0) rejected_[columns.type] = columns.rejected_rows;
  std::uint64_t first = 0;
  for (const auto& [type, of] : cells_->of) {
    const std::uint64_t count = of.size() - rejected_[type].size();
    ranges_[type] = {std::uint32_t(first), std::uint32_t(count)};
    first += count;
  }
}

void LivePeaks::keep(topology::Labeling labeling) {
  const std::lock_guard lock(mutex_);
  keep_locked(labeling);
}

void LivePeaks::keep_locked(topology::Labeling labeling) {
  labeling_.reset();
  std::vector<std::uint32_t> read;
  read.reserve(rows_read());
  for (const auto& [type, of] : cells_->of) append_read(of, rejected_.at(type), read);
  tree_->keep_points(read, labeling);
  labeling_ = labeling;
}

std::shared_ptr<const topology::PointSegments> LivePeaks::segments(
    const topology::Simplification& simplification, topology::Labeling labeling) {
  const std::lock_guard lock(mutex_);
  if (labeling_ != labeling)
    keep_locked(labeling);
  else if (newest_ && simplification_ == simplification)
    return newest_;
  if (newest_) older_ = newest_->labels;
  newest_.reset();
  auto made =
      std::make_shared<const topology::PointSegments>(tree_->segment_points(simplification));
  // On a processor they are copied at once.
  if (made->labels->device().is_gpu()) newest_ = made;
  simplification_ = simplification;
  return made;
}

std::uint64_t LivePeaks::rows_read() const {
  std::uint64_t rows = 0;
  for (const auto& [type, range] : ranges_) rows += range.count;
  return rows;
}

std::uint64_t LivePeaks::bytes() const {
  return tree_->is_on_gpu() ? 0 : rows_read() * sizeof(std::uint32_t);
}

Labels LivePeaks::on_host(const topology::PointSegments& segments) const {
  const std::vector<std::uint32_t> all = segments.labels->download();
  Labels labels;
  labels.pieces = segments.count;
  for (const auto& [type, range] : ranges_) {
    const auto first = all.begin() + std::ptrdiff_t(range.first);
    labels.of[type] = file_rows(std::vector<std::uint32_t>(first, first + range.count),
                                rejected_.at(type), std::uint32_t(Labels::kNone));
  }
  return labels;
}

std::shared_ptr<LivePeaks> make_live_peaks(const std::shared_ptr<const GridTree>& tree,
                                           const std::shared_ptr<const Labels>& cells,
                                           const std::vector<ParticleColumns>& types,
                                           SegmentKind kind) {
  std::uint64_t rows = 0;
  for (const auto& [type, of] : cells->of) rows += of.size();
  if (!tree->knows_basins() || rows >= Labels::kNone) return nullptr;
  auto live = std::make_shared<LivePeaks>(tree, cells, types);
  try {
    live->keep(labeling_of(kind));
  } catch (const Error&) {
    return nullptr;
  }
  return live;
}

}  // namespace haloscope::analysis
