// The traps that HDF5 snapshots of the wild hold, one test each (4 and 15 are with SWIFT's).

#include "tests/snapshot_checks.h"

#include <fstream>

using namespace haloscope;
using namespace haloscope::io;
using namespace snapshot_files;
using namespace snapshot_checks;

namespace {

// File `index` of a set of `files`, with one gas particle at x = index.
void write_member(const std::string& path, int index, int files) {
  FileWriter file(path);
  write_header(file, {1, 0, 0, 0, 0, 0}, 100, {std::uint32_t(files), 0, 0, 0, 0, 0}, files);
  file.group("PartType0");
  file.dataset<float>("PartType0/Coordinates", {1, 3}, {float(index), 1, 1});
}

std::string member(const TemporaryFolder& folder, int i) {
  return folder / ("snap." + std::to_string(i) + ".hdf5");
}

}  // namespace

TEST_CASE("trap 1: any number of particle types") {
  const TemporaryFolder folder;
  for (const std::size_t types : {2, 7}) {
    {
      FileWriter file(folder / "s.hdf5");
      std::vector<std::uint32_t> counts(types, 0);
      counts.back() = 2;
      write_header(file, counts, 10);
      const std::string group = "PartType" + std::to_string(types - 1);
      file.group(group).dataset(group + "/Coordinates", {2, 3}, some_positions(2, 10));
    }
    const auto reader = open_snapshot(folder / "s.hdf5");
    REQUIRE(reader->info().types.size() == 1);
    CHECK(reader->info().types.at(int(types) - 1).count == 2);
    check_round_trip(*reader, int(types) - 1, some_positions(2, 10));
  }
}

TEST_CASE("trap 2: totals without high words, 32 and 64 bits wide") {
  const TemporaryFolder folder;
  for (const bool wide : {false, true}) {
    {
      FileWriter file(folder / "s.hdf5");
      file.group("Header").group("PartType1");
      file.attribute<std::uint32_t>("Header", "NumPart_ThisFile", {0, 2});
      if (wide)
        file.attribute<std::uint64_t>("Header", "NumPart_Total", {0, (1ULL << 32) + 2});
      else
        file.attribute<std::uint32_t>("Header", "NumPart_Total", {0, 2});
      file.dataset("PartType1/Coordinates", {2, 3}, some_positions(2, 10));
    }
    const auto reader = open_snapshot(folder / "s.hdf5");
    CHECK(reader->info().types.at(1).count == 2);
    CHECK(says(reader->info(), "promises 4294967298 dm") == wide);
  }
}

TEST_CASE("trap 3: cosmology in /Parameters") {
  const TemporaryFolder folder;
  {
    FileWriter file(folder / "s.hdf5");
    file.group("Header").group("Parameters").group("PartType1");
    file.attribute<std::uint64_t>("Header", "NumPart_ThisFile", {0, 1});
    file.number("Header", "BoxSize", 10).number("Header", "Time", 0.25);
    file.number("Header", "Redshift", 3).number("Parameters", "HubbleParam", 0.67);
    file.number("Parameters", "Omega0", 0.31).number("Parameters", "OmegaLambda", 0.69);
    file.dataset<float>("PartType1/Coordinates", {1, 3}, {1, 2, 3});
  }
  const auto reader = open_snapshot(folder / "s.hdf5");
  CHECK(reader->info().format == "GADGET-4");
  CHECK(reader->info().cosmology.omega_matter == 0.31);
  CHECK(reader->info().cosmology.omega_lambda == 0.69);
  CHECK(reader->info().cosmology.hubble_param == 0.67);
  CHECK(reader->info().units.comoving);
}

TEST_CASE("trap 5: a mass in the table stands for a dataset") {
  const TemporaryFolder folder;
  for (const bool dataset : {false, true}) {
    {
      FileWriter file(folder / "s.hdf5");
      write_header(file, {0, 2, 0, 0, 0, 0}, 10);
      H5Adelete_by_name(file.id(), "Header", "MassTable", H5P_DEFAULT);
      file.attribute<double>("Header", "MassTable", {0, 0.125, 0, 0, 0, 0});
      file.group("PartType1").dataset("PartType1/Coordinates", {2, 3}, some_positions(2, 10));
      if (dataset) file.dataset<float>("PartType1/Masses", {2}, {1, 2});
    }
    const auto reader = open_snapshot(folder / "s.hdf5");
    CHECK(reader->info().types.at(1).uniform_mass == (dataset ? 0 : 0.125));
  }
}

TEST_CASE("trap 6: particles without Coordinates are left out and said") {
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
  CHECK(says(reader->info(), "4 particles) is left out: it has no Coordinates"));
}

