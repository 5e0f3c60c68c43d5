// HDF5 hands out zeros for what was never written, without a word: such columns are refused or
// said.

#include "core/error.h"
#include "io/loading/load_plan.h"
#include "io/loading/particle_loader.h"
#include "io/loading/position_scan.h"
#include "io/snapshot_reader.h"
#include "tests/catch.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"
#include "tests/snapshot_checks.h"

#include <cmath>

using namespace haloscope;
using namespace haloscope::io;
using namespace snapshot_files;
using haloscope::test::message_of;
using snapshot_checks::says;

namespace {

constexpr hsize_t kRows = 3000, kWritten = 2000;

// A dataset of float32 of which only the first rows are written; takes over `plist`.
void write_part(FileWriter& file, const std::string& name, hsize_t columns, hid_t plist,
                hid_t type = H5T_NATIVE_FLOAT) {
  const hsize_t shape[2] = {kRows, columns}, start[2] = {0, 0}, count[2] = {kWritten, columns};
  const hid_t space = H5Screate_simple(2, shape, nullptr);
  const hid_t memory = H5Screate_simple(2, count, nullptr);
  const hid_t data =
      H5Dcreate2(file.id(), name.c_str(), type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr);
  const auto values = some_positions(kWritten, 10);
  H5Dwrite(data, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, values.data());
  H5Dclose(data);
  H5Sclose(memory);
  H5Sclose(space);
  H5Pclose(plist);
}

hid_t chunks_of(hsize_t rows, hsize_t columns) {
  const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t chunk[2] = {rows, columns};
  H5Pset_chunk(plist, 2, chunk);
  return plist;
}

std::string loading_failure(const std::string& path) {
  return message_of([&] {
    Progress progress;
    load_particles(*open_snapshot(path), {{{0, {}}}, {}}, progress);
  });
}

// Gas whose positions show the first `mapped` rows of another file's.
void write_virtual(const std::string& path, const std::string& source, hsize_t rows,
                   hsize_t mapped) {
  FileWriter file(path);
  write_header(file, {0, 0}, 10);
  H5Adelete_by_name(file.id(), "Header", "NumPart_ThisFile", H5P_DEFAULT);
  file.attribute<std::uint64_t>("Header", "NumPart_ThisFile", {rows, 0});
  file.group("PartType0");
  const hsize_t shape[2] = {rows, 3}, part[2] = {mapped, 3}, start[2] = {0, 0};
  const hid_t space = H5Screate_simple(2, shape, nullptr);
  const hid_t from = H5Screate_simple(2, part, nullptr);
  const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, part, nullptr);
  H5Pset_virtual(plist, space, source.c_str(), "PartType0/Coordinates", from);
  H5Sselect_all(space);
  H5Dclose(H5Dcreate2(file.id(), "PartType0/Coordinates", H5T_NATIVE_FLOAT, space, H5P_DEFAULT,
                      plist, H5P_DEFAULT));
  H5Pclose(plist);
  H5Sclose(from);
  H5Sclose(space);
}

// A snapshot that promises more particles than any memory holds.
class Promise : public SnapshotReader {
 public:
  Promise(std::uint64_t count, ScalarType scalar) {
    info_.files = {"promise"};
    TypeInfo gas;
    gas.name = "gas";
    gas.count = count;
    gas.fields.push_back({"Coordinates", 3, scalar, {}});
    gas.roles[Role::Position] = "Coordinates";
    info_.types.emplace(0, gas);
  }
  void read(int, const std::string&, const ChunkVisitor&, Progress&) const override {}
};

}  // namespace

TEST_CASE("half-written positions are refused, however they are stored") {
  const TemporaryFolder folder;
  const std::string path = folder / "s.hdf5";
  struct Kind {
    const char* name;
    hsize_t rows, columns;
    void (*set)(hid_t plist);
    hid_t type;
  };
  const std::vector<Kind> kinds{
      {"plain", 500, 3, [](hid_t) {}, H5T_NATIVE_FLOAT},
      {"gzip", 500, 3, [](hid_t plist) { H5Pset_deflate(plist, 1); }, H5T_NATIVE_FLOAT},
      {"rows cut apart", 500, 1, [](hid_t plist) { H5Pset_deflate(plist, 1); }, H5T_NATIVE_FLOAT},
      {"big endian", 500, 3, [](hid_t plist) { H5Pset_deflate(plist, 1); }, H5T_IEEE_F32BE},
      {"scale and offset", 500, 3,
       [](hid_t plist) { H5Pset_scaleoffset(plist, H5Z_SO_FLOAT_DSCALE, 3); }, H5T_NATIVE_FLOAT},
  };
  for (const auto& kind : kinds) {
    INFO(kind.name);
    {
      FileWriter file(path);
      write_header(file, {kRows, 0, 0, 0, 0, 0}, 10);
      file.group("PartType0");
      const hid_t plist = chunks_of(kind.rows, kind.columns);
      kind.set(plist);
      write_part(file, "PartType0/Coordinates", 3, plist, kind.type);
    }
    CHECK_THAT(loading_failure(path), Catch::Contains("PartType0/Coordinates (gas)"));
    CHECK_THAT(loading_failure(path),
               Catch::Contains(kind.columns == 1 ? "6 of 18 chunks were never written"
                                                 : "2 of 6 chunks were never written"));
  }
}

