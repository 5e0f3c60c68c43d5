// Members of the halos of a catalog, against loops over all particles and halos.

#include "analysis/loaded_halos/loaded_members.h"

#include "io/snapshot_reader.h"
#include "tests/catch.h"
#include "tests/made/fixed_points.h"
#include "tests/made/snapshot_files.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <vector>

using namespace haloscope;
using analysis::PiecePlace;

namespace {

ParticleSet particles_at(const test::Points& points, const Domain& domain) {
  ParticleSet set;
  set.domain = domain;
  ParticleColumns& columns = set.types.emplace_back();
  columns.type = 1;
  columns.count = points[0].size();
  for (std::size_t a = 0; a < 3; ++a) {
    columns.position[a] = Array<std::uint32_t>(points[a].size());
    std::copy(points[a].begin(), points[a].end(), columns.position[a].data());
  }
  return set;
}

std::uint32_t slow_halo(const Domain& domain, const std::vector<PiecePlace>& places,
                        const std::array<double, 3>& at) {
  std::uint32_t best = Labels::kNone;
  double least = 0;
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (!(places[k].radius > 0)) continue;
    double squared = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      double d = at[a] - places[k].center[a];
      if (domain.periodic) d = std::remainder(d, domain.side);
      squared += d * d;
    }
    const double ratio = squared / (places[k].radius * places[k].radius);
    if (!(ratio <= 1) || (best != Labels::kNone && ratio >= least)) continue;
    best = std::uint32_t(k);
    least = ratio;
  }
  return best;
}

// A ratio this near to another, or to the edge, is another one when it is rounded.
constexpr double kRounding = 1e-9;

}  // namespace

TEST_CASE("spheres take the particles that all pairs say", "[loaded_halos]") {
  std::mt19937_64 random(31);
  std::uniform_real_distribution<double> even(0, 1);
  for (const bool periodic : {true, false}) {
    Domain domain{{-3, 2, 5}, 20, periodic};
    for (const int halos : {1, 7, 300}) {
      std::vector<PiecePlace> places;
      for (int k = 0; k < halos; ++k) {
        PiecePlace place;
        for (std::size_t a = 0; a < 3; ++a)
          place.center[a] = domain.origin[a] + domain.side * even(random);
        place.radius = k % 11 == 10 ? 0 : k % 5 == 0 ? 4 * even(random) : even(random);
        places.push_back(place);
      }
      if (halos > 2) places[2].center = places[1].center;  // one around the other
      if (halos > 3) places[3].radius = 3 * domain.side;   // wider than the box
      const test::Points points = test::make_points(test::Kind::Uniform, 2000, random);
      Progress progress;
      const auto found =
          analysis::members_by_sphere(particles_at(points, domain), places, progress);
      const auto& labels = found.labels.of.at(1);
      REQUIRE(labels.size() == 2000);
      std::vector<std::uint64_t> counts(places.size(), 0);
      for (std::size_t i = 0; i < labels.size(); ++i) {
        std::array<double, 3> at{};
        for (std::size_t a = 0; a < 3; ++a) at[a] = domain.to_world(points[a][i], int(a));
        const std::uint32_t expected = slow_halo(domain, places, at);
        INFO("particle " << i << " of " << halos << " halos");
        CHECK(labels[i] == expected);
        if (labels[i] != Labels::kNone) ++counts[labels[i]];
      }
      CHECK(found.counts == counts);
    }
  }
}

TEST_CASE("a halo without a place has no members", "[loaded_halos]") {
  const Domain domain{{0, 0, 0}, 1, true};
  std::vector<PiecePlace> places(1);
  places[0].center[1] = std::numeric_limits<double>::quiet_NaN();
  places[0].radius = 1;
  std::mt19937_64 random(32);
  Progress progress;
  const auto found = analysis::members_by_sphere(
      particles_at(test::make_points(test::Kind::Uniform, 50, random), domain), places, progress);
  CHECK(found.counts == std::vector<std::uint64_t>{0});
}

TEST_CASE("IDs tell the members, twice and missing ones too", "[loaded_halos]") {
  const snapshot_files::TemporaryFolder folder;
  {
    snapshot_files::FileWriter file(folder / "snap.hdf5");
    snapshot_files::write_header(file, {6, 2, 0, 0, 0, 0}, 10);
    file.group("PartType0");
    file.dataset("PartType0/Coordinates", {6, 3}, snapshot_files::some_positions(6, 10));
    file.dataset<std::uint64_t>("PartType0/ParticleIDs", {6}, {7, 5, 9, (1ull << 60) + 1, 5, 8});
    file.group("PartType1");
    file.dataset("PartType1/Coordinates", {2, 3}, snapshot_files::some_positions(2, 10));
  }
  HaloMembers members;
  members.offset[0] = {0, 3};
  members.length[0] = {3, 3};
  for (const std::uint64_t id : {(1ull << 60) + 1, 5ull, 8ull, 9ull, 8ull, 1000ull})
    members.ids[0].push_back(id);
  const auto reader = io::open_snapshot(folder / "snap.hdf5");
  Progress progress;
  const auto found = analysis::members_by_id(*reader, {0, 1}, members, 2, progress);
  constexpr std::uint32_t kNone = Labels::kNone;
  // 8 is in both: the last one has it. 1000 is nowhere; two rows have the ID 5.
  CHECK(found.labels.of.at(0) == std::vector<std::uint32_t>{kNone, 0, 1, 0, 0, 1});
  CHECK(found.labels.of.count(1) == 0);
  CHECK(found.listed_again == 1);
  CHECK(found.without_ids.empty());
  CHECK(found.counts == std::vector<std::uint64_t>{3, 2});
  CHECK(found.listed == 5);
  CHECK(found.found == 4);
  CHECK(found.repeated == 2);
  // A type without IDs has rows, none of which can be told.
  members.offset[1] = {0, 1};
  members.length[1] = {1, 1};
  members.ids[1] = members.ids[0];
  const auto more = analysis::members_by_id(*reader, {0, 1}, members, 2, progress);
  CHECK(more.without_ids == std::map<int, std::uint64_t>{{1, 2}});
  CHECK(more.labels.of.at(1) == std::vector<std::uint32_t>{kNone, kNone});
  CHECK(more.listed == found.listed);
  CHECK(more.counts == found.counts);
}

