// Binary tables by description.

#include "core/error.h"
#include "io/snapshot_reader.h"
#include "tests/catch.h"
#include "tests/made/snapshot_files.h"
#include "tests/made/table_files.h"
#include "tests/output_folder.h"

#include <algorithm>

using namespace haloscope;
using namespace haloscope::io;
using namespace table_files;
using haloscope::test::message_of;
using snapshot_files::some_positions;
using snapshot_files::TemporaryFolder;

namespace {

template <class T>
std::vector<T> read_all(const SnapshotReader& reader, const std::string& field) {
  const auto& [number, type] = *reader.info().types.begin();
  const auto components = std::size_t(type.find(field)->components);
  std::vector<T> values(type.count * components);
  Progress progress;
  reader.read(
      number, field,
      [&](const ColumnChunk& chunk) {
        const auto* from = static_cast<const T*>(chunk.data);
        std::copy(from, from + chunk.rows * components,
                  values.begin() + std::ptrdiff_t(chunk.first * components));
      },
      progress);
  return values;
}

std::unique_ptr<SnapshotReader> open_as(const std::string& path, const std::string& description) {
  OpenOptions options;
  options.raw = parse_raw_description(description);
  return open_snapshot(path, options);
}

}  // namespace

TEST_CASE("raw tables of every layout come back exactly") {
  const TemporaryFolder folder;
  const std::size_t count = 100000;  // several pieces
  const auto positions = some_positions(count, 10);
  for (const bool columns : {false, true})
    for (const bool big : {false, true})
      for (const bool apart : {false, true})
        for (const std::size_t skip : {0, 13}) {
          CAPTURE(columns, big, apart, skip);
          Bytes fields[6], rows;
          for (std::size_t i = 0; i < count; ++i) {
            const Bytes row[6] = {
                bytes_of(positions[3 * i], big),     bytes_of(std::int32_t(-1), big),
                bytes_of(positions[3 * i + 1], big), bytes_of(positions[3 * i + 2], big),
                bytes_of(~std::uint64_t(i), big),    bytes_of(double(i) / 3, big)};
            for (const int f : {0, 2, 3, 1, 4, 5}) {
              if (columns && apart) fields[f] += row[f];
              if (columns && !apart) fields[f < 4 && f != 1 ? 0 : f] += row[f];
              if (!columns) rows += row[f];
            }
          }
          const Bytes data =
              columns ? fields[0] + fields[2] + fields[3] + fields[1] + fields[4] + fields[5]
                      : rows;
          write_bytes(folder / "raw", Bytes(skip, 'h') + data);
          const auto reader =
              open_as(folder / "raw",
                      std::string(apart ? "x:f4, y:f4, z:f4" : "Coordinates:f4x3") +
                          ",-:i4,id:u8,Masses:f8; layout=" + (columns ? "columns" : "rows") +
                          ";endian=" + (big ? "big" : "little") + ";skip=" + std::to_string(skip));
          const TypeInfo& type = reader->info().types.at(1);
          REQUIRE(reader->info().format == "Raw table");
          REQUIRE(type.count == count);
          REQUIRE(type.fields.size() == 3);
          REQUIRE(type.find(Role::Id)->scalar == ScalarType::UInt64);
          REQUIRE(read_all<float>(*reader, "Coordinates") == positions);
          const auto ids = read_all<std::uint64_t>(*reader, "ParticleIDs");
          const auto masses = read_all<double>(*reader, "Masses");
          for (std::size_t i = 0; i < count; ++i) {
            REQUIRE(ids[i] == ~std::uint64_t(i));
            REQUIRE(masses[i] == double(i) / 3);
          }
        }
}

