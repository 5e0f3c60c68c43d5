// `haloscope halos` as a user runs it: what it finds stands in the catalog, mistakes get a
// sentence.

#include "io/catalogs/catalog_reader.h"
#include "io/loading/particle_ids.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/ball_universe.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"
#include "tests/renderers.h"
#include "tests/test_paths.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <unistd.h>

using namespace haloscope;
using namespace haloscope::test;
using namespace snapshot_files;

TEST_CASE("halos are found and written, members, masses and attached gas", "[app][halos]") {
  for (const auto& device : ::test::devices()) {
    const OutputFolder folder;
    const std::string snapshot = folder.path("snap.hdf5"), output = folder.path("halos.hdf5");
    write_universe(snapshot);
    const auto run = run_program(halos_command(snapshot, output,
                                               {"--epsilon", "1", "--attach", "gas", "--device",
                                                device.word(), "--stats", folder.path("s.json")}));
    INFO(run.out << run.err);
    REQUIRE(run.code == 0);
    CHECK(run.says("4 halos of 32 or more hold 308 of 508 particles, the largest 110"));
    const HaloCatalog catalog = io::open_catalog(output);
    const HaloTable* groups = catalog.find("Group");
    REQUIRE(groups);
    REQUIRE(groups->count == 4);
    for (std::uint64_t h = 0; h < 4; ++h) {
      CHECK(groups->find("GroupLen")->value(h) == 110 - 22. * double(h));
      CHECK(groups->find("GroupLenType")->value(h, 0) == 10 - 2. * double(h));
      CHECK(groups->find("GroupMass")->value(h) == Approx(210 - 42. * double(h)));
      for (int axis = 0; axis < 3; ++axis)
        CHECK(groups->find("GroupVel")->value(h, axis) ==
              Approx(groups->find("GroupVel")->value(0, 0)));
      CHECK(groups->find("GroupVelDisp")->value(h) == Approx(0).margin(1e-6));
    }
    // The first lies across the corner.
    for (int axis = 0; axis < 3; ++axis) {
      const double x = groups->find("GroupCM")->value(0, axis);
      CHECK(std::min(x, kBox - x) < 0.2);
    }
    const auto report = nlohmann::json::parse(std::ifstream(folder.path("s.json")));
    CHECK(report["device"] == device.word());
    CHECK(report["counts"]["halos"] == 4);
    CHECK(report["counts"]["members"] == 308);
    CHECK(report["milliseconds"].contains("link"));
    CHECK(report["milliseconds"].contains("attach"));
  }
}

TEST_CASE("a catalog is written as several files where that is asked for", "[app][halos]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5"), output = folder.path("halos.hdf5");
  write_universe(snapshot);
  const auto search = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"--epsilon", "1", "--attach", "gas"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(halos_command(snapshot, output, words));
  };
  REQUIRE(search({}).code == 0);
  const auto run = search({"--files", "3"});
  INFO(run.out << run.err);
  REQUIRE(run.code == 0);
  CHECK(run.says("wrote 3 files, "));
  const HaloCatalog one = io::open_catalog(output),
                    set = io::open_catalog(folder.path("halos.2.hdf5"));
  CHECK(set.files.size() == 3);
  REQUIRE(set.find("Group")->count == 4);
  for (const auto& column : one.find("Group")->columns)
    CHECK(set.find("Group")->find(column.name)->values == column.values);
  const auto compared = run_program({"catalog", output, "--compare", folder.path("halos.0.hdf5")});
  INFO(compared.out << compared.err);
  CHECK(compared.code == 0);
  CHECK(compared.says("4 pairs"));
  const auto fewer = search({"--files", "2"});
  INFO(fewer.out << fewer.err);
  CHECK(fewer.says("halos.2.hdf5 is of an earlier catalog; remove it"));
  // What another program wrote in place of one of them is not replaced.
  std::ofstream(folder.path("halos.1.hdf5")) << "mine";
  CHECK(search({"--files", "3"}).is_fault());
  CHECK(search({"--files", "0"}).is_fault());
  const auto text = run_program(
      halos_command(snapshot, folder.path("a.csv"), {"--epsilon", "1", "--files", "2"}));
  CHECK(text.is_fault());
  CHECK(text.says("a CSV is one file"));
}

