// Spanning trees over ranks, which are threads here, beside those of one rank: points of every
// kind, in up to eight dimensions, with many ties and on fewer places than ranks. On GPUs all ranks
// may share one.

#include "compute/distributed/tree_over_ranks.h"

#include "compute/clusters/cluster_tree.h"
#include "compute/distributed/hand_out_points.h"
#include "compute/exec/ranks.h"
#include "core/error.h"
#include "tests/catch.h"
#include "tests/gpus.h"
#include "tests/made/clumps.h"
#include "tests/skip.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute;
using namespace haloscope::compute::distributed;
using clusters::LatticePoints;
using clusters::SpanningTree;
using clusters::SpanningTreeSettings;

namespace {

struct RankedPoints {
  std::string name;
  std::vector<std::vector<std::uint32_t>> column;
  std::uint32_t shift = 0;

  LatticePoints view() const {
    LatticePoints points;
    for (const auto& values : column) points.column.push_back(values.data());
    points.count = column.front().size();
    points.shift = shift;
    return points;
  }
};

struct SpannedTree {
  SpanningTree tree;
  TreeOverRanksWork work;
};

// Rank r computes on devices[r].
SpannedTree over_devices(const std::vector<Device>& devices, const RankedPoints& points,
                         const SpanningTreeSettings& settings,
                         std::uint64_t at_once = kAskedAtOnce) {
  SpannedTree made;
  run_thread_ranks(int(devices.size()), [&](Ranks& ranks) {
    Progress progress;
    Timings timings;
    TreeOverRanksWork work;
    const LatticePoints view = points.view();
    SpanningTree tree =
        span_over_ranks(ranks, ranks.first() ? &view : nullptr, settings,
                        devices[std::size_t(ranks.rank())], progress, timings, &work, at_once);
    if (ranks.first()) made = {std::move(tree), work};
  });
  return made;
}

std::vector<Device> several(int size, Device device = Device::cpu()) {
  return std::vector<Device>(std::size_t(size), device);
}

SpannedTree over_ranks(int size, const RankedPoints& points, const SpanningTreeSettings& settings) {
  return over_devices(several(size), points, settings);
}

// Beside the tree of one process on the processor.
void check_on_devices(const RankedPoints& points, int samples,
                      const std::vector<std::vector<Device>>& of_ranks) {
  Progress progress;
  const auto one = clusters::make_cpu_cluster_tree(progress);
  one->grow(points.view(), {samples});
  const SpanningTree expected = one->spanning_tree();
  for (const std::vector<Device>& devices : of_ranks)
    for (const std::uint64_t at_once : {kAskedAtOnce, std::uint64_t(37)}) {
      INFO(points.name << ", " << points.column.front().size() << " points in "
                       << points.column.size() << " dimensions, " << samples << " samples, "
                       << devices.size() << " ranks from " << devices.front().word() << " to "
                       << devices.back().word() << ", " << at_once << " at once");
      const SpanningTree found = over_devices(devices, points, {samples}, at_once).tree;
      CHECK(found.points == expected.points);
      CHECK(found.a == expected.a);
      CHECK(found.b == expected.b);
      CHECK(found.squared_weight == expected.squared_weight);
      CHECK(found.squared_core == expected.squared_core);
    }
}

void check_as_of_one(const RankedPoints& points, int samples, const std::vector<int>& sizes) {
  std::vector<std::vector<Device>> of_ranks;
  for (const int size : sizes) of_ranks.push_back(several(size));
  check_on_devices(points, samples, of_ranks);
}

RankedPoints anywhere(std::size_t dimensions, std::size_t count, int bits, unsigned seed) {
  std::mt19937 random(seed);
  RankedPoints points{"anywhere", {}};
  for (std::size_t a = 0; a < dimensions; ++a) {
    auto& values = points.column.emplace_back();
    for (std::size_t i = 0; i < count; ++i)
      values.push_back(std::uint32_t(random()) >> (32 - bits));
  }
  return points;
}

RankedPoints in_clumps(std::size_t count, unsigned seed) {
  const test::Columns made = test::made_points(count, seed);
  return {"clumps around the edges of a periodic box", {made[0], made[1], made[2]}};
}

RankedPoints in_phase_space(std::size_t count, unsigned seed) {
  RankedPoints phase = anywhere(6, count, 30, seed);
  phase.name = "positions and velocities";
  phase.shift = 4;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::uint32_t& value : phase.column[a]) value <<= 4;
  return phase;
}

