// CSV and other text tables: every way to write one, bad rows, and what is no table at all.

#include "core/error.h"
#include "io/loading/override_words.h"
#include "io/loading/particle_loader.h"
#include "io/snapshot_reader.h"
#include "io/snapshots/table_columns.h"
#include "io/text/cells.h"
#include "tests/catch.h"
#include "tests/made/snapshot_files.h"
#include "tests/made/table_files.h"
#include "tests/output_folder.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

using namespace haloscope;
using namespace haloscope::io;
using haloscope::test::message_of;
using snapshot_files::TemporaryFolder;
using table_files::write_bytes;

namespace {

bool says(const SnapshotInfo& info, const std::string& part) {
  return std::any_of(info.assumed.begin(), info.assumed.end(),
                     [&](const auto& one) { return one.sentence.find(part) != std::string::npos; });
}

template <class T>
std::vector<T> read_all(const SnapshotReader& reader, int type, const std::string& field,
                        std::vector<RowRange> rows = {}) {
  const TypeInfo& info = reader.info().types.at(type);
  const auto components = std::size_t(info.find(field)->components);
  std::vector<T> values(info.count * components, T(-1));
  Progress progress;
  if (rows.empty()) rows = {{0, info.count}};
  reader.read_rows(
      type, field, rows,
      [&](const ColumnChunk& chunk) {
        const auto* from = static_cast<const T*>(chunk.data);
        std::copy(from, from + chunk.rows * components,
                  values.begin() + std::ptrdiff_t(chunk.first * components));
      },
      progress);
  return values;
}

struct Table {
  TemporaryFolder folder;
  std::string path;

