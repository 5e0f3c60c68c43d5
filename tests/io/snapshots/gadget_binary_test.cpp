// Binary Gadget snapshots of formats 1 and 2: round trips in every variant, sets of files, traps.

#include "tests/catch.h"
#include "tests/made/gadget_binary_sample.h"
#include "tests/test_paths.h"

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <numeric>

using namespace gadget_binary_sample;
using haloscope::test::message_of;
using haloscope::test::OutputFolder;

TEST_CASE("trap 12, trap 14: binary Gadget round trip with 64-bit IDs and big endian") {
  const OutputFolder folder;
  for (int variant = 0; variant < 16; ++variant) {
    GadgetBinary options;
    options.format = variant & 1 ? 2 : 1;
    options.swap = variant & 2;
    options.eight_bytes = variant & 4;
    options.long_ids = variant & 8;
    INFO("format " << options.format << ", swapped " << options.swap << ", 8 bytes "
                   << options.eight_bytes << ", long IDs " << options.long_ids);
    const Sample sample(options);
    const std::string path = folder.path("s" + std::to_string(variant));
    sample.file.write(path);
    const auto reader = open_snapshot(path);
    const SnapshotInfo& info = reader->info();
    CHECK(info.format == std::string("Gadget binary (format ") + (variant & 1 ? "2" : "1") +
                             (options.swap ? ", big endian)" : ")"));
    REQUIRE(info.types.size() == 3);
    CHECK(info.types.at(0).count == 5);
    CHECK(info.types.at(1).count == 7);
    CHECK(info.types.at(4).count == 3);
    CHECK(info.types.at(1).uniform_mass == 0.25);
    CHECK(info.types.at(0).uniform_mass == 0);
    CHECK_FALSE(info.types.at(1).find("Masses"));
    CHECK(info.types.at(1).fields.size() == 4);
    CHECK(info.types.at(0).find("Coordinates")->scalar ==
          (options.eight_bytes ? ScalarType::Float64 : ScalarType::Float32));
    CHECK(read_all(*reader, 0, "Coordinates") == part_of(sample.positions, 0, 15));
    CHECK(read_all(*reader, 1, "Coordinates") == part_of(sample.positions, 15, 21));
    CHECK(read_all(*reader, 4, "Coordinates") == part_of(sample.positions, 36, 9));
    CHECK(read_all(*reader, 4, "Velocities") == part_of(sample.velocities, 36, 9));
    CHECK(read_all(*reader, 0, "Masses") == part_of(sample.masses, 0, 5));
    CHECK(read_all(*reader, 4, "Masses") == part_of(sample.masses, 5, 3));
    CHECK(read_all(*reader, 0, "InternalEnergy") == sample.energies);
    CHECK(read_all(*reader, 0, "Density") == sample.densities);
    CHECK(read_all(*reader, 0, "SmoothingLength") == sample.lengths);
    CHECK(read_all(*reader, 1, "Potential") == part_of(sample.potentials, 5, 7));
    const auto ids = read_all<std::uint64_t>(*reader, 4, "ParticleIDs");
    CHECK(ids == std::vector<std::uint64_t>(sample.ids.begin() + 12, sample.ids.end()));
    CHECK(info.smoothing_lengths.at(0).support_per_value == 1);
    CHECK(info.smoothing_lengths.count(1) == 0);
    CHECK(info.box_size == 10);
    CHECK(info.periodic);
    CHECK(info.cosmology.redshift == Approx(1.0));
    CHECK(info.cosmology.hubble_param == 0.7);
    CHECK(info.types.at(0).find("Density")->unit == "1e10 Msun/h/(kpc/h)^3");
    CHECK(info.types.at(0).find("Velocities")->unit == "km/s*sqrt(a)");
    CHECK(info.types.at(0).find(Role::Velocity)->scaling->a == 0.5);
    CHECK(says(info, "Units are not in the file: took kpc/h, 1e10 Msun/h, km/s*sqrt(a)."));
    CHECK_FALSE(says(info, "left out"));
  }
}

