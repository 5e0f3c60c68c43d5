// Clusters within halos: a second search that never leads out of a halo.

#include "compute/halos/substructure.h"

#include "compute/halos/apart.h"
#include "core/error.h"
#include "tests/catch.h"
#include "tests/renderers.h"

#include <algorithm>
#include <random>
#include <set>
#include <span>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute::clusters;
using namespace haloscope::compute::halos;

namespace {

struct Points {
  std::array<std::vector<std::uint32_t>, 3> at;
  void add(double x, double y, double z) {
    for (const double v : {x, y, z})
      at[std::size_t(next++ % 3)].push_back(std::uint32_t(v * 4294967296.0));
  }
  int next = 0;
  std::array<const std::uint32_t*, 3> data() const {
    return {at[0].data(), at[1].data(), at[2].data()};
  }
};

// Two bridges of points at spacing 0.005, along x, at y = 0.2 and 0.7. Dense clumps of spacing
// 0.0005: 40, 25 and 10 points on the first, 30 on the second.
Points make_points() {
  Points p;
  const auto line = [&](double x, double y, double step, int count) {
    for (int i = 0; i < count; ++i) p.add(x + step * i, y, 0.5);
  };
  line(0.1, 0.2, 0.005, 60);
  line(0.15, 0.2003, 0.0005, 25);
  line(0.2, 0.2003, 0.0005, 40);
  line(0.3, 0.2003, 0.0005, 10);
  line(0.1, 0.7, 0.005, 40);
  line(0.2, 0.7003, 0.0005, 30);
  return p;
}

double squared_distance(const Points& p, std::size_t i, std::size_t j) {
  double sum = 0;
  for (const auto& axis : p.at) {
    const double d = std::int32_t(axis[i] - axis[j]) / 4294967296.0;
    sum += d * d;
  }
  return sum;
}

// DBSCAN by its definition among some rows alone: clusters of `least` or more, the largest first,
// those of one size by their first core point.
std::vector<std::vector<std::uint32_t>> clusters_among(const Points& p,
                                                       std::span<const std::uint32_t> rows,
                                                       const ClusterSettings& settings,
                                                       std::size_t least) {
  const std::size_t n = rows.size();
  const double reach = settings.linking_length * settings.linking_length;
  const auto near = [&](std::size_t a, std::size_t b) {
    return squared_distance(p, rows[a], rows[b]) <= reach;
  };
  std::vector<bool> core(n);
  for (std::size_t a = 0; a < n; ++a) {
    int found = 0;
    for (std::size_t b = 0; b < n; ++b) found += near(a, b);
    core[a] = found >= settings.min_points;
  }
  std::vector<std::size_t> cluster(n, n);  // by its first core point
  for (std::size_t a = 0; a < n; ++a) {
    if (!core[a] || cluster[a] != n) continue;
    std::vector<std::size_t> next{a};
    cluster[a] = a;
    while (!next.empty()) {
      const std::size_t b = next.back();
      next.pop_back();
      for (std::size_t c = 0; c < n; ++c)
        if (core[c] && cluster[c] == n && near(b, c)) {
          cluster[c] = a;
          next.push_back(c);
        }
    }
  }
  std::vector<std::vector<std::uint32_t>> of(n);
  for (std::size_t a = 0; a < n; ++a) {
    std::size_t whose = cluster[a];
    for (std::size_t b = 0; b < n && whose == n; ++b)
      if (core[b] && near(a, b)) whose = cluster[b];
    if (whose != n) of[whose].push_back(rows[a]);
  }
  std::erase_if(of, [&](const auto& one) { return one.size() < least; });
  std::stable_sort(of.begin(), of.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return of;
}

FinderInput one_kind(const Points& points) {
  FinderInput input;
  FinderInput::Kind kind;
  kind.count = points.at[0].size();
  kind.position = points.data();
  input.kinds.push_back(kind);
  return input;
}

}  // namespace

TEST_CASE("substructure lies within its halo, in order", "[halos]") {
  const Points points = make_points();
  const FinderInput input = one_kind(points);
  FinderSettings halo_settings;
  halo_settings.clusters.linking_length = 0.006;
  halo_settings.min_members = 20;
  SubstructureSettings settings;
  settings.finder.clusters.linking_length = 0.0006;
  settings.finder.min_members = 20;
  for (const auto& device : ::test::devices()) {
    FinderTools tools = finder_tools(device);
    Timings timings;
    const HaloMembership halos = find_halos(tools, input, halo_settings, timings);
    REQUIRE(halos.halos(1) == 2);
    const auto found = find_substructure(tools, input, halos, halo_settings, settings, timings);
    // Points of the bridge that lie within 0.0006 of a clump belong to it.
    REQUIRE(found.members.halos(1) == 3);
    CHECK(found.parent == std::vector<std::uint32_t>{0, 0, 1});
    CHECK(found.members.members(0, 1) >= 40);
    CHECK(found.members.members(1, 1) >= 25);
    CHECK(found.members.members(1, 1) < 40);
    CHECK(found.members.members(2, 1) >= 30);
    for (std::uint64_t s = 0; s < 3; ++s) {
      const auto halo = halos.run(found.parent[s], 0, 1);
      const std::set<std::uint32_t> of_halo(halo.begin(), halo.end());
      for (const std::uint32_t row : found.members.run(s, 0, 1)) CHECK(of_halo.count(row) == 1);
    }
    settings.halos = 1;
    CHECK(
        find_substructure(tools, input, halos, halo_settings, settings, timings).members.halos(1) ==
        2);
    settings.halos = 100;
    CHECK(
        find_substructure(tools, input, halos, halo_settings, settings, timings).members.halos(1) ==
        3);
    SubstructureSettings longer = settings;
    longer.finder.clusters.linking_length = 0.01;
    CHECK_THROWS_AS(find_substructure(tools, input, halos, halo_settings, longer, timings), Error);
  }
}

TEST_CASE("substructure is what DBSCAN finds in each halo alone", "[halos]") {
  // So many points that halos touch one another everywhere, also across the box's edge.
  std::mt19937 random(7);
  Points points;
  for (int i = 0; i < 4000; ++i)
    points.add(random() / 4294967296.0, random() / 4294967296.0, random() / 4294967296.0);
  const FinderInput input = one_kind(points);
  FinderSettings halo_settings;
  halo_settings.clusters.linking_length = 0.065;
  halo_settings.clusters.min_points = 9;
  halo_settings.min_members = 9;
  for (const auto& device : ::test::devices()) {
    FinderTools tools = finder_tools(device);
    Timings timings;
    const HaloMembership halos = find_halos(tools, input, halo_settings, timings);
    const std::uint64_t count = halos.halos(1);
    REQUIRE(count > 20);
    const auto rounds = rounds_apart(input, halos, count, 0.065);
    CHECK(*std::max_element(rounds.begin(), rounds.end()) > 0);
    for (const double length : {0.065, 0.06})
      for (const int min_points : {9, 10})
        for (const Algorithm algorithm :
             {Algorithm::Grid, Algorithm::FdbScan, Algorithm::DenseBox}) {
          INFO(device << ", length " << length << ", minPts " << min_points);
          SubstructureSettings settings;
          settings.finder.clusters = {length, min_points, algorithm};
          settings.finder.min_members = 4;
          const auto found =
              find_substructure(tools, input, halos, halo_settings, settings, timings);
          std::uint64_t s = 0;
          bool same = true;
          for (std::uint64_t h = 0; h < count; ++h)
            for (const auto& rows :
                 clusters_among(points, halos.run(h, 0, 1), settings.finder.clusters, 4)) {
              same = same && s < found.parent.size() && found.parent[s] == h;
              if (!same) break;
              const auto run = found.members.run(s++, 0, 1);
              same = std::equal(rows.begin(), rows.end(), run.begin(), run.end());
            }
          CHECK(same);
          CHECK(s == found.parent.size());
        }
  }
}

TEST_CASE("attached members of a halo join the cluster of the linked one nearest to them",
          "[halos]") {
  std::mt19937 random(11);
  Points linked, attached;
  const auto scatter = [&](Points& points, double x, double width, int count) {
    std::normal_distribution<double> offset(0, width);
    for (int i = 0; i < count; ++i)
      points.add(x + offset(random), 0.5 + offset(random), 0.5 + offset(random));
  };
  for (const double x : {0.2, 0.6}) {
    scatter(linked, x, 0.02, 500);
    scatter(linked, x + 0.03, 0.002, 80);
    scatter(attached, x, 0.03, 400);
    scatter(attached, x + 0.03, 0.004, 60);
  }
  FinderInput input = one_kind(linked);
  FinderInput::Kind gas;
  gas.part = FinderInput::Kind::Part::Attached;
  gas.count = attached.at[0].size();
  gas.position = attached.data();
  input.kinds.push_back(gas);
  FinderSettings halo_settings;
  halo_settings.clusters.linking_length = 0.01;
  SubstructureSettings settings;
  settings.finder.clusters.linking_length = 0.002;
  settings.finder.min_members = 10;
  const double reach = attachment_reach(0, 0.002);
  for (const auto& device : ::test::devices()) {
    FinderTools tools = finder_tools(device);
    Timings timings;
    const HaloMembership halos = find_halos(tools, input, halo_settings, timings);
    const auto found = find_substructure(tools, input, halos, halo_settings, settings, timings);
    const auto count = std::size_t(found.members.halos(2));
    REQUIRE(count >= 2);
    std::vector<std::size_t> cluster(linked.at[0].size(), count);
    for (std::size_t s = 0; s < count; ++s)
      for (const std::uint32_t row : found.members.run(s, 0, 2)) cluster[row] = s;
    std::vector<std::vector<std::uint32_t>> expected(count);
    for (std::uint64_t h = 0; h < halos.halos(2); ++h)
      for (const std::uint32_t row : halos.run(h, 1, 2)) {
        double least = 1;
        std::size_t whose = count;
        for (const std::uint32_t other : halos.run(h, 0, 2)) {
          double squared = 0;
          for (std::size_t a = 0; a < 3; ++a) {
            const double d = std::int32_t(attached.at[a][row] - linked.at[a][other]) / 4294967296.0;
            squared += d * d;
          }
          if (squared >= least) continue;
          least = squared;
          whose = cluster[other];
        }
        if (whose < count && least <= reach * reach) expected[whose].push_back(row);
      }
    std::size_t joined = 0;
    for (std::size_t s = 0; s < count; ++s) {
      const auto run = found.members.run(s, 1, 2);
      CHECK(std::vector<std::uint32_t>(run.begin(), run.end()) == expected[s]);
      joined += run.size();
    }
    CHECK(joined > 20);
  }
}

TEST_CASE("halos of one round have no members within reach of one another", "[halos]") {
  std::mt19937 random(8);
  Points points;
  HaloMembership halos;
  // Balls at random, of which many overlap, some across the edge.
  for (int h = 0; h < 150; ++h) {
    double center[3];
    for (double& x : center) x = random() / 4294967296.0;
    for (int i = 0; i < 10; ++i) {
      halos.begin.resize(std::size_t(h) + 1, std::uint64_t(h) * 10);
      halos.rows.push_back(std::uint32_t(h * 10 + i));
      double at[3];
      for (int axis = 0; axis < 3; ++axis) {
        at[axis] = center[axis] + 0.1 * (random() / 4294967296.0 - 0.5);
        at[axis] -= std::floor(at[axis]);
      }
      points.add(at[0], at[1], at[2]);
    }
  }
  halos.begin.push_back(1500);
  const FinderInput input = one_kind(points);
  for (const double length : {0.001, 0.03, 0.2, 0.4, 0.9}) {
    const auto rounds = rounds_apart(input, halos, 150, length);
    REQUIRE(rounds.size() == 150);
    bool apart = true;
    for (std::size_t i = 0; i < 1500; ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (i / 10 != j / 10 && rounds[i / 10] == rounds[j / 10])
          apart = apart && squared_distance(points, i, j) > length * length;
    CHECK(apart);
    const std::uint32_t last = *std::max_element(rounds.begin(), rounds.end());
    // Where all are near each other there are as many rounds as halos, else few.
    CHECK(last < 150);
    if (length == 0.001) CHECK(last < 10);
  }
}
