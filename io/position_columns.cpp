#include "io/position_columns.h"

#include "core/error.h"
#include "io/column_dispatch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

namespace haloscope::io {

namespace {

constexpr std::uint64_t kSampleSize = 1 << 18;
constexpr double kOutlierFactor = 4096;  // costs a lone far cluster 12 of the 32 bits at most
// Below this many positions a quantile tells nothing about outliers.
constexpr std::size_t kFewestForOutliers = 16;

struct Bounds {
  std::array<double, 3> low, high;
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
};

template <class T>
bool finite_point(const T* p) {
  // One test for three: NaN and infinity survive multiplication by zero, and sums of NaN are NaN.
  const double zero = double(p[0]) * 0 + double(p[1]) * 0 + double(p[2]) * 0;
  return zero == 0;
}

template <class T>
Bounds bounds_of(const T* data, const ColumnChunk& chunk, std::uint64_t stride) {
  Bounds bounds;
  for (std::uint64_t i = 0; i < chunk.rows; ++i) {
    const T* p = data + 3 * i;
    if (!finite_point(p)) continue;
    ++bounds.finite;
    const bool sampled = (chunk.first + i) % stride == 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto x = double(p[axis]);
      bounds.low[axis] = std::min(bounds.low[axis], x);
      bounds.high[axis] = std::max(bounds.high[axis], x);
      if (sampled) bounds.sample[axis].push_back(x);
    }
  }
  return bounds;
}

Bounds read_bounds(const SnapshotReader& reader, const std::vector<int>& types,
                   Progress& progress) {
  std::uint64_t total = 0;
  for (const int type : types) total += reader.info().types.at(type).count;
  const std::uint64_t stride = std::max<std::uint64_t>(1, total / kSampleSize);
  Bounds all;
  std::mutex mutex;
  for (const int type : types)
    reader.read(
        type, reader.position_field(),
        [&](const ColumnChunk& chunk) {
          with_typed_data(chunk, [&](const auto* data) {
            const Bounds one = bounds_of(data, chunk, stride);
            const std::lock_guard lock(mutex);
            all.merge(one);
          });
        },
        progress);
  return all;
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

PositionFrame choose_frame(const SnapshotReader& reader, const std::vector<int>& types,
                           Progress& progress) {
  const SnapshotInfo& info = reader.info();
  PositionFrame frame;
  if (info.periodic && info.box_size > 0) {
    frame.domain.side = info.box_size;
    frame.domain.periodic = true;
    return frame;
  }
  Bounds bounds = read_bounds(reader, types, progress);
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

namespace {

struct ChunkCounts {
  std::uint64_t wrapped = 0, far_outside = 0, not_finite = 0;
  std::vector<std::uint64_t> rejected;
};

template <class T>
ChunkCounts convert(const T* data, const ColumnChunk& chunk, const PositionFrame& frame,
                    const std::array<std::uint32_t*, 3>& out) {
  const Domain& domain = frame.domain;
  ChunkCounts counts;
  for (std::uint64_t i = 0; i < chunk.rows; ++i) {
    const T* p = data + 3 * i;
    const std::uint64_t row = chunk.first + i;
    bool rejected = !finite_point(p);
    counts.not_finite += rejected;
    bool outside = false, far = false;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto x = double(p[axis]);
      const double t = (x - domain.origin[axis]) / domain.side;
      if (t >= 0 && t < 1) {
        // What Domain::to_fixed gives for a point inside, without its call of floor.
        out[axis][row] = std::uint32_t(std::uint64_t(t * 4294967296.0));
      } else {
        out[axis][row] = rejected ? 0 : domain.to_fixed(x, int(axis));
        outside = true;
        far = far || t < -1 || t >= 2;
      }
      if (!domain.periodic) rejected = rejected || x < frame.low[axis] || x > frame.high[axis];
    }
    if (rejected) {
      counts.rejected.push_back(row);
    } else if (outside) {
      ++counts.wrapped;
      counts.far_outside += far;
    }
  }
  return counts;
}

}  // namespace

PositionColumns read_positions(const SnapshotReader& reader, int type, const PositionFrame& frame,
                               Progress& progress) {
  const std::uint64_t count = reader.info().types.at(type).count;
  PositionColumns columns;
  std::array<std::uint32_t*, 3> out{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    columns.position[axis] = Array<std::uint32_t>(count);
    out[axis] = columns.position[axis].data();
  }
  std::mutex mutex;
  reader.read(
      type, reader.position_field(),
      [&](const ColumnChunk& chunk) {
        with_typed_data(chunk, [&](const auto* data) {
          const ChunkCounts one = convert(data, chunk, frame, out);
          const std::lock_guard lock(mutex);
          columns.wrapped += one.wrapped;
          columns.far_outside += one.far_outside;
          columns.not_finite += one.not_finite;
          columns.rejected.insert(columns.rejected.end(), one.rejected.begin(), one.rejected.end());
        });
      },
      progress);
  std::sort(columns.rejected.begin(), columns.rejected.end());
  return columns;
}

}  // namespace haloscope::io
