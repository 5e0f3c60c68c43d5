#include "compute/halos/halo_finder.h"

#include "compute/exec/named_range.h"
#include "core/array.h"
#include "core/error.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <list>

namespace haloscope::compute::halos {

namespace {

// What each of the particles that are attached at once takes meanwhile.
constexpr std::uint64_t kPieceBytes = sizeof(std::uint64_t) + sizeof(spatial::Nearest);

// Positions of the linked kinds one after the other: those of a single kind stay where they are,
// and so do all that are on the device already.
class LinkedPositions {
 public:
  LinkedPositions(const FinderInput& input, Device device) {
    std::size_t kinds = 0;
    bool on_device = true;
    for (const auto& kind : input.kinds)
      if (kind.linked()) {
        count_ += kind.count;
        pointers_ = kind.position;
        ++kinds;
        if (kind.count == 0) continue;
        on_device = on_device && kind.points && kind.points->device() == device;
        sets_.push_back(kind.points);
      }
    if (on_device && !sets_.empty()) return;
    sets_.clear();
    if (kinds == 1) return;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      joined_[axis].reserve(std::size_t(count_));
      for (const auto& kind : input.kinds)
        if (kind.linked())
          joined_[axis].insert(joined_[axis].end(), kind.position[axis],
                               kind.position[axis] + kind.count);
      pointers_[axis] = joined_[axis].data();
    }
  }

  std::uint64_t count() const { return count_; }
  void give_to(clusters::Clustering& clustering, const Domain& domain) const {
    if (sets_.empty())
      clustering.set_points(domain, pointers_, count_);
    else
      clustering.set_points(sets_);
  }
  void give_to(spatial::Neighbors& neighbors) const {
    if (sets_.empty())
      neighbors.set_points(pointers_, count_);
    else
      neighbors.set_points(sets_);
  }

 private:
  std::uint64_t count_ = 0;
  std::vector<std::shared_ptr<const spatial::PointSet>> sets_;  // empty: the host's are taken
  std::array<std::vector<std::uint32_t>, 3> joined_;
  std::array<const std::uint32_t*, 3> pointers_{};
};

class Finder {
 public:
  Finder(FinderTools& tools, const FinderInput& input, const FinderSettings& settings,
         Timings& timings)
      : tools_(tools),
        input_(input),
        settings_(settings),
        timings_(timings),
        linked_(input, tools.device) {}

  HaloMembership run() {
    if (tools_.progress) tools_.progress->report("link", 0);
    link();
    // The device may not hold its points beside the tree to which others are attached.
    tools_.clustering->set_points({});
    std::vector<std::span<const std::uint32_t>> labels;
    std::list<std::vector<std::uint32_t>> of_attached;
    std::uint64_t first = 0;
    for (const auto& kind : input_.kinds) {
      if (kind.linked()) {
        labels.emplace_back(labels_.data() + first, std::size_t(kind.count));
        first += kind.count;
      } else if (kind.part == FinderInput::Kind::Part::Attached) {
        labels.emplace_back(of_attached.emplace_back(attach(kind)));
      } else {
        labels.emplace_back();
      }
    }
    // Nor what follows beside that tree.
    if (searchable_) tools_.neighbors->set_points({});
    const TimedRange timer(timings_, "gather");
    return gather_members(labels, linked_.count(), settings_.min_members);
  }

 private:
  void link() {
    linked_.give_to(*tools_.clustering, input_.domain);
    tools_.clustering->run(settings_.clusters, timings_);
    labels_ = Array<std::uint32_t>(std::size_t(tools_.clustering->count()));
    tools_.clustering->copy_labels(labels_.data());
    if (settings_.clusters.min_points > 2) return;
    tbb::parallel_for(std::size_t(0), labels_.size(), [&](std::size_t i) {
      if (labels_[i] == clusters::kNoise) labels_[i] = std::uint32_t(i);
    });
  }

