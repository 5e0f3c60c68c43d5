#include "compute/distributed/tree_over_ranks.h"

#include "compute/clusters/cluster_tree.h"
#include "compute/distributed/collect_edges.h"
#include "compute/distributed/hand_out_points.h"
#include "compute/distributed/part_search.h"
#include "compute/exec/device_ranks.h"
#include "compute/exec/named_range.h"
#include "core/error.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace haloscope::compute::distributed {

// One rank's part of the work.
class TreeOverRanks::Maker {
 public:
  Maker(Ranks& ranks, const PartOfPoints& part, int samples, Device device, Progress& progress,
        Timings& timings, std::uint64_t at_once)
      : ranks_(ranks),
        count_(part.count()),
        samples_(samples),
        timings_(timings),
        wire_(make_device_ranks(ranks, device)),
        search_(
            make_part_search(part, {samples, at_once}, device, ranks, *wire_, progress, timings)) {}

  void make() { search_->make(); }

  clusters::SpanningTree collect() {
    const TimedRange timer(timings_, "collect");
    clusters::SpanningTree tree;
    const auto points = std::uint32_t(ranks_.sum(count_));
    if (ranks_.first()) tree.points = points;
    if (samples_ > 1 && points >= 2) collect_core(ranks_, *search_, tree);
    collect_edges(ranks_, *search_, tree);
    return tree;
  }

  TreeOverRanksWork work() const {
    TreeOverRanksWork all = search_->work();
    for (std::uint64_t* number : {&all.core_questions, &all.edge_questions, &all.bytes})
      *number = ranks_.sum(*number);
    ranks_.all_reduce(std::span(&all.device_bytes, 1),
                      [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
    return all;
  }

 private:
  Ranks& ranks_;
  const std::uint32_t count_;
  const int samples_;
  Timings& timings_;
  std::unique_ptr<DeviceRanks> wire_;
  std::unique_ptr<PartSearch> search_;
};

TreeOverRanks::TreeOverRanks(Ranks& ranks, const PartOfPoints& part, int min_samples, Device device,
                             Progress& progress, Timings& timings, std::uint64_t asked_at_once)
    : maker_(std::make_unique<Maker>(ranks, part, min_samples, device, progress, timings,
                                     asked_at_once)) {}
TreeOverRanks::~TreeOverRanks() = default;

void TreeOverRanks::make() {
  maker_->make();
}

clusters::SpanningTree TreeOverRanks::collect() {
  return maker_->collect();
}

TreeOverRanksWork TreeOverRanks::work() const {
  return maker_->work();
}

namespace {

void require_tree_of_ranks(const clusters::LatticePoints& points,
                           const clusters::SpanningTreeSettings& settings) {
  clusters::require_tree(points.count, points.column.size(), settings);
  clusters::require_shift(points);
  if (settings.graph_neighbors > 0)
    throw Error("several ranks cannot make a tree from a graph of neighbors", "spanning tree",
                "start one process");
}

}  // namespace

clusters::SpanningTree span_over_ranks(Ranks& ranks, const clusters::LatticePoints* points,
                                       const clusters::SpanningTreeSettings& settings,
                                       Device device, Progress& progress, Timings& timings,
                                       TreeOverRanksWork* work, std::uint64_t asked_at_once) {
  if (points) require_tree_of_ranks(*points, settings);
  int samples = settings.min_samples;
  ranks.broadcast(&samples, sizeof samples);
  std::optional<TreeOverRanks> maker;
  {
    const TimedRange timer(timings, "exchange");
    progress.report("points to ranks", 0);
    const PartOfPoints part = hand_out_points(ranks, points, device);
    maker.emplace(ranks, part, samples, device, progress, timings, asked_at_once);
  }
  maker->make();
  clusters::SpanningTree tree = maker->collect();
  const TreeOverRanksWork done = maker->work();
  if (work) *work = done;
  return tree;
}

}  // namespace haloscope::compute::distributed
