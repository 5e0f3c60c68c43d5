// `haloscope catalog` through the program: listing, sorting, CSV, and comparing two catalogs.

#include "analysis/catalogs/catalog_comparison.h"
#include "analysis/catalogs/member_comparison.h"
#include "analysis/halos/halo_points.h"
#include "io/catalogs/catalog_reader.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/catalog_files.h"
#include "tests/made/written_catalog.h"
#include "tests/test_paths.h"

#include <nlohmann/json.hpp>

#include <cmath>

using namespace haloscope;
using namespace catalog_files;
using haloscope::test::OutputFolder;
using haloscope::test::put_bytes;
using haloscope::test::run_program;
using nlohmann::json;

namespace {

json run_json(std::vector<std::string> arguments) {
  arguments.push_back("--json");
  const auto run = run_program(arguments);
  INFO(run.err);
  REQUIRE(run.code == 0);
  return json::parse(run.out);
}

}  // namespace

TEST_CASE("catalog lists the largest halos by any column") {
  const OutputFolder folder;
  Halos halos = some_halos(20);
  std::swap(halos.mass[0], halos.mass[7]);
  put_bytes(folder.path("out_0.list"), rockstar_text(halos));
  const auto text = run_program({"catalog", folder.path("out_0.list"), "--top", "3"});
  INFO(text.out);
  CHECK(text.code == 0);
  for (const char* part :
       {"format    Rockstar", "box       100 Mpc/h", "20 halos", "Mvir", "9007199254741000"})
    CHECK(text.says(part));
  const json all = run_json({"catalog", folder.path("out_0.list"), "--top", "3"});
  CHECK(all["largest"]["rows"].size() == 3);
  CHECK(all["largest"]["rows"][0]["row"] == 7);
  CHECK(all["largest"]["rows"][0]["ID"] == 9007199254741000LL);
  const json sorted = run_json(
      {"catalog", folder.path("out_0.list"), "--sort", "id", "--columns", "x,ID", "--top", "1"});
  CHECK(sorted["largest"]["rows"][0]["row"] == 19);
  CHECK(sorted["largest"]["rows"][0].size() == 3);
}

TEST_CASE("catalog shows what it sorted by, and lists the columns only to who asks for no rows") {
  const OutputFolder folder;
  put_bytes(folder.path("out_0.list"), rockstar_text(some_halos(5)));
  const std::string file = folder.path("out_0.list");
  const auto listed = run_program({"catalog", file});
  CHECK(listed.says("Mvir  Msun/h  (mass)"));
  const auto sorted = run_program({"catalog", file, "--sort", "Vmax"});
  INFO(sorted.out);
  CHECK(sorted.says("200.5"));
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--sort", "Vmax"},
                                               {"--top", "2"},
                                               {"--columns", "X,Y"},
                                               {"-o", folder.path("h.csv")}}) {
    std::vector<std::string> all{"catalog", file};
    all.insert(all.end(), more.begin(), more.end());
    const auto run = run_program(all);
    CHECK(run.code == 0);
    CHECK_FALSE(run.says("(mass)"));
    CHECK(run.says("5 halos"));
  }
  const json rows = run_json({"catalog", file, "--sort", "Vmax", "--columns", "X", "--top", "1"});
  CHECK(rows["largest"]["rows"][0].contains("Vmax"));
}

TEST_CASE("units in brackets belong to the names of a catalog whose columns are parted by blanks") {
  const OutputFolder folder;
  const std::string names = "x [Mpc/h] y [Mpc/h] z [Mpc/h] mass [1e10 Msun / h] [Fe/H]\n";
  for (const std::string mark : {"# ", ""}) {
    CAPTURE(mark);
    put_bytes(folder.path("h.txt"), mark + names + "1 2 3 40 -0.5\n4 5 6 70 0.1\n");
    const json table = run_json({"catalog", folder.path("h.txt")})["tables"][0];
    CHECK(table["count"] == 2);
    CHECK(table["columns"][0]["unit"] == "Mpc/h");
    CHECK(table["columns"][3]["unit"] == "1e10 Msun / h");
    CHECK(table["columns"][3]["role"] == "mass");
    CHECK(table["columns"][4]["name"] == "[Fe/H]");
  }
  put_bytes(folder.path("n.txt"), "x y z mass [Fe/H]\n1 2 3 40 -0.5\n");
  CHECK(run_json({"catalog", folder.path("n.txt")})["tables"][0]["columns"].size() == 5);
}

