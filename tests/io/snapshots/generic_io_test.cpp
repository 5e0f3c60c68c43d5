// HACC GenericIO: round trips in every variant, and damage of every kind.

#include "core/error.h"
#include "io/loading/particle_loader.h"
#include "io/snapshot_reader.h"
#include "io/snapshots/generic_io_checksum.h"
#include "tests/catch.h"
#include "tests/made/snapshot_files.h"
#include "tests/made/table_files.h"
#include "tests/output_folder.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>

using namespace haloscope;
using namespace haloscope::io;
using namespace table_files;
using haloscope::test::message_of;
using snapshot_files::some_positions;
using snapshot_files::TemporaryFolder;

namespace {

using Writer = GenericIoWriter;

bool says(const SnapshotInfo& info, const std::string& part) {
  return std::any_of(info.assumed.begin(), info.assumed.end(),
                     [&](const auto& one) { return one.sentence.find(part) != std::string::npos; });
}

// Every value of a column, in its own type.
template <class T>
std::vector<T> read_all(const SnapshotReader& reader, const std::string& field,
                        std::vector<RowRange> rows = {}) {
  const TypeInfo& type = reader.info().types.at(1);
  const auto components = std::size_t(type.find(field)->components);
  std::vector<T> values(type.count * components, T(-1));
  Progress progress;
  auto visit = [&](const ColumnChunk& chunk) {
    const auto* from = static_cast<const T*>(chunk.data);
    std::copy(from, from + chunk.rows * components,
              values.begin() + std::ptrdiff_t(chunk.first * components));
  };
  if (rows.empty())
    reader.read(1, field, visit, progress);
  else
    reader.read_rows(1, field, rows, visit, progress);
  return values;
}

// What HACC writes: particle i of `count`, positions from `seed`.
struct Particles {
  std::vector<float> positions, x, y, z, vx, vy, vz;
  std::vector<std::int64_t> id;
  std::vector<std::uint16_t> mask;

  explicit Particles(std::size_t count, std::uint64_t seed = 1)
      : positions(some_positions(count, 100, seed)) {
    for (std::size_t i = 0; i < count; ++i) {
      x.push_back(positions[3 * i]);
      y.push_back(positions[3 * i + 1]);
      z.push_back(positions[3 * i + 2]);
      vx.push_back(float(i) + 0.5F);
      vy.push_back(-float(i));
      vz.push_back(float(seed));
      id.push_back((std::int64_t(1) << 53) + 1 + 2 * std::int64_t(i));
      mask.push_back(std::uint16_t(65535 - i % 7));
    }
  }
  void add_to(Writer& writer, bool flags = true) const {
    writer.variable("x", x, Writer::Float | Writer::Signed | (flags ? Writer::X : 0))
        .variable("y", y, Writer::Float | Writer::Signed | (flags ? Writer::Y : 0))
        .variable("z", z, Writer::Float | Writer::Signed | (flags ? Writer::Z : 0))
        .variable("vx", vx, Writer::Float | Writer::Signed)
        .variable("vy", vy, Writer::Float | Writer::Signed)
        .variable("vz", vz, Writer::Float | Writer::Signed)
        .variable("id", id, Writer::Signed)
        .variable("mask", mask, 0);
  }
};

std::string failure(const std::string& path) {
  return message_of([&] { open_snapshot(path); });
}

// The first failure when opened and then read whole; empty: none.
std::string failure_of_reading(const std::string& path) {
  return message_of([&] {
    const auto reader = open_snapshot(path);
    Progress progress;
    for (const auto& [type, info] : reader->info().types)
      for (const auto& field : info.fields)
        reader->read(
            type, field.name, [](const ColumnChunk&) {}, progress);
  });
}

}  // namespace

TEST_CASE("GenericIO's checksum is CRC-64 of ECMA-182") {
  // The catalog's check value of CRC-64/XZ, which inverts the register at the end.
  GenericIoChecksum sum;
  sum.add("123456789", 9);
  CHECK(~sum.check_word() == 0x995dc9bbdf1939fa);
  CHECK_FALSE(sum.intact());
  const Bytes check = bytes_of(sum.check_word());
  sum.add(check.data(), 8);
  CHECK(sum.intact());

  Bytes text;
  for (int i = 0; i < 1000; ++i) text += char(i * 37);
  for (const std::size_t cut : {0, 1, 7, 8, 9, 500, 999, 1000}) {
    GenericIoChecksum parts;
    parts.add(text.data(), cut);
    parts.add(text.data() + cut, text.size() - cut);
    REQUIRE(parts.check_word() == slow_checksum(text));
  }
}

