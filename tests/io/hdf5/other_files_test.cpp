// HDF5 files that show what lies in other files: external links, virtual datasets, raw storage.

#include "tests/command_line.h"
#include "tests/output_folder.h"
#include "tests/snapshot_checks.h"

#include <filesystem>
#include <sys/stat.h>

using namespace haloscope;
using namespace haloscope::io;
using namespace snapshot_files;
using namespace snapshot_checks;
using haloscope::test::put_bytes;
using haloscope::test::run_program;

namespace {

namespace fs = std::filesystem;

constexpr double kBox = 10;

// Three gas particles whose group or positions another file holds.
void write_parts(const std::string& path, std::size_t rows = 3, std::uint64_t seed = 1) {
  FileWriter file(path);
  file.group("PartType0");
  file.dataset("PartType0/Coordinates", {rows, 3}, some_positions(rows, kBox, seed));
}

void write_linked(const std::string& path, const std::string& target,
                  const std::string& object = "PartType0") {
  FileWriter file(path);
  write_header(file, {3, 0, 0, 0, 0, 0}, kBox);
  H5Lcreate_external(target.c_str(), object.c_str(), file.id(), "PartType0", H5P_DEFAULT,
                     H5P_DEFAULT);
}

void write_virtual(const std::string& path,
                   const std::vector<std::pair<std::string, hsize_t>>& sources,
                   std::uint32_t rows = 3) {
  FileWriter file(path);
  write_header(file, {rows, 0, 0, 0, 0, 0}, kBox);
  file.group("PartType0").virtual_dataset("PartType0/Coordinates", sources);
}

// Positions whose bytes are those of any other file.
void write_raw(const std::string& path, const std::string& bytes_of,
               const std::string& name = "PartType0/Coordinates") {
  FileWriter file(path);
  write_header(file, {3, 0, 0, 0, 0, 0}, kBox);
  file.group("PartType0");
  if (name != "PartType0/Coordinates")
    file.dataset("PartType0/Coordinates", {3, 3}, some_positions(3, kBox));
  const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(plist, bytes_of.c_str(), 0, 36);
  const hsize_t shape[2] = {3, 3};
  const hid_t space = H5Screate_simple(2, shape, nullptr);
  H5Dclose(H5Dcreate2(file.id(), name.c_str(), H5T_NATIVE_FLOAT, space, H5P_DEFAULT, plist,
                      H5P_DEFAULT));
  H5Sclose(space);
  H5Pclose(plist);
}

bool lists(const SnapshotInfo& info, const std::string& path) {
  return std::any_of(info.files.begin(), info.files.end(), [&](const std::string& one) {
    std::error_code ignored;
    return fs::equivalent(one, path, ignored);
  });
}

bool refused(const std::string& path, const std::string& part) {
  const auto run = run_program({"info", path});
  INFO(run.err);
  CHECK(run.is_fault());
  CHECK(run.says(part));
  return run.is_fault() && run.says(part);
}

}  // namespace

TEST_CASE("what comes from another file of the snapshot's folder is named", "[outside]") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "parts");
  write_parts(folder / "parts/a.hdf5");
  const std::string path = folder / "s.hdf5";
  const bool linked = GENERATE(true, false);
  if (linked)
    write_linked(path, "parts/a.hdf5");
  else
    write_virtual(path, {{"parts/a.hdf5", 3}});
  const auto reader = open_snapshot(path);
  CHECK(lists(reader->info(), path));
  CHECK(lists(reader->info(), folder / "parts/a.hdf5"));
  CHECK(says(reader->info(), "of other files: a.hdf5"));
  check_round_trip(*reader, 0, some_positions(3, kBox));
}

TEST_CASE("another file outside the snapshot's folder is refused, or allowed and named",
          "[outside]") {
  const TemporaryFolder folder, elsewhere;
  const std::string path = folder / "s.hdf5", other = elsewhere / "a.hdf5";
  write_parts(other);
  const int kind = GENERATE(0, 1, 2, 3, 4);
  CAPTURE(kind);
  if (kind == 0) write_linked(path, other);
  if (kind == 1) write_virtual(path, {{other, 3}});
  if (kind == 2) {  // a name that looks as if it were inside
    fs::create_symlink(other, folder / "a.hdf5");
    write_virtual(path, {{"a.hdf5", 3}});
  }
  if (kind == 3) {  // by way of a file inside
    write_linked(folder / "between.hdf5", other);
    write_linked(path, "between.hdf5");
  }
  if (kind == 4) {  // a pattern of many files
    fs::copy(other, elsewhere / "part_0.hdf5");
    FileWriter file(path);
    write_header(file, {3, 0, 0, 0, 0, 0}, kBox);
    file.group("PartType0");
    const hsize_t shape[2] = {3, 3}, most[2] = {H5S_UNLIMITED, 3}, chunk[2] = {3, 3};
    const hsize_t start[2] = {0, 0}, stride[2] = {3, 3}, count[2] = {H5S_UNLIMITED, 1};
    const hid_t space = H5Screate_simple(2, shape, most);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, chunk);
    const hid_t source = H5Screate_simple(2, shape, nullptr);
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_virtual(plist, space, (elsewhere / "part_%b.hdf5").c_str(), "PartType0/Coordinates",
                   source);
    H5Sselect_all(space);
    H5Dclose(H5Dcreate2(file.id(), "PartType0/Coordinates", H5T_NATIVE_FLOAT, space, H5P_DEFAULT,
                        plist, H5P_DEFAULT));
    H5Pclose(plist);
    H5Sclose(source);
    H5Sclose(space);
  }
  CHECK(refused(path, "outside the folder of this file"));
  CHECK(refused(path, "--allow-outside"));
  // In the others two files of the folder could be the snapshot.
  if (kind < 2) CHECK(refused(folder.path(), "outside the folder of this file"));
  const auto allowed = run_program({"info", path, "--allow-outside", "--json"});
  INFO(allowed.err);
  CHECK(allowed.code == 0);
  CHECK(allowed.says(elsewhere.path()));
  CHECK(allowed.says("outside its folder"));
}