TEST_CASE("no halo at all is a valid catalog", "[app][halos]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5");
  write_universe(snapshot);
  for (const std::string name : {"none.hdf5", "none.csv"}) {
    const auto run = run_program(
        halos_command(snapshot, folder.path(name), {"--epsilon", "1", "--min-members", "1000"}));
    INFO(run.out << run.err);
    REQUIRE(run.code == 0);
    CHECK(run.says("0 halos of 1000 or more hold 0 of 480 particles"));
  }
  const HaloCatalog catalog = io::open_catalog(folder.path("none.hdf5"));
  REQUIRE(catalog.find("Group"));
  CHECK(catalog.find("Group")->count == 0);
  // Scripts that read columns by name shall not stumble over it.
  REQUIRE(run_program(halos_command(snapshot, folder.path("some.csv"), {"--epsilon", "1"})).code ==
          0);
  const auto names = [&](const std::string& name) {
    const HaloCatalog read = io::open_catalog(folder.path(name));
    std::vector<std::string> all;
    for (const auto& column : read.tables[0].columns) all.push_back(column.name);
    return all;
  };
  CHECK(names("none.csv") == names("some.csv"));
}

TEST_CASE("one halo is said to be one", "[app][halos]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5");
  write_universe(snapshot);
  const auto run = run_program(halos_command(
      snapshot, folder.path("a.hdf5"),
      {"--epsilon", "1", "--min-members", "90", "--sub-epsilon", "0.9", "--sub-halos", "1"}));
  INFO(run.out << run.err);
  CHECK(run.says("1 halo of 90 or more holds 100 of 480 particles"));
  CHECK(run.says("1 cluster within halos of 20 or more"));
  // Who found them is told, whatever the layout.
  const auto told = run_program({"catalog", folder.path("a.hdf5")});
  CHECK(told.says("format    haloscope fof_subhalo_tab"));
}

TEST_CASE("without cosmology mean velocities have no power of the scale factor", "[app][halos]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5"), output = folder.path("a.hdf5");
  write_universe(snapshot);
  for (const bool comoving : {true, false}) {
    const auto run = run_program(
        halos_command(snapshot, output, {"--epsilon", "1", "--comoving", comoving ? "yes" : "no"}));
    INFO(run.out << run.err);
    REQUIRE(run.code == 0);
    const HaloCatalog catalog = io::open_catalog(output);
    const CatalogColumn& velocity = *catalog.find("Group")->find("GroupVel");
    CHECK(velocity.unit == (comoving ? "km/s/a" : "km/s"));
    REQUIRE(velocity.scaling);
    CHECK(velocity.scaling->a == (comoving ? -1 : 0));
    // Stored are 3 by GADGET's convention, v / sqrt(a) at a = 1/2; the catalog has a v, or v.
    CHECK(velocity.value(0) == Approx(3 * std::sqrt(0.5) * (comoving ? 0.5 : 1)));
    // In grams, with the h that the catalog itself tells, whatever digits the solar mass has.
    const CatalogColumn& mass = *catalog.find("Group")->find("GroupMass");
    CHECK(catalog.cosmology.hubble_param == (comoving ? 0.7 : 1));
    CHECK(mass.value(0) * mass.scaling->to_cgs *
              std::pow(catalog.cosmology.hubble_param, mass.scaling->h) ==
          Approx(200 * 1.989e43 / 0.7).epsilon(1e-3));
    CHECK((mass.unit.find("/h") != std::string::npos) == comoving);
    // And of the same as CSV.
    const std::string csv = folder.path("a.csv");
    REQUIRE(run_program({"catalog", output, "-o", csv}).code == 0);
    const HaloCatalog table = io::open_catalog(csv);
    const CatalogColumn& again = *table.tables.front().find("GroupMass");
    CHECK(again.value(0) * again.scaling->to_cgs *
              std::pow(table.cosmology.hubble_param, again.scaling->h) ==
          Approx(200 * 1.989e43 / 0.7).epsilon(1e-3));
    std::filesystem::remove(csv);
  }
}