TEST_CASE("pairs have IDs, masses and their ratio, mass functions of known boxes are densities") {
  const OutputFolder folder;
  const std::string head = "id,x [Mpc/h],y [Mpc/h],z [Mpc/h],mass [Msun/h]\n";
  put_bytes(folder.path("a.csv"), "# box = 25 Mpc/h\n" + head + "9007199254740993,1,2,3,1e12\n");
  put_bytes(folder.path("b.csv"), "# box = 10 Mpc/h\n" + head + "7,1,2,3,5e11\n");
  put_bytes(folder.path("c.csv"), head + "7,1,2,3,5e11\n");
  const std::vector<std::string> compare{"catalog",   folder.path("a.csv"),
                                         "--compare", folder.path("b.csv"),
                                         "-o",        folder.path("pairs.csv")};
  const auto run = run_program(compare);
  INFO(run.out + run.err);
  REQUIRE(run.code == 0);
  CHECK(run.says("second / first (mass / mass): median 0.5000"));
  CHECK(run.says("1/(Mpc/h)^3"));
  const std::string pairs = haloscope::test::file_bytes(folder.path("pairs.csv"));
  CHECK(pairs.find("id_first,id_second,mass_first [Msun/h],mass_second [Msun/h],"
                   "mass_second_over_first,matched_by\n") != std::string::npos);
  CHECK(pairs.find(",9007199254740993,7,1000000000000,500000000000,0.5,position\n") !=
        std::string::npos);
  const json known = run_json({"catalog", folder.path("a.csv"), "--compare", folder.path("b.csv")});
  CHECK(known["volumes"][0].get<double>() == Approx(15625));
  CHECK(known["volumes"][1].get<double>() == Approx(1000));
  CHECK(known["volume_unit"] == "(Mpc/h)^3");
  const json unknown =
      run_json({"catalog", folder.path("a.csv"), "--compare", folder.path("c.csv")});
  CHECK(unknown["volumes"].is_null());
}

TEST_CASE("catalog faults are one sentence each and leave no file") {
  const OutputFolder folder;
  put_bytes(folder.path("out_0.list"), rockstar_text(some_halos(3)));
  const std::string file = folder.path("out_0.list");
  for (const auto& [arguments, part] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--sort", "Mvri"}, "did you mean Mvir"},
           {{"--columns", "nothing"}, "has no column nothing"},
           {{"--table", "Subhalo"}, "there is no table Subhalo"},
           {{"-o", file}, "overwrite"},
           {{"--compare", file, "--within", "-1"}, "must be positive"},
           {{"--within", "2"}, "--within: this tells which halos of two catalogs match"},
           {{"--distance", "2"}, "--distance: this tells which halos of two catalogs match"},
           {{"--compare", folder.path("absent")}, "no such file"}}) {
    std::vector<std::string> all{"catalog", file};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const auto run = run_program(all);
    INFO(run.err);
    CHECK(run.is_fault());
    CHECK(run.says(part));
  }
  CHECK(folder.files().size() == 1);
}

TEST_CASE("catalog writes a CSV that it reads back") {
  const OutputFolder folder;
  write_subhalo_tab(folder.path("tab.hdf5"), some_halos(12), 0, 12);
  CHECK(run_program({"catalog", folder.path("tab.hdf5"), "-o", folder.path("g.csv")}).code == 0);
  const json comparison =
      run_json({"catalog", folder.path("tab.hdf5"), "--compare", folder.path("g.csv")});
  CHECK(comparison["matched"] == 12);
  CHECK(comparison["mass_ratio"] == Approx(1).epsilon(1e-6));
  CHECK(comparison["offset_largest"] == Approx(0).margin(1e-5));
  CHECK(comparison["equal_member_counts"] == 12);
  CHECK(comparison["member_ids"].is_null());
}

