#include "compute/distributed/kth_distances.h"

#include "compute/distributed/code_ranges.h"
#include "compute/distributed/outbox.h"
#include "compute/distributed/points_by_owner.h"
#include "compute/exec/mpi/rank_watch.h"
#include "compute/spatial/neighbors.h"
#include "core/error.h"
#include "core/give_back.h"
#include "core/text_values.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace haloscope::compute::distributed {

namespace {

using Columns = std::array<LargeVector<std::uint32_t>, 3>;

constexpr std::uint64_t kStretch = 1 << 16;   // points that one thread goes through at once
constexpr std::size_t kManyRanges = 1 << 18;  // of which most are the same
constexpr std::uint64_t kBytesOfPoint = 24;   // that comes, beside the tree
constexpr std::uint32_t kEverywhere = ~0u;    // a reach: half of the lattice or more

PointPart part_of(const Columns& columns) {
  PointPart part;
  for (std::size_t axis = 0; axis < 3; ++axis) part.position[axis] = columns[axis].data();
  part.count = columns[0].size();
  return part;
}

// Lattice steps that are no fewer than a distance, which was rounded to float32 twice.
std::uint32_t reach_of(float distance, double step) {
  constexpr double kTwiceRounded = 1 + 4.0 * std::numeric_limits<float>::epsilon();
  const double steps = std::ceil(double(distance) / step * kTwiceRounded) + 1;
  return steps < double(1u << 31) ? std::uint32_t(steps) : kEverywhere;
}

// From a point to the nearest place in the cell of so many codes, around the lattice.
std::uint64_t squared_gap(const spatial::FixedPoint& at, std::uint64_t code, std::uint64_t codes) {
  const int bits = std::countr_zero(codes) / 3 + 32 - spatial::kMortonBits / 3;
  const std::uint64_t width = std::uint64_t(1) << bits;
  const auto gap = [&](std::uint32_t low, std::uint32_t x) -> std::uint64_t {
    const std::uint32_t from_low = x - low;
    if (from_low < width) return 0;
    const std::uint64_t above = from_low - (width - 1), below = std::uint32_t(low - x);
    return std::min(above, below);
  };
  const std::uint64_t x = gap(morton_axis(code >> 2), at.x), y = gap(morton_axis(code >> 1), at.y),
                      z = gap(morton_axis(code), at.z);
  return x * x + y * y + z * z;
}

class KthDistances {
 public:
  KthDistances(Ranks& ranks, Device device, const PointPart& own, int k, double step,
               Progress& progress)
      : ranks_(ranks),
        own_(own),
        k_(k),
        step_(step),
        progress_(progress),
        device_(device),
        domains_(ranks, std::span<const PointPart>(&own, 1)) {}

  const KthWork& work() const { return work_; }

  Array<float> find() {
    const PointsByOwner by_owner(domains_, own_);
    std::vector<std::uint64_t> came, went;
    for (std::size_t axis = 0; axis < 3; ++axis)
      held_[axis] = by_owner.send<std::uint32_t>(ranks_, own_.position[axis], came);
    distances_ = search(held_);
    if (ranks_.size() > 1) search_again();
    for (auto& column : held_) give_back(column);
    const LargeVector<float> back = ranks_.exchange_many<float>(
        std::span<const float>(distances_.data(), distances_.size()), came, went);
    distances_ = {};
    Array<float> found(own_.count);
    const LargeVector<std::uint32_t>& rows = by_owner.rows();
    tbb::parallel_for(std::size_t(0), rows.size(),
                      [&](std::size_t at) { found[rows[at]] = back[at]; });
    return found;
  }

 private:
  // The tree takes most of the memory, and goes at once.
  Array<float> search(const Columns& points) {
    const PointPart part = part_of(points);
    if (part.count == 0) return {};
    progress_.report("neighbor tree", 0);
    const auto neighbors = spatial::make_neighbors(device_);
    neighbors->set_points(part.position, part.count);
    return neighbors->kth_distance(k_, step_, progress_);
  }