TEST_CASE("rows of a binary Gadget column are read without the others") {
  const OutputFolder folder;
  GadgetBinary file;
  const std::size_t n = 200000;
  file.count[1] = n;
  const auto positions = some_values(3 * n, 0, 10, 1);
  file.mass[1] = 1;
  file.reals("POS", positions).reals("VEL", positions).ids(std::vector<std::uint64_t>(n, 7));
  file.write(folder.path("s"));
  const auto reader = open_snapshot(folder.path("s"));
  std::vector<char> seen(n, 0);
  std::mutex mutex;
  std::uint64_t rows = 0;
  bool same = true;
  Progress progress;
  reader->read_rows(
      1, "Coordinates", {{10, 20}, {150000, 150001}, {199990, 200000}},
      [&](const ColumnChunk& chunk) {
        const std::lock_guard lock(mutex);
        rows += chunk.rows;
        for (std::uint64_t i = 0; i < chunk.rows; ++i) {
          seen[chunk.first + i] = 1;
          for (int c = 0; c < 3; ++c)
            same = same && chunk.value(i, c) == positions[3 * (chunk.first + i) + std::size_t(c)];
        }
      },
      progress);
  CHECK(same);
  CHECK(rows == 21);
  CHECK(std::accumulate(seen.begin(), seen.end(), 0) == 21);
  CHECK((seen[10] && seen[19] && seen[150000] && seen[199999] && !seen[20]));
}

namespace {

// File `index` of a set: index + 1 dark-matter particles, the even ones with a gas particle.
GadgetBinary member(int index, int files, int format) {
  GadgetBinary file;
  file.format = format;
  file.files = std::uint32_t(files);
  file.count = {index % 2 == 0 ? 1U : 0U, std::uint64_t(index + 1), 0, 0, 0, 0};
  file.total = {std::uint64_t((files + 1) / 2), std::uint64_t(files * (files + 1) / 2), 0, 0, 0, 0};
  const std::size_t n = file.count[0] + file.count[1];
  std::vector<double> positions(3 * n, 1.0);
  for (std::size_t row = 0; row < n; ++row) positions[3 * row] = 100 * index + double(row);
  std::vector<std::uint64_t> ids(n);
  std::iota(ids.begin(), ids.end(), std::uint64_t(1000 * index));
  file.reals("POS", positions).reals("VEL", positions).ids(ids);
  file.reals("MASS", std::vector<double>(n, 2.0 + index));
  if (file.count[0]) file.reals("U", {5.0 + index}).reals("RHO", {0.5});
  return file;
}

}  // namespace

TEST_CASE(
    "trap 9: a binary set of twelve files is read in numeric order, by any member or folder") {
  for (const int format : {1, 2}) {
    const OutputFolder folder;
    for (int i = 0; i < 12; ++i)
      member(i, 12, format).write(folder.path("snap_007." + std::to_string(i)));
    std::ofstream(folder.path("log.txt")) << "nothing of note\n";
    for (const std::string& path :
         {folder.path("snap_007.0"), folder.path("snap_007.10"), folder.path()}) {
      const auto reader = open_snapshot(path);
      CHECK(reader->info().files.size() == 12);
      CHECK(reader->info().types.at(1).count == 78);
      CHECK(reader->info().types.at(0).count == 6);
      const auto ids = read_all<std::uint64_t>(*reader, 1, "ParticleIDs");
      CHECK(std::is_sorted(ids.begin(), ids.end()));
      CHECK(ids.front() == 1);
      CHECK(ids.back() == 11011);
      CHECK(read_all(*reader, 0, "InternalEnergy") == std::vector<double>{5, 7, 9, 11, 13, 15});
      CHECK_FALSE(says(reader->info(), "promises"));
    }
  }
}