TEST_CASE("comparison brings units together and wraps around the box") {
  const OutputFolder folder;
  Halos a = some_halos(200), b = a;
  // Beyond the edge and back: 0.1 Mpc/h apart.
  a.x[0] = 0.05;
  b.x[0] = 99.95;
  for (auto& mass : b.mass) mass *= 1.25;
  // Without a partner.
  b.x[199] = std::fmod(b.x[199] + 3, 100.0);
  SubhaloTab kpc;
  kpc.length_cm = 3.085678e21;
  write_subhalo_tab(folder.path("kpc.hdf5"), a, 0, 200, kpc);
  put_bytes(folder.path("out_0.list"), rockstar_text(b));
  put_bytes(folder.path("halos"), ahf_text(b));
  for (const char* other : {"out_0.list", "halos"}) {
    const json result =
        run_json({"catalog", folder.path("kpc.hdf5"), "--compare", folder.path(other)});
    INFO(result.dump(1));
    CHECK(result["matched"] == 199);
    CHECK(result["length_unit"] == "kpc/h");
    CHECK(result["mass_ratio"] == Approx(1.25).epsilon(1e-4));
    CHECK(result["mass_scatter_dex"] == Approx(0).margin(1e-4));
    CHECK(result["offset_largest"] == Approx(100).epsilon(1e-3));
    CHECK(result["offset_median"] == Approx(0).margin(0.02));
    // All halos are above the lowest edge.
    CHECK(result["mass_function"][0]["first"] == 200);
    CHECK(result["mass_function"][0]["second"] == 200);
  }
  // The other way round, in the list's units.
  const json back =
      run_json({"catalog", folder.path("out_0.list"), "--compare", folder.path("kpc.hdf5")});
  CHECK(back["mass_ratio"] == Approx(0.8).epsilon(1e-4));
  CHECK(back["offset_largest"] == Approx(0.1).epsilon(1e-3));
  const json near =
      run_json({"catalog", folder.path("kpc.hdf5"), "--compare", folder.path("out_0.list"),
                "--distance", "50", "-o", folder.path("pairs.csv")});
  CHECK(near["matched"] == 198);
  const std::string pairs = haloscope::test::file_bytes(folder.path("pairs.csv"));
  // A comment, the titles, and a row for each.
  CHECK(std::count(pairs.begin(), pairs.end(), '\n') == 200);
}

TEST_CASE("catalogs without units are compared by the radii that they have, and none is invented") {
  const OutputFolder folder;
  put_bytes(folder.path("a.csv"), "x,y,z,mass\n1,1,1,5\n9,9,9,4\n");
  put_bytes(folder.path("b.csv"), "x,y,z,mass,radius\n1,1,1.5,5,1\n9,9,7,4,1\n");
  const test::Outcome outcome =
      run_program({"catalog", folder.path("a.csv"), "--compare", folder.path("b.csv")});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == 0);
  CHECK(outcome.says("2 of 2 halos of CSV have no radius, and masses without units tell none"));
  CHECK_FALSE(outcome.says("200 times the critical density"));
}

TEST_CASE("a catalog of voids is called one") {
  const OutputFolder folder;
  const std::string sample = test::sample_file(), grid = folder.path("g.npy");
  REQUIRE(run_program({"grid", sample, "-o", grid, "--size", "16", "--quiet"}).code == 0);
  for (const std::string& from : {sample, grid})
    for (const char* const name : {"v.hdf5", "v.csv"}) {
      std::vector<std::string> words{"topology", from,      "-o",      folder.path(name),
                                     "--voids",  "0.5,0.5", "--quiet", "--overwrite"};
      if (from == sample) words.insert(words.end(), {"--grid", "16"});
      REQUIRE(run_program(words).code == 0);
      const test::Outcome told = run_program({"info", folder.path(name)});
      INFO(from << told.out << told.err);
      CHECK(told.says("format    haloscope voids"));
      CHECK(told.says(" void"));
      CHECK_FALSE(told.says(" peak"));
      CHECK_FALSE(told.says(" halo\n"));
    }
  const test::Outcome refused =
      run_program({"halos", folder.path("v.hdf5"), "-o", folder.path("h.hdf5")});
  CHECK(refused.says("this is a catalog of voids, not a snapshot"));
}

TEST_CASE("masses with and without h are compared only where h is known") {
  const OutputFolder folder;
  put_bytes(folder.path("a.csv"),
            "# h = 0.5\nx [Mpc/h],y [Mpc/h],z [Mpc/h],mass [Msun/h]\n"
            "1,2,3,1e12\n4,5,6,1e13\n");
  put_bytes(folder.path("b.csv"),
            "x [Mpc],y [Mpc],z [Mpc],mass [Msun]\n2,4,6,2e12\n8,10,12,2e13\n");
  const json result =
      run_json({"catalog", folder.path("a.csv"), "--compare", folder.path("b.csv")});
  CHECK(result["matched"] == 2);
  CHECK(result["mass_ratio"] == Approx(1));
  CHECK(result["offset_largest"] == Approx(0).margin(1e-9));
  put_bytes(folder.path("c.csv"), "x [Mpc/h],y [Mpc/h],z [Mpc/h],mass [Msun/h]\n1,2,3,1e12\n");
  const auto fault =
      run_program({"catalog", folder.path("c.csv"), "--compare", folder.path("b.csv")});
  CHECK(fault.is_fault());
  CHECK(fault.says("neither catalog tells h"));
}

