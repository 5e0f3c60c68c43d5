// Every way in which HDF5 may store a column gives the same values, and damage is named.

#include "core/error.h"
#include "io/hdf5/hdf5_values.h"
#include "io/snapshot_reader.h"
#include "tests/catch.h"
#include "tests/made/size.h"
#include "tests/made/snapshot_files.h"

#include <atomic>
#include <fstream>
#include <thread>

using namespace haloscope;
using namespace haloscope::io;
using namespace snapshot_files;

namespace {

// Reads a column; `seen` counts how often each row came, which must be once.
std::vector<double> read_rows(const SnapshotReader& reader, const std::string& field) {
  const TypeInfo& type = reader.info().types.at(0);
  const auto components = std::size_t(type.find(field)->components);
  std::vector<double> values(type.count * components);
  std::vector<std::atomic<int>> seen(type.count);
  Progress progress;
  reader.read(
      0, field,
      [&](const ColumnChunk& chunk) {
        for (std::uint64_t i = 0; i < chunk.rows; ++i) {
          ++seen[chunk.first + i];
          for (int c = 0; c < chunk.components; ++c)
            values[(chunk.first + i) * components + std::size_t(c)] = chunk.value(i, c);
        }
      },
      progress);
  for (const auto& count : seen) REQUIRE(count == 1);
  return values;
}

std::string read_failure(const std::string& path, const std::string& field = "Coordinates") {
  try {
    read_rows(*open_snapshot(path), field);
  } catch (const BadFile& error) {
    return error.what();
  } catch (const Error& error) {
    return std::string("not BadFile: ") + error.what();
  }
  return "nothing thrown";
}

void overwrite(const std::string& path, std::streamoff offset, const std::string& bytes) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(offset);
  file.write(bytes.data(), std::streamsize(bytes.size()));
}

}  // namespace

TEST_CASE("all layouts and filters give the same positions") {
  const TemporaryFolder folder;
  const auto positions = some_positions(test::sized(200001, 70001), 100);
  const std::vector<std::pair<const char*, Storage>> storages{
      {"contiguous", {}},
      {"big endian", {{}, false, false, 0, H5T_IEEE_F32BE}},
      {"widened to float64", {{}, false, false, 0, H5T_NATIVE_DOUBLE}},
      {"chunked", {{1000, 3}}},
      {"deflate", {{1000, 3}, false, false, 4}},
      {"shuffle", {{7777, 3}, true}},
      {"shuffle and deflate", {{65536, 3}, true, false, 1}},
      {"one chunk", {{positions.size() / 3, 3}, true, false, 1}},
      {"checksum", {{5000, 3}, true, true, 1}},
      {"rows cut apart", {{5000, 2}, true, false, 1}},
      {"big endian and compressed", {{5000, 3}, true, false, 1, H5T_IEEE_F32BE}},
  };
  for (const auto& [name, storage] : storages) {
    INFO(name);
    write_gas(folder / "s.hdf5", positions, 100, storage);
    const auto values = read_rows(*open_snapshot(folder / "s.hdf5"), "Coordinates");
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i) wrong += values[i] != double(positions[i]);
    CHECK(wrong == 0);
  }
}

TEST_CASE("chunks that were never written read as their fill value") {
  const TemporaryFolder folder;
  {
    FileWriter file(folder / "s.hdf5");
    write_header(file, {3000, 0, 0, 0, 0, 0}, 10);
    file.group("PartType0");
    file.dataset("PartType0/Coordinates", {3000, 3}, some_positions(3000, 10));
    file.dataset<float>("PartType0/Density", {3000}, {}, {{100}, true, false, 1});
  }
  for (const double value : read_rows(*open_snapshot(folder / "s.hdf5"), "Density"))
    REQUIRE(value == 0);
}

