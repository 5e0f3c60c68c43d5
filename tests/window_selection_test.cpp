// Selections of the window: their count, their export, and what is followed by IDs.

#include "app/jobs/selection_job.h"
#include "core/error.h"
#include "io/loading/particle_ids.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/output_folder.h"
#include "tests/snapshot_files.h"
#include "tests/test_paths.h"

#include <set>

namespace haloscope::app::jobs {

namespace {

using session::SelectionKind;
using namespace snapshot_files;
using test::message_of;
using test::OutputFolder;

constexpr std::size_t kGas = 3000;
constexpr double kBox = 10;

// Gas in a box; `later`: from row 100 on, in reverse order, the first 60 of the others as stars.
void write_snapshot(const std::string& path, bool later, bool with_ids = true) {
  const std::uint32_t stars = later ? 60 : 0, gas = later ? kGas - 100 : kGas;
  FileWriter file(path);
  write_header(file, {gas, 0, 0, 0, stars, 0}, kBox);
  std::vector<std::uint64_t> ids;
  for (std::uint64_t i = 0; i < gas; ++i) ids.push_back(1 + (later ? kGas - 1 - i : i));
  file.group("PartType0").dataset("PartType0/Coordinates", {gas, 3}, some_positions(gas, kBox));
  if (with_ids) file.dataset("PartType0/ParticleIDs", {gas}, ids);
  file.dataset("PartType0/Masses", {gas}, std::vector<float>(gas, 0.5f));
  file.dataset("PartType0/Density", {gas}, std::vector<float>(ids.begin(), ids.end()));
  if (stars == 0) return;
  ids.resize(stars);
  for (std::uint64_t i = 0; i < stars; ++i) ids[i] = 1 + i;
  file.group("PartType4").dataset("PartType4/Coordinates", {stars, 3}, some_positions(stars, kBox));
  if (with_ids) file.dataset("PartType4/ParticleIDs", {stars}, ids);
  file.dataset("PartType4/Masses", {stars}, std::vector<float>(stars, 0.25f));
}

SelectionRequest request_for(const std::string& snapshot, SelectionKind kind) {
  SelectionRequest request;
  request.snapshot = request.made_in = snapshot;
  request.device = "cpu";
  request.chosen.kind = kind;
  request.chosen.center = {9.5, 5, 0.2};
  request.chosen.radius = 2;
  request.chosen.low = {9, 9, 2};
  request.chosen.high = {11, 1, 8};
  request.chosen.field = "density";
  request.chosen.limits = {1, 201};
  return request;
}

SelectionCount count_of(const SelectionRequest& request) {
  Progress progress;
  return count_selection(request, progress);
}

// IDs of what an export writes, by type.
std::map<int, std::set<std::uint64_t>> exported(const SelectionRequest& request,
                                                const std::string& path) {
  Progress progress;
  export_selection(
      request, path, [](const std::string&) {}, progress);
  const auto reader = io::open_snapshot(path);
  std::map<int, std::set<std::uint64_t>> ids;
  for (const auto& [type, info] : reader->info().types) {
    const auto all = io::load_ids(*reader, type, {}, progress);
    ids[type] = {all.begin(), all.end()};
  }
  return ids;
}

}  // namespace

TEST_CASE("each kind of selection is counted and written alike", "[window][selection]") {
  const OutputFolder folder;
  const std::string path = folder.path("a.hdf5");
  write_snapshot(path, false);
  for (const auto kind : {SelectionKind::Box, SelectionKind::Sphere, SelectionKind::Value}) {
    const SelectionRequest request = request_for(path, kind);
    const SelectionCount count = count_of(request);
    INFO(int(kind));
    CHECK(count.selected() > 50);
    CHECK(count.selected() < 500);
    CHECK(*count.mass() == Approx(0.5 * double(count.selected())));
    CHECK(exported(request, folder.path("out.hdf5"))[0].size() == count.selected());
  }
  CHECK(count_of(request_for(path, SelectionKind::Value)).selected() == 200);
}

TEST_CASE("followed particles are found by their IDs, as stars too", "[window][selection]") {
  const OutputFolder folder;
  const std::string first = folder.path("a.hdf5"), second = folder.path("b.hdf5");
  write_snapshot(first, false);
  write_snapshot(second, true);
  SelectionRequest request = request_for(first, SelectionKind::Value);
  request.snapshot = second;
  // The same range holds others there.
  CHECK(count_of(request).types.at(0).selected == 100);
  request.chosen.follow_ids = true;
  const SelectionCount count = count_of(request);
  CHECK(*count.sought == 200);
  CHECK(count.found == 160);
  CHECK(count.types.at(0).selected == 100);
  CHECK(count.types.at(1).selected == 60);
  CHECK(*count.mass() == Approx(100 * 0.5 + 60 * 0.25));
  auto ids = exported(request, folder.path("out.hdf5"));
  CHECK(*ids[0].begin() == 101);
  CHECK(*ids[0].rbegin() == 200);
  CHECK(*ids[4].rbegin() == 60);
  // Known IDs do without the first snapshot; else its absence is told.
  std::filesystem::remove(first);
  CHECK(message_of([&] { count_of(request); }).find("a.hdf5") != std::string::npos);
  request.ids = count.ids;
  CHECK(count_of(request).found == 160);
}

TEST_CASE("a halo's members are its selection, and are followed", "[window][selection]") {
  const std::string sample = test::source_dir() + "/assets/sample.hdf5";
  Progress progress;
  session::HaloState search;
  const auto halos =
      std::make_shared<const FoundHalos>(find_halos(sample, {}, search, "cpu", progress));
  SelectionRequest request = request_for(sample, SelectionKind::Halo);
  request.chosen.halo = 2;
  request.halos = halos;
  const SelectionCount count = count_of(request);
  CHECK(count.selected() == halos->rows.at(2).members);
  // Searched for once more where the window has no halos, as after a state was loaded.
  request.halos.reset();
  CHECK(count_of(request).selected() == count.selected());
  request.chosen.halo = 1000000;
  CHECK(message_of([&] { count_of(request); }).find("there is no halo 1000000") !=
        std::string::npos);
  request.chosen.halo = 2;
  const OutputFolder folder;
  std::filesystem::copy_file(sample, folder.path("later.hdf5"));
  request.snapshot = folder.path("later.hdf5");
  CHECK(message_of([&] { count_of(request); }).find("which is another snapshot") !=
        std::string::npos);
  request.chosen.follow_ids = true;
  CHECK(count_of(request).found == count.selected());
}

TEST_CASE("selections that hold nothing or cannot be are told in a sentence",
          "[window][selection]") {
  const OutputFolder folder;
  const std::string path = folder.path("a.hdf5"), bare = folder.path("bare.hdf5");
  write_snapshot(path, false);
  write_snapshot(bare, false, false);
  SelectionRequest request = request_for(path, SelectionKind::Value);
  request.chosen.limits = {-2, -1};
  CHECK(count_of(request).selected() == 0);
  Progress progress;
  const auto write = [&] {
    export_selection(
        request, folder.path("out.hdf5"), [](const std::string&) {}, progress);
  };
  CHECK(message_of(write).find("no particle is in the selection") != std::string::npos);
  request.chosen.field = "Dencity";
  CHECK(message_of([&] { count_of(request); }).find("did you mean Density") != std::string::npos);
  request = request_for(bare, SelectionKind::Sphere);
  CHECK(count_of(request).selected() > 50);
  request.chosen.follow_ids = true;
  CHECK(message_of([&] { count_of(request); }).find("no particle IDs") != std::string::npos);
  CHECK(folder.files() == std::vector<std::string>{"a.hdf5", "bare.hdf5"});
}

// The state on screen, its series and its file.
TEST_CASE("a session follows a selection through a series and a saved state",
          "[window][selection]") {
  const OutputFolder folder;
  write_snapshot(folder.path("a.hdf5"), false);
  write_snapshot(folder.path("b.hdf5"), true);
  const auto former = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  test::put_bytes("first.txt",
                  "select_value Density 1 201\nfollow_ids on\nnext_snapshot\nwait\n"
                  "export_selection out.hdf5\nwait\nsave_state s.toml\n");
  const test::Outcome first = test::run_program(
      {"view", "a.hdf5", "b.hdf5", "--headless", "--device", "cpu", "--run", "first.txt"});
  test::put_bytes("second.txt", "wait\nprevious_snapshot\nwait\nfollow_ids off\nwait\n");
  const test::Outcome second = test::run_program(
      {"view", "--headless", "--device", "cpu", "--state", "s.toml", "--run", "second.txt"});
  std::filesystem::current_path(former);
  INFO(first.out + first.err + second.out + second.err);
  CHECK(first.code == 0);
  CHECK(first.says("selected: 200 particles"));
  CHECK(first.says("160 of 200 IDs found"));
  CHECK(io::open_snapshot(folder.path("out.hdf5"))->info().particle_count() == 160);
  CHECK(second.code == 0);
  CHECK(second.says("160 of 200 IDs found"));
  CHECK(second.says("selected: 200 particles"));
}

}  // namespace haloscope::app::jobs