TEST_CASE("rows tell the members where they lie together", "[loaded_halos]") {
  SnapshotInfo info;
  info.types[0].count = 10;
  info.types[1].count = 6;
  HaloTable table;
  table.name = "Group";
  table.count = 2;
  CatalogColumn length, offset;
  length.name = "GroupLenType";
  offset.name = "GroupOffsetType";
  length.components = offset.components = 2;
  length.values = std::vector<std::int64_t>{3, 2, 4, 1};
  offset.values = std::vector<std::int64_t>{0, 1, 5, 4};
  table.columns = {length};
  constexpr std::uint32_t kNone = Labels::kNone;
  auto found = analysis::members_by_row(info, {0, 1}, table);
  REQUIRE(found);
  CHECK(found->labels.of.at(0) ==
        std::vector<std::uint32_t>{0, 0, 0, 1, 1, 1, 1, kNone, kNone, kNone});
  CHECK(found->labels.of.at(1) == std::vector<std::uint32_t>{0, 0, 1, kNone, kNone, kNone});
  // The groups of a file that is missing would come in between.
  CHECK_FALSE(analysis::members_by_row(info, {0, 1}, table, true));
  table.columns.push_back(offset);
  CHECK(analysis::members_by_row(info, {0, 1}, table, true));
  found = analysis::members_by_row(info, {0, 1}, table);
  REQUIRE(found);
  CHECK(found->labels.of.at(0) ==
        std::vector<std::uint32_t>{0, 0, 0, kNone, kNone, 1, 1, 1, 1, kNone});
  CHECK(found->labels.of.at(1) == std::vector<std::uint32_t>{kNone, 0, 0, kNone, 1, kNone});
  CHECK(found->counts == std::vector<std::uint64_t>{5, 5});
  // Rows beyond the snapshot's are those of another one.
  info.types[0].count = 8;
  CHECK_FALSE(analysis::members_by_row(info, {0, 1}, table));
  table.columns.clear();
  CHECK_FALSE(analysis::members_by_row(info, {0, 1}, table));

  // Around 0.1 and 0.6 of a box, across its edge; then all of them around the other center.
  const Domain domain{{0, 0, 0}, 1, true};
  test::Points points;
  for (int i = 0; i < 8; ++i)
    for (auto& axis : points)
      axis.push_back(domain.to_fixed(i < 4 ? 0.99 + 0.005 * i : 0.6 + 0.005 * i, 0));
  ParticleSet particles = particles_at(points, domain);
  analysis::LoadedMembers members;
  members.labels.of[1] = {0, 0, 0, 0, 1, 1, 1, 1};
  members.counts = {4, 4};
  const std::vector<PiecePlace> places{{{0.005, 0.005, 0.005}, 0.01}, {{0.63, 0.63, 0.63}, 0.01}};
  CHECK(analysis::lie_together(members, particles, places));
  CHECK_FALSE(analysis::lie_together(members, particles, {places[1], places[0]}));
}

TEST_CASE("rows that are shifted behind the largest halos are told", "[loaded_halos]") {
  // Halos along the diagonal of a box, each as many particles as it has members.
  constexpr int kHalos = 100, kMembers = 20;
  const Domain domain{{0, 0, 0}, 1, true};
  test::Points points;
  analysis::LoadedMembers members, shifted;
  std::vector<PiecePlace> places;
  for (int k = 0; k < kHalos; ++k) {
    const double at = (k + 0.5) / kHalos;
    places.push_back({{at, at, at}, 0.0005});
    for (int i = 0; i < kMembers; ++i) {
      for (auto& axis : points) axis.push_back(domain.to_fixed(at, 0));
      members.labels.of[1].push_back(std::uint32_t(k));
      // The particles of halo 30 are missing in the files.
      shifted.labels.of[1].push_back(std::uint32_t(k < 30 ? k : std::min(k + 1, kHalos - 1)));
    }
  }
  members.counts = shifted.counts = std::vector<std::uint64_t>(kHalos, kMembers);
  const ParticleSet particles = particles_at(points, domain);
  CHECK(analysis::lie_together(members, particles, places));
  CHECK_FALSE(analysis::lie_together(shifted, particles, places));
}