TEST_CASE("members are compared by ID, of the types that both catalogs list") {
  HaloMembers first, second;
  first.offset = {{0, {0, 1, 1}}, {1, {0, 3, 5}}};
  first.length = {{0, {1, 0, 1}}, {1, {3, 2, 2}}};
  first.ids = {{0, {90, 91}}, {1, {3, 1, 2, 4, 5, 6, 7}}};
  // In another order of halos and members, without gas; 4 and 5 have become 8 and 5.
  second.offset = {{1, {2, 0, 5}}, {4, {0, 0, 0}}};
  second.length = {{1, {3, 2, 2}}, {4, {0, 0, 0}}};
  second.ids = {{1, {8, 5, 1, 2, 3, 7, 6}}, {4, {}}};
  const auto compared =
      analysis::compare_members(first, second, {{.first = 0}, {.first = 1, .second = 1}, {2, 2}});
  REQUIRE(compared);
  CHECK(compared->types == std::vector<int>{1});
  CHECK(compared->same == 2);
  CHECK(compared->least == Approx(1 / 3.));  // 5 of 4, 5 and 8
  CHECK(compared->median == 1);
  second.ids.erase(1);
  CHECK_FALSE(analysis::compare_members(first, second, {{.first = 0}}));
}

TEST_CASE("halos that no neighbor matches are matched by most of their members") {
  HaloMembers first, second;
  first.offset = {{0, {0, 2, 2, 2}}, {1, {0, 1, 3, 5}}};
  first.length = {{0, {2, 0, 0, 0}}, {1, {1, 2, 2, 4}}};
  first.ids = {{0, {10, 11}}, {1, {20, 21, 22, 23, 24, 25, 26, 27, 28}}};
  // Of the first halo's three two are left, of the second's half; the third is matched already, and
  // the fourth has become the smaller part of another.
  second.offset = {{0, {0, 0, 0, 1}}, {1, {0, 2, 4, 12}}};
  second.length = {{0, {0, 0, 1, 1}}, {1, {2, 2, 8, 1}}};
  second.ids = {{0, {90, 10}}, {1, {21, 99, 23, 24, 25, 26, 27, 28, 1, 2, 3, 4, 20}}};
  const std::vector<std::array<std::uint64_t, 2>> found =
      analysis::pairs_by_members(first, second, {{.first = 2, .second = 1}});
  CHECK(found == std::vector<std::array<std::uint64_t, 2>>{{0, 3}});
  // A partner that is taken is nobody's any more.
  CHECK(analysis::pairs_by_members(first, second, {{.first = 2, .second = 3}}) ==
        std::vector<std::array<std::uint64_t, 2>>{});
  second.ids.clear();
  CHECK(analysis::pairs_by_members(first, second, {}).empty());
}

TEST_CASE("the same particles match wherever a catalog puts their center") {
  const OutputFolder folder;
  HaloCatalog catalog = haloscope::test::three_halos();
  HaloTable& table = catalog.tables.front();
  haloscope::test::drop_column(table, "GroupLen");
  haloscope::test::drop_column(table, "GroupOffsetType");
  HaloMembers members = haloscope::test::two_types();
  io::write_catalog(folder.path("a.hdf5"), catalog, members, haloscope::test::provenance());
  for (auto& column : table.columns)
    if (column.name == "GroupPos") std::get<std::vector<double>>(column.values)[3] += 20;
  io::write_catalog(folder.path("b.hdf5"), catalog, members, haloscope::test::provenance());
  const std::vector<std::string> compare{"catalog",   folder.path("a.hdf5"),
                                         "--compare", folder.path("b.hdf5"),
                                         "-o",        folder.path("pairs.csv")};
  const auto run = run_program(compare);
  INFO(run.out + run.err);
  REQUIRE(run.code == 0);
  CHECK(run.says("matched   2 by position"));
  CHECK(run.says("1 more by their members"));
  CHECK(run.says("(in all 100.0 % of the first, 100.0 % of the second)"));
  CHECK(run.says("the very same in 3 of 3 pairs"));
  const std::string pairs = haloscope::test::file_bytes(folder.path("pairs.csv"));
  CHECK(pairs.find("\n1,1,5,") != std::string::npos);  // around the box's edge
  CHECK(pairs.find(",1,members\n") != std::string::npos);
  const json all = run_json({"catalog", folder.path("a.hdf5"), "--compare", folder.path("b.hdf5")});
  CHECK(all["matched"] == 3);
  CHECK(all["matched_by_members"] == 1);
}

