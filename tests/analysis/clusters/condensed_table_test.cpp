// The table of all clusters of a condensed tree, against sums over the members of each.

#include "analysis/clusters/cluster_hierarchy.h"
#include "analysis/clusters/clusters_options.h"
#include "analysis/finder.h"
#include "core/halo_catalog.h"
#include "io/snapshot_reader.h"
#include "tests/catch.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace haloscope;
using analysis::ClustersOptions;
using analysis::Finding;

namespace {

constexpr double kSide = 100;
constexpr std::size_t kGas = 150, kDark = 450;
// Stored velocities are peculiar ones by √a, a being 0.5 in these files.
const double kPeculiar = std::sqrt(0.5);

// Clumps in a clump across a corner of the box, another one far from it, and a background.
struct Nested {
  std::vector<double> at;
  std::vector<float> velocity, mass;

  Nested() {
    std::mt19937 random(17);
    std::normal_distribution<double> normal(0, 1);
    std::uniform_real_distribution<double> uniform(0, kSide);
    const std::array<double, 4> centers[] = {
        {0, 0, 0, 0.3}, {1.5, 0, 0, 0.3}, {-1.5, 1, 0, 0.2}, {50, 60, 40, 0.4}, {0, 0, 0, 1.5}};
    for (std::size_t i = 0; i < kGas + kDark; ++i) {
      const auto& center = centers[i % 5];
      for (std::size_t axis = 0; axis < 3; ++axis) {
        double x = i % 7 == 0 ? uniform(random) : center[axis] + center[3] * normal(random);
        x -= kSide * std::floor(x / kSide);
        at.push_back(x);
        velocity.push_back(float(100 * normal(random) + 30 * center[axis]));
      }
      mass.push_back(i < kGas ? 0.5f + 0.001f * float(i) : 2.f);
    }
  }
  // In float32, as it is read.
  double peculiar(std::size_t p, std::size_t axis) const {
    return double(float(double(velocity[3 * p + axis]) * kPeculiar));
  }
  void write(const std::string& path) const {
    snapshot_files::FileWriter file(path);
    snapshot_files::write_header(file, {std::uint32_t(kGas), std::uint32_t(kDark), 0, 0, 0, 0},
                                 kSide);
    for (const int type : {0, 1}) {
      const std::size_t first = type == 0 ? 0 : kGas, n = type == 0 ? kGas : kDark;
      const std::string group = "PartType" + std::to_string(type);
      const auto part = [&](const auto& values, std::size_t each) {
        return std::vector(values.begin() + std::ptrdiff_t(first * each),
                           values.begin() + std::ptrdiff_t((first + n) * each));
      };
      file.group(group).dataset(group + "/Coordinates", {n, 3}, part(at, 3));
      file.dataset(group + "/Velocities", {n, 3}, part(velocity, 3));
      file.dataset(group + "/Masses", {n}, part(mass, 1));
    }
  }
};

std::shared_ptr<const Finding> find(const std::string& path, const ClustersOptions& options) {
  Progress progress;
  return analysis::find_in(*io::open_snapshot(path), "clusters", options, {}, progress);
}

// Points in each cluster, those in the clusters within it too.
std::vector<std::vector<std::size_t>> members_of(const compute::clusters::CondensedTree& tree) {
  std::vector<std::vector<std::size_t>> members(tree.clusters());
  for (std::size_t p = 0; p < tree.point_cluster.size(); ++p)
    for (std::uint32_t c = tree.point_cluster[p]; c != ~0u; c = tree.parent[c])
      members[c].push_back(p);
  return members;
}

double across(double distance) {
  return distance - kSide * std::round(distance / kSide);
}

// Of clusters that reach over half the box it is not known which images of members are the nearest.
bool has_a_place(const Nested& nested, const std::vector<std::size_t>& members) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double low = 0, high = 0;
    for (const std::size_t p : members) {
      const double d = across(nested.at[3 * p + axis] - nested.at[3 * members[0] + axis]);
      low = std::min(low, d);
      high = std::max(high, d);
    }
    if (high - low > kSide / 2) return false;
  }
  return true;
}

void check_near(const CatalogColumn* column, std::size_t row, int component, double expected,
                double margin) {
  REQUIRE(column);
  INFO(column->name << ' ' << row);
  CHECK(column->value(row, component) == Approx(expected).epsilon(1e-9).margin(margin));
}

}  // namespace

