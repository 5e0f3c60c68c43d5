// Groups of points that stay on their ranks' devices beside those of one rank: on the processor by
// threads, and on two GPUs by each way between them.

#include "compute/distributed/resident_groups.h"

#include "compute/exec/device_ranks.h"
#include "compute/exec/ranks.h"
#include "compute/spatial/morton.h"
#include "core/error.h"
#include "tests/catch.h"
#include "tests/gpus.h"
#include "tests/made/clumps.h"
#include "tests/output_folder.h"

#include <algorithm>
#include <numeric>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute;
using namespace haloscope::compute::distributed;
using haloscope::test::Columns;
using haloscope::test::made_points;
using haloscope::test::of_one;

namespace {

const Domain kBoxOf100{{0, 0, 0}, 100, true};

// So that each rank gets a stretch of the Morton order.
Columns in_morton_order(const Columns& points) {
  std::vector<std::size_t> order(points[0].size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  const auto code = [&](std::size_t i) {
    return spatial::morton_code(points[0][i], points[1][i], points[2][i]);
  };
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return code(a) < code(b); });
  Columns sorted;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const std::size_t i : order) sorted[axis].push_back(points[axis][i]);
  return sorted;
}

struct ResidentResult {
  std::vector<std::uint64_t> groups;
  LinkedOverRanks first;  // of rank 0
  std::string wire;
};

// One rank for each device, with a run of the points each.
ResidentResult resident(const std::vector<Device>& devices, const Columns& points, double length,
                        Wire way = Wire::Auto, int repeats = 1, std::uint64_t first = 0) {
  ResidentResult result;
  result.groups.resize(points[0].size());
  const int size = int(devices.size());
  run_thread_ranks(size, [&](Ranks& ranks) {
    const Device device = devices[std::size_t(ranks.rank())];
    const auto wire = make_device_ranks(ranks, device, way);
    const auto groups = make_resident_groups(device, ranks, *wire);
    const std::uint64_t begin = part_begin(points[0].size(), ranks.rank(), size);
    const std::uint64_t end = part_begin(points[0].size(), ranks.rank() + 1, size);
    groups->set_points(
        kBoxOf100, {points[0].data() + begin, points[1].data() + begin, points[2].data() + begin},
        end - begin, first + begin);
    Timings timings;
    for (int k = 0; k < repeats; ++k) {
      const auto linked = groups->link({length, 2, clusters::Algorithm::Auto}, timings);
      if (ranks.first()) result.first = linked;
    }
    if (ranks.first()) result.wire = wire->wire();
    const auto own = groups->groups();
    std::copy(own.begin(), own.end(), result.groups.begin() + std::ptrdiff_t(begin));
  });
  return result;
}

// Groups of one rank, of points that are numbered from `first` on.
std::vector<std::uint64_t> expected_of(const Columns& points, double length,
                                       std::uint64_t first = 0) {
  std::vector<std::uint64_t> groups;
  if (points[0].empty()) return groups;
  for (const std::uint32_t name : of_one(kBoxOf100, points, length)) groups.push_back(first + name);
  return groups;
}

}  // namespace

TEST_CASE("groups of resident points are those of one rank", "[ranks][distributed]") {
  for (const std::size_t count : {0, 1, 2, 5, 3000}) {
    const Columns anywhere = made_points(count, 3), ordered = in_morton_order(anywhere);
    for (const double length : {0.3, 2.0, 9.0, 50.0}) {
      const auto expected = expected_of(anywhere, length);
      const auto expected_ordered = expected_of(ordered, length);
      for (const std::size_t size : {1, 2, 3, 4, 7}) {
        INFO(count << " points, length " << length << ", " << size << " ranks");
        const std::vector<Device> devices(size, Device::cpu());
        // Whatever the ranks have.
        CHECK(resident(devices, anywhere, length).groups == expected);
        CHECK(resident(devices, ordered, length, Wire::Auto, 2).groups == expected_ordered);
      }
    }
  }
}

