// Tipsy snapshots: round trips in every variant, arrays and parameters beside them, damage, and
// real files.

#include "io/snapshots/tipsy.h"

#include "core/error.h"
#include "io/snapshot_reader.h"
#include "io/text/solar_mass.h"
#include "tests/catch.h"
#include "tests/made/binary_files.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

using namespace haloscope;
using namespace haloscope::io;
using namespace binary_files;
using haloscope::test::message_of;
using haloscope::test::OutputFolder;

namespace {

bool says(const SnapshotInfo& info, const std::string& part) {
  return std::any_of(info.assumed.begin(), info.assumed.end(),
                     [&](const auto& one) { return one.sentence.find(part) != std::string::npos; });
}

std::vector<double> read_all(const SnapshotReader& reader, int type, const std::string& field) {
  const TypeInfo& info = reader.info().types.at(type);
  const auto components = std::size_t(info.find(field)->components);
  std::vector<double> values(info.count * components, -12345);
  Progress progress;
  reader.read(
      type, field,
      [&](const ColumnChunk& chunk) {
        for (std::uint64_t i = 0; i < chunk.rows * components; ++i)
          values[chunk.first * components + i] = chunk.value(i / components, int(i % components));
      },
      progress);
  return values;
}

std::vector<std::vector<double>> some_rows(std::size_t count, std::size_t width,
                                           std::uint64_t seed) {
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < count; ++i)
    rows.push_back(some_values(width, -0.5, 0.5, seed + 100 * i));
  return rows;
}

// Columns first … first+n-1 of rows.
std::vector<double> columns_of(const std::vector<std::vector<double>>& rows, std::size_t first,
                               std::size_t n) {
  std::vector<double> values;
  for (const auto& row : rows)
    for (std::size_t c = first; c < first + n; ++c) values.push_back(row[c]);
  return values;
}

Tipsy sample() {
  Tipsy file;
  file.gas = some_rows(3, 12, 1);
  file.dark = some_rows(5, 9, 2);
  file.stars = some_rows(2, 11, 3);
  return file;
}

const char* const kParameters =
    "# a run\nachOutName = run\ndKpcUnit = 50000\ndMsolUnit=1.57138e+16 # Msun\n"
    "dHubble0\t= 2.89265\ndOmega0 = 0.3156\ndLambda = 0.6844\nbComove = 1\nbPeriodic = 1\n"
    "dxPeriod = 1.0\ndyPeriod = 1.0\ndzPeriod = 1.0\n";

std::unique_ptr<SnapshotReader> open(const std::string& path) {
  return open_tipsy(path, {});
}

}  // namespace

TEST_CASE("trap 14: Tipsy round trip in every variant, big endian being the standard") {
  for (int variant = 0; variant < 12; ++variant) {
    const OutputFolder folder;
    Tipsy file = sample();
    file.swap = variant & 1;
    file.pad = variant & 2;
    file.double_positions = variant / 4 >= 1;
    file.double_velocities = variant / 4 == 2;
    INFO("swapped " << file.swap << ", padded " << file.pad << ", double " << variant / 4);
    file.write(folder.path("run.000640"));
    const auto reader = open(folder.path("run.000640"));
    const SnapshotInfo& info = reader->info();
    CHECK(info.format == (file.swap ? "Tipsy" : "Tipsy (little endian)"));
    CHECK(info.types.size() == 3);
    CHECK(info.time == 0.5);
    CHECK(info.types.at(0).count == 3);
    CHECK(info.types.at(1).count == 5);
    CHECK(info.types.at(4).count == 2);
    CHECK(read_all(*reader, 0, "Masses") == columns_of(file.gas, 0, 1));
    CHECK(read_all(*reader, 0, "Coordinates") == columns_of(file.gas, 1, 3));
    CHECK(read_all(*reader, 1, "Coordinates") == columns_of(file.dark, 1, 3));
    CHECK(read_all(*reader, 1, "Velocities") == columns_of(file.dark, 4, 3));
    CHECK(read_all(*reader, 0, "Density") == columns_of(file.gas, 7, 1));
    CHECK(read_all(*reader, 0, "Temperature") == columns_of(file.gas, 8, 1));
    CHECK(read_all(*reader, 0, "Softening") == columns_of(file.gas, 9, 1));
    CHECK(read_all(*reader, 0, "Potential") == columns_of(file.gas, 11, 1));
    CHECK(read_all(*reader, 1, "Softening") == columns_of(file.dark, 7, 1));
    CHECK(read_all(*reader, 4, "Metallicity") == columns_of(file.stars, 7, 1));
    CHECK(read_all(*reader, 4, "StellarFormationTime") == columns_of(file.stars, 8, 1));
    CHECK(read_all(*reader, 4, "Potential") == columns_of(file.stars, 10, 1));
    CHECK(info.smoothing_lengths.empty());
    CHECK_FALSE(info.periodic);
    CHECK(info.types.at(0).find("Coordinates")->unit.empty());
    CHECK(says(info, "units are unknown"));
    CHECK(says(info, "took the positions") == (variant / 4 == 1));
  }
}