  explicit Table(const std::string& text) : path(folder / "table.dat") { write_bytes(path, text); }
  std::unique_ptr<SnapshotReader> open() const { return open_snapshot(path); }
  std::string failure() const {
    return message_of([&] { open(); });
  }
};

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("text tables come back exactly, whatever parts their cells") {
  struct Variant {
    const char *between, *comment, *end;
  };
  const std::vector<Variant> variants{{",", "", "\n"},    {";", "", "\r\n"},
                                      {"\t", "# ", "\n"}, {"   ", "# ", "\n"},
                                      {" , ", "#", "\n"}, {" \t ", "", "\r\n"}};
  const std::uint64_t base = (std::uint64_t(1) << 53) + 1;
  for (const auto& [between, comment, end] : variants)
    for (const bool last_end : {true, false}) {
      CAPTURE(between, comment, last_end);
      std::string text = comment;
      const std::string b = between;
      text += "id" + b + "x" + b + "vx" + b + "y" + b + "vy" + b + "z" + b + "vz" + b + "mass" + b +
              "Temp" + end;
      for (int i = 0; i < 1000; ++i) {
        if (i % 100 == 0) text += std::string(end) + "# a comment" + end + "  " + end;
        char row[300];
        std::snprintf(row, sizeof row, "  %llu%s%.17g%s%d%s%.17g%s%d%s%.17g%s%d%s%g%s%g",
                      static_cast<unsigned long long>(base + std::uint64_t(i)), between,
                      std::sin(i + 0.1), between, i, between, i / 3.0, between, -i, between,
                      1e-300 * i, between, 7, between, 0.25 + i, between, 1e4 + i);
        text += row;
        if (i < 999 || last_end) text += end;
      }
      const Table table(text);
      const auto reader = table.open();
      REQUIRE(reader->info().format == "Text table");
      REQUIRE(reader->info().types.at(1).count == 1000);
      const auto positions = read_all<double>(*reader, 1, "Coordinates");
      const auto velocities = read_all<double>(*reader, 1, "Velocities");
      const auto ids = read_all<std::int64_t>(*reader, 1, "ParticleIDs");
      const auto masses = read_all<double>(*reader, 1, "Masses");
      for (std::size_t i = 0; i < 1000; ++i) {
        REQUIRE(positions[3 * i] == std::sin(double(i) + 0.1));
        REQUIRE(positions[3 * i + 1] == double(i) / 3.0);
        REQUIRE(positions[3 * i + 2] == 1e-300 * double(i));
        REQUIRE(velocities[3 * i + 1] == -double(i));
        REQUIRE(ids[i] == std::int64_t(base + i));
        REQUIRE(masses[i] == Approx(0.25 + double(i)));
      }
      CHECK(reader->info().types.at(1).find("Temp"));
      CHECK(says(reader->info(), "Columns: x→Coordinates[0], y→Coordinates[1]"));
      CHECK(says(reader->info(), "id→ParticleIDs"));
    }
}

TEST_CASE("units that the header names are taken") {
  auto info = [](const std::string& header) {
    const Table table(header + "\n1,2,3,4,5,6,7\n");
    return table.open()->info();
  };
  const SnapshotInfo full =
      info("x [ckpc/h],y [ckpc/h],z [ckpc/h],vx [m/s],vy [m/s],vz [m/s],mass [Msun / h]");
  CHECK(full.units.length_cm == Approx(3.085678e21));
  CHECK(full.units.comoving);
  CHECK(full.units.per_h);
  CHECK(full.units.mass_g == Approx(1.989e33));
  CHECK(full.units.velocity_cm_per_s == 100);
  CHECK(full.types.at(1).find(Role::Velocity)->scaling->a == 0);
  CHECK(says(full, "lengths in ckpc/h, masses in Msun / h, velocities in m/s"));
  CHECK_FALSE(says(full, "The header says no other units"));
  const SnapshotInfo part = info("x,y,z,vx [m/s],vy,vz,mass (10^10 Msun)");
  CHECK(part.units.mass_g == Approx(1.989e43));
  CHECK(says(part, "The header says no other units: took kpc."));
  const SnapshotInfo odd = info("x [furlong],y,z,vx,vy,vz,mass");
  CHECK(says(odd, "The header's unit of lengths, 'furlong', is not known: took kpc."));
  CHECK(says(odd, "Units are not in the file: took 1e10 Msun, km/s."));
  CHECK(says(info("x,y,z,a,b,c,d"), "Units are not in the file: took kpc, 1e10 Msun, km/s."));
}

TEST_CASE("columns are known by many spellings") {
  for (const std::string header :
       {"X,Y,Z", "pos_x,pos_y,pos_z", "posx,posy,posz", "Coordinates_0,Coordinates_1,Coordinates_2",
        "\"Points:0\",\"Points:1\",\"Points:2\"", "xpos,ypos,zpos", "pos[0],pos[1],pos[2]",
        "Position X [kpc],Position Y [kpc],Position Z [kpc]", "x(Mpc/h),y(Mpc/h),z(Mpc/h)"}) {
    CAPTURE(header);
    const Table table(header + ",HSML,Particle_ID,rho\n1,2,3,0.5,18446744073709551615,1e-4\n");
    const auto reader = table.open();
    const TypeInfo& gas = reader->info().types.at(0);
    REQUIRE(read_all<double>(*reader, 0, "Coordinates") == std::vector<double>{1, 2, 3});
    CHECK(gas.find(Role::Id)->scalar == ScalarType::UInt64);
    CHECK(read_all<std::uint64_t>(*reader, 0, "ParticleIDs")[0] == ~std::uint64_t(0));
    CHECK(gas.find("rho"));
    CHECK(reader->info().smoothing_lengths.at(0).field == "SmoothingLength");
    CHECK(reader->info().units.per_h == (header.find("/h") != std::string::npos));
  }
  CHECK(plain_column_name(" \"Velocity X [km/s]\" ") == "velocity_x");
  CHECK(column_unit("vx [km/s]") == "km/s");
  CHECK(column_unit("pos[0]").empty());
  const TableMapping twice = map_columns({"x", "y", "z", "mass", "m", "Masses", "q", "q"});
  std::vector<std::string> fields;
  for (const auto& field : twice.fields) fields.push_back(field.name);
  CHECK(fields == std::vector<std::string>{"Coordinates", "Masses", "m", "Masses_2", "q", "q_2"});
}

TEST_CASE("without names the first three columns are positions, and that is said") {
  const Table table("1 2 3 4 5.5\n6 7 8 9 10\n");
  const auto reader = table.open();
  CHECK(says(reader->info(), "took the first three as x, y and z"));
  CHECK(read_all<double>(*reader, 1, "Coordinates") == std::vector<double>{1, 2, 3, 6, 7, 8});
  CHECK(reader->info().types.at(1).find("Column4")->scalar == ScalarType::Int64);
  CHECK(reader->info().types.at(1).find("Column5")->scalar == ScalarType::Float64);
  CHECK_FALSE(reader->info().periodic);
}

TEST_CASE("a column of types makes several types") {
  std::string text = "x y z type\n";
  const char* const names[] = {"0", "dm", "4"};
  for (int i = 0; i < 100000; ++i)
    text += std::to_string(i) + " 0 0 " + std::string(names[i % 3]) + "\n";
  const Table table(text);
  const auto reader = table.open();
  REQUIRE(reader->info().types.size() == 3);
  for (int t = 0; t < 3; ++t) {
    const int type = t == 2 ? 4 : t;
    const auto positions = read_all<double>(*reader, type, "Coordinates");
    REQUIRE(positions.size() / 3 == std::size_t(t == 0 ? 33334 : 33333));
    for (std::size_t i = 0; i < positions.size() / 3; ++i)
      REQUIRE(positions[3 * i] == 3.0 * double(i) + t);
  }
  // Numbers that are no types are a field like any other.
  const auto other = Table("x y z type\n1 2 3 1728\n4 5 6 99\n").open();
  CHECK(other->info().types.at(1).find("type"));
}

TEST_CASE("rows may start and end anywhere in the file's blocks") {
  // Rows of changing length over many blocks, comments between them, and one row longer than any
  // read-ahead.
  std::string text = "# x y z n\n";
  std::vector<double> expected;
  for (int i = 0; i < 200000; ++i) {
    text += std::to_string(i) + std::string(std::size_t(i % 13 + 1), ' ') + "0.5 " +
            std::to_string(-i) + " " + std::to_string(i) + "\n";
    if (i % 1000 == 0) text += "#" + std::string(std::size_t(i % 7), '-') + "\n";
    if (i == 90000) text += "1 2 " + std::string(20000, ' ') + "3 90000\n";
    if (i == 90001) text += "#" + std::string(3 << 20, 'c') + "\n";
    expected.push_back(i);
    if (i == 90000) expected.push_back(1);
  }
  const Table table(text);
  const auto reader = table.open();
  // The comment beyond the longest line counts as a row that cannot be read.
  REQUIRE(reader->info().types.at(1).count == expected.size() + 1);
  CHECK(says(reader->info(), "1 of 200002 rows cannot be read"));
  CHECK(says(reader->info(), "(more than 1 MiB long)"));
  const auto positions = read_all<double>(*reader, 1, "Coordinates");
  for (std::size_t i = 0, row = 0; i < expected.size(); ++i, ++row) {
    if (std::isnan(positions[3 * row])) ++row;
    REQUIRE(positions[3 * row] == expected[i]);
  }
  const auto some = read_all<double>(*reader, 1, "Coordinates", {{100, 101}});
  CHECK(some[300] == 100);
  CHECK(some[3 * 199000] == -1);
}

TEST_CASE("a row that starts just where a block does is neither lost nor read twice") {
  std::string text;
  for (int i = 0; i < 200000; ++i) {
    char row[32];
    std::snprintf(row, sizeof row, "%08d 1 2   \n", i);
    text += row;  // 16 bytes, of which a power of two makes a block
  }
  const auto table = Table(text);
  const auto reader = table.open();
  REQUIRE(reader->info().types.at(1).count == 200000);
  const auto positions = read_all<double>(*reader, 1, "Coordinates");
  for (std::size_t i = 0; i < 200000; ++i) REQUIRE(positions[3 * i] == double(i));
}

TEST_CASE("bad rows are counted, told once, and rejected when loading") {
  const Table table("x,y,z,mass,id\n" + repeated("1,2,3,4,5\n", 20) + "1,2,3\n" + "1,abc,3,4,5\n" +
                    "1,2,3,4,5,6\n" + "1,2,3,4,x5\n" + "nan,2,3,4,5\n" + "1,2,3,,5\n" +
                    "1,,3,4,5\n" + repeated("7,2,3,4,9007199254740993\n", 10));
  const auto reader = table.open();
  CHECK(says(reader->info(),
             "5 of 37 rows cannot be read and count as rejected: the first is line 22 (3 columns "
             "where 5 are expected)"));
  const auto ids = read_all<std::int64_t>(*reader, 1, "ParticleIDs");
  CHECK(ids.back() == 9007199254740993);
  CHECK(ids[20] == 0);
  Progress progress;
  LoadRequest request;
  request.types.push_back({1, {}});
  const ParticleSet set = load_particles(*reader, request, progress);
  CHECK(set.count() == 37 - 6);
  CHECK(std::any_of(set.assumed.begin(), set.assumed.end(), [](const std::string& sentence) {
    return sentence.find("6 of 37 dm particles have positions that are not finite") == 0;
  }));

  const Table bad("x,y,z\n1,2,3\n1,2,oops\n1,2,oops\n4,5,6\n1,b,c\n");
  CHECK_THAT(bad.failure(), Catch::Contains("most rows of this table cannot be read: 3 of 5") &&
                                Catch::Contains("the first is line 3 ('oops' in column z)"));
}

TEST_CASE("numbers are read in all their spellings, and nothing else is") {
  const std::pair<const char*, double> good[] = {
      {"1", 1},    {"+1.5", 1.5}, {"-2e3", -2000}, {"1.0D+02", 100}, {"\"3\"", 3}, {"1e-400", 0},
      {".5", 0.5}, {"5.", 5},     {"-0", 0},       {"1d2", 100},     {"0.1", 0.1}};
  for (const auto& [text, value] : good) {
    CAPTURE(text);
    double number = -1;
    REQUIRE(parse_number(text, number));
    CHECK(number == value);
  }
  double number = 0;
  CHECK((parse_number("NaN", number) && std::isnan(number)));
  CHECK((parse_number("-inf", number) && number < 0));
  CHECK((parse_number("1e400", number) && std::isinf(number)));
  for (const char* text : {"", "1,5", "abc", "1.5x", "0x10", "1 2", "--1", "+-1", "\"\"", "e5"})
    CHECK_FALSE(parse_number(text, number));
  std::uint64_t value = 0;
  bool negative = false;
  CHECK((parse_integer("18446744073709551615", value, negative) && value == ~std::uint64_t(0)));
  CHECK((parse_integer("-9223372036854775808", value, negative) && negative));
  CHECK((parse_integer("1.000000000000000000e+00", value, negative) && value == 1));
  CHECK_FALSE(parse_integer("18446744073709551616", value, negative));
  CHECK_FALSE(parse_integer("1e19", value, negative));
  CHECK_FALSE(parse_integer("1.5", value, negative));
}

TEST_CASE("what is no table of particles is refused in a sentence") {
  const std::pair<std::string, const char*> cases[] = {
      {"#ID DescID Mvir Vmax Vrms Rvir Rs Np X Y Z VX VY VZ\n1 -1 1e12 2 3 4 5 6 7 8 9 1 2 3\n",
       "halo catalog"},
      {"#ID(1)\thostHalo(2)\tnumSubStruct(3)\tMvir(4)\tnpart(5)\tXc(6)\n1\t0\t0\t1e12\t5\t6\n",
       "halo catalog"},
      {"\xff\xfe" + std::string("1\0,\0", 4), "UTF-16"},
      {"Lorem ipsum dolor sit amet\nconsetetur sadipscing\n", "no table of particles"},
      {"1 2\n3 4\n", "line 1 has 2 numbers where at least 3 are needed"},
      {"1,5;2,5;3,5\n", "without a row of numbers"},
      {"a,b,c\n1,2,3\n", "no columns x, y and z are among the 3 of this table (a, b, c)"},
      {"x,y,z\n1,2,3,4\n", "line 1 names 3 columns, but line 2 has 4"},
      {"x,y,z\n", "without a row of numbers"},
      {"# nothing\n\n", "without a row of data"},
      {std::string(3 << 20, '1'), "longer than a row of a table can be"},
      {std::string("1 2 3\n\0\1\2", 9), "no reader knows"},
      {"\x80\x81\x90\xa0 \xff\xfe", "no reader knows"},
      {"x,y,z\n1,abc,3\n1,abc,3\n1,2,3,abc\n", "line 2 has 2 numbers"},
      {"id,x,y,z\n1,2,abc,3\n1,2,abc,3\n",
       "most rows of this table cannot be read: 2 of 2, the first is line 2 ('abc' in column y)"},
  };
  for (const auto& [text, sentence] : cases) {
    CAPTURE(text.substr(0, 60));
    CHECK_THAT(Table(text).failure(), Catch::Contains(sentence));
  }
  // Cells never reach the terminal as they are.
  CHECK(printable_cell("\x1b[31mred") == "?[31mred");
}

TEST_CASE("truncated and damaged text tables never do worse than a sentence") {
  std::string good = "x,y,z,id,type\n";
  for (int i = 0; i < 50; ++i)
    good += std::to_string(i) + ".5,2e0,-3," + std::to_string(i) + ",1\n";
  std::uint64_t state = 7;
  for (int i = 0; i < 2000; ++i) {
    std::string text = good;
    for (int flips = 0; flips <= i % 4; ++flips) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      text[std::size_t(state >> 33) % text.size()] ^= char(1 << (state >> 61));
    }
    if (i % 3 == 0) text.resize(std::size_t(state >> 20) % text.size());
    const Table table(text);
    const std::string message = message_of([&] {
      const auto reader = table.open();
      Progress progress;
      for (const auto& [type, info] : reader->info().types)
        for (const auto& field : info.fields)
          reader->read(
              type, field.name, [](const ColumnChunk&) {}, progress);
    });
    REQUIRE(message.find("std::") == std::string::npos);
  }
}