TEST_CASE("GenericIO files of all kinds come back exactly") {
  const TemporaryFolder folder;
  const Particles particles(1001);
  for (const bool big : {false, true})
    for (const std::size_t ranks : {1, 7})
      for (const int headers : {0, 1, 2})
        for (const bool flags : {false, true}) {
          CAPTURE(big, ranks, headers, flags);
          Writer writer;
          writer.big_endian = big;
          writer.ranks = ranks;
          writer.old_headers = headers == 1;
          writer.blocks = headers == 2;
          particles.add_to(writer, flags);
          writer.write(folder / "m000.full");
          const auto reader = open_snapshot(folder / "m000.full");
          const SnapshotInfo& info = reader->info();
          REQUIRE(info.format == "GenericIO");
          REQUIRE(info.types.at(1).count == 1001);
          REQUIRE(info.box_size == 100);
          REQUIRE(info.periodic);
          REQUIRE_FALSE(says(info, "checksum"));
          REQUIRE(read_all<float>(*reader, "Coordinates") == particles.positions);
          REQUIRE(read_all<std::int64_t>(*reader, "ParticleIDs") == particles.id);
          const auto velocities = read_all<float>(*reader, "Velocities");
          REQUIRE(velocities[3 * 1000] == 1000.5F);
          REQUIRE(velocities[3 * 1000 + 1] == -1000);
          REQUIRE(velocities[3 * 1000 + 2] == 1);
          const auto mask = read_all<std::uint32_t>(*reader, "mask");
          REQUIRE(std::equal(mask.begin(), mask.end(), particles.mask.begin()));
        }
}

TEST_CASE("GenericIO says what is taken for granted") {
  const TemporaryFolder folder;
  Writer writer;
  writer.origin = {-50, 10, 0};
  Particles(10).add_to(writer);
  writer.write(folder / "m");
  const auto reader = open_snapshot(folder / "m");
  const SnapshotInfo& info = reader->info();
  CHECK(info.box_origin == std::array<double, 3>{-50, 10, 0});
  CHECK(info.units.length_cm == Approx(3.085678e24));
  CHECK(info.units.per_h);
  CHECK(info.units.comoving);
  CHECK(info.types.at(1).find("Coordinates")->unit == "Mpc/h");
  CHECK(info.types.at(1).find(Role::Id)->scalar == ScalarType::Int64);
  CHECK(says(info, "HACC does not store the particles' mass"));
  CHECK(says(info, "periodic in the header's box of 100 Mpc/h"));
  CHECK(says(info, "no redshift"));

  for (const auto& scale :
       {std::array<double, 3>{100, 100, 50}, std::array<double, 3>{0, 0, 0},
        std::array<double, 3>{std::numeric_limits<double>::quiet_NaN(), 1, 1}}) {
    Writer other;
    other.scale = scale;
    Particles(10).add_to(other);
    other.write(folder / "m");
    const auto odd = open_snapshot(folder / "m");
    CHECK_FALSE(odd->info().periodic);
    CHECK(says(odd->info(), "not periodic"));
  }
}

TEST_CASE("GenericIO particles arrive in fixed point within a step") {
  const TemporaryFolder folder;
  Writer writer;
  writer.ranks = 3;
  const Particles particles(500);
  particles.add_to(writer);
  writer.write(folder / "m");
  Progress progress;
  LoadRequest request;
  request.types.push_back({1, {}});
  const ParticleSet set = load_particles(*open_snapshot(folder / "m"), request, progress);
  for (std::size_t i = 0; i < 500; ++i)
    for (int axis = 0; axis < 3; ++axis)
      REQUIRE(std::abs(set.domain.to_world(set.types[0].position[std::size_t(axis)][i], axis) -
                       double(particles.positions[3 * i + std::size_t(axis)])) <=
              set.domain.step());
}

