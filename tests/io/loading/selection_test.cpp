// Regions and samples: which rows are kept, what they weigh, and how little is read for them.

#include "core/error.h"
#include "io/loading/particle_loader.h"
#include "io/loading/row_map.h"
#include "tests/catch.h"
#include "tests/made/snapshot_files.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <set>

using namespace haloscope;
using namespace haloscope::io;
using namespace snapshot_files;

namespace {

std::vector<std::uint64_t> kept_rows(const RowMap& rows, std::uint64_t chunk) {
  std::vector<std::uint64_t> found(rows.size(), ~std::uint64_t(0));
  for (std::uint64_t first = 0; first < rows.rows_in_file(); first += chunk)
    rows.each(
        first, std::min(chunk, rows.rows_in_file() - first),
        [&](std::uint64_t i, std::uint64_t row, std::uint64_t) { found.at(row) = first + i; });
  return found;
}

// A snapshot whose rows tell their number, and which remembers what it was asked for.
struct Numbered : SnapshotReader {
  explicit Numbered(std::uint64_t count, double box = 0) {
    TypeInfo gas;
    gas.name = "gas";
    gas.count = count;
    gas.fields = {{"Coordinates", 3, ScalarType::Float64, ""},
                  {"Masses", 1, ScalarType::Float64, ""},
                  {"Density", 1, ScalarType::Float64, ""},
                  {"Volume", 1, ScalarType::Float64, ""}};
    gas.roles = {{Role::Position, "Coordinates"}, {Role::Mass, "Masses"}};
    info_.files = {"numbered"};
    info_.types[0] = gas;
    info_.box_size = box;
    info_.periodic = box > 0;
  }
  SnapshotInfo& facts() { return info_; }

  // Row n is at (n, n, n), of mass n + 1, density 2, volume 8.
  void read_range(const std::string& field, RowRange range, const ChunkVisitor& visit) const {
    std::vector<double> values;
    for (std::uint64_t n = range.begin; n < range.end; ++n) {
      if (field == "Coordinates") values.insert(values.end(), 3, double(n));
      if (field == "Masses") values.push_back(double(n + 1));
      if (field == "Density") values.push_back(2);
      if (field == "Volume") values.push_back(8);
    }
    rows_read += range.end - range.begin;
    const int components = field == "Coordinates" ? 3 : 1;
    visit({range.begin, range.end - range.begin, components, ScalarType::Float64, values.data()});
  }
  void read(int, const std::string& field, const ChunkVisitor& visit, Progress&) const override {
    const std::uint64_t count = info_.types.at(0).count;
    for (std::uint64_t first = 0; first < count; first += 1000)
      read_range(field, {first, std::min(first + 1000, count)}, visit);
  }
  void read_rows(int, const std::string& field, const std::vector<RowRange>& rows,
                 const ChunkVisitor& visit, Progress&) const override {
    for (const auto& range : rows) read_range(field, range, visit);
  }
  mutable std::uint64_t rows_read = 0;
};

ParticleSet load(const SnapshotReader& reader, const Selection& selection) {
  Progress progress;
  return load_particles(reader, {{{0, {}}}, selection}, progress);
}

bool says(const ParticleSet& set, const std::string& part) {
  return std::any_of(set.assumed.begin(), set.assumed.end(), [&](const std::string& sentence) {
    return sentence.find(part) != std::string::npos;
  });
}

double total_mass(const ParticleSet& set) {
  double sum = 0;
  for (const float m : set.types.at(0).mass) sum += double(m);
  return sum;
}

}  // namespace

TEST_CASE("a sample takes one row of each run of rows, the same every time") {
  for (const std::uint64_t chunk : {1, 7, 64, 1000}) {
    RowMap rows(1003);
    rows.thin(10, 5);
    REQUIRE(rows.size() == 101);
    const auto found = kept_rows(rows, chunk);
    for (std::uint64_t run = 0; run < found.size(); ++run) CHECK(found[run] / 10 == run);
    RowMap again(1003);
    again.thin(10, 5);
    CHECK(kept_rows(again, 1003) == found);
    RowMap other(1003);
    other.thin(10, 6);
    CHECK(kept_rows(other, 1003) != found);
  }
}

