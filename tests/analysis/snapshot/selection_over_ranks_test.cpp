// Particles of a region or a sample, of which each of several ranks reads its part, beside those of
// one process.

#include "analysis/snapshot/row_parts.h"
#include "compute/exec/ranks.h"
#include "core/error.h"
#include "core/progress.h"
#include "io/loading/particle_loader.h"
#include "tests/catch.h"
#include "tests/made/ball_universe.h"
#include "tests/output_folder.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace haloscope;
using compute::Ranks;

namespace {

// One type, whose rows a rough index of space finds in several stretches.
struct Indexed : io::SnapshotReader {
  explicit Indexed(double box, std::uint64_t count = 1000) {
    TypeInfo gas;
    gas.name = "gas";
    gas.count = count;
    gas.fields = {{"Coordinates", 3, ScalarType::Float64, ""},
                  {"Masses", 1, ScalarType::Float64, ""}};
    gas.roles = {{Role::Position, "Coordinates"}, {Role::Mass, "Masses"}};
    info_.files = {"indexed"};
    info_.types[0] = gas;
    info_.box_size = box;
    info_.periodic = box > 0;
    std::mt19937 random(3);
    for (std::uint64_t row = 0; row < gas.count; ++row)
      for (int axis = 0; axis < 3; ++axis)
        positions.push_back(row % 97 == 0 ? std::numeric_limits<double>::quiet_NaN()
                                          : double(random() % 10000) * 0.01);
  }
  void read(int type, const std::string& field, const io::ChunkVisitor& visit,
            Progress& progress) const override {
    read_rows(type, field, {{0, info_.types.at(0).count}}, visit, progress);
  }
  void read_rows(int, const std::string& field, const std::vector<io::RowRange>& rows,
                 const io::ChunkVisitor& visit, Progress&) const override {
    for (const io::RowRange& range : rows) {
      std::vector<double> values;
      for (std::uint64_t row = range.begin; row < range.end; ++row)
        if (field == "Masses")
          values.push_back(double(row));
        else
          for (std::size_t axis = 0; axis < 3; ++axis) values.push_back(positions[3 * row + axis]);
      visit({range.begin, range.end - range.begin, field == "Masses" ? 1 : 3, ScalarType::Float64,
             values.data()});
    }
  }
  // The last one reaches beyond the rows.
  std::vector<io::RowRange> rows_in(int, const io::Region&) const override {
    const std::uint64_t count = info_.types.at(0).count;
    return {{3, 10}, {40, 41}, {200, count * 6 / 10}, {count - 10, count + 3}};
  }
  std::vector<double> positions;
};

io::LoadRequest of_region(const SnapshotInfo& info, const std::array<double, 6>& limits) {
  io::LoadRequest request;
  for (const auto& [type, one] : info.types)
    if (one.count > 0) request.types.push_back({type, {}});
  request.selection.region =
      io::Region{{limits[0], limits[1], limits[2]}, {limits[3], limits[4], limits[5]}};
  return request;
}

template <class T>
std::vector<T> gathered(Ranks& ranks, const Array<T>& own) {
  return ranks.gather<T>(std::span<const T>(own.data(), own.size()));
}

template <class T>
bool same(const std::vector<T>& all, const Array<T>& one) {
  return std::equal(all.begin(), all.end(), one.begin(), one.end());
}

// What differs from one process's particles; empty: nothing.
std::string difference(const io::SnapshotReader& reader, const io::LoadRequest& request, int size) {
  Progress progress;
  const ParticleSet one = io::load_particles(reader, request, progress);
  std::string differs = "nothing was read";
  compute::run_thread_ranks(size, [&](Ranks& ranks) {
    const analysis::RowParts parts(ranks);
    io::LoadRequest own_request = request;
    own_request.together = &parts;
    Progress quiet;
    const ParticleSet own = io::load_particles(reader, own_request, quiet);
    std::string found;
    if (!(own.domain == one.domain)) found = "domain";
    if (own.assumed != one.assumed) found = "sentences";
    if (own.types.size() != one.types.size()) found = "types";
    if (ranks.sum(int(!found.empty())) > 0) {
      if (ranks.first()) differs = "some rank's " + found;
      return;
    }
    for (std::size_t k = 0; k < one.types.size(); ++k) {
      const ParticleColumns &mine = own.types[k], &all = one.types[k];
      if (mine.type != all.type || mine.weight != all.weight) found = "type";
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto places = gathered(ranks, mine.position[axis]);
        if (ranks.first() && !same(places, all.position[axis])) found = "positions";
      }
      const auto masses = gathered(ranks, mine.mass);
      if (ranks.first() && !same(masses, all.mass)) found = "masses";
    }
    if (ranks.first()) differs = found;
  });
  return differs;
}

}  // namespace