TEST_CASE("the folder of the file that the given name links to is the snapshot's, too",
          "[outside]") {
  const TemporaryFolder folder, links;
  write_parts(folder / "a.hdf5");
  write_virtual(folder / "s.hdf5", {{"a.hdf5", 3}});
  fs::create_symlink(folder / "s.hdf5", links / "s.hdf5");
  const auto reader = open_snapshot(links / "s.hdf5");
  check_round_trip(*reader, 0, some_positions(3, kBox));
}

TEST_CASE("a name with a path that is gone leads to the file of that name beside the snapshot",
          "[outside]") {
  // As HDF5 itself looks for it: a virtual file that was copied with its parts.
  const TemporaryFolder folder;
  write_parts(folder / "a.hdf5");
  write_virtual(folder / "s.hdf5", {{"/gone/with/the/disk/a.hdf5", 3}});
  check_round_trip(*open_snapshot(folder / "s.hdf5"), 0, some_positions(3, kBox));
}

TEST_CASE("raw external storage is refused, allowed or not", "[outside]") {
  const TemporaryFolder folder;
  put_bytes(folder / "secret.txt", std::string(64, 'a'));
  const std::string name = GENERATE("PartType0/Coordinates", "PartType0/Velocities");
  const bool inside = GENERATE(true, false);
  const std::string path = folder / "s.hdf5";
  write_raw(path, inside ? folder / "secret.txt" : "/etc/passwd", name);
  CHECK(refused(path, name + " has its bytes in a file that is not HDF5"));
  const auto allowed = run_program({"info", path, "--allow-outside"});
  CHECK(allowed.is_fault());
}

TEST_CASE("raw external storage of positions without groups is refused", "[outside]") {
  const TemporaryFolder folder;
  {
    FileWriter file(folder / "bare.hdf5");
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(plist, "/etc/passwd", 0, 36);
    const hsize_t shape[2] = {3, 3};
    const hid_t space = H5Screate_simple(2, shape, nullptr);
    H5Dclose(
        H5Dcreate2(file.id(), "pos", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, plist, H5P_DEFAULT));
    H5Sclose(space);
    H5Pclose(plist);
  }
  CHECK(refused(folder / "bare.hdf5", "has its bytes in a file that is not HDF5"));
}

TEST_CASE("a halo catalog is held to its folder, too", "[outside]") {
  const TemporaryFolder folder;
  const std::string path = folder / "fof_subhalo_tab_000.hdf5";
  {
    FileWriter file(path);
    file.group("Header").group("Group").group("Subhalo");
    for (const char* kind : {"Ngroups", "Nsubhalos"})
      for (const char* of : {"_ThisFile", "_Total"})
        file.attribute<std::uint64_t>("Header", std::string(kind) + of, {3}, false);
    file.attribute<std::int32_t>("Header", "NumFiles", {1}, false);
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(plist, "/etc/passwd", 0, 36);
    const hsize_t shape[2] = {3, 3};
    const hid_t space = H5Screate_simple(2, shape, nullptr);
    H5Dclose(H5Dcreate2(file.id(), "Group/GroupPos", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, plist,
                        H5P_DEFAULT));
    H5Sclose(space);
    H5Pclose(plist);
  }
  const auto run = run_program({"catalog", path});
  INFO(run.err);
  CHECK(run.is_fault());
  CHECK(run.says("Group/GroupPos has its bytes in a file that is not HDF5"));
}