TEST_CASE("every place within a run is taken equally often") {
  RowMap rows(1000000);
  rows.thin(10, 1);
  std::vector<int> taken(10);
  for (const auto row : kept_rows(rows, 5000)) ++taken[row % 10];
  // 100000 draws of 10 places: 10000 +- 95.
  for (const int n : taken) CHECK(std::abs(n - 10000) < 500);
}

TEST_CASE("marked rows keep their order, in any chunks and ranges, and thinned") {
  const std::vector<RowRange> ranges{{3, 100}, {100, 130}, {500, 900}, {950, 5000}};
  RowMap rows(1000, ranges);
  CHECK(rows.candidates() == 127 + 400 + 50);
  RowMarks marks(rows.candidates());
  std::vector<std::uint64_t> expected;
  for (std::uint64_t first = 0; first < 1000; first += 37) {
    RowMarks::Writer writer(marks);
    rows.each(first, std::min<std::uint64_t>(37, 1000 - first),
              [&](std::uint64_t i, std::uint64_t, std::uint64_t candidate) {
                if ((first + i) * (first + i) % 7 > 2) return;
                writer.set(candidate);
                expected.push_back(first + i);
              });
  }
  rows.keep_marked(std::move(marks));
  for (const std::uint64_t chunk : {1, 13, 64, 1000}) CHECK(kept_rows(rows, chunk) == expected);
  rows.thin(5, 1);
  REQUIRE(rows.size() == (expected.size() + 4) / 5);
  const auto thinned = kept_rows(rows, 64);
  for (std::size_t run = 0; run < thinned.size(); ++run) {
    const auto at = std::find(expected.begin(), expected.end(), thinned[run]);
    REQUIRE(at != expected.end());
    CHECK(std::size_t(at - expected.begin()) / 5 == run);
  }
}

TEST_CASE("a sample keeps the total mass and stored smoothing lengths") {
  Numbered reader(100000);
  reader.facts().smoothing_lengths[0] = {"Density", 1.5};
  const ParticleSet set = load(reader, {{}, 100, 0});
  REQUIRE(set.types.at(0).count == 1000);
  CHECK(set.types[0].weight == 100);
  CHECK(total_mass(set) == Approx(100000.0 * 100001 / 2).epsilon(0.001));
  CHECK(set.types[0].support_radius[0] == 3);
  CHECK(set.types[0].counts.in_file == 100000);
  CHECK(set.types[0].counts.read == 1000);
  CHECK(says(set, "A sample of 1000 of 100000 gas particles"));
  CHECK(
      says(set, "masses are multiplied by 100, other fields are as stored, smoothing lengths too"));
  reader.facts().types[0].roles.erase(Role::Mass);
  reader.facts().types[0].uniform_mass = 3;
  CHECK(load(reader, {{}, 100, 0}).types.at(0).uniform_mass == 300);
}

TEST_CASE("at most so many particles over all types") {
  const TemporaryFolder folder;
  {
    FileWriter file(folder / "s.hdf5");
    write_header(file, {1000, 300, 0, 0, 0, 2}, 10);
    for (const auto& [type, n] : {std::pair{0, 1000}, {1, 300}, {5, 2}}) {
      const std::string group = "PartType" + std::to_string(type);
      file.group(group).dataset(group + "/Coordinates", {hsize_t(n), 3},
                                some_positions(std::size_t(n), 10));
    }
  }
  const auto reader = open_snapshot(folder / "s.hdf5");
  Progress progress;
  for (const std::uint64_t most : {3, 4, 100, 700, 1301, 1302}) {
    const LoadRequest request{{{0, {}}, {1, {}}, {5, {}}}, {{}, 1, most}};
    const ParticleSet set = load_particles(*reader, request, progress);
    CHECK(set.count() <= most);
    CHECK(set.types.size() == 3);
    if (most == 1302) CHECK(set.count() == 1302);
    if (most == 700) CHECK(set.count() > 600);
    CHECK(estimate_memory(reader->info(), request) == 12 * set.count());
  }
  CHECK_THROWS_WITH(load_particles(*reader, {{{0, {}}, {1, {}}, {5, {}}}, {{}, 1, 2}}, progress),
                    Catch::Contains("fewer than the 3 particle types"));
}