TEST_CASE("a compressed column that lacks some of its chunks is refused, not read as zeros") {
  const TemporaryFolder folder;
  for (const bool chosen : {false, true}) {
    {
      FileWriter file(folder / "s.hdf5");
      write_header(file, {3000, 0, 0, 0, 0, 0}, 10);
      file.group("PartType0");
      file.dataset("PartType0/Coordinates", {3000, 3}, some_positions(3000, 10));
      const hsize_t rows = 3000, chunk = 1000, first = 0, count = 2000;
      const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
      H5Pset_chunk(plist, 1, &chunk);
      H5Pset_deflate(plist, 1);
      const float seven = 7;
      if (chosen) H5Pset_fill_value(plist, H5T_NATIVE_FLOAT, &seven);
      const hid_t space = H5Screate_simple(1, &rows, nullptr);
      const hid_t memory = H5Screate_simple(1, &count, nullptr);
      const hid_t data = H5Dcreate2(file.id(), "PartType0/Density", H5T_NATIVE_FLOAT, space,
                                    H5P_DEFAULT, plist, H5P_DEFAULT);
      H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &count, nullptr);
      const std::vector<float> ones(count, 1);
      H5Dwrite(data, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, ones.data());
      H5Dclose(data);
      H5Sclose(memory);
      H5Sclose(space);
      H5Pclose(plist);
    }
    const auto reader = open_snapshot(folder / "s.hdf5");
    if (chosen) {
      CHECK(read_rows(*reader, "Density")[2999] == 7);
      continue;
    }
    std::string message;
    try {
      read_rows(*reader, "Density");
    } catch (const BadFile& error) {
      message = error.what();
    }
    CHECK(message.find("PartType0/Density (gas) is incomplete: 1 of 3 chunks was never written") !=
          std::string::npos);
  }
}

TEST_CASE("a small dataset that promises more than its bytes can hold is none") {
  const TemporaryFolder folder;
  constexpr std::size_t kMost = std::size_t(1) << 25;
  const std::vector<double> few{1, 2, 3};
  const std::vector<double> zeros(1 << 20, 0.0);
  FileWriter file(folder / "s.hdf5");
  file.dataset("few", {3}, few);
  file.dataset("zeros", {zeros.size()}, zeros, {{1 << 18}, false, false, 9});
  file.dataset<double>("contiguous", {1 << 20}, {});
  file.dataset<double>("chunked", {1 << 20}, {}, {{1 << 10}, false, false, 1});
  CHECK(number_dataset(file.id(), "few", kMost) == few);
  CHECK(number_dataset(file.id(), "zeros", kMost) == zeros);
  CHECK_FALSE(number_dataset(file.id(), "few", 2));
  CHECK_FALSE(number_dataset(file.id(), "contiguous", kMost));
  CHECK_FALSE(number_dataset(file.id(), "chunked", kMost));
}

TEST_CASE("integers arrive whole") {
  const TemporaryFolder folder;
  const std::uint64_t large = (std::uint64_t(1) << 60) + 1;
  {
    FileWriter file(folder / "s.hdf5");
    write_header(file, {2, 0, 0, 0, 0, 0}, 10);
    file.group("PartType0").dataset("PartType0/Coordinates", {2, 3}, some_positions(2, 10));
    file.dataset<std::uint64_t>("PartType0/ParticleIDs", {2}, {7, large});
  }
  const auto reader = open_snapshot(folder / "s.hdf5");
  CHECK(reader->info().types.at(0).find("ParticleIDs")->scalar == ScalarType::UInt64);
  Progress progress;
  reader->read(
      0, "ParticleIDs",
      [&](const ColumnChunk& chunk) {
        CHECK(static_cast<const std::uint64_t*>(chunk.data)[1] == large);
        CHECK(chunk.value(0, 0) == 7);
      },
      progress);
}

TEST_CASE("truncated files are refused with their sizes") {
  const TemporaryFolder folder;
  write_gas(folder / "s.hdf5", some_positions(10000, 10), 10);
  const auto size = std::filesystem::file_size(folder / "s.hdf5");
  std::filesystem::resize_file(folder / "s.hdf5", size / 2);
  CHECK_THAT(read_failure(folder / "s.hdf5"),
             Catch::Contains("truncated: " + std::to_string(size / 2) + " of " +
                             std::to_string(size) + " bytes"));
  std::filesystem::resize_file(folder / "s.hdf5", 60);
  CHECK_THAT(read_failure(folder / "s.hdf5"), Catch::Contains("truncated"));
}

TEST_CASE("a file that shrinks after opening names its dataset") {
  const TemporaryFolder folder;
  for (const bool compressed : {false, true}) {
    const Storage storage =
        compressed ? Storage{{1000, 3}, true, false, 1} : Storage{{}, false, false, 0};
    write_gas(folder / "s.hdf5", some_positions(100000, 10), 10, storage);
    const auto reader = open_snapshot(folder / "s.hdf5");
    std::filesystem::resize_file(folder / "s.hdf5",
                                 std::filesystem::file_size(folder / "s.hdf5") / 2);
    CHECK_THROWS_AS(read_rows(*reader, "Coordinates"), BadFile);
  }
}

TEST_CASE("a corrupt compressed chunk names file and dataset") {
  const TemporaryFolder folder;
  write_gas(folder / "s.hdf5", some_positions(50000, 10), 10, {{50000, 3}, true, false, 1});
  overwrite(folder / "s.hdf5", std::streamoff(std::filesystem::file_size(folder / "s.hdf5") / 2),
            std::string(5000, '\xff'));
  CHECK_THAT(read_failure(folder / "s.hdf5"),
             Catch::Contains("s.hdf5") && Catch::Contains("PartType0/Coordinates (gas)"));
}