TEST_CASE("GenericIO ranks without wanted rows are not read") {
  const TemporaryFolder folder;
  Writer writer;
  writer.ranks = 10;
  const Particles particles(1000);
  particles.add_to(writer);
  Bytes bytes = writer.bytes();
  bytes[bytes.size() - 20] ^= 1;  // in `mask` of the last rank
  write_bytes(folder / "m", bytes);
  const auto reader = open_snapshot(folder / "m");
  const auto some = read_all<std::uint32_t>(*reader, "mask", {{150, 151}, {420, 500}});
  CHECK(some[150] == particles.mask[150]);
  CHECK(some[499] == particles.mask[499]);
  CHECK(some[950] == std::uint32_t(-1));
  CHECK_THAT(message_of([&] {
               read_all<std::uint32_t>(*reader, "mask", {{999, 1000}});
             }),
             Catch::Contains("variable mask of rank 9 is damaged: its checksum does not match"));
}

TEST_CASE("partitioned GenericIO outputs are joined by their map, and missing parts named") {
  const TemporaryFolder folder;
  std::vector<std::int32_t> ranks, partitions;
  for (std::int32_t i = 0; i < 12; ++i) {
    ranks.push_back(i);
    partitions.push_back(i);
    Writer writer;
    writer.big_endian = i % 2 == 1;  // no such output exists, but nothing stands against it
    Particles(std::size_t(10 + i), std::uint64_t(i + 1)).add_to(writer);
    writer.write(folder / ("m#" + std::to_string(i)));
  }
  const bool mapped = GENERATE(true, false);
  CAPTURE(mapped);
  if (mapped) {
    Writer map;
    map.ranks = 12;
    map.variable("$rank", ranks, Writer::Signed).variable("$partition", partitions, Writer::Signed);
    map.write(folder / "m");
  }
  for (const std::string name : {"m", "m#0", "m#7"}) {
    if (name == "m" && !mapped) continue;
    const auto reader = open_snapshot(folder / name);
    REQUIRE(reader->info().files.size() == 12);
    CHECK(reader->info().files[10] == folder / "m#10");
    CHECK(says(reader->info(), "The map of partitions m is not there") != mapped);
    const auto velocities = read_all<float>(*reader, "Velocities");
    std::size_t row = 0;
    for (int part = 0; part < 12; ++part)
      for (int i = 0; i < 10 + part; ++i, ++row) {
        REQUIRE(velocities[3 * row] == float(i) + 0.5F);
        REQUIRE(velocities[3 * row + 2] == float(part + 1));
      }
  }
  if (!mapped) return;
  std::filesystem::remove(folder / "m#5");
  CHECK_THROWS_AS(open_snapshot(folder / "m"), MissingFiles);
  CHECK_THAT(failure(folder / "m#0"),
             Catch::Contains("m#5") && Catch::Contains("1 of the 12 parts"));
  OpenOptions options;
  options.allow_missing_files = true;
  const auto reader = open_snapshot(folder / "m", options);
  CHECK(reader->info().types.at(1).count == 12 * 10 + 66 - 15);
  CHECK(says(reader->info(), "1 of 12 parts are missing, first m#5: left out"));
}

TEST_CASE("a hole in the numbers of GenericIO parts is a missing part") {
  const TemporaryFolder folder;
  for (const int part : {0, 2}) {
    Writer writer;
    Particles(10, std::uint64_t(part + 1)).add_to(writer);
    writer.write(folder / ("m#" + std::to_string(part)));
  }
  CHECK_THAT(failure(folder / "m#0"), Catch::Contains("m#1") && Catch::Contains("1 of the 3"));
  OpenOptions options;
  options.allow_missing_files = true;
  const auto reader = open_snapshot(folder / "m#2", options);
  CHECK(reader->info().types.at(1).count == 20);
  CHECK(says(reader->info(), "1 of 3 parts are missing, first m#1: left out"));
  std::filesystem::rename(folder / "m#2", folder / "m#999999999");
  CHECK_THAT(failure(folder / "m#0"), Catch::Contains("is one of more than 100000"));
}