TEST_CASE("a Tipsy header padded with whatever was in memory is read") {
  for (const bool swap : {false, true}) {
    const OutputFolder folder;
    Tipsy file = sample();
    file.swap = swap;
    file.pad = true;
    file.write(folder.path("s"));
    std::string bytes = read_bytes(folder.path("s"));
    bytes.replace(28, 4, "\xde\xad\xbe\xef");
    write_bytes(folder.path("s"), bytes);
    const auto reader = open(folder.path("s"));
    CHECK(reader->info().types.at(1).count == 5);
    CHECK(read_all(*reader, 1, "Coordinates") == columns_of(file.dark, 1, 3));
    // One byte off, and it is damage.
    write_bytes(folder.path("s"), bytes + "x");
    CHECK_THROWS_AS(open(folder.path("s")), BadFile);
  }
}

TEST_CASE("Tipsy units, box and cosmology come from the .param file") {
  const OutputFolder folder;
  sample().write(folder.path("run.000640"));
  write_bytes(folder.path("run.param"), kParameters);
  write_bytes(folder.path("other.param"), "dKpcUnit = 1\ndMsolUnit = 1\n");
  const auto reader = open(folder.path("run.000640"));
  const SnapshotInfo& info = reader->info();
  CHECK(says(info, "are those of run.param"));
  CHECK(info.units.length_cm == Approx(50000 * 3.0856776e21));
  CHECK(info.units.mass_g == Approx(1.57138e16 * kSolarMassG));
  // G = 4.30092e-6 kpc (km/s)^2 / Msun.
  CHECK(info.units.velocity_cm_per_s ==
        Approx(1e5 * std::sqrt(4.30092e-6 * 1.57138e16 / 50000)).epsilon(1e-4));
  CHECK(info.units.comoving);
  CHECK_FALSE(info.units.per_h);
  CHECK(info.cosmology.hubble_param == Approx(0.6726).epsilon(1e-3));
  CHECK(info.cosmology.scale_factor == 0.5);
  CHECK(*info.cosmology.redshift == Approx(1.0));
  CHECK(info.periodic);
  CHECK(info.box_size == 1);
  CHECK(info.box_origin == std::array<double, 3>{-0.5, -0.5, -0.5});
  CHECK(info.types.at(0).find("Coordinates")->unit == "50000 kpc");
  CHECK(info.types.at(0).find("Velocities")->scaling->a == 1);

  // The only .param file serves whatever its name; of several, none.
  std::filesystem::remove(folder.path("run.param"));
  CHECK(says(open(folder.path("run.000640"))->info(), "are those of other.param"));
  write_bytes(folder.path("third.param"), "dKpcUnit = 1\n");
  CHECK(says(open(folder.path("run.000640"))->info(), "no .param file"));
  write_bytes(folder.path("run.000640.param"),
              "dKpcUnit = x\nbPeriodic = 1\ndyPeriod = 2\nbComove = 1\ndHubble0 = 2.8944\n");
  const auto odd = open(folder.path("run.000640"));
  CHECK(says(odd->info(), "has no dKpcUnit and dMsolUnit"));
  CHECK(odd->info().cosmology.hubble_param == 1);
  CHECK(says(odd->info(), "make no cube"));
  CHECK_FALSE(odd->info().periodic);

  // Length alone does not tell which of the two is double.
  Tipsy file = sample();
  file.double_velocities = true;
  file.write(folder.path("run.000640"));
  write_bytes(folder.path("run.000640.param"), "bDoubleVel = 1\n");
  const auto doubles = open(folder.path("run.000640"));
  CHECK(doubles->info().types.at(1).find("Velocities")->scalar == ScalarType::Float64);
  CHECK(read_all(*doubles, 1, "Velocities") == columns_of(file.dark, 4, 3));
  CHECK(read_all(*doubles, 4, "StellarFormationTime") == columns_of(file.stars, 8, 1));
}

