// Catalogs of all kinds over the snapshot that they are of.

#include "analysis/finder.h"
#include "analysis/halos/halo_options.h"
#include "analysis/loaded_halos/loaded_halos_options.h"
#include "analysis/loaded_halos/placed_catalog.h"
#include "analysis/snapshot/open_snapshot.h"
#include "tests/catch.h"
#include "tests/made/catalog_files.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

using namespace haloscope;
using namespace snapshot_files;
using analysis::Finding;
using analysis::LoadedHalosOptions;

namespace {

// Gas in a box of 100 Mpc/h, in kpc/h.
std::string write_snapshot(const TemporaryFolder& folder, const std::string& name = "snap_004.hdf5",
                           double box = 100000) {
  FileWriter file(folder / name);
  write_header(file, {3000, 0, 0, 0, 0, 0}, box);
  file.number("Header", "UnitLength_in_cm", 3.085678e21)
      .number("Header", "UnitMass_in_g", 1.989e43);
  file.number("Header", "UnitVelocity_in_cm_per_s", 1e5);
  file.group("PartType0").dataset("PartType0/Coordinates", {3000, 3}, some_positions(3000, box, 4));
  return folder / name;
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

analysis::FindRequest on_cpu() {
  analysis::FindRequest request;
  request.device = compute::Device::cpu();
  return request;
}

std::shared_ptr<const Finding> load(const std::string& snapshot, const std::string& file,
                                    const std::string& table = {}) {
  Progress progress;
  return analysis::find_in(*analysis::open_snapshot(snapshot, {}), "loaded_halos",
                           LoadedHalosOptions{file, table, {}}, on_cpu(), progress);
}

std::string refusal(const std::string& snapshot, const std::string& file,
                    const std::string& table = {}) {
  return test::message_of([&] { load(snapshot, file, table); });
}

bool has_note(const Finding& finding, const std::string& part) {
  for (const std::string& note : finding.notes)
    if (note.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("halos of all kinds of catalogs stand where they are", "[loaded_halos]") {
  const TemporaryFolder folder;
  const std::string snapshot = write_snapshot(folder);
  const auto halos = catalog_files::some_halos(20);
  write_text(folder / "out_4.list", catalog_files::rockstar_text(halos));
  write_text(folder / "run.AHF_halos", catalog_files::ahf_text(halos));
  write_text(folder / "halos.csv", catalog_files::csv_text(halos));
  catalog_files::write_subhalo_tab(folder / "fof_subhalo_tab_004.hdf5", halos, 0, 20);
  for (const char* name :
       {"out_4.list", "run.AHF_halos", "halos.csv", "fof_subhalo_tab_004.hdf5"}) {
    INFO(name);
    const auto found = load(snapshot, folder / name);
    REQUIRE(found->pieces == 20);
    for (std::size_t k = 0; k < 20; ++k) {
      const auto& place = found->places[k];
      CHECK(place.center[0] == Approx(1000 * halos.x[k]).epsilon(1e-6));
      CHECK(place.center[1] == Approx(1000 * halos.y[k]).epsilon(1e-6));
      CHECK(place.center[2] == Approx(1000 * halos.z[k]).epsilon(1e-6));
      CHECK(place.radius == Approx(300).epsilon(1e-5));
    }
    CHECK(has_note(*found, "within its radius"));
    CHECK(found->plots.front().name == "mass_function");
    CHECK(found->labels->of.at(0).size() == 3000);
  }
  const auto subhalos = load(snapshot, folder / "fof_subhalo_tab_004.hdf5", "subhalo");
  CHECK(subhalos->catalog.tables.front().name == "Subhalo");
  CHECK(subhalos->pieces == 20);
}

TEST_CASE("the catalog beside the snapshot is taken", "[loaded_halos]") {
  const TemporaryFolder folder;
  const std::string snapshot = write_snapshot(folder);
  CHECK(refusal(snapshot, "").find("no halo catalog lies beside") != std::string::npos);
  const auto halos = catalog_files::some_halos(5);
  write_text(folder / "notes_004.txt", "no catalog\n");
  CHECK(refusal(snapshot, "").find("no halo catalog lies beside") != std::string::npos);
  write_text(folder / "snap_004.AHF_halos", catalog_files::ahf_text(halos));
  CHECK(load(snapshot, "")->pieces == 5);
  catalog_files::write_subhalo_tab(folder / "fof_subhalo_tab_004.hdf5",
                                   catalog_files::some_halos(7), 0, 7);
  catalog_files::write_subhalo_tab(folder / "fof_subhalo_tab_005.hdf5",
                                   catalog_files::some_halos(9), 0, 9);
  // Before others of that number, whatever their names.
  write_text(folder / "a_004.AHF_halos", catalog_files::ahf_text(halos));
  CHECK(load(snapshot, "")->pieces == 7);
  // TNG's folders.
  std::filesystem::create_directory(folder / "snapdir_006");
  std::filesystem::create_directory(folder / "groups_006");
  const std::string inside = write_snapshot(folder, "snapdir_006/snap_006.hdf5");
  catalog_files::write_subhalo_tab(folder / "groups_006/fof_subhalo_tab_006.0.hdf5",
                                   catalog_files::some_halos(3), 0, 3);
  CHECK(load(inside, "")->pieces == 3);
}

TEST_CASE("members that a catalog lists are those that were found", "[loaded_halos]") {
  const std::string sample = haloscope::test::sample_file();
  const TemporaryFolder folder;
  const auto reader = analysis::open_snapshot(sample, {});
  Progress progress;
  analysis::HaloOptions options;
  options.attach = {"gas", "stars"};
  const auto found = analysis::find_in(*reader, "halos", options, on_cpu(), progress);
  const std::string path = folder / "ours.hdf5";
  analysis::require_finder("halos").write(path, *found, "", progress);
  const auto loaded = load(sample, path);
  REQUIRE(loaded->pieces == found->pieces);
  CHECK(has_note(*loaded, "IDs the catalog lists"));
  for (const auto& [type, labels] : found->labels->of)
    CHECK((loaded->labels->of.at(type) == labels));
  for (std::size_t k = 0; k < found->pieces; ++k) {
    CHECK(loaded->columns[0].values[k] == found->columns[0].values[k]);
    for (std::size_t a = 0; a < 3; ++a)
      CHECK(loaded->places[k].center[a] == Approx(found->places[k].center[a]));
  }
  // What was loaded is written again with its members.
  const std::string copy = folder / "copy.hdf5";
  analysis::require_finder("loaded_halos").write(copy, *loaded, "", progress);
  CHECK((load(sample, copy)->labels->of.at(1) == found->labels->of.at(1)));
}

// A clump of 60 among 340 others, of which the last ten have the IDs of members.
std::string write_clump(const TemporaryFolder& folder, const std::string& name, bool with_ids,
                        bool twice = false, std::uint64_t first_id = 1) {
  constexpr std::size_t kClump = 60, kAll = 400;
  std::vector<float> positions = some_positions(kClump, 0.2, 7);
  for (float& x : positions) x += 5;
  const std::vector<float> others = some_positions(kAll - kClump, 10, 8);
  positions.insert(positions.end(), others.begin(), others.end());
  std::vector<std::uint64_t> ids(kAll);
  for (std::size_t i = 0; i < kAll; ++i) ids[i] = first_id + (twice && i >= kAll - 10 ? i % 10 : i);
  FileWriter file(folder / name);
  write_header(file, {0, kAll, 0, 0, 0, 0}, 10);
  file.group("PartType1").dataset("PartType1/Coordinates", {kAll, 3}, positions);
  file.dataset("PartType1/Masses", {kAll}, std::vector<float>(kAll, 1.5e-9f));
  if (with_ids) file.dataset("PartType1/ParticleIDs", {kAll}, ids);
  return folder / name;
}

TEST_CASE("listed members of snapshots whose IDs are missing, shared or others are told",
          "[loaded_halos]") {
  const TemporaryFolder folder;
  const std::string with = write_clump(folder, "with.hdf5", true);
  analysis::HaloOptions options;
  options.epsilon = 0.1;
  Progress progress;
  const auto found =
      analysis::find_in(*analysis::open_snapshot(with, {}), "halos", options, on_cpu(), progress);
  REQUIRE(found->pieces == 1);
  const std::string catalog = folder / "halos_tab.hdf5";
  analysis::require_finder("halos").write(catalog, *found, "", progress);
  const double members = found->columns[0].values[0];
  REQUIRE(members >= 60);
  const auto whole = load(with, catalog);
  CHECK(whole->columns[0].values[0] == members);
  CHECK_FALSE(has_note(*whole, "more than once"));
  CHECK_FALSE(has_note(*whole, "share the ID"));

  // Without IDs the halo is there all the same.
  const auto bare = load(write_clump(folder, "bare.hdf5", false), catalog);
  CHECK(
      has_note(*bare, "of the snapshot have no particle IDs, by which the catalog lists members"));
  CHECK(bare->pieces == 1);
  CHECK(bare->columns[0].values[0] > 0);

  const auto shared = load(write_clump(folder, "twice.hdf5", true, true), catalog);
  CHECK(has_note(*shared, "20 particles share the ID of a member with another: all are taken."));
  CHECK(shared->columns[0].values[0] == members + 10);

  const auto some = load(write_clump(folder, "some.hdf5", true, false, 11), catalog);
  CHECK(has_note(*some, fmt::format("the snapshot has {} of {}.", members - 10, members)));
  CHECK(refusal(write_clump(folder, "none.hdf5", true, false, 100001), catalog)
            .find("none of the 6") != std::string::npos);
}

TEST_CASE("catalogs of other runs are refused", "[loaded_halos]") {
  const TemporaryFolder folder;
  const std::string snapshot = write_snapshot(folder);
  const auto halos = catalog_files::some_halos(6);
  catalog_files::SubhaloTab other_time, other_box;
  other_time.time = 0.25;
  other_box.box = 50;
  catalog_files::write_subhalo_tab(folder / "time.hdf5", halos, 0, 6, other_time);
  catalog_files::write_subhalo_tab(folder / "box.hdf5", halos, 0, 6, other_box);
  CHECK(refusal(snapshot, folder / "time.hdf5").find("of redshift 3 and the snapshot of 1") !=
        std::string::npos);
  CHECK(refusal(snapshot, folder / "box.hdf5").find("box is 50000 wide") != std::string::npos);
  std::string text = catalog_files::rockstar_text(halos);
  const std::string matter = "Om = 0.300000";
  text.replace(text.find(matter), matter.size(), "Om = 0.250000");
  write_text(folder / "run.list", text);
  CHECK(refusal(snapshot, folder / "run.list").find("Omega_m = 0.25") != std::string::npos);
  CHECK(refusal(snapshot, folder / "none.hdf5").find("none.hdf5") != std::string::npos);
  catalog_files::write_subhalo_tab(folder / "right.hdf5", halos, 0, 6);
  CHECK(refusal(snapshot, folder / "right.hdf5", "Halo").find("there is no table Halo") !=
        std::string::npos);
  catalog_files::write_subhalo_tab(folder / "empty.hdf5", halos, 0, 0);
  const auto nothing = load(snapshot, folder / "empty.hdf5");
  CHECK(nothing->pieces == 0);
  CHECK(analysis::found_nothing(*nothing));
}

TEST_CASE("halos without a radius get that of their mass", "[loaded_halos]") {
  const TemporaryFolder folder;
  const std::string snapshot = write_snapshot(folder);
  write_text(folder / "halos.csv",
             "# box = 100 Mpc/h\n# h = 0.7\nx [Mpc/h],y [Mpc/h],z [Mpc/h],mass [Msun/h]\n"
             "1,2,3,1e14\n");
  const auto found = load(snapshot, folder / "halos.csv");
  CHECK(has_note(*found, "1 of 1 halos have no radius"));
  // 4π/3 · 200 · 2.7754e11 h² Msun/Mpc³ · r³ = 1e14 Msun/h: r = 0.7545 Mpc/h.
  CHECK(found->places[0].radius == Approx(754.5).epsilon(1e-3));
  CHECK(found->places[0].assumed);
  CHECK(std::isnan(found->columns[2].values[0]));
}

namespace {

// Of a box around the origin, as Tipsy's are.
SnapshotInfo box_around_origin(double length_cm, double side) {
  SnapshotInfo info;
  info.box_size = side;
  info.periodic = true;
  info.box_origin = {-side / 2, -side / 2, -side / 2};
  info.units.length_cm = length_cm;
  info.units.comoving = info.units.per_h = true;
  info.cosmology.hubble_param = 0.7;
  info.cosmology.omega_matter = 0.3;
  return info;
}

}  // namespace

TEST_CASE("a catalog that counts from the corner of a box is moved into it", "[loaded_halos]") {
  const TemporaryFolder folder;
  const auto halos = catalog_files::some_halos(20);
  write_text(folder / "run.AHF_halos", catalog_files::ahf_text(halos));
  Progress progress;
  const auto placed = analysis::place_catalog(folder / "run.AHF_halos", "",
                                              box_around_origin(3.085678e21, 100000), progress);
  for (std::size_t k = 0; k < halos.size(); ++k)
    CHECK(placed.places[k].center[0] == Approx(1000 * halos.x[k] - 50000).epsilon(1e-5).margin(1));
}

TEST_CASE("a catalog of which files are missing is loaded where this is said", "[loaded_halos]") {
  const TemporaryFolder folder;
  const auto halos = catalog_files::some_halos(6);
  for (const int i : {0, 2})
    catalog_files::write_subhalo_tab(folder / fmt::format("tab.{}.hdf5", i), halos,
                                     2 * std::size_t(i), 2 * std::size_t(i) + 2, {3, i, 6});
  const std::string file = folder / "tab.0.hdf5";
  const std::string snapshot = write_snapshot(folder);
  CHECK_THAT(refusal(snapshot, file), Catch::Contains("tab.1.hdf5 is missing") &&
                                          Catch::Contains("go on without them: --incomplete"));
  Progress progress;
  const auto reader = analysis::open_snapshot(snapshot, {});
  const auto found = analysis::find_in(*reader, "loaded_halos",
                                       LoadedHalosOptions{file, {}, {}, true}, on_cpu(), progress);
  CHECK(found->pieces == 4);
  for (const auto& place : found->places) CHECK_FALSE(place.assumed);
  CHECK(has_note(*found, "tab.1.hdf5"));
  CHECK(has_note(*found, "Files of the catalog are missing, so that"));
}

TEST_CASE("radii without a unit that no halo can have are refused", "[loaded_halos]") {
  const TemporaryFolder folder;
  write_text(folder / "halos.csv",
             "# h = 0.7\nx [Mpc/h],y [Mpc/h],z [Mpc/h],mass [Msun/h],radius\n1,2,3,1e14,750\n");
  Progress progress;
  const std::string fault = test::message_of([&] {
    analysis::place_catalog(folder / "halos.csv", "", box_around_origin(3.085678e24, 100),
                            progress);
  });
  CHECK(fault.find("more than a quarter of the box") != std::string::npos);
}
