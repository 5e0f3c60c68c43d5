#include "io/loading/position_frame.h"

#include "core/error.h"
#include "io/loading/column_dispatch.h"
#include "io/loading/finite_point.h"
#include "io/loading/position_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

namespace haloscope::io {

namespace {

constexpr std::uint64_t kSampleSize = 1 << 18;
constexpr double kOutlierFactor = 4096;  // costs a lone far cluster 12 of the 32 bits at most
// Below this many positions a quantile tells nothing about outliers.
constexpr std::size_t kFewestForOutliers = 16;

struct Bounds : PointBounds {
  std::array<std::vector<double>, 3> sample;
  std::uint64_t finite = 0;

  Bounds() {
    low.fill(std::numeric_limits<double>::infinity());
    high.fill(-std::numeric_limits<double>::infinity());
  }
  void merge(const Bounds& other) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], other.low[axis]);
      high[axis] = std::max(high[axis], other.high[axis]);
      sample[axis].insert(sample[axis].end(), other.sample[axis].begin(), other.sample[axis].end());
    }
    finite += other.finite;
  }

  // A block of neighbors, the first of which is row `row` of the columns.
  template <class T>
  void add_block(const T* points, std::uint64_t count, std::uint64_t row, std::uint64_t stride) {
    if (add(points, count)) {
      finite += count;
      for (std::uint64_t i = (stride - row % stride) % stride; i < count; i += stride)
        for (std::size_t axis = 0; axis < 3; ++axis)
          sample[axis].push_back(double(points[3 * i + axis]));
      return;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      const T* p = points + 3 * i;
      if (!finite_point(p)) continue;
      ++finite;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto x = double(p[axis]);
        low[axis] = std::min(low[axis], x);
        high[axis] = std::max(high[axis], x);
        if ((row + i) % stride == 0) sample[axis].push_back(x);
      }
    }
  }
};

// `before`: rows of the type that come before those of `rows`.
template <class T>
Bounds bounds_of(const T* data, const ColumnChunk& chunk, const RowMap& rows, std::uint64_t stride,
                 std::uint64_t before) {
  constexpr std::uint64_t kBlock = FixedPointConverter::kMostPoints;
  Bounds bounds;
  rows.each_run(chunk.first, chunk.rows,
                [&](std::uint64_t i, std::uint64_t row, std::uint64_t, std::uint64_t length) {
                  for (std::uint64_t k = 0; k < length; k += kBlock)
                    bounds.add_block(data + 3 * (i + k), std::min(kBlock, length - k),
                                     before + row + k, stride);
                });
  return bounds;
}

// Those of all processes.
Bounds joined(const Bounds& own, const ReadTogether& together) {
  Bounds all;
  all.finite = together.sum(own.finite);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::vector<double> edges = together.all({own.low[axis], own.high[axis]});
    for (std::size_t i = 0; i < edges.size(); i += 2) {
      all.low[axis] = std::min(all.low[axis], edges[i]);
      all.high[axis] = std::max(all.high[axis], edges[i + 1]);
    }
    all.sample[axis] = together.all(own.sample[axis]);
  }
  return all;
}

Bounds read_bounds(const SnapshotReader& reader, const std::map<int, RowMap>& rows,
                   Progress& progress, const ReadTogether* together) {
  std::uint64_t total = 0;
  for (const auto& [type, kept] : rows)
    total += together ? together->sum(kept.size()) : kept.size();
  const std::uint64_t stride = std::max<std::uint64_t>(1, total / kSampleSize);
  Bounds all;
  std::mutex mutex;
  for (const auto& one : rows) {
    const RowMap& kept = one.second;
    const std::uint64_t before = together ? together->before(kept.size()) : 0;
    kept.read(
        reader, one.first, position_field(reader, one.first),
        [&](const ColumnChunk& chunk) {
          with_typed_data(chunk, [&](const auto* data) {
            const Bounds found = bounds_of(data, chunk, kept, stride, before);
            const std::lock_guard lock(mutex);
            all.merge(found);
          });
        },
        progress);
  }
  return together ? joined(all, *together) : all;
}

struct Extent {
  std::array<double, 3> center;
  double side;
};

Extent full_extent(const Bounds& bounds) {
  Extent extent{{}, 0};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // Halves first: the difference of two huge numbers may overflow.
    extent.center[axis] = bounds.low[axis] / 2 + bounds.high[axis] / 2;
    extent.side = std::max(extent.side, bounds.high[axis] - bounds.low[axis]);
  }
  return extent;
}

// Of what remains when 0.1 % of the sample, but at least one point, is cut off at each end.
Extent central_extent(Bounds& bounds) {
  Extent extent{{}, 0};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    auto& sample = bounds.sample[axis];
    const std::size_t cut = std::max<std::size_t>(1, sample.size() / 1000);
    const auto low = sample.begin() + std::ptrdiff_t(cut);
    const auto high = sample.end() - std::ptrdiff_t(cut) - 1;
    std::nth_element(sample.begin(), low, sample.end());
    std::nth_element(low, high, sample.end());
    extent.center[axis] = *low / 2 + *high / 2;
    extent.side = std::max(extent.side, *high - *low);
  }
  return extent;
}

// All particles at one point: any cube around them does, as long as the point is well resolved and
// lengths of the size of the coordinates fit.
double side_for_one_point(const Bounds& bounds, double box_size) {
  if (box_size > 0) return box_size;
  double largest = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    largest = std::max({largest, std::abs(bounds.low[axis]), std::abs(bounds.high[axis])});
  return largest > 0 ? largest : 1;
}

}  // namespace

PositionFrame choose_frame(const SnapshotReader& reader, const std::map<int, RowMap>& rows,
                           Progress& progress, const ReadTogether* together) {
  const SnapshotInfo& info = reader.info();
  PositionFrame frame;
  if (info.periodic && info.box_size > 0) {
    frame.domain.origin = info.box_origin;
    frame.domain.side = info.box_size;
    frame.domain.periodic = true;
    return frame;
  }
  Bounds bounds = read_bounds(reader, rows, progress, together);
  if (bounds.finite == 0)
    throw Error("no particle has a finite position", info.files.front(), "copy the file again");
  Extent extent = full_extent(bounds);
  frame.low = bounds.low;
  frame.high = bounds.high;
  if (bounds.sample[0].size() >= kFewestForOutliers) {
    const Extent central = central_extent(bounds);
    const double widest = kOutlierFactor * central.side;
    if (central.side > 0 && std::isfinite(widest) && extent.side > widest) {
      extent = {central.center, widest};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        frame.low[axis] = central.center[axis] - widest / 2;
        frame.high[axis] = central.center[axis] + widest / 2;
      }
    }
  }
  if (!(extent.side > 0)) extent.side = side_for_one_point(bounds, info.box_size);
  // A hair more than twice, so that the widest difference stays below half the domain.
  frame.domain.side = 2 * extent.side * (1 + 1e-6);
  if (!std::isfinite(frame.domain.side))
    throw Error("the positions span more than floating point can hold", info.files.front());
  for (std::size_t axis = 0; axis < 3; ++axis)
    frame.domain.origin[axis] = extent.center[axis] - frame.domain.side / 2;
  return frame;
}

}  // namespace haloscope::io
