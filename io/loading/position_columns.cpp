#include "io/loading/position_columns.h"

#include "io/loading/column_dispatch.h"
#include "io/loading/finite_point.h"
#include "io/loading/position_kernels.h"
#include "io/loading/position_sums.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>

namespace haloscope::io {

namespace {

// Shorter runs are converted point by point.
constexpr std::uint64_t kFewestForBlock = 8;

enum class Fate { Kept, Wrapped, FarOutside, NotFinite, TooFar };

// Turns one position into fixed point and says what becomes of it.
template <class T>
Fate convert_point(const T* p, const PositionFrame& frame, std::array<std::uint32_t, 3>& fixed) {
  const Domain& domain = frame.domain;
  if (!finite_point(p)) return Fate::NotFinite;
  bool outside = false, far = false, too_far = false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto x = double(p[axis]);
    const double t = (x - domain.origin[axis]) / domain.side;
    if (t >= 0 && t < 1) {
      // What Domain::to_fixed gives for a point inside, without its call of floor.
      fixed[axis] = std::uint32_t(std::uint64_t(t * 4294967296.0));
    } else {
      // So many sides away that their number overflows: the side of a damaged header.
      if (!std::isfinite(t)) return domain.periodic ? Fate::NotFinite : Fate::TooFar;
      fixed[axis] = domain.to_fixed(x, int(axis));
      outside = true;
      far = far || t < -1 || t >= 2;
    }
    if (!domain.periodic) too_far = too_far || x < frame.low[axis] || x > frame.high[axis];
  }
  if (too_far) return Fate::TooFar;
  return !outside ? Fate::Kept : far ? Fate::FarOutside : Fate::Wrapped;
}

void count_fate(Fate fate, LoadCounts& counts) {
  counts.not_finite += fate == Fate::NotFinite;
  counts.too_far += fate == Fate::TooFar;
  counts.wrapped += fate == Fate::Wrapped || fate == Fate::FarOutside;
  counts.far_outside += fate == Fate::FarOutside;
}

bool is_kept(Fate fate) {
  return fate != Fate::NotFinite && fate != Fate::TooFar;
}

void add(const LoadCounts& one, LoadCounts& sum) {
  sum.read += one.read;
  sum.not_finite += one.not_finite;
  sum.too_far += one.too_far;
  sum.wrapped += one.wrapped;
  sum.far_outside += one.far_outside;
}

// Converts the kept rows of a chunk block by block. `out_of(row)` says where those of a block go
// whose first is `row` of the columns; `done(offset, row, candidate, points, kept)` tells their
// fate.
template <class T, class Out, class Done>
void convert_rows(const T* data, const ColumnChunk& chunk, const RowMap& rows,
                  const PositionFrame& frame, const FixedPointConverter& converter,
                  LoadCounts& counts, Out&& out_of, Done&& done) {
  constexpr std::uint64_t kBlock = FixedPointConverter::kMostPoints;
  auto convert_block = [&](std::uint64_t i, std::uint64_t row, std::uint64_t candidate,
                           std::uint64_t points) {
    const std::array<std::uint32_t*, 3> out = out_of(row);
    if (points >= kFewestForBlock && converter.convert(data + 3 * i, points, out))
      return done(i, row, candidate, points, true);
    for (std::uint64_t k = 0; k < points; ++k) {
      std::array<std::uint32_t, 3> fixed{};
      const Fate fate = convert_point(data + 3 * (i + k), frame, fixed);
      for (std::size_t axis = 0; axis < 3; ++axis) out[axis][k] = fixed[axis];
      count_fate(fate, counts);
      done(i + k, row + k, candidate + k, std::uint64_t(1), is_kept(fate));
    }
  };
  rows.each_run(
      chunk.first, chunk.rows,
      [&](std::uint64_t i, std::uint64_t row, std::uint64_t candidate, std::uint64_t length) {
        counts.read += length;
        for (std::uint64_t k = 0; k < length; k += kBlock)
          convert_block(i + k, row + k, candidate + k, std::min(kBlock, length - k));
      });
}

void sort_rejected(std::vector<std::array<std::uint64_t, 2>>& rejected, PositionColumns& columns) {
  std::sort(rejected.begin(), rejected.end());
  for (const auto& [row, in_file] : rejected) {
    columns.rejected.push_back(row);
    columns.rejected_in_file.push_back(in_file);
  }
}

}  // namespace

PositionColumns read_positions(const SnapshotReader& reader, int type, const RowMap& rows,
                               const PositionFrame& frame, Progress& progress) {
  PositionColumns columns;
  columns.counts.in_file = rows.rows_in_file();
  std::array<std::uint32_t*, 3> out{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    columns.position[axis] = Array<std::uint32_t>(rows.size());
    out[axis] = columns.position[axis].data();
  }
  const FixedPointConverter converter(frame);
  std::mutex mutex;
  std::vector<std::array<std::uint64_t, 2>> rejected;
  rows.read(
      reader, type, position_field(reader, type),
      [&](const ColumnChunk& chunk) {
        LoadCounts counts;
        std::vector<std::array<std::uint64_t, 2>> odd;
        with_typed_data(chunk, [&](const auto* data) {
          convert_rows(
              data, chunk, rows, frame, converter, counts,
              [&](std::uint64_t row) {
                return std::array<std::uint32_t*, 3>{out[0] + row, out[1] + row, out[2] + row};
              },
              [&](std::uint64_t i, std::uint64_t row, std::uint64_t, std::uint64_t, bool kept) {
                if (!kept) odd.push_back({row, chunk.first + i});
              });
        });
        const std::lock_guard lock(mutex);
        add(counts, columns.counts);
        rejected.insert(rejected.end(), odd.begin(), odd.end());
      },
      progress);
  sort_rejected(rejected, columns);
  return columns;
}

LoadCounts check_positions(const SnapshotReader& reader, int type, const RowMap& rows,
                           const PositionFrame& frame, RowMarks* usable, Progress& progress) {
  LoadCounts all;
  PositionSums sums;
  all.in_file = rows.rows_in_file();
  const FixedPointConverter converter(frame);
  std::mutex mutex;
  rows.read(
      reader, type, position_field(reader, type),
      [&](const ColumnChunk& chunk) {
        LoadCounts counts;
        PositionSums chunk_sums;
        std::optional<RowMarks::Writer> marks;
        if (usable) marks.emplace(*usable);
        with_typed_data(chunk, [&](const auto* data) {
          std::array<std::array<std::uint32_t, FixedPointConverter::kMostPoints>, 3> scratch{};
          std::uint64_t begin = 0;
          convert_rows(
              data, chunk, rows, frame, converter, counts,
              [&](std::uint64_t row) {
                begin = row;
                return std::array<std::uint32_t*, 3>{scratch[0].data(), scratch[1].data(),
                                                     scratch[2].data()};
              },
              [&](std::uint64_t, std::uint64_t row, std::uint64_t candidate, std::uint64_t points,
                  bool kept) {
                if (!kept) return;
                for (std::uint64_t k = 0; k < points; ++k) {
                  const std::size_t at = row - begin + k;
                  chunk_sums.add({scratch[0][at], scratch[1][at], scratch[2][at]});
                  if (marks) marks->set(candidate + k);
                }
              });
        });
        const std::lock_guard lock(mutex);
        add(counts, all);
        sums.add(chunk_sums);
      },
      progress);
  all.mean_position = sums.mean(frame.domain);
  return all;
}

}  // namespace haloscope::io