  std::vector<std::uint32_t> attach(const FinderInput::Kind& kind) {
    const TimedRange timer(timings_, "attach");
    std::vector<std::uint32_t> labels(std::size_t(kind.count), clusters::kNoise);
    if (kind.count == 0 || linked_.count() == 0) return labels;
    if (!searchable_) linked_.give_to(*tools_.neighbors);
    searchable_ = true;
    for (std::size_t first = 0; first < labels.size(); first += kAttachedAtOnce) {
      if (tools_.progress) tools_.progress->report("attach", double(first) / double(labels.size()));
      attach_piece(kind, first, std::min(kAttachedAtOnce, labels.size() - first), labels);
    }
    return labels;
  }

  void attach_piece(const FinderInput::Kind& kind, std::size_t first, std::size_t count,
                    std::vector<std::uint32_t>& labels) {
    std::vector<std::uint64_t> reach(count);
    tbb::parallel_for(std::size_t(0), count, [&](std::size_t i) {
      reach[i] = squared_reach(input_, kind, first + i, settings_.clusters.linking_length);
    });
    const std::uint64_t most = *std::max_element(reach.begin(), reach.end());
    const auto nearest = tools_.neighbors->nearest(
        {kind.position[0] + first, kind.position[1] + first, kind.position[2] + first}, count,
        most);
    tbb::parallel_for(std::size_t(0), count, [&](std::size_t i) {
      if (nearest[i].index != spatial::kNobodyNear && nearest[i].squared <= reach[i])
        labels[first + i] = labels_[nearest[i].index];
    });
  }

  FinderTools& tools_;
  const FinderInput& input_;
  const FinderSettings& settings_;
  Timings& timings_;
  LinkedPositions linked_;
  Array<std::uint32_t> labels_;  // of the linked
  bool searchable_ = false;
};

}  // namespace

FinderTools finder_tools(Device device) {
  return {clusters::make_clustering(device), spatial::make_neighbors(device), device};
}

double attachment_reach(double first_radius, double linking_length) {
  constexpr double kFirst = 0.1, kEnough = 4;
  double radius = first_radius > 0 ? first_radius : kFirst * linking_length;
  while (radius < kEnough * linking_length) radius *= 2;
  return radius;
}

std::uint64_t squared_reach(const FinderInput& input, const FinderInput::Kind& kind,
                            std::uint64_t row, double linking_length) {
  const double first = kind.first_radius ? double(kind.first_radius[row]) : 0;
  const double steps = attachment_reach(first, linking_length) / input.domain.step();
  // No two points of the torus are farther apart than half its diagonal.
  constexpr double kFarthest = 3.0 * 4611686018427387904.0;
  return std::uint64_t(std::min(steps * steps, kFarthest));
}

void require_countable(std::uint64_t count, const std::string& kind) {
  if (count >= clusters::kNoise)
    throw Error(
        fmt::format("{} particles of {} are more than can be in halos at once (4294967294)", count,
                    kind),
        "halo finding",
        "choose other types, or search in a part of the snapshot (haloscope convert --region)");
}

std::uint64_t finder_memory(std::uint64_t linked, std::uint64_t attached, bool several_linked) {
  const std::uint64_t positions = several_linked ? 3 * sizeof(std::uint32_t) : 0;
  // Labels, and what gather_members() takes: a word per label, the rows of the members, and the
  // places of halos, of which there are fewer than half the labels.
  constexpr std::uint64_t kWord = sizeof(std::uint32_t);
  return linked * (positions + 4 * kWord) + attached * 3 * kWord +
         std::min<std::uint64_t>(attached, kAttachedAtOnce) * kPieceBytes;
}

HaloMembership find_halos(FinderTools& tools, const FinderInput& input,
                          const FinderSettings& settings, Timings& timings) {
  for (std::size_t k = 0; k < input.kinds.size(); ++k)
    if (input.kinds[k].part != FinderInput::Kind::Part::None)
      require_countable(input.kinds[k].count, "kind " + std::to_string(k));
  return Finder(tools, input, settings, timings).run();
}

}  // namespace haloscope::compute::halos