TEST_CASE("a comparison says that it matched by position, and that equal numbers are no members") {
  const OutputFolder folder;
  write_subhalo_tab(folder.path("tab.hdf5"), some_halos(12), 0, 12);
  const auto run =
      run_program({"catalog", folder.path("tab.hdf5"), "--compare", folder.path("tab.hdf5")});
  INFO(run.out);
  CHECK(run.says("matched   12 by position, each nearest to the other within 1 of the larger"));
  CHECK(run.says("as many in 12 of 12 pairs, by their numbers: not both catalogs list IDs"));
}

TEST_CASE("a catalog without halos is refused by that in a comparison, not by its columns") {
  const OutputFolder folder;
  write_subhalo_tab(folder.path("tab.hdf5"), some_halos(3), 0, 3);
  write_subhalo_tab(folder.path("none.hdf5"), some_halos(3), 0, 0);
  for (const bool swapped : {false, true}) {
    std::vector<std::string> files{folder.path("tab.hdf5"), folder.path("none.hdf5")};
    if (swapped) std::swap(files[0], files[1]);
    const auto run = run_program({"catalog", files[0], "--compare", files[1]});
    INFO(run.err);
    CHECK(run.is_fault());
    CHECK(run.says("none.hdf5: table Group has no halos to compare"));
  }
}

TEST_CASE("a catalog without halos tells its columns and the unit of its box") {
  const OutputFolder folder;
  const std::string path = folder.path("none.hdf5");
  HaloCatalog catalog = haloscope::test::three_halos();
  HaloTable& table = catalog.tables.front();
  table.count = 0;
  for (auto& column : table.columns)
    std::visit([](auto& values) { values.clear(); }, column.values);
  io::write_catalog(path, catalog, {}, haloscope::test::provenance());
  const auto run = run_program({"catalog", path});
  INFO(run.out + run.err);
  CHECK(run.code == 0);
  for (const char* part : {"box       25 Mpc/h, periodic\n", "Group: 0 halos\n",
                           "GroupMass  1e10 Msun/h  (mass)", "GroupPos[3]  Mpc/h  (position)"})
    CHECK(run.says(part));
  // Codes write no columns where they found nothing.
  write_subhalo_tab(path, some_halos(3), 0, 0);
  CHECK(run_program({"catalog", path}).says("box       100 Mpc/h, periodic\n"));
}

TEST_CASE("nearest halos are those of a search through all") {
  for (const double box : {0.0, 100.0}) {
    for (const std::size_t count : {1, 2, 7, 500}) {
      const Halos halos = some_halos(count), others = some_halos(300, 9);
      std::vector<std::array<double, 3>> points;
      for (std::size_t i = 0; i < count; ++i)
        points.push_back({halos.x[i], halos.y[i], halos.z[i]});
      const analysis::HaloPoints grid(points, box);
      for (std::size_t i = 0; i < others.size(); ++i) {
        const std::array<double, 3> at{others.x[i] * 1.4 - 20, others.y[i], others.z[i]};
        const double limit = i % 3 == 0 ? 5 : 1000;
        double best = HUGE_VAL;
        for (const auto& p : points) {
          double square = 0;
          for (std::size_t axis = 0; axis < 3; ++axis) {
            double d = p[axis] - at[axis];
            if (box > 0) d -= std::round(d / box) * box;
            square += d * d;
          }
          best = std::min(best, std::sqrt(square));
        }
        const auto found = grid.nearest(at, limit);
        REQUIRE(found.has_value() == (best <= limit));
        if (found) REQUIRE(found->distance == best);
      }
    }
  }
}

TEST_CASE("GADGET-4's groups and subhalos compare as they should") {
  const auto tab = haloscope::test::shared_data("data/gadget4/dm64/fof_subhalo_tab_006.hdf5");
  if (!tab) return;
  const json same = run_json({"catalog", tab->string(), "--compare", tab->string()});
  CHECK(same["matched"] == 399);
  CHECK(same["equal_member_counts"] == 399);
  CHECK(same["offset_largest"] == 0);
  CHECK(same["mass_function"][0]["first"] == 399);
}