TEST_CASE("members of two searches are compared by ID", "[app][halos]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5");
  write_universe(snapshot);
  const auto find = [&](const std::string& name, std::vector<std::string> more) {
    REQUIRE(run_program(halos_command(snapshot, folder.path(name), std::move(more))).code == 0);
  };
  find("a.hdf5", {"--epsilon", "1"});
  find("gas.hdf5", {"--epsilon", "1", "--attach", "gas"});
  find("short.hdf5", {"--epsilon", "0.2", "--min-members", "10"});
  const auto compared = [&](const std::string& other) {
    return nlohmann::json::parse(run_program({"catalog", folder.path("a.hdf5"), "--compare",
                                              folder.path(other), "--distance", "2", "--json"})
                                     .out);
  };
  const auto same = compared("gas.hdf5");
  CHECK(same["matched"] == 4);
  CHECK(same["equal_member_counts"] == 0);
  CHECK(same["member_ids"]["types"] == std::vector<int>{1});
  CHECK(same["member_ids"]["same"] == 4);
  CHECK(same["member_ids"]["shared_least"] == 1);
  const auto parts = compared("short.hdf5");
  REQUIRE(parts["matched"] > 0);
  CHECK(parts["member_ids"]["same"] < parts["matched"]);
  CHECK(parts["member_ids"]["shared_least"] < 1);
  CHECK(parts["member_ids"]["shared_least"] > 0);
  CHECK(run_program({"catalog", folder.path("a.hdf5"), "--compare", folder.path("gas.hdf5"),
                     "--distance", "2"})
            .says("IDs       the very same in 4 of 4 pairs (dm)"));
}

TEST_CASE("clusters within halos are a table of their own", "[app][halos]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5"), output = folder.path("halos.hdf5");
  write_universe(snapshot);
  // So short that only the middles of the balls stay together.
  const auto run = run_program(halos_command(
      snapshot, output,
      {"--epsilon", "1", "--sub-epsilon", "0.15", "--sub-min-members", "10", "--attach", "gas"}));
  INFO(run.out << run.err);
  REQUIRE(run.code == 0);
  const HaloCatalog catalog = io::open_catalog(output);
  const HaloTable *groups = catalog.find("Group"), *parts = catalog.find("Subhalo");
  REQUIRE(parts);
  REQUIRE(parts->count > 0);
  const auto count_clusters = [](const HaloTable& halos) {
    double clusters = 0;
    for (std::uint64_t h = 0; h < halos.count; ++h) {
      const double own = halos.find("GroupNsubs")->value(h);
      CHECK(halos.find("GroupFirstSub")->value(h) == (own > 0 ? clusters : -1));
      clusters += own;
    }
    return clusters;
  };
  CHECK(count_clusters(*groups) == double(parts->count));
  double gas = 0;
  for (std::uint64_t s = 0; s < parts->count; ++s) {
    const auto h = std::uint64_t(parts->find("SubhaloGroupNr")->value(s));
    const double first = groups->find("GroupFirstIDType")->value(h, 1);
    CHECK(parts->find("SubhaloLen")->value(s) >= 10);
    CHECK(parts->find("SubhaloLen")->value(s) <= groups->find("GroupLen")->value(h));
    gas += parts->find("SubhaloLenType")->value(s, 0);
    CHECK(parts->find("SubhaloFirstIDType")->value(s, 1) >= first);
    CHECK(parts->find("SubhaloFirstIDType")->value(s, 1) +
              parts->find("SubhaloLenType")->value(s, 1) <=
          first + groups->find("GroupLenType")->value(h, 1));
  }
  CHECK(gas > 0);
  // Halos that are not searched have none.
  const std::string one = folder.path("one.hdf5");
  REQUIRE(run_program(halos_command(snapshot, one,
                                    {"--epsilon", "1", "--sub-epsilon", "0.15", "--sub-min-members",
                                     "10", "--sub-halos", "1"}))
              .code == 0);
  const HaloCatalog first_alone = io::open_catalog(one);
  const double clusters = count_clusters(*first_alone.find("Group"));
  CHECK(clusters > 0);
  CHECK(clusters == first_alone.find("Group")->find("GroupNsubs")->value(0));
  CHECK(run_program(halos_command(snapshot, output, {"--epsilon", "1", "--sub-epsilon", "2"}))
            .is_fault());
}