TEST_CASE("every cluster of the condensed tree has the sums over its members", "[clusters]") {
  const test::OutputFolder folder;
  const Nested nested;
  nested.write(folder.path("snap.hdf5"));
  ClustersOptions options;
  options.types = {"gas", "dm"};
  options.min_cluster_size = 15;
  const auto found = find(folder.path("snap.hdf5"), options);
  const HaloTable* table = found->catalog.find("Subhalo");
  REQUIRE(table);
  const auto& tree = *found->condensed;
  REQUIRE(tree.clusters() >= 7);
  REQUIRE(table->count == tree.clusters());
  const auto members = members_of(tree);
  std::size_t places = 0;
  for (std::size_t c = 0; c < tree.clusters(); ++c) {
    CAPTURE(c);
    CHECK(table->find("SubhaloLen")->value(c) == double(members[c].size()));
    std::array<double, 2> of_type{}, mass_of_type{};
    double mass = 0, place_square = 0, velocity_square = 0;
    std::array<double, 3> place{}, velocity{};
    const auto from_first = [&](std::size_t p, std::size_t axis) {
      return across(nested.at[3 * p + axis] - nested.at[3 * members[c][0] + axis]);
    };
    for (const std::size_t p : members[c]) {
      of_type[p < kGas ? 0 : 1] += 1;
      mass_of_type[p < kGas ? 0 : 1] += double(nested.mass[p]);
      mass += double(nested.mass[p]);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        place[axis] += double(nested.mass[p]) * from_first(p, axis);
        velocity[axis] += double(nested.mass[p]) * nested.peculiar(p, axis);
      }
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      place[axis] /= mass;
      velocity[axis] /= mass;
    }
    for (const std::size_t p : members[c])
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double x = from_first(p, axis) - place[axis];
        const double v = nested.peculiar(p, axis) - velocity[axis];
        place_square += double(nested.mass[p]) * x * x;
        velocity_square += double(nested.mass[p]) * v * v;
      }
    check_near(table->find("SubhaloMass"), c, 0, mass, 0);
    for (const int type : {0, 1}) {
      check_near(table->find("SubhaloLenType"), c, type, of_type[std::size_t(type)], 0);
      check_near(table->find("SubhaloMassType"), c, type, mass_of_type[std::size_t(type)], 0);
    }
    for (std::size_t axis = 0; axis < 3; ++axis)
      check_near(table->find("SubhaloVel"), c, int(axis), velocity[axis], 1e-9);
    check_near(table->find("SubhaloVelDisp"), c, 0, std::sqrt(velocity_square / mass / 3), 0);
    if (!has_a_place(nested, members[c])) continue;
    ++places;
    check_near(table->find("SubhaloRmsRad"), c, 0, std::sqrt(place_square / mass), 1e-6);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double x = nested.at[3 * members[c][0] + axis] + place[axis];
      x -= kSide * std::floor(x / kSide);
      check_near(table->find("SubhaloCM"), c, int(axis), x, 1e-6);
    }
  }
  CHECK(places >= 5);
}

TEST_CASE("clusters of the condensed tree tell what they are in, and how long they last",
          "[clusters]") {
  const test::OutputFolder folder;
  const Nested nested;
  nested.write(folder.path("snap.hdf5"));
  ClustersOptions options;
  options.types = {"gas", "dm"};
  options.min_cluster_size = 15;
  const auto found = find(folder.path("snap.hdf5"), options);
  const HaloTable &table = *found->catalog.find("Subhalo"), &groups = *found->catalog.find("Group");
  const auto& tree = *found->condensed;
  const auto points = std::int64_t(found->hierarchy->tree.points);
  std::vector<std::int64_t> group_of(tree.clusters(), -1);
  REQUIRE(groups.count >= 2);
  const auto members = members_of(tree);
  for (std::uint64_t k = 0; k < groups.count; ++k) {
    const auto node = std::size_t(groups.find("GroupNode")->value(k)) - std::size_t(points);
    group_of[node] = std::int64_t(k);
    // A selected cluster is the same in both tables.
    for (const auto& [of_all, of_selected] :
         {std::pair{"SubhaloLen", "GroupLen"}, std::pair{"SubhaloMass", "GroupMass"},
          std::pair{"SubhaloCM", "GroupCM"}, std::pair{"SubhaloVelDisp", "GroupVelDisp"},
          std::pair{"SubhaloPersistence", "GroupPersistence"}}) {
      const CatalogColumn &a = *table.find(of_all), &b = *groups.find(of_selected);
      INFO(of_all);
      CHECK(a.unit == b.unit);
      if (of_all == std::string("SubhaloCM") && !has_a_place(nested, members[node])) continue;
      for (int k3 = 0; k3 < a.components; ++k3)
        CHECK(a.value(node, k3) == Approx(b.value(k, k3)).epsilon(1e-5).margin(1e-5));
    }
  }
  for (std::size_t c = 0; c < tree.clusters(); ++c) {
    std::int64_t depth = 0, group = group_of[c];
    for (std::uint32_t above = tree.parent[c]; above != ~0u; above = tree.parent[above]) {
      ++depth;
      if (group < 0) group = group_of[above];
    }
    CHECK(table.find("SubhaloParent")->value(c) == (c == 0 ? -1 : double(tree.parent[c])));
    CHECK(table.find("SubhaloDepth")->value(c) == double(depth));
    CHECK(table.find("SubhaloGroupNr")->value(c) == double(group));
    CHECK(table.find("SubhaloBirth")->value(c) ==
          (c == 0 ? found->hierarchy->height.back() : 1 / tree.birth[c]));
    const double persistence = table.find("SubhaloPersistence")->value(c);
    CHECK((persistence >= 0 && persistence <= 1));
  }
  // A cut has no condensed tree.
  options.cut = "count:4";
  CHECK_FALSE(find(folder.path("snap.hdf5"), options)->catalog.find("Subhalo"));
}