TEST_CASE("GenericIO files that cannot be read are refused by name of the reason") {
  const TemporaryFolder folder;
  const Particles particles(100);
  SECTION("compressed") {
    Writer writer;
    writer.filter = "BLOSC";
    particles.add_to(writer);
    writer.write(folder / "m");
    CHECK_THAT(failure(folder / "m"), Catch::Contains("compressed with BLOSC: not supported"));
  }
  SECTION("a halo catalog") {
    Writer writer;
    writer.variable<float>("fof_halo_center_x", {1, 2}, Writer::Float)
        .variable<float>("fof_halo_mass", {1, 2}, Writer::Float);
    writer.write(folder / "m");
    CHECK_THAT(failure(folder / "m"), Catch::Contains("is a halo catalog, not a snapshot"));
  }
  SECTION("no positions") {
    Writer writer;
    writer.variable<float>("phi", {1, 2}, Writer::Float);
    writer.write(folder / "m");
    CHECK_THAT(failure(folder / "m"),
               Catch::Contains("holds no positions") && Catch::Contains("(phi)"));
  }
  SECTION("a damaged header is said") {
    Writer writer;
    particles.add_to(writer);
    Bytes bytes = writer.bytes();
    bytes[30] ^= 4;  // the first of Dims, which nobody needs
    write_bytes(folder / "m", bytes);
    CHECK(says(open_snapshot(folder / "m")->info(), "The checksum of the header"));
  }
}

TEST_CASE("hostile GenericIO files are refused in a sentence") {
  const TemporaryFolder folder;
  Writer writer;
  writer.ranks = 3;
  writer.blocks = true;
  Particles(300).add_to(writer);
  const Bytes good = writer.bytes();
  auto with = [&](std::size_t offset, std::uint64_t value) {
    Bytes bytes = good;
    bytes.replace(offset, 8, bytes_of(value));
    write_bytes(folder / "m", bytes);
    return failure_of_reading(folder / "m");
  };
  const std::uint64_t huge = std::uint64_t(1) << 60;
  const std::size_t ranks_at = 168 + 280 * 8, blocks_at = ranks_at + 48 * 3;
  CHECK_THAT(with(48, huge), Catch::Contains("promises 1152921504606846976 variables"));
  CHECK_THAT(with(56, 0), Catch::Contains("entries for variables have 0 bytes"));
  CHECK_THAT(with(64, good.size() - 5), Catch::Contains("do not fit into its"));
  CHECK_THAT(with(72, huge), Catch::Contains("promises 1152921504606846976 ranks"));
  CHECK_THAT(with(80, ~std::uint64_t(0)), Catch::Contains("entries for ranks have"));
  CHECK_THAT(with(168 + 264, 0), Catch::Contains("variable x has elements of 0 bytes"));
  CHECK_THAT(with(168 + 264, huge), Catch::Contains("variable x has elements of"));
  CHECK_THAT(with(ranks_at + 24, huge), Catch::Contains("rank 0 promises"));
  CHECK_THAT(with(ranks_at + 24, 101), Catch::Contains("has not the size of 101 elements"));
  CHECK_THAT(with(ranks_at + 32, ~std::uint64_t(0)), Catch::Contains("start behind its end"));
  CHECK_THAT(with(blocks_at + 32, ~std::uint64_t(7)), Catch::Contains("truncated"));
  CHECK_THAT(with(blocks_at + 32, 0), Catch::Contains("variable x of rank 0 is damaged"));
  CHECK_THAT(with(16, huge), Catch::Equals(""));  // said, not refused

  for (std::size_t size = 0; size < good.size(); size += size < 300 ? 7 : 211) {
    write_bytes(folder / "m", good.substr(0, size));
    CAPTURE(size);
    REQUIRE(failure_of_reading(folder / "m") != "");
  }
  // Any byte of the headers may be anything.
  std::uint64_t state = 1;
  for (int i = 0; i < 3000; ++i) {
    Bytes bytes = good;
    for (int flips = 0; flips < 2; ++flips) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      bytes[std::size_t(state >> 33) % 3600] ^= char(1 << (state >> 60) % 8);
    }
    write_bytes(folder / "m", bytes);
    const std::string message = failure_of_reading(folder / "m");
    REQUIRE(message.find("std::") == std::string::npos);
  }
}