TEST_CASE("a half-written plain field is refused, one never begun is said") {
  const TemporaryFolder folder;
  const std::string path = folder / "s.hdf5";
  {
    FileWriter file(path);
    write_header(file, {kRows, 0, 0, 0, 0, 0}, 10);
    file.group("PartType0");
    file.dataset("PartType0/Coordinates", {kRows, 3}, some_positions(kRows, 10));
    write_part(file, "PartType0/Masses", 1, chunks_of(1000, 1));
    file.dataset<float>("PartType0/Density", {kRows}, {});
  }
  const auto reader = open_snapshot(path);
  CHECK_THAT(message_of([&] { snapshot_checks::values_of(*reader, 0, "Masses"); }),
             Catch::Contains("PartType0/Masses (gas) is incomplete: 1 of 3 chunks was never"));
  CHECK(says(reader->info(), "PartType0/Masses (gas) cannot be used, it is incomplete: 1 of 3"));
  CHECK(says(reader->info(), "PartType0/Density (gas) has space but no data"));
  CHECK(snapshot_checks::values_of(*reader, 0, "Density")[0] == 0);
}

TEST_CASE("positions for which nothing was ever written are refused") {
  const TemporaryFolder folder;
  {
    FileWriter file(folder / "s.hdf5");
    write_header(file, {kRows, 0, 0, 0, 0, 0}, 10);
    file.group("PartType0").dataset<float>("PartType0/Coordinates", {kRows, 3}, {});
  }
  CHECK_THAT(loading_failure(folder / "s.hdf5"), Catch::Contains("too few bytes for them"));
}

TEST_CASE("a virtual dataset with a gap is refused, a complete one is accused of nothing") {
  const TemporaryFolder folder;
  write_gas(folder / "part.hdf5", some_positions(kWritten, 10), 10);
  write_virtual(folder / "gap.hdf5", "part.hdf5", kRows, kWritten);
  CHECK_THAT(loading_failure(folder / "gap.hdf5"),
             Catch::Contains("is incomplete: its sources have 2000 of 3000 rows"));
  write_virtual(folder / "full.hdf5", "part.hdf5", kWritten, kWritten);
  const auto reader = open_snapshot(folder / "full.hdf5");
  CHECK_FALSE(says(reader->info(), "has space but no data"));
  CHECK(snapshot_checks::values_of(*reader, 0, "Coordinates")[3] ==
        double(some_positions(kWritten, 10)[3]));
}

TEST_CASE("positions that are there but cannot be opened are not said to be absent") {
  const TemporaryFolder folder;
  {
    FileWriter file(folder / "s.hdf5");
    write_header(file, {kRows, 0, 0, 0, 0, 0}, 10);
    file.group("PartType0").group("PartType0/Coordinates");
  }
  CHECK_THAT(loading_failure(folder / "s.hdf5"),
             Catch::Contains("dataset PartType0/Coordinates is there, but HDF5") &&
                 Catch::Contains("cannot open it"));
}

TEST_CASE("hostile: a small file that promises 2^62 particles is refused at once") {
  const TemporaryFolder folder;
  write_gas(folder / "part.hdf5", some_positions(10, 10), 10);
  write_virtual(folder / "s.hdf5", "part.hdf5", hsize_t(1) << 62, 10);
  CHECK_THAT(loading_failure(folder / "s.hdf5"), Catch::Contains("its sources have 10 of"));
}

TEST_CASE("hostile: what cannot be counted in 64 bits is not a small amount of memory") {
  // 12 bytes each come to 2^64 and 4 more.
  const std::uint64_t count = 0x1555555555555556U;
  const Promise promise(count, ScalarType::Float32);
  CHECK(estimate_memory(promise.info(), {{{0, {}, false, false}}}) == ~std::uint64_t(0));
  CHECK(scan_bytes(promise) == ~std::uint64_t(0));
}