TEST_CASE(
    "trap 8: binary sets with zeros before numbers, missing and foreign members, wrong totals") {
  const OutputFolder folder;
  for (int i = 0; i < 12; ++i)
    member(i, 12, 2).write(
        folder.path("snap." + std::string(i < 10 ? "0" : "") + std::to_string(i)));
  CHECK(open_snapshot(folder.path("snap.11"))->info().types.at(1).count == 78);
  std::filesystem::remove(folder.path("snap.03"));
  CHECK_THROWS_AS(open_snapshot(folder.path("snap.11")), MissingFiles);
  OpenOptions allow;
  allow.allow_missing_files = true;
  const auto rest = open_snapshot(folder.path("snap.11"), allow);
  CHECK(rest->info().types.at(1).count == 74);
  CHECK(says(rest->info(), "(11 of the snapshot's 12 files are there)"));
  CHECK(says(rest->info(), "Of 78 dm particles 74 are in the files that are there."));

  GadgetBinary other = member(3, 12, 2);
  other.time = 0.25;
  other.write(folder.path("snap.03"));
  CHECK(failure(folder.path("snap.00")).find("belongs to another snapshot than") !=
        std::string::npos);
  write_bytes(folder.path("snap.03"), "x y z\n1 2 3\n");
  CHECK(failure(folder.path("snap.00")).find("replace this file of the set") != std::string::npos);

  GadgetBinary wrong = member(0, 1, 1);
  wrong.total = {1, 99, 0, 0, 0, 0};
  wrong.write(folder.path("wrong"));
  CHECK(says(open_snapshot(folder.path("wrong"))->info(),
             "promises 99 dm particles, the files hold 1: took the files"));
}

TEST_CASE("outputs that lie side by side are separate snapshots") {
  const OutputFolder folder;
  member(0, 1, 1).write(folder.path("cube.00128"));
  member(1, 1, 1).write(folder.path("cube.00256"));
  const auto reader = open_snapshot(folder.path("cube.00256"));
  CHECK(reader->info().files.size() == 1);
  CHECK(reader->info().types.at(1).count == 2);
  CHECK(failure(folder.path()).find("several snapshots (cube.00128, cube.00256)") !=
        std::string::npos);
}

TEST_CASE("trap 1: GADGET-4's own binary header has 64-bit counts and any number of types") {
  const OutputFolder folder;
  for (const int types : {2, 3, 6})
    for (const int format : {1, 2})
      for (const bool swap : {false, true}) {
        GadgetBinary file;
        file.format = format;
        file.swap = swap;
        file.native_types = types;
        file.count.assign(std::size_t(types), 0);
        file.mass.assign(std::size_t(types), 0);
        file.count[1] = 4;
        file.mass[1] = 0.5;
        const auto positions = some_values(12, 0, 10, 1);
        file.reals("POS", positions).reals("VEL", positions).ids({1, 2, 3, 4});
        file.write(folder.path("s"));
        INFO(types << " types, format " << format << ", swapped " << swap);
        const auto reader = open_snapshot(folder.path("s"));
        const SnapshotInfo& info = reader->info();
        CHECK(info.format.find("GADGET-4 header") != std::string::npos);
        CHECK(info.types.at(1).uniform_mass == 0.5);
        CHECK(info.box_size == 10);
        CHECK(info.cosmology.redshift == Approx(1.0));
        CHECK(says(info, "has no cosmology: cosmological by Time and Redshift"));
        CHECK(says(info, "took h = 1"));
        CHECK(read_all(*reader, 1, "Coordinates") == positions);
      }
}

TEST_CASE("binary headers without box, matter or h") {
  const OutputFolder folder;
  GadgetBinary file = member(0, 1, 1);
  file.box = 0;
  file.write(folder.path("a"));
  const auto zoom = open_snapshot(folder.path("a"));
  CHECK_FALSE(zoom->info().periodic);
  CHECK(says(zoom->info(), "Taken as cosmological, because Omega0 is set and Time is"));
  CHECK(says(zoom->info(), "took kpc/h, 1e10 Msun/h, km/s*sqrt(a)."));
  file = member(0, 1, 1);
  file.omega = 0;
  file.write(folder.path("b"));
  CHECK(says(open_snapshot(folder.path("b"))->info(), "Not cosmological, because Omega0 is 0"));
  CHECK(says(open_snapshot(folder.path("b"))->info(), "took kpc, 1e10 Msun, km/s."));
  // Tree counts in the place of h.
  file = member(0, 1, 1);
  const std::uint64_t trees = 1234;
  std::memcpy(&file.hubble, &trees, 8);
  file.write(folder.path("c"));
  CHECK(says(open_snapshot(folder.path("c"))->info(), "HubbleParam is not in the file"));
}

