#include "app/viewer/tasks/series_reader.h"

#include "tests/catch.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

// When the snapshots of a series are, by their headers.

namespace haloscope::app::viewer {

namespace {

void write_snapshot(const std::string& path, double time) {
  snapshot_files::FileWriter file(path);
  file.group("Header");
  file.attribute<std::uint32_t>("Header", "NumPart_ThisFile", {1, 0, 0, 0, 0, 0});
  file.attribute<std::uint32_t>("Header", "NumPart_Total", {1, 0, 0, 0, 0, 0});
  file.attribute("Header", "MassTable", std::vector<double>(6, 0.0));
  file.attribute<std::int32_t>("Header", "NumFilesPerSnapshot", {1}, false);
  file.number("Header", "BoxSize", 10).number("Header", "Time", time);
  file.group("PartType0");
  file.dataset<float>("PartType0/Coordinates", {1, 3}, {1, 2, 3});
}

}  // namespace

TEST_CASE("moments of a series are read, and nothing where a header does not tell") {
  const test::OutputFolder folder;
  write_snapshot(folder.path("a"), 1.5);
  write_snapshot(folder.path("b"), 4);
  test::put_bytes(folder.path("damaged"), std::string("\x89HDF\r\n\x1a\n", 8) + "?");
  test::put_bytes(folder.path("table"), "x y z\n1 2 3\n");
  SeriesReader reader([] {});
  const auto moments_of = [&](const std::vector<std::string>& names) {
    std::vector<std::string> paths;
    for (const std::string& name : names) paths.push_back(folder.path(name));
    reader.want(paths, {});
    for (int k = 0; k < 3000; ++k) {
      reader.take();
      if (!reader.busy()) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::vector<std::string> words;
    for (const auto& moment : reader.moments()) words.push_back(moment ? moment->words : "-");
    return words;
  };
  CHECK(moments_of({"a", "damaged", "b", "table", "absent"}) ==
        std::vector<std::string>{"time 1.5", "-", "time 4", "-", "-"});
  CHECK(reader.moments()[2]->place == 4);
  CHECK(moments_of({"b", "a"}) == std::vector<std::string>{"time 4", "time 1.5"});
  CHECK(moments_of({}).empty());
}

}  // namespace haloscope::app::viewer