TEST_CASE("a repeated box has each halo as often", "[app][halos]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5"), output = folder.path("halos.hdf5");
  write_universe(snapshot);
  const auto run = run_program(
      halos_command(snapshot, output, {"--epsilon", "1", "--replicate", "3", "--quiet"}));
  REQUIRE(run.code == 0);
  const HaloCatalog catalog = io::open_catalog(output);
  const HaloTable* groups = catalog.find("Group");
  REQUIRE(groups);
  REQUIRE(groups->count == 4 * 27);
  for (std::uint64_t h = 0; h < groups->count; ++h)
    CHECK(groups->find("GroupLen")->value(h) == 100 - 20. * double(h / 27));
}

TEST_CASE("halos that are nowhere dense enough for a sphere are counted", "[app][halos]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5"), output = folder.path("a.hdf5");
  write_universe(snapshot);
  const std::string sentence =
      "halos with members, no sphere is as dense as 200 times the critical";
  const auto dense = run_program(halos_command(snapshot, output, {"--epsilon", "1"}));
  CHECK_FALSE(dense.says(sentence));
  const auto thin =
      run_program(halos_command(snapshot, output, {"--epsilon", "1", "--unit-mass", "1Msun/h"}));
  INFO(thin.out << thin.err);
  CHECK(thin.says("Around 4 of 4 " + sentence));
  CHECK(thin.says("or only one with the mass of five members or less: R, M and spin are 0 there"));
}

TEST_CASE("rows of the snapshot are given only where a halo's members are one run of them",
          "[app][halos]") {
  const OutputFolder folder;
  const std::string sorted = folder.path("sorted.hdf5"), scattered = folder.path("scattered.hdf5");
  write_universe(sorted);
  write_universe(scattered, kBox, Order::Scattered);
  const std::string output = folder.path("halos.hdf5");
  REQUIRE(run_program(halos_command(sorted, output, {"--epsilon", "1", "--attach", "gas"})).code ==
          0);
  {
    const HaloCatalog catalog = io::open_catalog(output);
    const HaloTable& groups = *catalog.find("Group");
    REQUIRE(groups.find("GroupOffsetType"));
    const double first_dark[] = {0, 100, 180, 240}, first_gas[] = {0, 10, 18, 24};
    for (std::uint64_t h = 0; h < 4; ++h) {
      CHECK(groups.find("GroupOffsetType")->value(h, 1) == first_dark[h]);
      CHECK(groups.find("GroupOffsetType")->value(h, 0) == first_gas[h]);
      CHECK(groups.find("GroupFirstIDType")->value(h, 1) == first_dark[h]);
    }
    CHECK(groups.find("GroupOffsetType")->description.find("snapshot") != std::string::npos);
  }
  const std::vector<std::pair<std::string, std::vector<std::string>>> others{
      {scattered, {"--epsilon", "1"}},
      // Rows of a repeated box are in no file.
      {sorted, {"--epsilon", "1", "--replicate", "2"}}};
  for (const auto& [snapshot, options] : others) {
    REQUIRE(run_program(halos_command(snapshot, output, options)).code == 0);
    const HaloCatalog catalog = io::open_catalog(output);
    CHECK_FALSE(catalog.find("Group")->find("GroupOffsetType"));
    CHECK(catalog.find("Group")->find("GroupFirstIDType"));
  }
}

TEST_CASE("what was assumed is told on standard error to who wants quiet, and kept",
          "[app][halos]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5"), output = folder.path("halos.csv");
  write_universe(snapshot);
  const auto run = run_program(halos_command(snapshot, output, {"--epsilon", "1", "--quiet"}));
  REQUIRE(run.code == 0);
  CHECK(run.out.empty());
  CHECK(run.err.find("warning: Halos have no members of gas") != std::string::npos);
  CHECK(run.err.find("softening") != std::string::npos);
  const std::string text = file_bytes(output);
  CHECK(text.find("Halos have no members of gas") != std::string::npos);
}