  // Of points whose k-th nearest may be another rank's.
  void search_again() {
    std::vector<std::uint32_t> open;
    CodeRanges near = around_open(open);
    const std::vector<std::uint32_t> inner = points_in(near);
    Columns again = points_of_others(near, inner.size());
    near = {};
    const std::size_t others = again[0].size();
    work_ = {open.size(), others};
    if (open.empty()) return;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Columns::value_type both(inner.size() + others);
      tbb::parallel_for(std::size_t(0), inner.size(),
                        [&](std::size_t j) { both[j] = held_[axis][inner[j]]; });
      std::copy(again[axis].begin(), again[axis].end(),
                both.begin() + std::ptrdiff_t(inner.size()));
      again[axis] = std::move(both);
    }
    const Array<float> found = search(again);
    // Both ascend, and what is open lies near itself.
    for (std::size_t j = 0, at = 0; j < open.size(); ++j) {
      while (inner[at] != open[j]) ++at;
      distances_[open[j]] = found[at];
    }
  }

  // Which points are open, ascending, and the codes of all that lies within their bounds.
  CodeRanges around_open(std::vector<std::uint32_t>& open) const {
    struct Found {
      std::vector<std::uint32_t> open;
      CodeRanges near;
    };
    std::vector<Found> of_stretch((held_[0].size() + kStretch - 1) / kStretch);
    tbb::parallel_for(std::size_t(0), of_stretch.size(), [&](std::size_t s) {
      Found& found = of_stretch[s];
      std::size_t limit = kManyRanges;
      const std::size_t end = std::min<std::size_t>(held_[0].size(), (s + 1) * kStretch);
      for (std::size_t i = s * kStretch; i < end; ++i)
        if (add_open(i, found.near)) {
          found.open.push_back(std::uint32_t(i));
          if (found.near.size() > limit) {
            found.near.merge();
            limit = std::max(kManyRanges, 2 * found.near.size());
          }
        }
      found.near.merge();
    });
    CodeRanges near;
    for (Found& found : of_stretch) {
      open.insert(open.end(), found.open.begin(), found.open.end());
      near.add(found.near);
      found = {};
    }
    near.merge();
    return near;
  }

  bool add_open(std::size_t i, CodeRanges& near) const {
    const spatial::FixedPoint at{held_[0][i], held_[1][i], held_[2][i]};
    const std::uint32_t reach = reach_of(distances_[i], step_);
    if (reach == kEverywhere) {
      near.add({0, kEndOfCodes});
      return true;
    }
    const DomainsView view = domains_.view();
    bool open = false;
    view.each_near(at, reach, [&](int rank) { open |= rank != ranks_.rank(); });
    if (!open) return false;
    // Cells between half as wide as the reach and as wide, so that little is taken that lies
    // beyond.
    const int level = std::clamp(33 - int(std::bit_width(reach)), 0, spatial::kMortonBits / 3);
    DomainsView::each_cell_near(at, reach, level, [&](std::uint64_t begin, std::uint64_t size) {
      if (squared_gap(at, begin, size) <= std::uint64_t(reach) * reach)
        near.add({begin, begin + size});
    });
    return true;
  }

  // Own ones, ascending.
  std::vector<std::uint32_t> points_in(const CodeRanges& ranges) const {
    std::vector<std::vector<std::uint32_t>> of_stretch((held_[0].size() + kStretch - 1) / kStretch);
    tbb::parallel_for(std::size_t(0), of_stretch.size(), [&](std::size_t s) {
      const std::size_t end = std::min<std::size_t>(held_[0].size(), (s + 1) * kStretch);
      for (std::size_t i = s * kStretch; i < end; ++i)
        if (ranges.has(code_of(i))) of_stretch[s].push_back(std::uint32_t(i));
    });
    std::vector<std::uint32_t> all;
    for (const auto& some : of_stretch) all.insert(all.end(), some.begin(), some.end());
    return all;
  }