TEST_CASE("Tipsy arrays, text and binary, are fields of all types") {
  const OutputFolder folder;
  const std::string base = folder.path("run.000640");
  sample().write(base);
  std::vector<std::int32_t> ids(10);
  std::iota(ids.begin(), ids.end(), 100000000);
  const auto vectors = some_values(30, -1, 1, 9);
  std::vector<double> planes;
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t i = 0; i < 10; ++i) planes.push_back(vectors[3 * i + c]);
  write_bytes(base + ".iord", Bytes(true).put<std::int32_t>(10).put_all<std::int32_t>(ids).text);
  write_bytes(base + ".cs", Bytes(true).put(10).put_all<float>(some_values(10, 0, 1, 4)).text);
  write_bytes(base + ".big", Bytes(false).put(10).put_all<double>(some_values(10, 0, 1, 5)).text);
  write_bytes(base + ".acc", Bytes(true).put(10).put_all<float>(planes).text);
  // One small number among large ones: no floating point has such bits.
  std::vector<std::int32_t> mixed(10, 1000000000);
  mixed[4] = 12;
  write_bytes(base + ".order", Bytes(true).put(10).put_all<std::int32_t>(mixed).text);
  std::string text = "10\n", reals = "10\n", three = "10\n";
  for (int i = 0; i < 10; ++i) text += std::to_string(i - 1) + "\n";
  for (int i = 0; i < 10; ++i) reals += "+" + std::to_string(i) + ".5e-1\r\n";
  for (int i = 0; i < 30; ++i) three += std::to_string(i) + ".25 ";
  write_bytes(base + ".amiga.grp", text);
  write_bytes(base + ".HI", reals);
  write_bytes(base + ".curl", three);
  write_bytes(base + ".short", "10\n1\n2\n");
  write_bytes(base + ".word", "10\n1\nx\n3\n4\n5\n6\n7\n8\n9\n10\n");
  write_bytes(base + ".cut", Bytes(true).put(10).put_all<float>(some_values(9, 0, 1, 4)).text);
  write_bytes(base + ".igasorder", Bytes(true).put(11).put_all<float>(vectors).text);
  write_bytes(base + ".AHF_halos", "#ID(1) hostHalo(2)\n1 0\n");

  const auto reader = open(base);
  const SnapshotInfo& info = reader->info();
  CHECK(info.types.at(4).find(Role::Id)->name == "iord");
  CHECK(read_all(*reader, 4, "iord") == std::vector<double>{100000008, 100000009});
  CHECK(info.types.at(1).find("cs")->scalar == ScalarType::Float32);
  CHECK(info.types.at(1).find("order")->scalar == ScalarType::Int32);
  CHECK(read_all(*reader, 0, "order") == std::vector<double>(3, 1000000000));
  CHECK(says(info, "as integers by their values: order."));
  CHECK(says(info, "as floating point by their values: acc, big, cs."));
  const auto cs = some_values(10, 0, 1, 4), big = some_values(10, 0, 1, 5);
  CHECK(read_all(*reader, 1, "cs") == std::vector<double>(cs.begin() + 3, cs.begin() + 8));
  CHECK(read_all(*reader, 0, "big") == std::vector<double>(big.begin(), big.begin() + 3));
  CHECK(read_all(*reader, 1, "acc") ==
        std::vector<double>(vectors.begin() + 9, vectors.begin() + 24));
  CHECK(info.types.at(1).find("amiga.grp")->scalar == ScalarType::Int64);
  CHECK(read_all(*reader, 1, "amiga.grp") == std::vector<double>{2, 3, 4, 5, 6});
  CHECK(read_all(*reader, 0, "HI") == std::vector<double>{0.05, 0.15, 0.25});
  CHECK(info.types.at(0).find("curl")->components == 3);
  CHECK(read_all(*reader, 4, "curl") ==
        std::vector<double>{24.25, 25.25, 26.25, 27.25, 28.25, 29.25});
  CHECK(says(info, "array run.000640.short is left out: it does not hold one or three numbers"));
  CHECK(says(info, "array run.000640.word is left out: its line 3 is no number"));
  CHECK(says(info, "array run.000640.cut is left out"));
  CHECK(says(info, "array run.000640.igasorder is left out: it is not for 10 particles"));
  CHECK_FALSE(says(info, "AHF"));
  CHECK_FALSE(info.types.at(0).find("short"));

  // Vectors with x y z together, where the run says so.
  write_bytes(base + ".acc", Bytes(true).put(10).put_all<float>(vectors).text);
  write_bytes(folder.path("run.param"), "bPackedVector = 1\n");
  CHECK(read_all(*open(base), 1, "acc") ==
        std::vector<double>(vectors.begin() + 9, vectors.begin() + 24));
}

TEST_CASE("a folder with one Tipsy snapshot opens, with two it asks which") {
  const OutputFolder folder;
  sample().write(folder.path("run.000640"));
  CHECK(open(folder.path())->info().types.at(1).count == 5);
  sample().write(folder.path("run.000832"));
  CHECK(message_of([&] {
          open(folder.path());
        }).find("several snapshots (run.000640, run.000832)") != std::string::npos);
}

