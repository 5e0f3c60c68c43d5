// The fast ways of reading positions and values give what the plain ones give, bit for bit.

#include "io/loading/position_kernels.h"

#include "core/array.h"
#include "io/loading/column_checks.h"
#include "io/loading/row_map.h"
#include "io/snapshot_reader.h"
#include "tests/catch.h"
#include "tests/made/snapshot_files.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

using namespace haloscope;
using namespace haloscope::io;

namespace {

constexpr std::size_t kMost = FixedPointConverter::kMostPoints;

PositionFrame periodic(double origin, double side) {
  PositionFrame frame;
  frame.domain.origin = {origin, origin / 3, -origin};
  frame.domain.side = side;
  frame.domain.periodic = true;
  return frame;
}

PositionFrame open_frame(double center, double extent) {
  PositionFrame frame;
  frame.domain.side = 2 * extent * (1 + 1e-6);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    frame.domain.origin[axis] = center - frame.domain.side / 2;
    frame.low[axis] = center - extent / 2;
    frame.high[axis] = center + extent / 2;
  }
  return frame;
}

struct Columns {
  std::array<std::array<std::uint32_t, kMost>, 3> fixed{};
  std::array<std::uint32_t*, 3> out() {
    return {fixed[0].data(), fixed[1].data(), fixed[2].data()};
  }
};

// Numbers at and around the steps of the lattice and the domain's edges, besides random ones.
template <class T>
std::vector<T> points_in(const PositionFrame& frame, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<T> points;
  const Domain& domain = frame.domain;
  for (std::size_t i = 0; i < 3 * count; ++i) {
    const std::size_t axis = i % 3;
    const double low = domain.periodic ? domain.origin[axis] : frame.low[axis];
    const double high = domain.periodic ? low + domain.side : frame.high[axis];
    double x = low + uniform(random) * (high - low);
    if (random() % 2) x = domain.origin[axis] + domain.side * (double(random() >> 56) / 256);
    if (random() % 4 == 0) x = domain.to_world(domain.to_fixed(x, int(axis)), int(axis));
    auto value = T(std::clamp(x, low, high));
    if (random() % 4 == 0) value = std::nextafter(value, T(low));
    while (double(value) < low) value = std::nextafter(value, std::numeric_limits<T>::infinity());
    while (!(double(value) <= high) || (double(value) - domain.origin[axis]) / domain.side >= 1)
      value = std::nextafter(value, T(low));
    points.push_back(value);
  }
  return points;
}

template <class T>
void check_exact(const PositionFrame& frame) {
  const FixedPointConverter converter(frame);
  std::uint64_t different = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::size_t count = seed < 40 ? seed + 1 : kMost;
    const auto points = points_in<T>(frame, count, seed);
    Columns columns;
    refused += !converter.convert(points.data(), count, columns.out());
    for (std::size_t i = 0; i < 3 * count; ++i)
      different +=
          columns.fixed[i % 3][i / 3] != frame.domain.to_fixed(double(points[i]), int(i % 3));
  }
  CHECK(refused == 0);
  CHECK(different == 0);
}

}  // namespace

TEST_CASE("Blocks of positions become the same fixed point as single ones", "[io][positions]") {
  for (const auto& frame :
       {periodic(0, 100), periodic(-50, 100.3), periodic(1e6, 3), periodic(0, 64),
        periodic(0, 1e-9), open_frame(0, 1), open_frame(3e4, 77.7), open_frame(-0.1, 1e12)}) {
    check_exact<float>(frame);
    check_exact<double>(frame);
  }
}

TEST_CASE("One odd position of a block is never converted", "[io][positions]") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& frame : {periodic(0, 100), open_frame(20, 10)}) {
    const FixedPointConverter converter(frame);
    const double low = frame.domain.periodic ? 0 : frame.low[0];
    const double high = frame.domain.periodic ? 100 : std::nextafter(frame.high[0], infinity);
    for (const double odd : {std::nan(""), infinity, -infinity, high, high + 1, 1e300,
                             std::nextafter(low, -infinity), low - 1, -1e300})
      for (const std::size_t at : {std::size_t(0), std::size_t(31), 3 * kMost - 1}) {
        auto points = points_in<double>(frame, kMost, 7);
        Columns columns;
        CHECK(converter.convert(points.data(), kMost, columns.out()));
        points[at] = odd;
        CHECK_FALSE(converter.convert(points.data(), kMost, columns.out()));
      }
  }
}