// All distances of neighbors are equal, across the edges of the box too.
RankedPoints lattice(std::uint32_t side) {
  RankedPoints points{"lattice", std::vector<std::vector<std::uint32_t>>(3)};
  const std::uint32_t step = std::uint32_t((std::uint64_t(1) << 32) / side);
  std::vector<std::uint32_t> order(std::size_t(side) * side * side);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = std::uint32_t(i);
  std::shuffle(order.begin(), order.end(), std::mt19937(5));
  for (const std::uint32_t i : order) {
    points.column[0].push_back(i / side / side * step);
    points.column[1].push_back(i / side % side * step);
    points.column[2].push_back(i % side * step);
  }
  return points;
}

// Few places, each of many points.
RankedPoints places(std::size_t count, std::uint32_t number, unsigned seed) {
  std::mt19937 random(seed);
  RankedPoints points{"few places", std::vector<std::vector<std::uint32_t>>(3)};
  for (std::size_t i = 0; i < count; ++i) {
    const auto place = std::uint32_t(random() % number);
    for (std::uint32_t a = 0; a < 3; ++a) points.column[a].push_back((place >> a) * 1000000007u);
  }
  return points;
}

RankedPoints on_line(std::size_t count, unsigned seed) {
  RankedPoints points = anywhere(1, count, 31, seed);
  points.name = "a line";
  return points;
}

const std::vector<int> kFewRanks{1, 2, 3, 4, 5};

}  // namespace

TEST_CASE("trees over ranks are those of one", "[ranks][distributed][clusters]") {
  for (const int samples : {1, 2, 5}) {
    check_as_of_one(in_clumps(3000, 3), samples, kFewRanks);
    check_as_of_one(anywhere(3, 2000, 32, 1), samples, {2, 4});
    check_as_of_one(anywhere(2, 1500, 31, 2), samples, {3});
    check_as_of_one(on_line(1000, 4), samples, {2, 5});
  }
  check_as_of_one(in_clumps(700, 8), 20, {4});
  check_as_of_one(in_clumps(700, 8), 65, {3});
}

TEST_CASE("ties of a tree over ranks are those of one", "[ranks][distributed][clusters]") {
  for (const int samples : {1, 5}) {
    check_as_of_one(lattice(11), samples, kFewRanks);
    check_as_of_one(lattice(16), samples, {2, 4});
    check_as_of_one(places(900, 30, 6), samples, kFewRanks);
    check_as_of_one(places(600, 1, 7), samples, {1, 2, 4});
  }
}

TEST_CASE("trees over ranks in more dimensions are those of one",
          "[ranks][distributed][clusters]") {
  for (const int samples : {1, 4}) {
    check_as_of_one(anywhere(5, 600, 30, 11), samples, {2, 4});
    check_as_of_one(anywhere(8, 400, 30, 12), samples, {3});
    check_as_of_one(in_phase_space(800, 13), samples, {2, 3});
  }
}

TEST_CASE("ranks may have few points or none", "[ranks][distributed][clusters]") {
  for (const std::size_t count : {1, 2, 3, 4, 7, 12})
    for (const int samples : {1, 2, 5})
      if (std::size_t(samples) <= count)
        check_as_of_one(in_clumps(count, 9), samples, {1, 2, 4, 5});
}

TEST_CASE("trees of ranks that share one GPU are those of the processor",
          "[gpu][ranks][clusters]") {
  if (!is_usable(Device::cuda())) return test::skip(test::Needs::Gpu, "there is no GPU");
  std::vector<std::vector<Device>> of_ranks;
  for (const int size : {1, 2, 3}) of_ranks.push_back(several(size, Device::cuda()));
  for (const int samples : {1, 5}) {
    check_on_devices(in_clumps(20000, 3), samples, of_ranks);
    check_on_devices(anywhere(3, 5000, 32, 1), samples, of_ranks);
    check_on_devices(anywhere(2, 5000, 31, 2), samples, of_ranks);
    check_on_devices(anywhere(6, 3000, 30, 11), samples, of_ranks);
    check_on_devices(anywhere(8, 1000, 30, 12), samples, of_ranks);
    check_on_devices(in_phase_space(3000, 13), samples, of_ranks);
    check_on_devices(lattice(16), samples, of_ranks);
    check_on_devices(places(3000, 30, 6), samples, of_ranks);
    check_on_devices(places(600, 1, 7), samples, of_ranks);
  }
  check_on_devices(in_clumps(2000, 8), 65, of_ranks);
  // More ranks than points.
  for (const std::size_t count : {1, 2, 7})
    check_on_devices(in_clumps(count, 9), 1, {several(3, Device::cuda())});
}