TEST_CASE("ranks read the particles of a region", "[loading][ranks]") {
  const test::OutputFolder folder;
  for (const double box : {test::kBox, 0.}) {
    const std::string path = folder.path(box > 0 ? "snap.hdf5" : "open.hdf5");
    test::write_universe(path, box);
    const auto reader = io::open_snapshot(path);
    // Of many, of the first ball with the edge across it, and of few: the gas lies on one rank.
    for (const std::array<double, 6>& limits : {std::array<double, 6>{10, 10, 10, 70, 80, 65},
                                                {0, 0, 0, 3, 3, 3},
                                                {59, 59, 59, 61, 61, 61}})
      for (const int size : {2, 3, 5}) {
        CAPTURE(box, limits, size);
        CHECK(difference(*reader, of_region(reader->info(), limits), size) == "");
      }
    if (box > 0)
      CHECK(difference(*reader, of_region(reader->info(), {98, 98, 98, 2, 2, 2}), 4) == "");
  }
}

TEST_CASE("ranks share the rows that an index finds for a region", "[loading][ranks]") {
  for (const double box : {100., 0.}) {
    const Indexed reader(box);
    for (const int size : {2, 3, 7, 11}) {
      CAPTURE(box, size);
      CHECK(difference(reader, of_region(reader.info(), {10, 0, 20, 90, 100, 70}), size) == "");
    }
  }
}

TEST_CASE("one stray particle does not hide what ranks sample of a region", "[loading][ranks]") {
  // So many that only some of them tell how far the others reach.
  Indexed reader(0, 1400000);
  reader.positions[3 * 300] = 1e7;
  for (const int size : {2, 3}) {
    CAPTURE(size);
    CHECK(difference(reader, of_region(reader.info(), {0, 0, 0, 2e7, 100, 100}), size) == "");
  }
}

TEST_CASE("a region that holds nothing is told over ranks as by one process", "[loading][ranks]") {
  const Indexed reader(0);
  const auto load = [&](const std::array<double, 6>& limits) {
    compute::run_thread_ranks(3, [&](Ranks& ranks) {
      const analysis::RowParts parts(ranks);
      io::LoadRequest request = of_region(reader.info(), limits);
      request.together = &parts;
      Progress progress;
      io::load_particles(reader, request, progress);
    });
  };
  CHECK_THROWS_WITH(load({200, 200, 200, 300, 300, 300}),
                    Catch::Contains("no particle lies in the"));
  CHECK_THROWS_WITH(load({5, 0, 0, 5, 9, 9}), Catch::Contains("the region holds nothing"));
}

TEST_CASE("ranks take the sample of one process", "[loading][ranks]") {
  const test::OutputFolder folder;
  test::write_universe(folder.path("snap.hdf5"));
  const auto reader = io::open_snapshot(folder.path("snap.hdf5"));
  const Indexed indexed(100);
  for (const io::SnapshotReader* const one : {static_cast<const io::SnapshotReader*>(&indexed),
                                              static_cast<const io::SnapshotReader*>(reader.get())})
    for (const bool in_region : {false, true})
      for (const auto& [every, most] : {std::pair(2, 0), {7, 0}, {100, 0}, {5000, 0}, {1, 50}}) {
        io::LoadRequest request = of_region(one->info(), {10, 0, 20, 90, 100, 70});
        if (!in_region) request.selection.region.reset();
        request.selection.every = std::uint64_t(every);
        request.selection.max_particles = std::uint64_t(most);
        for (const int size : {2, 3, 7}) {
          CAPTURE(in_region, every, most, size);
          CHECK(difference(*one, request, size) == "");
        }
      }
}