TEST_CASE("a description that does not fit the file is refused with the remainder") {
  const TemporaryFolder folder;
  write_bytes(folder / "raw", Bytes(12 * 10 + 5, '\0'));
  auto failure = [&](const std::string& description) {
    return message_of([&] { open_as(folder / "raw", description); });
  };
  CHECK_THAT(failure("pos:f4x3"), Catch::Contains("10 rows of 12 bytes, 5 bytes are left over"));
  CHECK_THAT(failure("pos:f4x3;skip=126"), Catch::Contains("fewer than the 126 to skip"));
  CHECK_THAT(failure("pos:f4x3;count=11"), Catch::Contains("holds 10 rows of 12 bytes"));
  CHECK_THAT(failure("pos:f4x3;count=18446744073709551615"), Catch::Contains("holds 10 rows"));
  CHECK_THAT(failure("q:f4x3;skip=5"), Catch::Contains("has no positions"));
  CHECK_THAT(failure("x:f4,y:f4,z:i4;skip=5"), Catch::Contains("mixes values of several types"));
  CHECK_THAT(failure("pos:f4x3,Coordinates:f4x3;skip=5"),
             Catch::Contains("two fields Coordinates"));
  CHECK(open_as(folder / "raw", "pos:f4x3;count=9")->info().types.at(1).count == 9);
  CHECK(open_as(folder / "raw", "pos:f4x3;skip=5")->info().types.at(1).count == 10);
  CHECK(open_as(folder / "raw", "pos:f4x3;count=0")->info().types.empty());
  // Without a description nobody takes it.
  CHECK_THAT(message_of([&] { open_snapshot(folder / "raw"); }),
             Catch::Contains("no reader knows"));
}

TEST_CASE("a wrong description is told by its part and character") {
  auto failure = [](const std::string& text) {
    return message_of([&] { parse_raw_description(text); });
  };
  CHECK_THAT(failure(""), Catch::Contains("at '' (character 1)"));
  CHECK_THAT(failure("pos:f4x3,mass"), Catch::Contains("at 'mass' (character 10)"));
  CHECK_THAT(failure("pos:f5x3"), Catch::Contains("at 'pos:f5x3' (character 1)"));
  CHECK_THAT(failure("pos:f4x0"), Catch::Contains("1 to 1000 components"));
  CHECK_THAT(failure("pos:f4x-3"), Catch::Contains("NAME:TYPExN"));
  CHECK_THAT(failure("pos:f4x3;layout=soa"), Catch::Contains("at 'layout=soa' (character 10)"));
  CHECK_THAT(failure("pos:f4x3; endian=middle"), Catch::Contains("(character 11)"));
  CHECK_THAT(failure("pos:f4x3;skip=-1"), Catch::Contains("expected skip=BYTES"));
  CHECK_THAT(failure("pos:f4x3;bogus"), Catch::Contains("expected layout=, endian="));
  CHECK_THAT(failure("a:f4,a:f4"), Catch::Contains("each name once"));
  const RawDescription good = parse_raw_description(
      "Coordinates:f4x3,Masses:f8;layout=columns;endian=big;skip=128;count=7;");
  CHECK(good.columns);
  CHECK(good.big_endian);
  CHECK(good.skip == 128);
  CHECK(good.count == 7);
  CHECK(good.row_bytes() == 20);
}

TEST_CASE("triples among columns are taken as one block, and said") {
  const TemporaryFolder folder;
  table_files::write_bytes(folder / "t", std::string(2 * 16, '\0'));
  auto says_triples = [&](const std::string& description) {
    OpenOptions options;
    options.raw = parse_raw_description(description);
    const Assumptions assumed = open_snapshot(folder / "t", options)->info().assumed;
    return std::any_of(assumed.begin(), assumed.end(), [](const Assumption& one) {
      return one.sentence.find("as one block of rows of 3") != std::string::npos;
    });
  };
  CHECK(says_triples("Coordinates:f4x3,Masses:f4;layout=columns"));
  CHECK_FALSE(says_triples("Coordinates:f4x3,Masses:f4"));
  CHECK_FALSE(says_triples("x:f4,y:f4,z:f4,Masses:f4;layout=columns"));
  CHECK_THAT(message_of([] { parse_raw_description("pos:f5"); }),
             Catch::Contains("x:f4,y:f4,z:f4,Masses:f4;layout=columns"));
}