TEST_CASE("units in brackets belong to the names where blanks part the columns") {
  const Table table(
      "# x [kpc] y [kpc] z [kpc] v_x [km / s] v_y [km / s] v_z [km / s] mass [Msun]\n"
      "1 2 3 4 5 6 7\n8 9 10 11 12 13 14\n");
  const SnapshotInfo info = table.open()->info();
  const TypeInfo& dm = info.types.at(1);
  REQUIRE(dm.find(Role::Mass));
  CHECK(dm.find(Role::Mass)->unit == "Msun");
  CHECK(info.units.mass_g == Approx(1.989e33));
  CHECK(says(info, "lengths in kpc, masses in Msun, velocities in km / s"));
  CHECK(read_all<double>(*table.open(), 1, "Velocities")[3] == 11);
  // Names without "#", tabs and round brackets.
  const Table plain("x (Mpc/h)\ty (Mpc/h)\tz (Mpc/h)\trho\n1\t2\t3\t4\n");
  CHECK(plain.open()->info().units.length_cm == Approx(3.085678e24));
  CHECK(plain.open()->info().types.at(1).find("rho"));
  // Brackets that are a name themselves.
  const Table metals("# x y z [Fe/H]\n1 2 3 -0.5\n"),
      both("# x [pc] y [pc] z [pc] [Fe/H]\n1 2 3 4\n");
  CHECK(metals.open()->info().types.at(1).find("[Fe/H]"));
  CHECK(both.open()->info().types.at(1).find("[Fe/H]"));
}

