// Traps of Gadget-style headers and file sets, each on a small file made for it.

#include "core/error.h"
#include "io/snapshot_reader.h"
#include "tests/catch.h"
#include "tests/made/snapshot_files.h"

#include <algorithm>
#include <fstream>

using namespace haloscope;
using namespace haloscope::io;
using namespace snapshot_files;

namespace {

bool says(const SnapshotInfo& info, const std::string& part) {
  return std::any_of(info.assumed.begin(), info.assumed.end(),
                     [&](const auto& one) { return one.sentence.find(part) != std::string::npos; });
}

std::string failure(const std::string& path, const OpenOptions& options = {}) {
  try {
    open_snapshot(path, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing thrown";
}

std::vector<double> read_all(const SnapshotReader& reader, int type, const std::string& field) {
  const FieldInfo& info = *reader.info().types.at(type).find(field);
  const auto components = std::size_t(info.components);
  std::vector<double> values(reader.info().types.at(type).count * components);
  Progress progress;
  reader.read(
      type, field,
      [&](const ColumnChunk& chunk) {
        for (std::uint64_t i = 0; i < chunk.rows; ++i)
          for (int c = 0; c < chunk.components; ++c)
            values[(chunk.first + i) * components + std::size_t(c)] = chunk.value(i, c);
      },
      progress);
  return values;
}

// Chunk `index` of a set of `files`; chunk k holds k + 1 gas particles whose x is 100 k + row.
void write_chunk(const std::string& path, int index, int files, std::uint32_t total) {
  const auto n = std::uint32_t(index + 1);
  FileWriter file(path);
  write_header(file, {n, 0, 0, 0, 0, 0}, 10000, {total, 0, 0, 0, 0, 0}, files);
  std::vector<float> positions(3 * n, 1.0F);
  for (std::uint32_t row = 0; row < n; ++row) positions[3 * row] = float(100 * index) + float(row);
  file.group("PartType0").dataset("PartType0/Coordinates", {n, 3}, positions);
}

}  // namespace

TEST_CASE("a 64-bit total is not combined with high words, a 32-bit one is") {
  const TemporaryFolder folder;
  {
    FileWriter file(folder / "g4.hdf5");
    file.group("Header").group("Parameters").group("PartType1");
    file.attribute<std::uint64_t>("Header", "NumPart_ThisFile", {0, 2});
    file.attribute<std::uint64_t>("Header", "NumPart_Total", {0, 2});
    file.attribute<std::uint32_t>("Header", "NumPart_Total_HighWord", {0, 1});
    file.attribute<double>("Header", "MassTable", {0, 0.25});
    file.number("Header", "BoxSize", 10)
        .number("Header", "Time", 0.5)
        .number("Header", "Redshift", 1);
    file.number("Parameters", "HubbleParam", 0.6).number("Parameters", "Omega0", 0.3);
    file.number("Parameters", "OmegaLambda", 0.7);
    file.number("Parameters", "UnitLength_in_cm", 3.085678e24);
    file.dataset<float>("PartType1/Coordinates", {2, 3}, {1, 2, 3, 4, 5, 6});
  }
  const auto reader = open_snapshot(folder / "g4.hdf5");
  const SnapshotInfo& info = reader->info();
  CHECK(info.format == "GADGET-4");
  CHECK(info.types.size() == 1);
  CHECK(info.types.at(1).count == 2);
  CHECK(info.types.at(1).uniform_mass == 0.25);
  CHECK(info.cosmology.hubble_param == 0.6);
  CHECK(info.cosmology.omega_matter == 0.3);
  CHECK(info.types.at(1).find("Coordinates")->unit == "Mpc/h");
  CHECK_FALSE(says(info, "promises"));
  CHECK(says(info, "Units are not in the file: took 1e10 Msun/h, km/s*sqrt(a)."));

  {
    FileWriter file(folder / "g3.hdf5");
    write_header(file, {2, 0, 0, 0, 0, 0}, 10);
    file.attribute<std::uint32_t>("Header", "NumPart_Total_HighWord", {1, 0, 0, 0, 0, 0});
    file.group("PartType0").dataset<float>("PartType0/Coordinates", {2, 3}, {1, 2, 3, 4, 5, 6});
  }
  CHECK(says(open_snapshot(folder / "g3.hdf5")->info(), "promises 4294967298 gas particles"));
}

TEST_CASE("a header without high words is complete") {
  const TemporaryFolder folder;
  write_gas(folder / "s.hdf5", some_positions(5, 10), 10);
  const auto reader = open_snapshot(folder / "s.hdf5");
  CHECK(reader->info().types.at(0).count == 5);
  CHECK(reader->info().format == "Gadget-2/3");
  CHECK(reader->info().periodic);
  CHECK(reader->info().cosmology.redshift == Approx(1.0));
  CHECK(says(reader->info(), "Units are not in the file: took kpc/h, 1e10 Msun/h, km/s*sqrt(a)."));
  CHECK_FALSE(says(reader->info(), "promises"));
}

TEST_CASE("box sizes may be vectors and scalars arrays of length one") {
  const TemporaryFolder folder;
  for (const double z : {10.0, 20.0}) {
    {
      FileWriter file(folder / "s.hdf5");
      file.group("Header").group("PartType0");
      file.attribute<std::int32_t>("Header", "NumPart_ThisFile", {1});
      file.attribute<std::int32_t>("Header", "NumFilesPerSnapshot", {1});
      file.attribute<double>("Header", "BoxSize", {10, 10, z});
      file.attribute<double>("Header", "Redshift", {1.0})
          .attribute<double>("Header", "Time", {0.5});
      file.attribute<double>("Header", "Omega0", {0.3});
      file.dataset<float>("PartType0/Coordinates", {1, 3}, {1, 2, 3});
    }
    const auto reader = open_snapshot(folder / "s.hdf5");
    CHECK(reader->info().box_size == z);
    CHECK(reader->info().periodic == (z == 10));
    CHECK(reader->info().cosmology.redshift == Approx(1.0));
    CHECK(says(reader->info(), "not a cube") == (z == 20));
  }
}

TEST_CASE("Time and Redshift tell a cosmological run, with and without a box") {
  const TemporaryFolder folder;
  auto open = [&](double time, double redshift, double omega, double box) {
    {
      FileWriter file(folder / "s.hdf5");
      file.group("Header").group("PartType0");
      file.attribute<std::int32_t>("Header", "NumPart_ThisFile", {1});
      file.attribute<std::int32_t>("Header", "NumFilesPerSnapshot", {1}, false);
      file.number("Header", "Time", time).number("Header", "Redshift", redshift);
      file.number("Header", "Omega0", omega).number("Header", "BoxSize", box);
      file.dataset<float>("PartType0/Coordinates", {1, 3}, {1, 2, 3});
    }
    return open_snapshot(folder / "s.hdf5")->info();
  };
  const SnapshotInfo zoom = open(0.5, 1, 0.3, 0);
  CHECK(zoom.units.comoving);
  CHECK(zoom.cosmology.redshift == Approx(1.0));
  CHECK(zoom.types.at(0).find("Coordinates")->unit == "kpc/h");
  CHECK(says(zoom, "Taken as cosmological, because Omega0 is set and Time is the scale factor"));
  const SnapshotInfo isolated = open(3.2, 0, 0.3, 10);
  CHECK_FALSE(isolated.units.comoving);
  CHECK_FALSE(isolated.units.per_h);
  CHECK_FALSE(isolated.cosmology.redshift.has_value());
  CHECK(isolated.types.at(0).find("Coordinates")->unit == "kpc");
  CHECK(says(isolated, "Not cosmological, because Time (3.2) is not the scale factor"));
  CHECK_FALSE(open(0.5, 1, 0, 10).units.comoving);
  // A redshift other than 0 is stored by comoving runs alone, whatever Time is.
  CHECK(open(5.9, 1, 0.3, 10).cosmology.scale_factor == Approx(0.5));
}

TEST_CASE("types without positions are left out and said") {
  const TemporaryFolder folder;
  {
    FileWriter file(folder / "s.hdf5");
    write_header(file, {1, 0, 0, 4, 0, 0}, 10);
    file.group("PartType0").group("PartType3");
    file.dataset<float>("PartType0/Coordinates", {1, 3}, {1, 2, 3});
    file.dataset<std::uint32_t>("PartType3/TracerID", {4}, {1, 2, 3, 4});
  }
  const auto reader = open_snapshot(folder / "s.hdf5");
  CHECK(reader->info().types.size() == 1);
  CHECK(says(reader->info(), "PartType3 (bulge, 4 particles) is left out: it has no Coordinates"));
}

TEST_CASE("files of a set are joined in numeric order from any of them, and from the folder") {
  const TemporaryFolder folder;
  const int files = 12;
  for (int i = 0; i < files; ++i)
    write_chunk(folder / ("snap_001." + std::to_string(i) + ".hdf5"), i, files, 78);
  for (const std::string& path : {folder / "snap_001.0.hdf5", folder / "snap_001.10.hdf5",
                                  folder / "snap_001", folder.path()}) {
    const auto reader = open_snapshot(path);
    REQUIRE(reader->info().types.at(0).count == 78);
    REQUIRE(reader->info().files.size() == 12);
    CHECK(reader->info().files[10] == folder / "snap_001.10.hdf5");
    const auto positions = read_all(*reader, 0, "Coordinates");
    std::size_t row = 0;
    for (int i = 0; i < files; ++i)
      for (int j = 0; j <= i; ++j) REQUIRE(positions[3 * row++] == 100 * i + j);
  }
}

TEST_CASE("a damaged file in a folder does not hide the snapshot beside it") {
  const TemporaryFolder folder;
  write_gas(folder / "broken.hdf5", some_positions(400, 10), 10);
  std::filesystem::resize_file(folder / "broken.hdf5", 3000);
  const auto fails = [&](const std::string& path) {
    try {
      open_snapshot(path);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(fails(folder.path()).find("broken.hdf5") != std::string::npos);
  write_gas(folder / "good.hdf5", some_positions(4, 10), 10);
  REQUIRE(fails(folder.path()) == "");
  const auto reader = open_snapshot(folder.path());
  CHECK(reader->info().types.at(0).count == 4);
  CHECK(says(reader->info(), "Damaged files of the folder are passed over"));
}

TEST_CASE("a chunk without particles needs no group") {
  const TemporaryFolder folder;
  write_chunk(folder / "s.0.hdf5", 2, 2, 3);
  {
    FileWriter file(folder / "s.1.hdf5");
    write_header(file, {0, 0, 0, 0, 0, 0}, 10000, {3, 0, 0, 0, 0, 0}, 2);
  }
  for (const std::string& path : {folder / "s.0.hdf5", folder / "s.1.hdf5"})
    CHECK(read_all(*open_snapshot(path), 0, "Coordinates")[6] == 202);
}

TEST_CASE("missing and foreign files of a set are named") {
  const TemporaryFolder folder;
  for (const int i : {0, 2}) write_chunk(folder / ("s." + std::to_string(i) + ".hdf5"), i, 3, 6);
  CHECK_THROWS_AS(open_snapshot(folder / "s.2.hdf5"), BadFile);
  CHECK_THAT(failure(folder / "s.2.hdf5"),
             Catch::Contains("s.1.hdf5 is missing (2 of the snapshot's 3 files are there)"));
  OpenOptions options;
  options.allow_missing_files = true;
  const auto reader = open_snapshot(folder / "s.2.hdf5", options);
  CHECK(reader->info().types.at(0).count == 4);
  CHECK(says(reader->info(), "s.1.hdf5 is missing"));
  CHECK(says(reader->info(), "Of 6 gas particles 4 are in the files that are there."));

  write_chunk(folder / "s.1.hdf5", 1, 5, 6);
  CHECK_THAT(failure(folder / "s.0.hdf5"),
             Catch::Contains("s.1.hdf5: the file belongs to another"));
  std::filesystem::rename(folder / "s.0.hdf5", folder / "renamed.hdf5");
  CHECK_THAT(failure(folder / "renamed.hdf5"), Catch::Contains("lacks the number"));
}

TEST_CASE("a wrong total in the header yields to the files") {
  const TemporaryFolder folder;
  write_chunk(folder / "s.hdf5", 2, 1, 99);
  const auto reader = open_snapshot(folder / "s.hdf5");
  CHECK(reader->info().types.at(0).count == 3);
  CHECK(says(reader->info(), "promises 99 gas particles, the files hold 3"));
}

TEST_CASE("dimensionless fields and scalings become unit strings") {
  const TemporaryFolder folder;
  {
    FileWriter file(folder / "s.hdf5");
    write_header(file, {1, 0, 0, 0, 0, 0}, 10);
    file.number("Header", "UnitLength_in_cm", 3.085678e21)
        .number("Header", "UnitMass_in_g", 1.989e43);
    file.number("Header", "UnitVelocity_in_cm_per_s", 1e5);
    file.group("PartType0");
    auto field = [&](const std::string& name, hsize_t components, double to_cgs, double a, double h,
                     double length, double mass, double velocity) {
      const std::string path = "PartType0/" + name;
      file.dataset<float>(path, {1, components}, std::vector<float>(components, 1.0F));
      file.number(path, "to_cgs", to_cgs).number(path, "a_scaling", a).number(path, "h_scaling", h);
      file.number(path, "length_scaling", length).number(path, "mass_scaling", mass);
      file.number(path, "velocity_scaling", velocity);
    };
    field("Coordinates", 3, 3.085678e21, 1, -1, 1, 0, 0);
    field("Metallicity", 1, 0, 0, 0, 0, 0, 0);
    field("Velocities", 3, 1e5, 0.5, 0, 0, 0, 1);
    field("Density", 1, 6.769911178294544e-22, -3, 2, -3, 1, 0);
    field("InternalEnergy", 1, 1e10, 0, 0, 0, 0, 2);
    field("StarFormationRate", 1, 6.30276e25, 0, 0, -1, 1, 1);
    // In units that are not the file's own.
    field("BH_Mass", 1, 1.989e33, 0, -1, 0, 1, 0);
    field("Drift", 1, 3.085678e24, 0, 0, 1, 0, 0);
  }
  const auto reader = open_snapshot(folder / "s.hdf5");
  auto unit = [&](const char* name) { return reader->info().types.at(0).find(name)->unit; };
  CHECK(unit("Coordinates") == "kpc/h");
  CHECK(unit("Metallicity").empty());
  CHECK(unit("Velocities") == "km/s*sqrt(a)");
  CHECK(unit("Density") == "1e10 Msun/h/(kpc/h)^3");
  CHECK(unit("InternalEnergy") == "(km/s)^2");
  CHECK(unit("StarFormationRate") == "Msun/yr");
  CHECK(unit("BH_Mass") == "Msun/h");
  CHECK(unit("Drift") == "Mpc*a^-1");
  CHECK_FALSE(says(reader->info(), "Units are not in the file"));
}

TEST_CASE("HDF5 files that are no snapshots get one clear sentence") {
  const TemporaryFolder folder;
  {
    FileWriter catalog(folder / "catalog.hdf5");
    catalog.group("Header").group("Group").group("Subhalo");
    FileWriter image(folder / "image.hdf5");
    image.group("pixels");
    std::ofstream(folder / "empty.hdf5");
  }
  CHECK_THAT(failure(folder / "catalog.hdf5"), Catch::Contains("halo catalog, not a snapshot"));
  CHECK_THAT(failure(folder / "image.hdf5"), Catch::Contains("is not a snapshot"));
  CHECK_THAT(failure(folder / "empty.hdf5"), Catch::Contains("the file is empty"));
  CHECK_THAT(failure(folder / "none.hdf5"), Catch::Contains("there is no such file"));
  CHECK_THAT(failure(folder.path()), Catch::Contains("the folder holds no snapshot"));
}