TEST_CASE("format 2: unknown labels by their size, and by the INFO block") {
  const OutputFolder folder;
  GadgetBinary file;
  file.format = 2;
  file.count = {5, 7, 0, 0, 3, 0};
  file.mass = {1, 1, 0, 0, 1, 0};
  const auto positions = some_values(45, 0, 10, 1);
  std::vector<std::uint64_t> ids(15);
  std::iota(ids.begin(), ids.end(), 1);
  file.reals("POS", positions).reals("VEL", positions).ids(ids);
  file.reals("ABCD", some_values(15, 0, 1, 2)).reals("GVEC", some_values(15, 0, 1, 3));
  file.reals("DMX", some_values(7, 0, 1, 4)).reals("AGE", some_values(3, 0, 1, 5));
  file.reals("Z", some_values(8 * 4, 0, 1, 6)).reals("ODD", some_values(11, 0, 1, 7));
  file.write(folder.path("s"));
  const auto reader = open_snapshot(folder.path("s"));
  const SnapshotInfo& info = reader->info();
  // 15 values: one for each of all 15 particles, or three for each of 5 gas particles.
  CHECK(info.types.at(1).find("ABCD"));
  CHECK(info.types.at(1).find("DMX"));
  CHECK_FALSE(info.types.at(0).find("DMX"));
  CHECK(info.types.at(4).find(Role::FormationTime)->name == "StellarFormationTime");
  CHECK(info.types.at(0).find("Metallicity")->components == 4);
  CHECK(info.types.at(4).find("Metallicity")->components == 4);
  CHECK_FALSE(info.types.at(1).find("ODD"));
  CHECK(says(info, "Block ODD is left out"));
  CHECK(says(info, "Blocks ABCD, GVEC, DMX have unknown labels"));
  CHECK(read_all(*reader, 1, "DMX") == some_values(7, 0, 1, 4));
  CHECK(read_all(*reader, 4, "Metallicity") == part_of(some_values(32, 0, 1, 6), 20, 12));

  Bytes entry;
  entry.raw("GVECFLOATN  ").put(3).put(1).put(0).put(0).put(0).put(0).put(0);
  entry.raw("DMX LONG    ").put(1).put(0).put(1).put(0).put(0).put(0).put(0);
  file.blocks.emplace_back("INFO", entry.text);
  file.write(folder.path("s"));
  const auto told = open_snapshot(folder.path("s"));
  CHECK(told->info().types.at(0).find("GVEC")->components == 3);
  CHECK_FALSE(told->info().types.at(1).find("GVEC"));
  CHECK(told->info().types.at(1).find("DMX")->scalar == ScalarType::UInt32);
  CHECK(says(told->info(), "Blocks ABCD have unknown labels"));
}

TEST_CASE("format 1: what order, size and values do not tell is left out") {
  const OutputFolder folder;
  GadgetBinary file;
  file.count = {5, 7, 0, 0, 0, 0};
  file.mass = {1, 1, 0, 0, 0, 0};
  file.cooling = 1;
  const auto positions = some_values(36, 0, 10, 1);
  file.reals("", positions).reals("", positions).ids(std::vector<std::uint64_t>(12, 3));
  file.reals("", some_values(5, 1, 2, 1)).reals("", some_values(5, 1, 2, 1));
  GadgetBinary cooling = file;
  cooling.reals("", some_values(5, 0, 1.16, 2)).reals("", some_values(5, 0, 1, 3));
  cooling.reals("", some_values(5, 1, 2, 4)).reals("", some_values(12, 1, 2, 5));
  cooling.reals("", some_values(36, -1, 1, 5));
  cooling.write(folder.path("a"));
  const auto reader = open_snapshot(folder.path("a"));
  CHECK(read_all(*reader, 0, "ElectronAbundance") == some_values(5, 0, 1.16, 2));
  CHECK(read_all(*reader, 0, "SmoothingLength") == some_values(5, 1, 2, 4));
  CHECK(read_all(*reader, 1, "Acceleration") == part_of(some_values(36, -1, 1, 5), 15, 21));
  CHECK_FALSE(reader->info().types.at(1).find("Potential"));
  CHECK(says(reader->info(), "1 block is left out: format 1 does not name its blocks"));
  // Smoothing lengths that are none.
  file.cooling = 0;
  file.reals("", {1, 2, -3, 4, 5}).write(folder.path("b"));
  CHECK_FALSE(open_snapshot(folder.path("b"))->info().types.at(0).find("SmoothingLength"));
}