TEST_CASE("more ranks than a word has bits link the same groups", "[ranks][distributed]") {
  const Columns points = in_morton_order(made_points(700, 8));
  const std::vector<Device> devices(67, Device::cpu());
  CHECK(resident(devices, points, 9.0).groups == expected_of(points, 9.0));
}

TEST_CASE("points of all ranks may have numbers beyond 32 bits", "[ranks][distributed]") {
  const Columns points = in_morton_order(made_points(3000, 9));
  const std::vector<Device> devices(4, Device::cpu());
  // The numbers of ranks 2 and 3 have other upper halves than those of ranks 0 and 1.
  for (const std::uint64_t first : {(std::uint64_t(1) << 32) - 1500, std::uint64_t(1) << 40})
    for (const double length : {0.3, 2.0, 9.0}) {
      INFO("from " << first << " on, length " << length);
      CHECK(resident(devices, points, length, Wire::Auto, 1, first).groups ==
            expected_of(points, length, first));
    }
}

TEST_CASE("ranks that have stretches of the order send what lies near edges, and no more",
          "[ranks][distributed]") {
  const Columns points = in_morton_order(made_points(20000, 4));
  const std::vector<Device> devices(2, Device::cpu());
  const auto found = resident(devices, points, 0.3);
  CHECK(found.groups == expected_of(points, 0.3));
  CHECK(found.first.ghosts > 0);
  CHECK(found.first.ghosts < 2000);
  CHECK(found.first.looked_at < 10000);
  CHECK(found.first.pairs > 0);
}

TEST_CASE("copies of a box are made as they are placed", "[ranks][distributed]") {
  const Columns box = made_points(500, 6);
  const BoxCopies all{2, {{0, 0, 0}, {0, 1, 1}, {1, 0, 0}, {1, 1, 0}}};
  Columns placed;
  for (const auto& place : all.places)
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const std::uint32_t x : box[axis])
        placed[axis].push_back(std::uint32_t(place[axis] << 31) + x / 2);
  std::vector<std::uint64_t> found(placed[0].size());
  run_thread_ranks(2, [&](Ranks& ranks) {
    const auto wire = make_device_ranks(ranks, Device::cpu());
    const auto groups = make_resident_groups(Device::cpu(), ranks, *wire);
    const std::size_t half = std::size_t(ranks.rank()) * 2;
    const BoxCopies own{2, {all.places[half], all.places[half + 1]}};
    groups->set_copies(kBoxOf100, {box[0].data(), box[1].data(), box[2].data()}, 500, own,
                       half * 500);
    Timings timings;
    groups->link({1.0, 2, clusters::Algorithm::Auto}, timings);
    const auto names = groups->groups();
    std::copy(names.begin(), names.end(), found.begin() + std::ptrdiff_t(half * 500));
  });
  CHECK(found == expected_of(placed, 1.0));
}

TEST_CASE("two GPUs link resident points as one processor does, by each wire",
          "[gpu][ranks][distributed]") {
  const auto gpus = test::two_gpus();
  if (gpus.empty()) return;
  const Columns ordered = in_morton_order(made_points(300000, 12)),
                anywhere = made_points(60000, 13);
  for (const double length : {0.05, 0.3, 2.0}) {
    const auto expected = expected_of(ordered, length),
               expected_anywhere = expected_of(anywhere, length);
    for (const Wire way : {Wire::Auto, Wire::Peer, Wire::Host}) {
      const auto found = resident(gpus, ordered, length, way, 3);
      INFO("length " << length << ", " << found.wire);
      CHECK(found.groups == expected);
      CHECK(resident(gpus, anywhere, length, way).groups == expected_anywhere);
    }
    // Numbers of the second GPU's points need more than 32 bits.
    const std::uint64_t first = (std::uint64_t(1) << 32) - 150000;
    CHECK(resident(gpus, ordered, length, Wire::Auto, 1, first).groups ==
          expected_of(ordered, length, first));
  }
}
