// Groups over several ranks beside those of one, on threads.

#include "compute/distributed/link_groups.h"

#include "compute/clusters/clustering.h"
#include "compute/exec/ranks.h"
#include "tests/catch.h"
#include "tests/made/clumps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute;
using namespace haloscope::compute::distributed;

namespace {

using haloscope::test::Columns;
using haloscope::test::made_points;
using haloscope::test::of_one;

// Each rank has two parts, which lie somewhere among all points.
std::vector<std::uint32_t> of_several(int size, const Domain& domain, const Columns& points,
                                      double length, int min_points = 2) {
  std::vector<std::uint32_t> all(points[0].size());
  run_thread_ranks(size, [&](Ranks& ranks) {
    std::vector<NumberedPart> parts;
    for (const int part : {ranks.rank(), 2 * size - 1 - ranks.rank()}) {
      const std::uint64_t begin = part_begin(all.size(), part, 2 * size);
      const std::uint64_t end = part_begin(all.size(), part + 1, 2 * size);
      parts.push_back(
          {{{points[0].data() + begin, points[1].data() + begin, points[2].data() + begin},
            end - begin},
           std::uint32_t(begin)});
    }
    const auto clustering = clusters::make_cpu_clustering();
    Timings timings;
    const auto groups = link_groups(ranks, *clustering, domain, parts,
                                    {length, min_points, clusters::Algorithm::Auto}, timings);
    std::size_t at = 0;
    for (const NumberedPart& part : parts)
      for (std::uint64_t i = 0; i < part.points.count; ++i) all[part.first + i] = groups[at++];
  });
  return all;
}

}  // namespace

TEST_CASE("groups over ranks are those of one rank", "[ranks][distributed]") {
  const Domain domain{{0, 0, 0}, 100, true};
  for (const std::size_t count : {0, 1, 2, 5, 3000}) {
    const Columns points = made_points(count, 3);
    // Short; long enough for groups over many domains; half the box.
    for (const double length : {0.3, 2.0, 9.0, 50.0})
      for (const int size : {1, 2, 3, 4, 7}) {
        INFO(count << " points, length " << length << ", " << size << " ranks");
        CHECK(of_several(size, domain, points, length) ==
              (count == 0 ? std::vector<std::uint32_t>() : of_one(domain, points, length)));
      }
  }
}

TEST_CASE("clusters of DBSCAN over ranks are those of one rank", "[ranks][distributed]") {
  const Domain domain{{0, 0, 0}, 100, true};
  for (const std::size_t count : {0, 1, 2, 5, 3000}) {
    const Columns points = made_points(count, 3);
    for (const double length : {0.3, 2.0, 9.0, 50.0})
      for (const int min_points : {3, 4, 12, 100}) {
        const auto one = clusters::make_cpu_clustering();
        one->set_points(domain, {points[0].data(), points[1].data(), points[2].data()}, count);
        Timings timings;
        one->run({length, min_points, clusters::Algorithm::Auto}, timings);
        for (const int size : {1, 2, 3, 4, 7}) {
          INFO(count << " points, length " << length << ", " << min_points << " to a core, " << size
                     << " ranks");
          CHECK(of_several(size, domain, points, length, min_points) == one->labels());
        }
      }
  }
}

TEST_CASE("border points between clusters of several ranks join the first", "[ranks]") {
  // Sheets of a lattice whose edges are border points of both sides: many lie next to two clusters,
  // on edges of domains.
  const Domain domain{{0, 0, 0}, 16, true};
  Columns points;
  std::vector<std::array<double, 3>> at;
  for (int x = 0; x < 16; ++x)
    for (int y = 0; y < 16; ++y)
      for (int z = 0; z < 16; ++z)
        if (x % 4 != 3 || (y + z) % 3 == 0) at.push_back({x + 0.5, y + 0.5, z + 0.5});
  std::mt19937 random(11);
  std::shuffle(at.begin(), at.end(), random);
  for (const auto& p : at)
    for (int a = 0; a < 3; ++a)
      points[std::size_t(a)].push_back(domain.to_fixed(p[std::size_t(a)], a));
  bool borders = false;
  for (const int min_points : {4, 5, 6, 7}) {
    const auto one = clusters::make_cpu_clustering();
    one->set_points(domain, {points[0].data(), points[1].data(), points[2].data()}, at.size());
    Timings timings;
    one->run({1.0, min_points, clusters::Algorithm::Auto, true}, timings);
    std::vector<std::uint8_t> core(at.size());
    one->copy_core(core.data());
    const auto labels = one->labels();
    for (std::size_t i = 0; i < at.size(); ++i)
      borders = borders || (labels[i] != clusters::kNoise && !core[i]);
    for (const int size : {1, 2, 3, 5}) {
      INFO(min_points << " to a core, " << size << " ranks");
      CHECK(of_several(size, domain, points, 1.0, min_points) == labels);
    }
  }
  CHECK(borders);
}

