// Selections of the window: their count, their export, and what is followed by IDs.

#include "analysis/halos/halo_options.h"
#include "analysis/selection/followed_ids.h"
#include "analysis/selection/selection_count.h"
#include "app/viewer/selection_counter.h"
#include "core/error.h"
#include "io/loading/particle_ids.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <thread>

namespace haloscope::app::viewer {

namespace {

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

// Dark matter without masses: 100 particles close together, the rows 0 to 99, among 1000 others;
// the last of those has the ID of row 0.
void write_clump(const std::string& path) {
  constexpr std::size_t kClump = 100, kOthers = 1000, kAll = kClump + kOthers;
  std::vector<float> positions = some_positions(kClump, 0.2, 7);
  for (float& x : positions) x += 5;
  const std::vector<float> others = some_positions(kOthers, kBox);
  positions.insert(positions.end(), others.begin(), others.end());
  std::vector<std::uint64_t> ids(kAll);
  for (std::size_t i = 0; i < kAll; ++i) ids[i] = 1 + i;
  ids.back() = ids.front();
  FileWriter file(path);
  write_header(file, {0, std::uint32_t(kAll), 0, 0, 0, 0}, kBox);
  file.group("PartType1").dataset("PartType1/Coordinates", {kAll, 3}, positions);
  file.dataset("PartType1/ParticleIDs", {kAll}, ids);
}

analysis::SelectionRequest request_for(const std::string& snapshot, analysis::SelectionKind kind) {
  analysis::SelectionRequest request;
  request.snapshot = request.made_in = snapshot;
  request.chosen.kind = kind;
  request.chosen.center = {9.5, 5, 0.2};
  request.chosen.radius = 2;
  request.chosen.low = {9, 9, 2};
  request.chosen.high = {11, 1, 8};
  request.chosen.field = "density";
  request.chosen.limits = {1, 201};
  return request;
}

// The same particles early and late, with a range of values chosen in the first.
struct TwoSnapshots {
  TwoSnapshots() {
    write_snapshot(first, false);
    write_snapshot(second, true);
  }
  analysis::SelectionRequest in_the_second() const {
    analysis::SelectionRequest request = request_for(first, analysis::SelectionKind::Value);
    request.snapshot = second;
    return request;
  }
  OutputFolder folder;
  std::string first = folder.path("a.hdf5"), second = folder.path("b.hdf5");
};

analysis::SelectionCount count_of(const analysis::SelectionRequest& request) {
  Progress progress;
  return analysis::count_selection(request, progress);
}

// IDs of what an export writes, by type.
std::map<int, std::set<std::uint64_t>> exported(const analysis::SelectionRequest& request,
                                                const std::string& path) {
  Progress progress;
  analysis::export_selection(
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
  for (const auto kind : {analysis::SelectionKind::Box, analysis::SelectionKind::Sphere,
                          analysis::SelectionKind::Value}) {
    const analysis::SelectionRequest request = request_for(path, kind);
    const analysis::SelectionCount count = count_of(request);
    INFO(int(kind));
    CHECK(count.selected() > 50);
    CHECK(count.selected() < 500);
    CHECK(*count.mass() == Approx(0.5 * double(count.selected())));
    CHECK(exported(request, folder.path("out.hdf5"))[0].size() == count.selected());
  }
  CHECK(count_of(request_for(path, analysis::SelectionKind::Value)).selected() == 200);
}

TEST_CASE("followed particles are found by their IDs, as stars too", "[window][selection]") {
  const TwoSnapshots series;
  const std::string &first = series.first, &second = series.second;
  analysis::SelectionRequest request = series.in_the_second();
  // The same range holds others there.
  CHECK(count_of(request).types.at(0).selected == 100);
  request.chosen.follow_ids = true;
  const analysis::SelectionCount count = count_of(request);
  CHECK(*count.sought == 200);
  CHECK(count.found == 160);
  CHECK(count.types.at(0).selected == 100);
  CHECK(count.types.at(1).selected == 60);
  CHECK(*count.mass() == Approx(100 * 0.5 + 60 * 0.25));
  auto ids = exported(request, series.folder.path("out.hdf5"));
  CHECK(*ids[0].begin() == 101);
  CHECK(*ids[0].rbegin() == 200);
  CHECK(*ids[4].rbegin() == 60);
  // Neither of the two snapshots is written over, whether their IDs are known already or not.
  for (const auto& known : {request.ids, count.ids}) {
    analysis::SelectionRequest again = request;
    again.ids = known;
    for (const std::string& taken : {first, second}) {
      const std::string before = test::file_bytes(taken);
      CHECK(message_of([&] { exported(again, taken); }).find("would overwrite") !=
            std::string::npos);
      CHECK(test::file_bytes(taken) == before);
    }
  }
  // Known IDs do without the first snapshot; else its absence is told.
  std::filesystem::remove(first);
  CHECK(message_of([&] { count_of(request); }).find("a.hdf5") != std::string::npos);
  request.ids = count.ids;
  CHECK(count_of(request).found == 160);
  CHECK(exported(request, series.folder.path("more.hdf5"))[4].size() == 60);
}

TEST_CASE("baryons are sought in one list, ascending and distinct", "[window][selection]") {
  const std::uint64_t last = ~std::uint64_t(0);
  const auto gas = io::id_list({9, 1, 5, last}), stars = io::id_list({7, 5, 2}),
             holes = io::id_list({last, 1}), dark = io::id_list({5, 3}), none = io::id_list({});
  const io::IdLists sought =
      analysis::as_sought_later({{0, gas}, {1, dark}, {4, stars}, {5, holes}});
  CHECK(*sought.at(0) == std::vector<std::uint64_t>{1, 2, 5, 7, 9, last});
  CHECK(sought.at(4) == sought.at(0));
  CHECK(sought.at(5) == sought.at(0));
  CHECK(sought.at(1) == dark);
  // Alone it is not copied.
  const io::IdLists alone = analysis::as_sought_later({{0, gas}, {4, none}});
  CHECK(alone.at(0) == gas);
  CHECK(alone.at(5) == gas);
  CHECK(analysis::as_sought_later({{1, dark}}).size() == 1);
}

TEST_CASE("IDs stay known while a selection stands, and no longer", "[window][selection]") {
  const TwoSnapshots series;
  analysis::SelectionRequest request = series.in_the_second();
  request.chosen.follow_ids = true;
  viewer::SelectionCounter counter([] {});
  const auto count = [&] {
    counter.want(request);
    while (counter.busy() && !counter.receive())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return counter.shown().count;
  };
  REQUIRE(count());
  const std::weak_ptr<const analysis::FollowedIds> ids = counter.ids_of(request);
  CHECK(!ids.expired());
  // The scene is away for a moment.
  counter.want({});
  CHECK(counter.ids_of(request) == ids.lock());
  counter.want_nothing();
  CHECK(!counter.ids_of(request));
  CHECK(ids.expired());
  REQUIRE(count());
  CHECK(counter.ids_of(request));
  // Of another selection.
  const analysis::SelectionRequest former = request;
  request.chosen.limits = {1, 11};
  REQUIRE(count());
  CHECK(!counter.ids_of(former));
  CHECK(counter.ids_of(request)->count() == 10);
}

TEST_CASE("a halo's members that share an ID with others are told", "[window][selection]") {
  const OutputFolder folder;
  const std::string path = folder.path("a.hdf5");
  write_clump(path);
  Progress progress;
  analysis::HaloOptions search;
  search.epsilon = 0.1;
  const auto halos = analysis::find_in(path, {}, "halos", search, {}, progress);
  REQUIRE(halos->pieces == 1);
  REQUIRE(halos->columns[0].values[0] >= 100);
  analysis::SelectionRequest request = request_for(path, analysis::SelectionKind::Piece);
  request.chosen.search = search;
  request.finding = halos;
  const std::string told = "One particle shares an ID with another: both are taken.";
  const analysis::SelectionCount count = count_of(request);
  CHECK(!count.sought);
  CHECK(count.said == std::vector<std::string>{told});
  std::vector<std::string> said;
  analysis::export_selection(
      request, folder.path("out.hdf5"), [&](const std::string& line) { said.push_back(line); },
      progress);
  CHECK(std::count(said.begin(), said.end(), told) == 1);
}

TEST_CASE("a halo's members are its selection, and are followed", "[window][selection]") {
  const std::string sample = test::sample_file();
  Progress progress;
  analysis::HaloOptions search;
  const auto halos = analysis::find_in(sample, {}, "halos", search, {}, progress);
  analysis::SelectionRequest request = request_for(sample, analysis::SelectionKind::Piece);
  request.chosen.piece = 2;
  request.finding = halos;
  const analysis::SelectionCount count = count_of(request);
  CHECK(double(count.selected()) == halos->columns[0].values.at(2));
  CHECK(halos->columns[2].values.at(2) == halos->places.at(2).radius);
  // Labels tell the same particles where no list of members was read.
  auto labeled = std::make_shared<analysis::Finding>(*halos);
  labeled->members = {};
  request.finding = labeled;
  CHECK(count_of(request).selected() == count.selected());
  request.finding = halos;
  // Searched for once more where the window has no halos, as after a state was loaded.
  request.finding.reset();
  CHECK(count_of(request).selected() == count.selected());
  request.chosen.piece = 1000000;
  CHECK(message_of([&] { count_of(request); }).find("there is no halo 1000000") !=
        std::string::npos);
  request.chosen.piece = 2;
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
  analysis::SelectionRequest request = request_for(path, analysis::SelectionKind::Value);
  request.chosen.limits = {-2, -1};
  CHECK(count_of(request).selected() == 0);
  Progress progress;
  const auto write = [&] {
    analysis::export_selection(
        request, folder.path("out.hdf5"), [](const std::string&) {}, progress);
  };
  CHECK(message_of(write).find("no particle is in the selection") != std::string::npos);
  request.chosen.field = "Dencity";
  CHECK(message_of([&] { count_of(request); }).find("did you mean Density") != std::string::npos);
  request = request_for(bare, analysis::SelectionKind::Sphere);
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

}  // namespace haloscope::app::viewer