TEST_CASE("wrong shapes and kinds say what was expected and found") {
  const TemporaryFolder folder;
  auto make = [&](const std::vector<hsize_t>& shape, std::size_t values) {
    FileWriter file(folder / "s.hdf5");
    write_header(file, {4, 0, 0, 0, 0, 0}, 10);
    file.group("PartType0");
    file.dataset("PartType0/Coordinates", shape, std::vector<float>(values, 1.0F));
  };
  make({4, 2}, 8);
  CHECK_THAT(read_failure(folder / "s.hdf5"), Catch::Contains("expected 4 x 3, found 4 x 2"));
  make({3, 3}, 9);
  CHECK_THAT(read_failure(folder / "s.hdf5"), Catch::Contains("expected 4 x 3, found 3 x 3"));
  make({12}, 12);
  CHECK_THAT(read_failure(folder / "s.hdf5"), Catch::Contains("expected 4 x 3, found 12"));

  {
    FileWriter file(folder / "t.hdf5");
    write_header(file, {4, 0, 0, 0, 0, 0}, 10);
    file.group("PartType0").dataset("PartType0/Coordinates", {4, 3}, some_positions(4, 10));
    file.dataset<float>("PartType0/Density", {5}, {1, 2, 3, 4, 5});
  }
  CHECK_THAT(read_failure(folder / "t.hdf5", "Density"),
             Catch::Contains("PartType0/Density (gas)") && Catch::Contains("expected 4, found 5"));
}

TEST_CASE("a dataset that a later file lacks is named with its file") {
  const TemporaryFolder folder;
  for (const int i : {0, 1}) {
    FileWriter file(folder / ("s." + std::to_string(i) + ".hdf5"));
    write_header(file, {2, 0, 0, 0, 0, 0}, 10, {4, 0, 0, 0, 0, 0}, 2);
    file.group("PartType0").dataset("PartType0/Coordinates", {2, 3}, some_positions(2, 10));
    if (i == 0) file.dataset<float>("PartType0/Density", {2}, {1, 2});
  }
  CHECK_THAT(read_failure(folder / "s.0.hdf5", "Density"),
             Catch::Contains("s.1.hdf5") && Catch::Contains("PartType0/Density (gas) is missing"));
}

TEST_CASE("a virtual dataset without its source is refused, not read as zeros") {
  const TemporaryFolder folder;
  write_gas(folder / "part.hdf5", some_positions(4, 10), 10);
  {
    FileWriter file(folder / "s.hdf5");
    write_header(file, {4, 0, 0, 0, 0, 0}, 10);
    file.group("PartType0");
    const hsize_t shape[2] = {4, 3};
    const hid_t space = H5Screate_simple(2, shape, nullptr);
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_virtual(plist, space, "part.hdf5", "PartType0/Coordinates", space);
    H5Dclose(H5Dcreate2(file.id(), "PartType0/Coordinates", H5T_NATIVE_FLOAT, space, H5P_DEFAULT,
                        plist, H5P_DEFAULT));
    H5Pclose(plist);
    H5Sclose(space);
  }
  CHECK(read_rows(*open_snapshot(folder / "s.hdf5"), "Coordinates")[0] ==
        double(some_positions(4, 10)[0]));
  std::filesystem::remove(folder / "part.hdf5");
  CHECK_THAT(read_failure(folder / "s.hdf5"),
             Catch::Contains("part.hdf5 is missing to which the snapshot links"));
}

TEST_CASE("reading reports progress from the caller's thread and stops when told to") {
  const TemporaryFolder folder;
  write_gas(folder / "s.hdf5", some_positions(2000000, 10), 10);
  const auto reader = open_snapshot(folder / "s.hdf5");
  const auto caller = std::this_thread::get_id();
  double last = -1;
  bool own_thread = true;
  Progress progress([&](const std::string& phase, double fraction) {
    own_thread = own_thread && std::this_thread::get_id() == caller;
    CHECK(phase == "reading Coordinates of gas");
    last = fraction;
  });
  reader->read(
      0, "Coordinates", [](const ColumnChunk&) {}, progress);
  CHECK(own_thread);
  CHECK(last > 0);
  CHECK(last <= 1);
  CHECK_THROWS_AS(reader->read(
                      0, "Coordinates", [&](const ColumnChunk&) { progress.cancel(); }, progress),
                  Cancelled);
}
