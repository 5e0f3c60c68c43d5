// Damage that fuzzing found to get through: each case ended the program, or worse, once.

#include "core/error.h"
#include "io/catalogs/catalog_reader.h"
#include "io/loading/particle_loader.h"
#include "io/loading/sidecar.h"
#include "io/snapshot_reader.h"
#include "tests/catch.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"

#include <limits>

using namespace haloscope;
using namespace haloscope::io;
using namespace snapshot_files;
using haloscope::test::message_of;
using haloscope::test::put_bytes;

namespace {

// A snapshot of three gas particles whose header has one attribute of the test's choice.
template <class T>
void write_with(const std::string& path, const std::string& attribute,
                const std::vector<T>& values) {
  FileWriter file(path);
  write_header(file, {3, 0, 0, 0, 0, 0}, 10);
  H5Adelete_by_name(file.id(), "Header", attribute.c_str(), H5P_DEFAULT);
  file.attribute<T>("Header", attribute, values);
  file.group("PartType0").dataset("PartType0/Coordinates", {3, 3}, some_positions(3, 10));
}

}  // namespace

TEST_CASE("hostile: counts beyond all integers are refused") {
  const TemporaryFolder folder;
  for (const double count : {1e38, std::numeric_limits<double>::infinity()}) {
    write_with<double>(folder / "counts.hdf5", "NumPart_ThisFile", {count, 0, 0, 0, 0, 0});
    CHECK_FALSE(message_of([&] { open_snapshot(folder / "counts.hdf5"); }).empty());
  }
  write_with<double>(folder / "files.hdf5", "NumFilesPerSnapshot", {1e38});
  CHECK_THAT(message_of([&] { open_snapshot(folder / "files.hdf5"); }),
             Catch::Contains("NumFilesPerSnapshot in /Header is 18446744073709551615"));
}

TEST_CASE("hostile: of a box so small that its sides cannot be counted nothing is shown") {
  const TemporaryFolder folder;
  write_with<double>(folder / "tiny.hdf5", "BoxSize", {1e-308});
  const auto reader = open_snapshot(folder / "tiny.hdf5");
  Progress progress;
  CHECK_FALSE(message_of([&] { load_particles(*reader, {{{0, {}}}, {}}, progress); }).empty());
}

TEST_CASE("hostile: a field of more columns than memory is none") {
  const TemporaryFolder folder;
  write_with<double>(folder / "wide.hdf5", "BoxSize", {10});
  {
    const hid_t file = H5Fopen((folder / "wide.hdf5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hsize_t shapes[][2] = {{3, (1ULL << 32) + 1}, {3, 1ULL << 31}, {3, 1ULL << 40}};
    for (const auto& shape : shapes) {
      const hid_t space = H5Screate_simple(2, shape, nullptr);
      const std::string name = "PartType0/Wide" + std::to_string(shape[1]);
      H5Dclose(H5Dcreate2(file, name.c_str(), H5T_NATIVE_FLOAT, space, H5P_DEFAULT, H5P_DEFAULT,
                          H5P_DEFAULT));
      H5Sclose(space);
    }
    H5Fclose(file);
  }
  const auto reader = open_snapshot(folder / "wide.hdf5");
  CHECK(reader->info().types.at(0).fields.size() == 1);
}

TEST_CASE("hostile: a catalog without columns has no rows, whatever its header says") {
  const TemporaryFolder folder;
  {
    FileWriter file(folder / "halos.hdf5");
    file.group("Header").group("Group").group("Subhalo");
    for (const char* kind : {"Ngroups", "Nsubhalos"})
      for (const char* of : {"_ThisFile", "_Total"})
        file.attribute<std::uint64_t>("Header", std::string(kind) + of, {~0ULL}, false);
    file.attribute<std::int32_t>("Header", "NumFiles", {1}, false);
    file.number("Header", "BoxSize", 10)
        .number("Header", "Time", 1)
        .number("Header", "Redshift", 0);
  }
  CHECK_THAT(message_of([&] { open_catalog(folder / "halos.hdf5"); }),
             Catch::Contains("group Group has no column of numbers though /Header counts"));
}

TEST_CASE("hostile: a sidecar file of every broken kind is refused by its line") {
  const TemporaryFolder folder;
  const std::string path = folder / "s.haloscope.toml";
  put_bytes(path,
            "# d\xc4\x87j\xc3\xa0 vu\r\n\nbox = +3 # \xc2\xb5\nunit = 'a\\b' #\n"
            "mass=\"x\\\\y\\\"z\"\nlast = true");
  const auto entries = read_sidecar(path, {"box", "unit", "mass", "last"});
  REQUIRE(entries.size() == 4);
  CHECK(entries[0].text == "3");
  CHECK(entries[0].where == path + ":3: box");
  CHECK(entries[1].text == "a\\b");
  CHECK(entries[2].text == "x\\y\"z");
  CHECK(entries[3].text == "yes");
  for (const char* broken : {"[/table]", "box", "box =", "= 3", "box = \"3", "box = 3 4",
                             "box = 3,", "box = \"\\n\"", "box = [1, 2", "box = {/",
                             "b\xc4\x87x = 3", "box = 3m", "box = +", "box = --3", "last = 1"}) {
    put_bytes(path, std::string("last = 2\n") + broken + "\n");
    INFO(broken);
    CHECK_THAT(message_of([&] {
                 read_sidecar(path, {"box", "last"});
               }),
               Catch::StartsWith(path + ":2: "));
  }
}
