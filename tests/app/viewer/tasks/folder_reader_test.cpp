#include "app/viewer/tasks/folder_reader.h"

#include "tests/catch.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

// Folders as the window lists them.

namespace haloscope::app::viewer {

namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;
using What = FileKind::What;

void write_snapshot(const std::string& path, int files = 1) {
  snapshot_files::FileWriter file(path);
  snapshot_files::write_header(file, {2, 0, 0, 0, 0, 0}, 10,
                               {std::uint32_t(2 * files), 0, 0, 0, 0, 0}, files);
  file.group("PartType0");
  file.dataset<float>("PartType0/Coordinates", {2, 3}, {1, 2, 3, 4, 5, 6});
}

Names names_of(const std::vector<FolderRow>& rows) {
  Names names;
  for (const FolderRow& row : rows) names.push_back(row.name + (row.folder ? "/" : ""));
  return names;
}

// Reads as a window does, frame by frame.
struct Reader {
  FolderReader reader{[] {}};

  const FolderModel& read(const std::string& folder, const Names& seen = {}) {
    reader.want(folder, seen);
    for (int k = 0; k < 3000 && reader.busy(); ++k)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    REQUIRE_FALSE(reader.busy());
    reader.take();
    return reader.model();
  }
};

}  // namespace

TEST_CASE("names are in the order of their numbers") {
  const Names sorted{"a",   "a1", "a01",          "a1b",           "a2",
                     "a10", "b",  "b_003.1.hdf5", "b_003.02.hdf5", "b_003.10.hdf5"};
  for (std::size_t i = 0; i < sorted.size(); ++i)
    for (std::size_t j = 0; j < sorted.size(); ++j) {
      INFO(sorted[i] << " " << sorted[j]);
      if (i == 1 && j == 2) continue;  // the same number: in either order, but in one
      if (i == 2 && j == 1) continue;
      CHECK(comes_before(sorted[i], sorted[j]) == (i < j));
    }
  CHECK(comes_before("a1", "a01") != comes_before("a01", "a1"));
}

TEST_CASE("files that differ by one number belong together") {
  std::vector<FolderRow> rows;
  for (const char* const name :
       {"a_1.hdf5", "a_2.hdf5", "a_3.txt", "b.0.hdf5", "b.1.hdf5", "snap_001", "snap_002", "x.001",
        "x.002", "alone_7.hdf5", "none.hdf5"})
    rows.push_back({name, false, 0, {}, false});
  rows.push_back({"folder_1", true, 0, {}, false});
  rows.push_back({"folder_2", true, 0, {}, false});
  Names names;
  for (const NumberedFiles& files : find_numbered(rows)) {
    CHECK(files.rows.size() == 2);
    names.push_back(files.name);
  }
  CHECK(names == Names{"a_*.hdf5", "b.*.hdf5", "snap_*", "x.*"});
}

TEST_CASE("a folder's list tells snapshots, series, sets, catalogs and folders by their content") {
  const test::OutputFolder folder;
  for (const char* const name : {"run_000.dat", "run_001.dat", "run_002.dat", "single"})
    write_snapshot(folder.path(name));
  write_snapshot(folder.path("set.0.hdf5"), 2);
  write_snapshot(folder.path("set.1.hdf5"), 2);
  test::put_bytes(folder.path("frame_1.hdf5"), "no snapshot");
  test::put_bytes(folder.path("frame_2.hdf5"), "no snapshot");
  test::put_bytes(folder.path("notes.txt"), "a note of mine\n");
  test::put_bytes(folder.path(".hidden"), "");
  test::put_bytes(folder.path("single.haloscope-lengths"), "");
  fs::create_directory(folder.path("sub"));
  fs::create_symlink("nowhere", folder.path("dangling"));
  fs::copy_file(test::sample_file(), folder.path("sample"));
  Reader reader;
  const FolderModel& model = reader.read(folder.path());
  CHECK(model.fault.empty());
  CHECK(names_of(model.rows) == Names{"sub/", "frame_1.hdf5", "frame_2.hdf5", "notes.txt",
                                      "run_*.dat", "run_000.dat", "run_001.dat", "run_002.dat",
                                      "sample", "set.*.hdf5", "single"});
  const FolderRow &series = model.rows[4], &set = model.rows[9];
  CHECK(series.series);
  CHECK(series.members == Names{"run_000.dat", "run_001.dat", "run_002.dat"});
  CHECK(series.bytes == 3 * model.rows[5].bytes);
  CHECK_FALSE(set.series);
  CHECK(set.members == Names{"set.0.hdf5", "set.1.hdf5"});
  const auto kind = [&](const std::string& name) { return model.kinds.at(name); };
  CHECK(kind("single").what == What::Snapshot);
  CHECK(kind("single").words == kind("run_002.dat").words);
  CHECK_FALSE(kind("single").words.empty());
  CHECK(kind("single").moment == "z = 1.00");
  CHECK(kind("set.0.hdf5").files == 2);
  CHECK(kind("sample").what == What::Snapshot);
  for (const char* const name : {"notes.txt", "frame_1.hdf5"})
    CHECK(kind(name).what == What::Other);
  CHECK(reader.read(folder.path("absent")).fault.find("cannot be read") != std::string::npos);
}

TEST_CASE("of ten thousand files those are looked into that are seen") {
  const test::OutputFolder folder;
  // Letters at the end: no two of them are of one series.
  for (int k = 0; k < 10000; ++k) test::put_bytes(folder.path(std::to_string(k) + "x"), "?");
  Reader reader;
  const FolderModel& model = reader.read(folder.path());
  CHECK(model.rows.size() == 10000);
  CHECK(model.rows[9999].name == "9999x");
  CHECK(model.kinds.size() < 100);
  CHECK_FALSE(model.kinds.contains("5000x"));
  reader.read(folder.path(), {"5000x"});
  CHECK(model.kinds.contains("5000x"));
  CHECK(model.kinds.size() < 101);
  // Whoever looks again sees what is there now.
  reader.reader.forget();
  test::put_bytes(folder.path("new"), "?");
  CHECK(reader.read(folder.path()).rows.size() == 10001);
}

}  // namespace haloscope::app::viewer