TEST_CASE("the softening that the file tells is no warning", "[app][halos]") {
  const OutputFolder folder;
  const std::string sample = sample_file();
  const auto quiet = run_program(
      halos_command(sample, folder.path("a.csv"), {"--min-members", "5000", "--quiet"}));
  REQUIRE(quiet.code == 0);
  CHECK(quiet.out.empty());
  CHECK_FALSE(quiet.says("oftening"));
  const auto told =
      run_program(halos_command(sample, folder.path("a.csv"), {"--min-members", "5000"}));
  CHECK(told.says("from the file: the softening of gravity, that of dm: 15"));
}

TEST_CASE("a CSV has IDs of most bound members without a list of all", "[app][halos]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5");
  write_universe(snapshot, kBox, Order::Scattered);
  for (const char* name : {"a.hdf5", "a.csv"})
    REQUIRE(run_program(
                halos_command(snapshot, folder.path(name), {"--epsilon", "1", "--attach", "gas"}))
                .code == 0);
  const HaloCatalog full = io::open_catalog(folder.path("a.hdf5")),
                    table = io::open_catalog(folder.path("a.csv"));
  const CatalogColumn &expected = *full.tables[0].find("GroupIDMostbound"),
                      &found = *table.tables[0].find("GroupIDMostbound");
  REQUIRE(table.tables[0].count == 4);
  for (std::uint64_t h = 0; h < 4; ++h) CHECK(found.value(h) == expected.value(h));
  CHECK_FALSE(table.tables[0].find("GroupFirstIDType_dm"));
}

TEST_CASE("halos wider than half the box are told", "[app][halos]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5"), output = folder.path("halos.hdf5");
  write_universe(snapshot);
  const auto wide = run_program(halos_command(snapshot, output, {"--epsilon", "45"}));
  CHECK(wide.code == 0);
  CHECK(wide.says("1 halo reaches over half the box"));
  CHECK_FALSE(
      run_program(halos_command(snapshot, output, {"--epsilon", "1"})).says("over half the box"));
}

TEST_CASE("spheres count all matter, whatever the halos are made of", "[app][halos]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5");
  write_universe(snapshot);
  // In these units a ball is denser than 200 critical densities out to where only the background
  // is left.
  const std::vector<std::string> units{"--unit-length", "Mpc/h", "--unit-mass", "1e11Msun/h"};
  const auto masses = [&](std::vector<std::string> options) {
    options.insert(options.end(), units.begin(), units.end());
    const auto run =
        run_program(halos_command(snapshot, folder.path("a.hdf5"), std::move(options)));
    INFO(run.out << run.err);
    REQUIRE(run.code == 0);
    const HaloCatalog catalog = io::open_catalog(folder.path("a.hdf5"));
    const CatalogColumn& mass = *catalog.find("Group")->find("Group_M_Crit200");
    CHECK(mass.description.find("gas") != std::string::npos);
    std::vector<double> all;
    for (std::uint64_t h = 0; h < catalog.find("Group")->count; ++h) all.push_back(mass.value(h));
    return all;
  };
  const auto alone = masses({"--epsilon", "1"}),
             attached = masses({"--epsilon", "1", "--attach", "gas"});
  REQUIRE(alone.size() == 4);
  REQUIRE(alone[0] > 0);
  // The center may be another of two equals: gas moves the potential.
  CHECK(alone[0] == Approx(attached[0]).epsilon(0.1));
  // An odd mass has gas of mass 1 in it, or a sphere of dark matter of mass 2 alone.
  CHECK(std::any_of(alone.begin(), alone.end(),
                    [](double m) { return std::fmod(std::round(m), 2) == 1; }));
}

TEST_CASE("IDs of some rows are those among all, also where rows were left out", "[app][halos]") {
  const OutputFolder folder;
  write_universe(folder.path("snap.hdf5"));
  const auto reader = io::open_snapshot(folder.path("snap.hdf5"));
  Progress progress;
  for (const std::vector<std::uint64_t>& left_out :
       {std::vector<std::uint64_t>{}, {0, 5, 6, 100, 479}}) {
    const auto all = io::load_ids(*reader, 1, left_out, progress);
    REQUIRE(all.size() == 480 - left_out.size());
    const std::vector<std::uint64_t> rows{0, 1, 3, 4, 5, 96, 97, all.size() - 1};
    const auto some = io::load_ids_of(*reader, 1, left_out, rows, progress);
    REQUIRE(some.size() == rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) CHECK(some[i] == all[rows[i]]);
  }
}