TEST_CASE("Bounds of a block are those of its points", "[io][positions]") {
  const auto points = points_in<float>(open_frame(-5, 30), kMost, 3);
  for (const std::size_t count : {std::size_t(1), std::size_t(15), std::size_t(17), kMost}) {
    PointBounds bounds{{1e30, 1e30, 1e30}, {-1e30, -1e30, -1e30}};
    REQUIRE(bounds.add(points.data(), count));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      float low = points[axis], high = points[axis];
      for (std::size_t i = 0; i < count; ++i) {
        low = std::min(low, points[3 * i + axis]);
        high = std::max(high, points[3 * i + axis]);
      }
      CHECK(bounds.low[axis] == double(low));
      CHECK(bounds.high[axis] == double(high));
    }
  }
  auto broken = points;
  broken[100] = std::numeric_limits<float>::quiet_NaN();
  PointBounds bounds{{0, 0, 0}, {0, 0, 0}};
  CHECK_FALSE(bounds.add(broken.data(), kMost));
  CHECK(bounds.high[0] == 0);
}

TEST_CASE("Values outside limits are counted, NaN among them", "[io]") {
  Array<float> column(200000);
  std::fill(column.begin(), column.end(), 1.0f);
  const float most = std::numeric_limits<float>::max();
  CHECK(count_outside(column, 0, most) == 0);
  column[3] = std::numeric_limits<float>::quiet_NaN();
  column[70000] = std::numeric_limits<float>::infinity();
  column[199999] = -1;
  CHECK(count_outside(column, 0, most) == 3);
  CHECK(count_outside(column, -most, most) == 2);
  CHECK(count_outside(Array<float>(), 0, most) == 0);
}

TEST_CASE("Runs of kept rows are the kept rows, one after the other", "[io]") {
  const std::uint64_t count = 1000;
  std::mt19937_64 random(1);
  RowMarks marks(count);
  std::vector<std::uint64_t> kept;
  {
    RowMarks::Writer writer(marks);
    for (std::uint64_t row = 0; row < count; ++row)
      if (row < 200 || (row > 600 && random() % 3)) {
        writer.set(row);
        kept.push_back(row);
      }
  }
  RowMap rows(count);
  rows.keep_marked(std::move(marks));
  for (const auto& [begin, length] : {std::array<std::uint64_t, 2>{0, count},
                                      {63, 2},
                                      {64, 64},
                                      {190, 500},
                                      {999, 1},
                                      {5, 190}}) {
    const std::uint64_t first = begin;
    std::vector<std::uint64_t> seen;
    std::uint64_t wrong = 0;
    rows.each_run(
        first, length,
        [&](std::uint64_t offset, std::uint64_t row, std::uint64_t candidate, std::uint64_t run) {
          for (std::uint64_t k = 0; k < run; ++k) {
            seen.push_back(first + offset + k);
            wrong += kept.at(row + k) != first + offset + k;
            wrong += candidate + k != first + offset + k;
          }
        });
    std::vector<std::uint64_t> expected;
    for (const auto row : kept)
      if (row >= first && row < first + length) expected.push_back(row);
    CHECK(seen == expected);
    CHECK(wrong == 0);
  }
}

TEST_CASE("A dataset behind a link into another file is read from there", "[io][hdf5]") {
  const snapshot_files::TemporaryFolder folder;
  const auto positions = snapshot_files::some_positions(1000, 10);
  snapshot_files::write_gas(folder / "other.hdf5", positions, 10);
  {
    snapshot_files::FileWriter file(folder / "linked.hdf5");
    snapshot_files::write_header(file, {1000, 0, 0, 0, 0, 0}, 10);
    file.group("PartType0");
    // Bytes of its own where the other file has the positions.
    file.dataset<float>("Padding", {5000}, std::vector<float>(5000, 1.0f));
    H5Lcreate_external("other.hdf5", "PartType0/Coordinates", file.id(), "PartType0/Coordinates",
                       H5P_DEFAULT, H5P_DEFAULT);
  }
  const auto reader = open_snapshot(folder / "linked.hdf5");
  std::vector<float> read(positions.size());
  Progress progress;
  reader->read(
      0, "Coordinates",
      [&](const ColumnChunk& chunk) {
        std::copy_n(static_cast<const float*>(chunk.data), 3 * chunk.rows,
                    read.begin() + std::ptrdiff_t(3 * chunk.first));
      },
      progress);
  CHECK(read == positions);
}
