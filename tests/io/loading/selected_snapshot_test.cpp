// A selection of a snapshot as a snapshot of its own: rows, counts and columns.

#include "io/loading/selected_snapshot.h"

#include "core/error.h"
#include "io/loading/particle_ids.h"
#include "io/loading/particle_loader.h"
#include "tests/catch.h"
#include "tests/made/ball_universe.h"
#include "tests/output_folder.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

using namespace haloscope;

namespace {

std::unique_ptr<io::SelectedSnapshot> select(const std::string& path,
                                             const io::Selection& selection,
                                             const io::ParticleFilter& filter = {}) {
  Progress progress;
  return std::make_unique<io::SelectedSnapshot>(io::open_snapshot(path), selection, filter,
                                                progress);
}

std::vector<double> column(const io::SnapshotReader& reader, int type, const std::string& field,
                           std::size_t components) {
  std::vector<double> values(std::size_t(reader.info().types.at(type).count) * components, -1);
  std::mutex mutex;
  Progress progress;
  reader.read(
      type, field,
      [&](const io::ColumnChunk& chunk) {
        const std::lock_guard lock(mutex);
        for (std::size_t i = 0; i < chunk.rows; ++i)
          for (std::size_t c = 0; c < components; ++c)
            values.at((std::size_t(chunk.first) + i) * components + c) = chunk.value(i, int(c));
      },
      progress);
  return values;
}

}  // namespace

TEST_CASE("selected particles are a snapshot with their rows alone", "[selection]") {
  const test::OutputFolder folder;
  const std::string path = folder.path("snap.hdf5");
  test::write_universe(path);
  const auto whole = io::open_snapshot(path);
  io::Selection selection;
  selection.region = io::Region{{-10, -10, -10}, {10, 10, 10}};  // across a corner of the box
  io::ParticleFilter filter;
  filter.sphere = io::Sphere{{0, 0, 0}, 11};
  filter.values = {{"ParticleIDs", 0, 1000040}};
  const auto part = select(path, selection, filter);
  CHECK(io::as_selected(*part) == part.get());
  CHECK(io::as_selected(*whole) == nullptr);
  CHECK(part->info().box_size == whole->info().box_size);
  bool said = false;
  for (const auto& one : part->info().assumed)
    said = said || one.sentence.find("dm particles are selected") != std::string::npos;
  CHECK(said);
  for (const int type : {0, 1}) {
    CAPTURE(type);
    const auto at = column(*whole, type, "Coordinates", 3);
    const auto ids = column(*whole, type, "ParticleIDs", 1);
    std::vector<std::uint64_t> rows;
    std::vector<double> expected_at, expected_ids;
    for (std::size_t row = 0; row < ids.size(); ++row) {
      double square = 0;
      bool inside = ids[row] < 1000040;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        double d = at[3 * row + axis];
        d -= test::kBox * std::round(d / test::kBox);
        square += d * d;
        inside = inside && d >= -10 && d < 10;
      }
      if (!inside || square >= 121) continue;
      rows.push_back(row);
      expected_ids.push_back(ids[row]);
      for (std::size_t axis = 0; axis < 3; ++axis) expected_at.push_back(at[3 * row + axis]);
    }
    REQUIRE(rows.size() > 5);
    CHECK(part->info().types.at(type).count == rows.size());
    CHECK(part->rows_of(type) == rows);
    CHECK(column(*part, type, "Coordinates", 3) == expected_at);
    CHECK(column(*part, type, "ParticleIDs", 1) == expected_ids);
    Progress progress;
    const auto loaded = io::load_ids(*part, type, {}, progress);
    CHECK(std::vector<double>(loaded.begin(), loaded.end()) == expected_ids);
  }
  Progress progress;
  const auto particles = io::load_particles(*part, {{{1, {"Velocities"}}}}, progress);
  CHECK(particles.types.front().count == part->info().types.at(1).count);
  CHECK(particles.domain.side == test::kBox);
}

TEST_CASE("types without a selected particle are none of the selection", "[selection]") {
  const test::OutputFolder folder;
  const std::string path = folder.path("snap.hdf5");
  test::write_universe(path);
  io::ParticleFilter filter;
  filter.values = {{"ParticleIDs", 1e6, 2e6}};
  const auto part = select(path, {}, filter);
  CHECK(part->info().types.count(1) == 1);
  CHECK(part->info().types.count(0) == 0);
  CHECK(part->rows_of(0).empty());
  filter.values = {{"ParticleIDs", 5e6, 6e6}};
  CHECK(test::message_of([&] {
          select(path, {}, filter);
        }).find("no particle is in the selection") != std::string::npos);
}