TEST_CASE("a link that leads nowhere is a missing file", "[outside]") {
  const TemporaryFolder folder;
  const std::string path = folder / "s.hdf5";
  {
    FileWriter file(path);
    write_header(file, {3, 3, 0, 0, 0, 0}, kBox);
    file.group("PartType1").dataset("PartType1/Coordinates", {3, 3}, some_positions(3, kBox));
    H5Lcreate_external("gone.hdf5", "PartType0", file.id(), "PartType0", H5P_DEFAULT, H5P_DEFAULT);
  }
  CHECK_THROWS_AS(open_snapshot(path), MissingFiles);
  CHECK(refused(path, "gone.hdf5"));
  CHECK(refused(path, "--allow-missing"));
  OpenOptions options;
  options.allow_missing_files = true;
  const auto reader = open_snapshot(path, options);
  CHECK(reader->info().types.size() == 1);
  CHECK(says(reader->info(), "gone.hdf5"));
}

TEST_CASE("a link to a pipe keeps nobody waiting", "[outside]") {
  const TemporaryFolder folder;
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  const bool linked = GENERATE(true, false);
  if (linked)
    write_linked(folder / "s.hdf5", "pipe");
  else
    write_virtual(folder / "s.hdf5", {{"pipe", 3}});
  CHECK(refused(folder / "s.hdf5", "pipe"));
}

TEST_CASE("a sidecar file cannot allow what lies outside", "[outside]") {
  const TemporaryFolder folder, elsewhere;
  write_parts(elsewhere / "a.hdf5");
  write_linked(folder / "s.hdf5", elsewhere / "a.hdf5");
  put_bytes(folder / "s.hdf5.haloscope.toml", "allow-outside = \"yes\"\n");
  CHECK(refused(folder / "s.hdf5", "s.hdf5.haloscope.toml:1"));
  CHECK(refused(folder / "s.hdf5", "only on the command line"));
}

TEST_CASE("of any virtual dataset the rows of missing files are left out when allowed",
          "[outside]") {
  const TemporaryFolder folder;
  write_parts(folder / "a.hdf5", 4, 1);
  write_parts(folder / "c.hdf5", 2, 3);
  const std::string path = folder / "s.hdf5";
  {
    FileWriter file(path);
    write_header(file, {9, 0, 0, 0, 0, 0}, kBox);
    file.group("PartType0");
    file.virtual_dataset("PartType0/Coordinates", {{"a.hdf5", 4}, {"b.hdf5", 3}, {"c.hdf5", 2}});
    // Rows of the file itself, and two fields of others.
    file.dataset<std::uint64_t>("PartType0/ParticleIDs", {9}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    file.virtual_dataset("PartType0/Velocities", {{"a.hdf5", 9}});
    file.virtual_dataset("PartType0/Other", {{"d.hdf5", 9}});
  }
  {
    // Velocities of all rows, those of the missing file as well.
    const hid_t file = H5Fopen((folder / "a.hdf5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hsize_t shape[2] = {9, 3};
    const hid_t space = H5Screate_simple(2, shape, nullptr);
    const hid_t data = H5Dcreate2(file, "PartType0/Velocities", H5T_NATIVE_FLOAT, space,
                                  H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const auto values = some_positions(9, kBox, 7);
    H5Dwrite(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(data);
    H5Sclose(space);
    H5Fclose(file);
  }
  CHECK_THROWS_AS(open_snapshot(path), MissingFiles);
  CHECK(refused(path, "b.hdf5"));
  CHECK(refused(path, "--allow-missing"));
  OpenOptions options;
  options.allow_missing_files = true;
  const auto reader = open_snapshot(path, options);
  const SnapshotInfo& info = reader->info();
  REQUIRE(info.types.at(0).count == 6);
  CHECK(says(info, "b.hdf5"));
  CHECK(says(info, "3 of 9 gas particles are left out"));
  auto expected = some_positions(4, kBox, 1);
  const auto last = some_positions(2, kBox, 3);
  expected.insert(expected.end(), last.begin(), last.end());
  const auto values = values_of(*reader, 0, "Coordinates");
  CHECK(std::vector<float>(values.begin(), values.end()) == expected);
  CHECK(ids_of(*reader, 0) == std::vector<std::uint64_t>{1, 2, 3, 4, 8, 9});
  const auto speeds = values_of(*reader, 0, "Velocities");
  const auto all = some_positions(9, kBox, 7);
  REQUIRE(speeds.size() == 18);
  CHECK(float(speeds[12]) == all[21]);
  // A field none of whose rows is there.
  CHECK_FALSE(info.types.at(0).find("Other"));
  CHECK(says(info, "PartType0/Other (gas) is left out"));
  // A part of the rows, across the gap.
  const auto seen = rows_handed_over(*reader, 0, "Coordinates", {{3, 5}});
  CHECK(seen[3] == 1);
  CHECK(seen[4] == 1);
  const auto drawn = run_program({"info", path, "--allow-missing"});
  CHECK(drawn.code == 0);
}

TEST_CASE("a virtual file all of whose parts are missing holds nothing to go on with",
          "[outside]") {
  const TemporaryFolder folder;
  write_virtual(folder / "s.hdf5", {{"a.hdf5", 3}});
  OpenOptions options;
  options.allow_missing_files = true;
  CHECK_THROWS_AS(open_snapshot(folder / "s.hdf5", options), MissingFiles);
}