TEST_CASE("particles that the header forgets are said") {
  const TemporaryFolder folder;
  const std::string path = folder / "s.hdf5";
  const std::vector<std::vector<std::uint32_t>> headers{{0, 2, 0, 0, 0, 0}, {0, 2}};
  for (const auto& counts : headers) {
    {
      FileWriter file(path);
      write_header(file, counts, 10);
      for (const char* group : {"PartType1", "PartType4"})
        file.group(group).dataset(std::string(group) + "/Coordinates", {2, 3},
                                  some_positions(2, 10));
    }
    const auto reader = open_snapshot(path);
    CHECK(reader->info().types.size() == 1);
    CHECK(says(reader->info(),
               "The header counts 0 stars particles where PartType4 has positions of 2"));
  }
  // A cut-out without counts: what has no positions is counted by what it has.
  {
    FileWriter file(path);
    write_header(file, {}, 10, {0, 2});
    H5Adelete_by_name(file.id(), "Header", "NumPart_ThisFile", H5P_DEFAULT);
    file.group("PartType1").dataset("PartType1/Coordinates", {2, 3}, some_positions(2, 10));
    file.group("PartType3").dataset<std::uint64_t>("PartType3/ParentID", {3}, {1, 2, 3});
  }
  CHECK(says(open_snapshot(path)->info(), "PartType3 (bulge, 3 particles) is left out"));
}

TEST_CASE("trap 7: a file of the set without any group of particles") {
  const TemporaryFolder folder;
  write_member(member(folder, 0), 0, 3);
  write_member(member(folder, 2), 2, 3);
  {
    FileWriter file(member(folder, 1));
    write_header(file, {0, 0, 0, 0, 0, 0}, 100, {3, 0, 0, 0, 0, 0}, 3);
  }
  for (const int i : {0, 1, 2}) {
    const auto reader = open_snapshot(member(folder, i));
    CHECK(reader->info().types.at(0).count == 2);
    CHECK(values_of(*reader, 0, "Coordinates") == std::vector<double>{0, 1, 1, 2, 1, 1});
  }
}

TEST_CASE("trap 8: a missing file is named, or gone on without") {
  const TemporaryFolder folder;
  for (const int i : {0, 2}) write_member(member(folder, i), i, 3);
  CHECK_THROWS_AS(open_snapshot(member(folder, 0)), MissingFiles);
  CHECK_THAT(failure(member(folder, 0)), Catch::Contains("snap.1.hdf5 is missing"));
  OpenOptions options;
  options.allow_missing_files = true;
  const auto reader = open_snapshot(member(folder, 0), options);
  CHECK(reader->info().types.at(0).count == 2);
  CHECK(says(reader->info(), "snap.1.hdf5 is missing"));
}

TEST_CASE("trap 9: file 10 comes after file 9, padded with zeros or not") {
  for (const bool padded : {false, true}) {
    const TemporaryFolder folder;
    std::vector<std::string> paths;
    for (int i = 0; i < 11; ++i) {
      paths.push_back(folder / ("snap." + std::string(padded && i < 10 ? "0" : "") +
                                std::to_string(i) + ".hdf5"));
      write_member(paths.back(), i, 11);
    }
    for (const std::string& path : {paths[0], paths[10], folder.path()}) {
      const auto values = values_of(*open_snapshot(path), 0, "Coordinates");
      REQUIRE(values.size() == 33);
      for (std::size_t i = 0; i < 11; ++i) CHECK(values[3 * i] == double(i));
    }
  }
}

TEST_CASE("trap 10: to_cgs = 0 is dimensionless, not zero") {
  const TemporaryFolder folder;
  {
    FileWriter file(folder / "s.hdf5");
    write_header(file, {1, 0, 0, 0, 0, 0}, 10);
    file.group("PartType0").dataset<float>("PartType0/Coordinates", {1, 3}, {1, 2, 3});
    file.dataset<float>("PartType0/Metallicity", {1}, {0.5F});
    file.number("PartType0/Metallicity", "to_cgs", 0);
    file.number("PartType0/Coordinates", "to_cgs", 0);
  }
  const auto reader = open_snapshot(folder / "s.hdf5");
  CHECK(reader->info().types.at(0).find("Metallicity")->unit.empty());
  CHECK(reader->info().types.at(0).find("Metallicity")->scaling->to_cgs == 0);
  CHECK(values_of(*reader, 0, "Metallicity")[0] == 0.5);
  CHECK(reader->info().units.length_cm == Approx(3.0857e21));
  check_round_trip(*reader, 0, {1, 2, 3});
}

TEST_CASE("trap 11: wind cells among the stars keep their formation times") {
  const TemporaryFolder folder;
  {
    FileWriter file(folder / "s.hdf5");
    write_header(file, {0, 0, 0, 0, 3, 0}, 10);
    file.group("PartType4").dataset("PartType4/Coordinates", {3, 3}, some_positions(3, 10));
    file.dataset<float>("PartType4/GFM_StellarFormationTime", {3}, {0.5F, -0.2F, 0});
  }
  const auto reader = open_snapshot(folder / "s.hdf5");
  CHECK(reader->info().format == "AREPO");
  CHECK(reader->info().types.at(4).roles.at(Role::FormationTime) == "GFM_StellarFormationTime");
  CHECK(says(reader->info(), "wind particles"));
}