TEST_CASE("a damaged Tipsy file is told in one sentence") {
  const OutputFolder folder;
  const std::string path = folder.path("run.000640");
  const std::string whole = sample().bytes();
  auto damaged = [&](const std::string& bytes) {
    write_bytes(path, bytes);
    return message_of([&] { open(path); });
  };
  CHECK(damaged(whole.substr(0, whole.size() - 1))
            .find("is no length of a Tipsy file with 3 gas, 5 "
                  "dark matter and 2 star particles") != std::string::npos);
  CHECK(damaged(whole + "x").find("is no length") != std::string::npos);
  // High bits that promise 2^32 times as many.
  Tipsy high = sample();
  high.pad_bits = 0x00010001;
  CHECK(damaged(high.bytes()).find("is no length") != std::string::npos);
  CHECK(damaged(whole.substr(0, 20)).find("not a Tipsy snapshot") != std::string::npos);
  CHECK(damaged(std::string(200, '\0')).find("not a Tipsy snapshot") != std::string::npos);
  for (std::size_t length = 0; length < whole.size(); length += 5)
    CHECK_FALSE(damaged(whole.substr(0, length)).empty());
  std::uint64_t state = 1;
  for (int i = 0; i < 3000; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    std::string bytes = whole;
    const std::size_t at = std::size_t(state >> 33) % (i % 2 ? bytes.size() : 32);
    bytes[at] = char(bytes[at] ^ (1 << (state >> 29 & 7)));
    write_bytes(path, bytes);
    message_of([&] {
      const auto reader = open(path);
      for (const auto& [type, info] : reader->info().types)
        for (const auto& field : info.fields) read_all(*reader, type, field.name);
    });
  }
}

TEST_CASE("ChaNGa's Tipsy files read as numpy reads them") {
  const auto path = test::shared_data("data/real/tipsy_changa/tiny.000640");
  if (!path) return;
  const auto reader = open(path->string());
  const SnapshotInfo& info = reader->info();
  CHECK(info.types.at(0).count == 171);
  CHECK(info.types.at(1).count == 3078);
  CHECK(info.types.at(4).count == 49);
  CHECK(info.periodic);
  CHECK(info.box_size == 1);
  CHECK(*info.cosmology.redshift == Approx(1 / 0.25228136787231603 - 1));
  CHECK(info.cosmology.hubble_param == Approx(0.6726).epsilon(1e-3));
  CHECK(info.cosmology.omega_matter == 0.3156);
  CHECK(says(info, "are those of tiny.param"));
  CHECK(says(info, "left out") == false);

  auto mean = [&](int type, const char* field, std::size_t component) {
    const auto values = read_all(*reader, type, field);
    const auto components = std::size_t(info.types.at(type).find(field)->components);
    double sum = 0;
    for (std::size_t i = component; i < values.size(); i += components) sum += values[i];
    return sum / double(values.size() / components);
  };
  // Figures of an independent reading with numpy.
  CHECK(mean(0, "Coordinates", 0) == Approx(0.050664709).epsilon(1e-7));
  CHECK(mean(1, "Coordinates", 1) == Approx(0.082603088).epsilon(1e-7));
  CHECK(mean(4, "Coordinates", 2) == Approx(-0.047157837).epsilon(1e-7));
  CHECK(mean(0, "Velocities", 1) == Approx(0.601653552).epsilon(1e-7));
  CHECK(mean(1, "Velocities", 2) == Approx(0.089089621).epsilon(1e-7));
  CHECK(mean(0, "Masses", 0) * 171 == Approx(2.219505852e-9).epsilon(1e-7));
  CHECK(mean(1, "Masses", 0) * 3078 == Approx(3.155930191e-5).epsilon(1e-7));
  CHECK(mean(0, "Density", 0) == Approx(1667.970759).epsilon(1e-7));
  CHECK(mean(0, "Temperature", 0) == Approx(113276.515324).epsilon(1e-7));
  CHECK(mean(1, "Softening", 0) == Approx(1.462495968e-5).epsilon(1e-7));
  CHECK(mean(4, "StellarFormationTime", 0) == Approx(0.040616331).epsilon(1e-7));
  double ids = 0, groups = 0;
  for (const int type : {0, 1, 4}) {
    for (const double id : read_all(*reader, type, "iord")) ids += id;
    for (const double group : read_all(*reader, type, "amiga.grp")) groups += group;
  }
  CHECK(ids == 54529113009);
  CHECK(groups == -3098);
}