TEST_CASE("a chain of points through all domains is one group, around the edge", "[ranks]") {
  const Domain domain{{0, 0, 0}, 1, true};
  constexpr std::uint32_t kPoints = 1000;
  Columns points;
  // A spiral: neighbors in the chain are neighbors in space, and its ends meet around the edge.
  for (std::uint32_t i = 0; i < kPoints; ++i) {
    const double t = i / double(kPoints);
    points[0].push_back(domain.to_fixed(t, 0));
    points[1].push_back(domain.to_fixed(0.5 + 0.4 * std::sin(2 * std::acos(-1.0) * t), 1));
    points[2].push_back(domain.to_fixed(0.5 + 0.4 * std::cos(2 * std::acos(-1.0) * t), 2));
  }
  // In no order.
  for (auto& axis : points) {
    std::mt19937 random(7);
    std::shuffle(axis.begin(), axis.end(), random);
  }
  const auto groups = of_several(4, domain, points, 0.005);
  CHECK(std::set<std::uint32_t>(groups.begin(), groups.end()) == std::set<std::uint32_t>{0});
  // Just shorter than a step along x, nobody has a friend.
  CHECK(of_several(4, domain, points, 0.0009) == of_one(domain, points, 0.0009));
}

TEST_CASE("domains have nearly equal numbers of points, wherever these are read", "[ranks]") {
  const Columns points = made_points(20000, 5);
  constexpr int kRanks = 4;
  std::array<std::uint64_t, kRanks> owned{};
  run_thread_ranks(kRanks, [&](Ranks& ranks) {
    const std::uint64_t begin = part_begin(20000, ranks.rank(), kRanks);
    const PointPart part{
        {points[0].data() + begin, points[1].data() + begin, points[2].data() + begin},
        part_begin(20000, ranks.rank() + 1, kRanks) - begin};
    const Domains domains(ranks, std::span(&part, 1));
    if (!ranks.first()) return;
    for (std::size_t i = 0; i < 20000; ++i)
      ++owned[std::size_t(domains.owner(points[0][i], points[1][i], points[2][i]))];
  });
  for (const std::uint64_t n : owned) {
    CHECK(n > 20000 / kRanks * 0.95);
    CHECK(n < 20000 / kRanks * 1.05);
  }
}

TEST_CASE("a cube meets the domains of all points in it", "[ranks]") {
  const Columns points = made_points(2000, 9);
  run_thread_ranks(3, [&](Ranks& ranks) {
    const PointPart part{{points[0].data(), points[1].data(), points[2].data()},
                         ranks.first() ? std::uint64_t(2000) : 0};
    const Domains domains(ranks, std::span(&part, 1));
    if (!ranks.first()) return;
    for (const std::uint32_t reach : {0u, 1000u, 50000000u, 1500000000u, 2147483647u})
      for (std::size_t i = 0; i < 200; ++i) {
        std::set<int> told;
        domains.each_near({points[0][i], points[1][i], points[2][i]}, reach,
                          [&](int rank) { told.insert(rank); });
        std::set<int> needed;
        for (std::size_t j = 0; j < 2000; ++j) {
          bool within = true;
          for (std::size_t a = 0; a < 3; ++a) {
            const auto d = std::int64_t(std::int32_t(points[a][j] - points[a][i]));
            within = within && std::abs(d) <= std::int64_t(reach);
          }
          if (within) needed.insert(domains.owner(points[0][j], points[1][j], points[2][j]));
        }
        if (!std::includes(told.begin(), told.end(), needed.begin(), needed.end()))
          throw std::runtime_error("a domain was left out");
        if (reach == 0 && told.size() != 1) throw std::runtime_error("a point has one domain");
      }
  });
}