TEST_CASE("format 1: what blocks were taken for is said, and lengths beyond the box are none") {
  const OutputFolder folder;
  GadgetBinary file;
  file.count = {5, 7, 0, 0, 0, 0};
  file.mass = {1, 1, 0, 0, 0, 0};
  const auto positions = some_values(36, 0, 10, 1);
  file.reals("", positions).reals("", positions).ids(std::vector<std::uint64_t>(12, 3));
  file.reals("", some_values(5, 1, 2, 1)).reals("", some_values(5, 1, 2, 1));
  GadgetBinary temperature = file;
  temperature.reals("", some_values(5, 5000, 20000, 2)).write(folder.path("temperature"));
  const auto hot = open_snapshot(folder.path("temperature"));
  CHECK_FALSE(hot->info().types.at(0).find("SmoothingLength"));
  CHECK(says(hot->info(), "Format 1 names no blocks: took block 4 as U, block 5 as RHO."));
  file.reals("", some_values(5, 1, 2, 2)).write(folder.path("lengths"));
  const auto reader = open_snapshot(folder.path("lengths"));
  CHECK(says(reader->info(), "Format 1 names no blocks: took block 6 as HSML"));
  // Of files that name their blocks nothing is to be said.
  Sample named(GadgetBinary{2});
  named.file.write(folder.path("named"));
  CHECK_FALSE(says(open_snapshot(folder.path("named"))->info(), "names no blocks"));
}

TEST_CASE("positions of 4 GB and more carry their length modulo 2^32") {
  const OutputFolder folder;
  // 2^30 particles: 12 GB of positions whose length reads 0; the file is sparse.
  const std::uint64_t n = std::uint64_t(1) << 30;
  GadgetBinary file;
  file.count[1] = n;
  file.mass[1] = 1;
  const std::string path = folder.path("large");
  write_bytes(path, file.bytes());
  {
    std::fstream out(path, std::ios::binary | std::ios::in | std::ios::out);
    std::uint64_t at = 264;
    for (const std::uint64_t bytes : {12 * n, 12 * n, 4 * n}) {
      const auto length = std::uint32_t(bytes);
      for (const std::uint64_t offset : {at, at + 4 + bytes}) {
        out.seekp(std::streamoff(offset));
        out.write(reinterpret_cast<const char*>(&length), 4);
      }
      if (bytes == 4 * n) break;
      const float last[3] = {float(at), 2, 3};
      out.seekp(std::streamoff(at + 4 + bytes - 12));
      out.write(reinterpret_cast<const char*>(last), 12);
      at += bytes + 8;
    }
    if (!out) return;  // a file system without sparse files
  }
  const auto reader = open_snapshot(path);
  CHECK(reader->info().types.at(1).count == n);
  CHECK(reader->info().types.at(1).find("ParticleIDs")->scalar == ScalarType::UInt32);
  std::array<double, 3> last{};
  Progress progress;
  reader->read_rows(
      1, "Velocities", {{n - 1, n}},
      [&](const ColumnChunk& chunk) {
        for (int c = 0; c < 3; ++c) last[std::size_t(c)] = chunk.value(chunk.rows - 1, c);
      },
      progress);
  CHECK(last == std::array<double, 3>{double(float(264 + 12 * n + 8)), 2, 3});
}