TEST_CASE("trees of ranks that share one GPU are those of the GPU, of many points",
          "[gpu][ranks][clusters]") {
  if (!is_usable(Device::cuda())) return test::skip(test::Needs::Gpu, "there is no GPU");
  const RankedPoints points = in_clumps(1000000, 6);
  Progress progress;
  for (const int samples : {1, 5}) {
    const auto one = clusters::make_cluster_tree(Device::cuda(), progress);
    one->grow(points.view(), {samples});
    const SpanningTree expected = one->spanning_tree();
    const SpannedTree found = over_devices(several(2, Device::cuda()), points, {samples});
    CHECK(found.tree.a == expected.a);
    CHECK(found.tree.b == expected.b);
    CHECK(found.tree.squared_weight == expected.squared_weight);
    CHECK(found.tree.squared_core == expected.squared_core);
    CHECK(found.work.device_bytes > points.column.front().size() * 12);
  }
}

TEST_CASE("trees of two GPUs are those of the processor", "[gpu][ranks][clusters]") {
  const std::vector<Device> two = test::two_gpus();
  if (two.empty()) return;
  for (const int samples : {1, 5}) {
    check_on_devices(in_clumps(20000, 3), samples, {two});
    check_on_devices(in_phase_space(3000, 13), samples, {two});
    check_on_devices(lattice(16), samples, {two});
    check_on_devices(places(3000, 30, 6), samples, {two});
  }
}

TEST_CASE("ranks ask one another about few points", "[ranks][distributed][clusters]") {
  const RankedPoints points = in_clumps(20000, 4);
  const TreeOverRanksWork work = over_ranks(2, points, {5}).work;
  CHECK(work.core_questions > 0);
  CHECK(work.core_questions < 4000);
  CHECK(work.edge_questions < 12000);
  CHECK(work.fragments > 2);
  CHECK(work.fragments < 4000);
  CHECK(work.rounds < 20);
}

TEST_CASE("parts of points are nearly equal, and in the order of their rows",
          "[ranks][distributed][clusters]") {
  const RankedPoints points = in_clumps(1001, 2);
  std::vector<PartOfPoints> parts(4);
  run_thread_ranks(4, [&](Ranks& ranks) {
    const LatticePoints view = points.view();
    parts[std::size_t(ranks.rank())] =
        hand_out_points(ranks, ranks.first() ? &view : nullptr, Device::cpu());
  });
  std::vector<std::uint32_t> rows;
  for (const PartOfPoints& part : parts) {
    CHECK(part.count() >= 250);
    CHECK(std::is_sorted(part.row.begin(), part.row.end()));
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t i = 0; i < part.row.size(); ++i)
        REQUIRE(part.column[a][i] == points.column[a][part.row[i]]);
    rows.insert(rows.end(), part.row.begin(), part.row.end());
  }
  std::sort(rows.begin(), rows.end());
  CHECK(rows.size() == 1001);
  CHECK(std::unique(rows.begin(), rows.end()) == rows.end());
}

TEST_CASE("a tree that was made over ranks has the dendrogram of one",
          "[ranks][distributed][clusters]") {
  const RankedPoints points = places(800, 200, 3);
  Progress progress;
  const auto one = clusters::make_cpu_cluster_tree(progress),
             taken = clusters::make_cpu_cluster_tree(progress);
  one->grow(points.view(), {4});
  taken->take(over_ranks(3, points, {4}).tree);
  CHECK(taken->dendrogram().point_parent == one->dendrogram().point_parent);
  CHECK(taken->dendrogram().edge_parent == one->dendrogram().edge_parent);
  CHECK(taken->dendrogram().size == one->dendrogram().size);
  for (const std::uint32_t least : {2u, 10u}) {
    const auto& totals = one->condense(least, 1e-9);
    const auto& same = taken->condense(least, 1e-9);
    CHECK(same.parent == totals.parent);
    CHECK(same.stability == totals.stability);
    const auto chosen = clusters::choose_clusters(totals, {});
    CHECK(taken->label(chosen) == one->label(chosen));
    CHECK(taken->last_labels().label == one->last_labels().label);
    CHECK(taken->last_labels().outlier_score == one->last_labels().outlier_score);
  }
}

TEST_CASE("ranks refuse a tree of a graph of neighbors", "[ranks][distributed][clusters]") {
  const RankedPoints points = anywhere(3, 40, 31, 1);
  SpanningTreeSettings graph;
  graph.graph_neighbors = 5;
  CHECK_THROWS_AS(over_ranks(2, points, graph), Error);
}