TEST_CASE("a region keeps what lies in it") {
  Numbered reader(1000);
  const Region region{{100, 0, 50}, {200, 1e9, 150}};
  ParticleSet set = load(reader, {region, 1, 0});
  REQUIRE(set.types.at(0).count == 50);
  CHECK(set.types[0].mass[0] == 101);
  CHECK(set.types[0].mass[49] == 150);
  CHECK(set.domain.side < 110);  // resolution is the region's
  CHECK(says(set, "50 of 1000 gas particles lie in the region"));
  set = load(reader, {region, 10, 0});
  CHECK(set.types.at(0).count == 5);
  CHECK(set.types[0].weight == 10);
  CHECK_THROWS_WITH(load(reader, {Region{{-9, -9, -9}, {-1, -1, -1}}, 1, 0}),
                    Catch::Contains("no particle lies in the region"));
  CHECK_THROWS_WITH(load(reader, {Region{{5, 0, 0}, {4, 9, 9}}, 1, 0}),
                    Catch::Contains("the region holds nothing: it goes from 5 to 4 along x"));
}

TEST_CASE("regions reach over the edges of a periodic box, and around them") {
  Numbered reader(100, 100);
  for (const auto& [low, high] :
       {std::pair{90.0, 110.0}, {-10.0, 10.0}, {90.0, 10.0}, {290.0, 310.0}}) {
    const ParticleSet set = load(reader, {Region{{low, low, low}, {high, high, high}}, 1, 0});
    REQUIRE(set.types.at(0).count == 20);
    CHECK(set.types[0].mass[9] == 10);
    CHECK(set.types[0].mass[10] == 91);
    CHECK(set.domain.side == 100);
  }
  CHECK(load(reader, {Region{{-70, 0, 20}, {70, 100, 40}}, 1, 0}).types.at(0).count == 20);
  CHECK(load(reader, {Region{{1e9, 0, 0}, {1e9 + 100, 100, 100}}, 1, 0}).count() == 100);
}

TEST_CASE("rows that a selection does not need are skipped") {
  Numbered reader(1000000);
  load(reader, {Region{{1000, 1000, 1000}, {2000, 2000, 2000}}, 1, 0});
  // One pass over all positions; then bounds, positions and masses of a few blocks.
  CHECK(reader.rows_read < 1000000 + 3 * 3000);
  reader.rows_read = 0;
  load(reader, {{}, 10000, 0});
  // Rows close together are read with what lies between them.
  CHECK(reader.rows_read < 3 * 50000);
}

TEST_CASE("rows without a finite position leave a sample, and are counted in a region") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const TemporaryFolder folder;
  auto positions = some_positions(1000, 10);
  for (std::size_t i = 0; i < 500; ++i) positions[3 * i + 1] = nan;
  write_gas(folder / "s.hdf5", positions, 10);
  const auto reader = open_snapshot(folder / "s.hdf5");
  ParticleSet set = load(*reader, {{}, 10, 0});
  CHECK(set.types.at(0).count == 50);
  CHECK(set.types[0].counts.not_finite == 50);
  CHECK(set.types[0].counts.shown() == 50);
  set = load(*reader, {Region{{0, 0, 0}, {10, 10, 10}}, 1, 0});
  CHECK(set.types.at(0).count == 500);
  CHECK(says(set, "500 of 1000 gas particles have positions that are not finite"));
}

TEST_CASE("cells without a smoothing length get twice their sphere's radius") {
  using Kind = SmoothingLengthMeaning::Kind;
  Numbered reader(100);
  const double eight = std::cbrt(8 * 3 / (4 * 3.14159265358979));
  reader.facts().smoothing_lengths[0] = {"Volume", 2.0, Kind::Volume};
  CHECK(load(reader, {}).types.at(0).support_radius[50] == Approx(2 * eight));
  reader.facts().smoothing_lengths[0] = {"Masses", 2.0, Kind::MassOverDensity, "Density"};
  // Masses n + 1 over density 2: row 15 has volume 8, whatever it weighs in a sample.
  CHECK(load(reader, {}).types.at(0).support_radius[15] == Approx(2 * eight));
  const ParticleSet sample = load(reader, {Region{{15, 15, 15}, {17, 17, 17}}, 2, 0});
  const float row = sample.types.at(0).mass[0] / 2;
  CHECK(sample.types[0].support_radius[0] == Approx(2 * eight * std::cbrt(row / 16)));
  reader.facts().types[0].uniform_mass = 16;
  reader.facts().smoothing_lengths[0] = {"", 2.0, Kind::MassOverDensity, "Density"};
  CHECK(load(reader, {}).types.at(0).support_radius[3] == Approx(2 * eight));
}