  // Those of other ranks in ranges that this one names, by rank.
  Columns points_of_others(const CodeRanges& wanted, std::uint64_t own) {
    std::vector<std::uint64_t> counts, asked, came;
    const std::vector<CodeRange> ranges = wanted.of_others(domains_.begin(), ranks_.rank(), counts);
    const std::vector<CodeRange> came_in = ranks_.exchange<CodeRange>(ranges, counts, asked);
    std::vector<CodeRanges> of_rank;
    std::vector<std::size_t> asking;
    CodeRanges any;
    std::size_t at = 0;
    for (const std::uint64_t size : asked) {
      if (size > 0) asking.push_back(of_rank.size());
      of_rank.emplace_back(std::span(came_in).subspan(at, std::size_t(size)));
      any.add(of_rank.back());
      at += std::size_t(size);
    }
    any.merge();
    const std::vector<std::uint32_t> wanted_by_any = points_in(any);
    LargeVector<std::uint32_t> points;  // rank after rank
    counts = sort_copies(
        ranks_.size(), wanted_by_any.size(),
        [&](std::uint64_t j, const auto& use) {
          const std::uint64_t code = code_of(wanted_by_any[j]);
          for (const std::size_t r : asking)
            if (of_rank[r].has(code)) use(r, 0);
        },
        [&](std::size_t total) { points.resize(total); },
        [&](std::size_t place, std::uint64_t j, int) { points[place] = wanted_by_any[j]; });
    require_room(own, counts);
    Columns found;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      LargeVector<std::uint32_t> send(points.size());
      tbb::parallel_for(std::size_t(0), points.size(),
                        [&](std::size_t j) { send[j] = held_[axis][points[j]]; });
      found[axis] = ranks_.exchange_many<std::uint32_t>(
          std::span<const std::uint32_t>(send.data(), send.size()), counts, came);
    }
    return found;
  }

  // Throws the same Error on all ranks where one has no room for its own points and those that the
  // others have for it. `counts`: how many this rank has for each.
  void require_room(std::uint64_t own, std::span<const std::uint64_t> counts) {
    const std::vector<std::uint64_t> one(counts.size(), 1);
    std::vector<std::uint64_t> came;
    std::uint64_t all = own;
    for (const std::uint64_t count : ranks_.exchange<std::uint64_t>(counts, one, came))
      all += count;
    const std::uint64_t tree = all * spatial::Neighbors::kBytesPerPoint;
    const std::uint64_t sharing = ranks_of_this_machine(ranks_);
    const auto neighbors = spatial::make_neighbors(device_);
    const std::uint64_t on_host = all * kBytesOfPoint + (neighbors->on_gpu() ? 0 : tree);
    std::uint64_t lacking =
        neighbors->can_hold(all) && has_host_memory(sharing * on_host) ? 0 : tree;
    ranks_.all_reduce(std::span(&lacking, 1),
                      [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
    if (lacking > 0)
      throw Error("the neighbors of particles at the edges of the ranks' parts need " +
                      bytes_in_words(lacking) + " on a rank, more than is free",
                  "the smoothing lengths", "start fewer ranks on each machine, or one");
  }

  std::uint64_t code_of(std::size_t i) const {
    return spatial::morton_code(held_[0][i], held_[1][i], held_[2][i]);
  }

  Ranks& ranks_;
  const PointPart own_;
  const int k_;
  const double step_;
  Progress& progress_;
  const Device device_;
  const Domains domains_;
  Columns held_;            // points in this rank's stretch, by the rank that has them
  Array<float> distances_;  // of these
  KthWork work_;
};

}  // namespace

Array<float> kth_distances(Ranks& ranks, Device device, const PointPart& own, int k, double step,
                           Progress& progress, KthWork* work) {
  KthDistances distances(ranks, device, own, k, step, progress);
  Array<float> found = distances.find();
  if (work) *work = distances.work();
  return found;
}

}  // namespace haloscope::compute::distributed