TEST_CASE("a header's masses without h beside lengths with it keep their value when h is given") {
  auto info = [](const std::string& header, const std::string& word, const std::string& text) {
    const Table table(header + "\n1,2,3,4\n");
    OpenOptions options;
    options.overrides.hubble_param = 0.7;
    if (!word.empty()) find_override_word(word)->set(options.overrides, text, word);
    return open_snapshot(table.path, options)->info();
  };
  // Physical grams of a stored mass of 1.
  auto grams = [](const SnapshotInfo& i) {
    return i.units.mass_g / (i.units.per_h ? i.cosmology.hubble_param : 1);
  };
  const std::string header = "x [Mpc/h],y [Mpc/h],z [Mpc/h],mass [Msun]";
  const SnapshotInfo mixed = info(header, "", "");
  CHECK(mixed.units.per_h);
  CHECK(grams(mixed) == Approx(1.989e33));
  const FieldInfo& mass = *mixed.types.at(1).find(Role::Mass);
  REQUIRE(mass.scaling);
  CHECK(mass.unit == "Msun");
  CHECK(mass.scaling->to_cgs * std::pow(0.7, mass.scaling->h) == Approx(1.989e33));
  CHECK(says(mixed, "with h = 0.7, 1 Msun is 0.7 Msun/h"));
  CHECK(grams(info("x [Mpc],y [Mpc],z [Mpc],mass [Msun/h]", "", "")) == Approx(1.989e33 / 0.7));
  // What the user says of either unit still holds for all.
  const SnapshotInfo without = info(header, "unit-length", "Mpc");
  CHECK(grams(without) == Approx(1.989e33));
  CHECK_FALSE(without.units.per_h);
  CHECK(without.types.at(1).find(Role::Mass)->unit == "Msun");
  const SnapshotInfo other = info(header, "unit-mass", "1e10Msun/h");
  CHECK(grams(other) == Approx(1.989e43 / 0.7));
  CHECK(other.types.at(1).find(Role::Mass)->unit == "1e10 Msun/h");
}