TEST_CASE("trap 12: IDs above 2^53 stay exact") {
  const TemporaryFolder folder;
  const std::vector<std::uint64_t> ids{(1ULL << 53) + 1, ~0ULL, (1ULL << 63) + 5};
  for (const bool compressed : {false, true}) {
    {
      FileWriter file(folder / "s.hdf5");
      write_header(file, {3, 0, 0, 0, 0, 0}, 10);
      file.group("PartType0").dataset("PartType0/Coordinates", {3, 3}, some_positions(3, 10));
      Storage storage;
      if (compressed) storage.chunk = {2}, storage.deflate = 1, storage.shuffle = true;
      file.dataset("PartType0/ParticleIDs", {3}, ids, storage);
    }
    CHECK(ids_of(*open_snapshot(folder / "s.hdf5"), 0) == ids);
  }
}

TEST_CASE("trap 13: positions on and beyond the edge are wrapped and counted") {
  const TemporaryFolder folder;
  write_gas(folder / "s.hdf5", {10, 5, 5, -0.5F, 5, 5, 10.25F, 5, 5}, 10);
  Progress progress;
  const auto set = load_particles(*open_snapshot(folder / "s.hdf5"), {{{0, {}}}}, progress);
  CHECK(set.types.at(0).position[0][0] == 0);
  CHECK(set.domain.to_world(set.types[0].position[0][1], 0) == Approx(9.5));
  CHECK(set.domain.to_world(set.types[0].position[0][2], 0) == Approx(0.25));
}

TEST_CASE("of a part of the rows only the chunks that hold them are read") {
  const TemporaryFolder folder;
  const auto positions = some_positions(60000, 10);
  const std::vector<RowRange> wanted{{5, 6}, {20000, 20010}, {40000, 40001}, {59999, 60000}};
  Storage contiguous, chunked, checksum, cut_apart;
  chunked.chunk = {1000, 3}, chunked.deflate = 1;
  checksum.chunk = {1000, 3}, checksum.checksum = true;
  cut_apart.chunk = {1000, 2};
  for (const Storage& storage : {contiguous, chunked, checksum, cut_apart}) {
    write_gas(folder / "s.hdf5", positions, 10, storage);
    const auto reader = open_snapshot(folder / "s.hdf5");
    const auto seen = rows_handed_over(*reader, 0, "Coordinates", wanted);
    std::size_t read = 0;
    for (const int times : seen) {
      CHECK(times <= 1);
      read += std::size_t(times);
    }
    for (const RowRange& range : wanted)
      for (auto row = range.begin; row < range.end; ++row) CHECK(seen[row] == 1);
    CHECK(read < 12000);
    CHECK(rows_handed_over(*reader, 0, "Coordinates", {}) == std::vector<int>(60000, 0));
  }
}

TEST_CASE("of a set only the files that hold wanted rows are opened") {
  const TemporaryFolder folder;
  for (int i = 0; i < 5; ++i) write_member(member(folder, i), i, 5);
  const auto reader = open_snapshot(member(folder, 0));
  for (const int i : {0, 2, 4}) std::filesystem::remove(member(folder, i));
  const auto seen = rows_handed_over(*reader, 0, "Coordinates", {{1, 2}, {3, 4}});
  CHECK(seen == std::vector<int>{0, 1, 0, 1, 0});
}

TEST_CASE("checksums that do not match and filters that are not there are said") {
  const TemporaryFolder folder;
  const std::string path = folder / "s.hdf5";
  Storage storage;
  storage.chunk = {1000, 3};
  storage.checksum = true;
  write_gas(path, some_positions(1000, 10), 10, storage);
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(std::streamoff(std::filesystem::file_size(path)) - 3000);
    file.write("damage", 6);
  }
  std::string message;
  try {
    values_of(*open_snapshot(path), 0, "Coordinates");
  } catch (const BadFile& error) {
    message = error.what();
  }
  CHECK_THAT(message, Catch::Contains("PartType0/Coordinates (gas)") &&
                          Catch::Contains("fletcher32 checksum does not match"));
}

TEST_CASE("a header or a dataset that promises more than the file can hold is refused at once") {
  const TemporaryFolder folder;
  {
    FileWriter file(folder / "s.hdf5");
    write_header(file, {4000000000U, 0, 0, 0, 0, 0}, 10);
    file.group("PartType0");
    Storage storage;
    storage.chunk = {1000, 3};
    storage.deflate = 1;
    file.dataset<float>("PartType0/Coordinates", {4000000000U, 3}, {}, storage);
  }
  CHECK_THAT(failure(folder / "s.hdf5"), Catch::Contains("too few bytes"));
  {
    FileWriter file(folder / "t.hdf5");
    write_header(file, {4000000000U, 0, 0, 0, 0, 0}, 10);
    file.group("PartType0").dataset("PartType0/Coordinates", {4, 3}, some_positions(4, 10));
  }
  CHECK_THAT(failure(folder / "t.hdf5"), Catch::Contains("expected 4000000000 x 3, found 4 x 3"));
}
