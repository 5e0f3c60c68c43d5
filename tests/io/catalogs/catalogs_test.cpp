// Halo catalogs of every kind, on small files made here and on real ones where they are present.

#include "core/error.h"
#include "io/catalogs/catalog_reader.h"
#include "io/catalogs/catalog_units.h"
#include "io/catalogs/text_catalogs.h"
#include "io/snapshot_reader.h"
#include "tests/catch.h"
#include "tests/made/catalog_files.h"
#include "tests/test_paths.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace haloscope;
using namespace haloscope::io;
using namespace catalog_files;
using haloscope::test::message_of;
using haloscope::test::OutputFolder;
using haloscope::test::put_bytes;

namespace {

bool says(const HaloCatalog& catalog, const std::string& part) {
  return std::any_of(catalog.assumed.begin(), catalog.assumed.end(),
                     [&](const std::string& s) { return s.find(part) != std::string::npos; });
}

std::string failure(const std::string& path, const CatalogOptions& options = {}) {
  const std::string message = message_of([&] { open_catalog(path, options); });
  CHECK(message.find('\n') == std::string::npos);
  return message;
}

bool contains(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

const std::vector<std::uint64_t>& unsigned_values(const HaloTable& table, const char* name) {
  return std::get<std::vector<std::uint64_t>>(table.find(name)->values);
}

std::string whole_file(const std::string& path) {
  return haloscope::test::file_bytes(path);
}

}  // namespace

TEST_CASE("catalog units in all their spellings come to one value") {
  const auto length = parse_unit("Mpc/h"), same = parse_unit("Mpc / h (comoving)");
  REQUIRE((length && same));
  CHECK(length->to_cgs == same->to_cgs);
  CHECK((length->a == 1 && length->h == -1 && same->a == 1 && same->h == -1));
  CHECK(parse_unit("ckpc/h")->to_cgs * 1000 == Approx(length->to_cgs));
  CHECK(parse_unit("kpc/h (physical)")->a == 0);
  CHECK(parse_unit("pkpc")->a == 0);
  CHECK(parse_unit("1e10 Msun/h")->to_cgs == Approx(1e10 * parse_unit("Msun / h")->to_cgs));
  CHECK(parse_unit("km / s (physical, peculiar)")->to_cgs == 1e5);
  CHECK(parse_unit("km/s*a")->a == 1);
  CHECK_FALSE(parse_unit("(Msun/h)*(Mpc/h)*km/s"));
  CHECK_FALSE(parse_unit(""));
  CHECK(split_unit("mass [1e10 Msun/h]").name == "mass");
  CHECK(split_unit("mass [1e10 Msun/h]").unit == "1e10 Msun/h");
  CHECK(split_unit("A[x]").name == "A[x]");
  CHECK(split_unit("x (Mpc/h)").unit == "Mpc/h");
}

TEST_CASE("a fof_subhalo_tab set is read in numeric order, files without groups included") {
  const OutputFolder folder;
  const Halos halos = some_halos(24);
  for (int i = 0; i < 12; ++i) {
    SubhaloTab set{12, i, 22, 3.085678e21};
    // File 5 has no groups at all.
    const std::size_t begin = i <= 5 ? 2 * std::size_t(i) : 2 * std::size_t(i) - 2;
    write_subhalo_tab(folder.path("tab_003." + std::to_string(i) + ".hdf5"), halos, begin,
                      i == 5 ? begin : begin + 2, set);
  }
  for (const char* start : {"tab_003.0.hdf5", "tab_003.10.hdf5", "tab_003", ""}) {
    INFO(start);
    const HaloCatalog catalog = open_catalog(folder.path(start));
    CHECK(catalog.format == "GADGET-4 fof_subhalo_tab");
    REQUIRE(catalog.files.size() == 12);
    CHECK(catalog.files[10].ends_with(".10.hdf5"));
    const HaloTable& groups = *catalog.find("Group");
    REQUIRE(groups.count == 22);
    CHECK(groups.find(HaloRole::Mass)->name == "GroupMass");
    CHECK(groups.find("GroupPos")->unit == "kpc/h");
    CHECK(groups.find("GroupMass")->unit == "1e10 Msun/h");
    // Stored as a times the peculiar velocity.
    CHECK(groups.find("GroupVel")->unit == "km/s/a");
    CHECK(groups.find("GroupVel")->scaling->a == -1);
    for (std::size_t i = 0; i < 22; ++i) {
      CHECK(groups.vector(HaloRole::Position, i)[0] == float(halos.x[i] * 1000));
      CHECK(groups.find("GroupLen")->value(i) == double(halos.members[i]));
    }
    const HaloTable& subhalos = *catalog.find("Subhalo");
    CHECK(unsigned_values(subhalos, "SubhaloIDMostbound")[1] == (std::uint64_t(1) << 63) + 2);
    CHECK(subhalos.find("SubhaloHalfmassRad")->unit == "kpc/h (physical)");
    CHECK(catalog.box_size == Approx(1e5));
    CHECK(catalog.periodic);
    CHECK(*catalog.cosmology.redshift == Approx(1));
    CHECK(catalog.cosmology.hubble_param == 0.7);
  }
}

TEST_CASE("missing files of a fof_subhalo_tab set are named") {
  const OutputFolder folder;
  const Halos halos = some_halos(6);
  for (const int i : {0, 2})
    write_subhalo_tab(folder.path("tab." + std::to_string(i) + ".hdf5"), halos, 2 * std::size_t(i),
                      2 * std::size_t(i) + 2, {3, i, 6});
  contains(failure(folder.path("tab.0.hdf5")), "tab.1.hdf5 is missing (2 of the catalog's 3 files");
  const HaloCatalog catalog = open_catalog(folder.path("tab.2.hdf5"), {true});
  CHECK(catalog.find("Group")->count == 4);
  CHECK(says(catalog, "tab.1.hdf5"));
  CHECK(says(catalog, "announces 6 groups, the files hold 4"));
}

TEST_CASE("AREPO's catalogs have comoving subhalo radii and say Nsubgroups") {
  const OutputFolder folder;
  SubhaloTab set;
  set.arepo = true;
  write_subhalo_tab(folder.path("groups.hdf5"), some_halos(3), 0, 3, set);
  const HaloCatalog catalog = open_catalog(folder.path("groups.hdf5"));
  CHECK(catalog.format == "AREPO fof_subhalo_tab");
  CHECK(catalog.find("Subhalo")->count == 3);
  CHECK(catalog.find("Subhalo")->find("SubhaloHalfmassRad")->unit == "Mpc/h");
}

TEST_CASE("a Rockstar list is read with units, box and exact IDs from its header") {
  const OutputFolder folder;
  const Halos halos = some_halos(5);
  put_bytes(folder.path("out_0.list"), rockstar_text(halos));
  put_bytes(folder.path("out_1.list"), rockstar_text(some_halos(2)));
  const HaloCatalog catalog = open_catalog(folder.path("out_0.list"));
  CHECK(catalog.format == "Rockstar");
  REQUIRE(catalog.tables.size() == 1);
  const HaloTable& table = catalog.tables[0];
  REQUIRE(table.count == 5);
  const auto& ids = std::get<std::vector<std::int64_t>>(table.find("ID")->values);
  CHECK(ids[0] == 9007199254740993LL);
  CHECK(ids[4] == 9007199254740997LL);
  CHECK(table.find(HaloRole::Mass)->name == "Mvir");
  CHECK(table.find(HaloRole::Radius)->scaling->to_cgs * 1000 ==
        Approx(table.find("X")->scaling->to_cgs));
  CHECK(table.vector(HaloRole::Position, 3)[2] == Approx(halos.z[3]).epsilon(1e-9));
  CHECK(table.vector(HaloRole::Velocity, 3)[1] == -20);
  CHECK(table.find("A[x]"));
  CHECK(table.find("b_to_a(500c)")->value(0) == 0.8);
  CHECK(std::isnan(table.find("A[x]")->value(0)));
  CHECK(catalog.box_size == 100);
  CHECK(catalog.cosmology.scale_factor == 0.5);
  CHECK(catalog.cosmology.omega_lambda == 0.7);
  CHECK((catalog.hubble_known && catalog.cosmology.hubble_param == 0.7));
}

TEST_CASE("a merger tree of consistent-trees is not shown as halos of one time") {
  const OutputFolder folder;
  const std::string head =
      "#scale(0) id(1) desc_id(2) num_prog(3) mvir(4) rvir(5) vmax(6) x(7) y(8) z(9)\n"
      "#Omega_M = 0.27; Omega_L = 0.73; h0 = 0.70\n#Full box size = 250.0 Mpc/h\n"
      "#Includes fix for Rockstar spins & T/|U|\n";
  const std::string halo = " 10 -1 1 1e13 300 400 1 2 3\n";
  put_bytes(folder.path("tree_0_0_0.dat"), head + "2\n#tree 10\n1.0" + halo + "0.5" + halo);
  contains(failure(folder.path("tree_0_0_0.dat")), "this is a merger tree");
  put_bytes(folder.path("hlist_1.0.list"), head + "1.0" + halo + "1.0" + halo);
  CHECK(open_catalog(folder.path("hlist_1.0.list")).tables[0].count == 2);
}

TEST_CASE("AHF's halos are read in its custom units, the redshift from the name") {
  const OutputFolder folder;
  put_bytes(folder.path("run.z1.500.AHF_halos"), ahf_text(some_halos(4)));
  const HaloCatalog catalog = open_catalog(folder.path("run.z1.500.AHF_halos"));
  CHECK(catalog.format == "AHF");
  CHECK(catalog.tables[0].count == 4);
  CHECK(catalog.tables[0].find("Mvir")->unit == "Msun/h");
  CHECK(catalog.tables[0].find(HaloRole::Position)->name == "Xc");
  CHECK(*catalog.cosmology.redshift == 1.5);
  CHECK(says(catalog, "AHF writes no units"));
  CHECK(says(catalog, "1.5, is taken from the file's name"));
}

TEST_CASE("CSV with units in brackets is read, words are left out, 64-bit IDs are exact") {
  const OutputFolder folder;
  put_bytes(folder.path("halos.csv"), csv_text(some_halos(4)));
  const HaloCatalog catalog = open_catalog(folder.path("halos.csv"));
  const HaloTable& table = catalog.tables[0];
  REQUIRE(table.count == 4);
  CHECK(unsigned_values(table, "id")[3] == 18446744073709551003ULL);
  CHECK(table.find("mass")->unit == "1e10 Msun/h");
  CHECK(says(catalog, "Columns of words are left out: note"));
  CHECK(catalog.box_size == 100);
  CHECK(catalog.cosmology.hubble_param == 0.7);
}

TEST_CASE("what is written as CSV is read back to the same values") {
  const OutputFolder folder;
  const Halos halos = some_halos(7);
  write_subhalo_tab(folder.path("tab.hdf5"), halos, 0, 7);
  const HaloCatalog first = open_catalog(folder.path("tab.hdf5"));
  for (const HaloTable& table : first.tables) {
    std::vector<const CatalogColumn*> columns;
    for (const auto& column : table.columns) columns.push_back(&column);
    std::vector<std::uint64_t> rows(7);
    std::iota(rows.begin(), rows.end(), 0);
    const std::string path = folder.path(table.name + ".csv");
    Progress progress;
    write_csv_catalog(path, first, table, columns, rows, progress);
    CHECK(catalog_kind(path) == std::optional<std::string>("CSV halo catalog"));
    const HaloCatalog again = open_catalog(path);
    CHECK(again.box_size == first.box_size);
    CHECK(again.periodic);
    CHECK(*again.cosmology.redshift == *first.cosmology.redshift);
    const HaloTable& copy = again.tables[0];
    REQUIRE(copy.count == 7);
    for (const HaloRole role : {HaloRole::Mass, HaloRole::Radius, HaloRole::MemberCount}) {
      REQUIRE(copy.find(role));
      CHECK(copy.find(role)->unit == table.find(role)->unit);
      for (std::size_t i = 0; i < 7; ++i)
        CHECK(float(copy.find(role)->value(i)) == float(table.find(role)->value(i)));
    }
    for (std::size_t i = 0; i < 7; ++i)
      CHECK(float(copy.vector(HaloRole::Position, i)[1]) ==
            float(table.vector(HaloRole::Position, i)[1]));
    if (table.name == "Subhalo")
      CHECK(unsigned_values(copy, "SubhaloIDMostbound") ==
            unsigned_values(table, "SubhaloIDMostbound"));
  }
}

TEST_CASE("bad rows of text are left out and counted, a file without good ones is refused") {
  const OutputFolder folder;
  const std::string good = rockstar_text(some_halos(3));
  put_bytes(folder.path("a"), good + "1 2 3\n1 -1 x y z 1 1 1 1 1 1 1 1 1 1 1 1\n17 -1 1e12");
  const HaloCatalog catalog = open_catalog(folder.path("a"));
  CHECK(catalog.tables[0].count == 3);
  CHECK(says(catalog, "3 rows are left out: not 17 numbers (first in line 15)"));
  CHECK(says(catalog, "cut short"));
  // A bad row must not turn whole columns into real ones.
  CHECK(std::holds_alternative<std::vector<std::int64_t>>(catalog.tables[0].find("ID")->values));

  put_bytes(folder.path("b"), good.substr(0, good.find("\n9007") + 1) + "1 2 3\n4 5 6\n");
  contains(failure(folder.path("b")), "the header names 17 columns, line 12 has 3");
  std::string infinite = good;
  infinite.replace(infinite.find("1.000000e+12"), 12, "inf");
  put_bytes(folder.path("c"), infinite);
  CHECK(
      says(open_catalog(folder.path("c")), "1 row is left out: position or mass is not a finite"));
}

TEST_CASE("hostile text catalogs end in one sentence") {
  const OutputFolder folder;
  const std::string good = ahf_text(some_halos(3));
  put_bytes(folder.path("long"), good + std::string(3 << 20, '1'));
  contains(failure(folder.path("long")), "line 5 is longer than 1 MiB");
  put_bytes(folder.path("long2"), "x y z mass\n" + std::string(3 << 20, '1'));
  contains(failure(folder.path("long2")), "longer than 1 MiB");
  put_bytes(folder.path("empty"), "");
  contains(failure(folder.path("empty")), "no halo catalog");
  put_bytes(folder.path("binary"), std::string("\0\1\2\3", 4) + good);
  contains(failure(folder.path("binary")), "no halo catalog");
  put_bytes(folder.path("table"), "a b c\n1 2 3\n");
  contains(failure(folder.path("table")), "neither positions");
  put_bytes(folder.path("head"), good.substr(0, good.find('\n') + 1));
  CHECK(open_catalog(folder.path("head")).tables[0].count == 0);
  contains(failure(folder.path("absent")), "no such file");
  for (std::size_t cut = 0; cut < good.size(); cut += 7) {
    put_bytes(folder.path("cut"), good.substr(0, cut));
    message_of([&] { open_catalog(folder.path("cut")); });
  }
}

TEST_CASE("hostile fof_subhalo_tab files end in one sentence") {
  const OutputFolder folder;
  const Halos halos = some_halos(40);
  const std::string path = folder.path("tab.hdf5");
  write_subhalo_tab(path, halos, 0, 40);
  const std::string good = whole_file(path);
  put_bytes(folder.path("cut.hdf5"), good.substr(0, good.size() / 2));
  contains(failure(folder.path("cut.hdf5")), "truncated");
  {
    // The header claims a multitude, and the datasets with it; nothing of it was written.
    snapshot_files::FileWriter file(folder.path("huge.hdf5"));
    file.group("Header").group("Group");
    const std::uint64_t huge = std::uint64_t(1) << 40;
    file.attribute<std::uint64_t>("Header", "Ngroups_ThisFile", {huge}, false);
    file.attribute<std::uint64_t>("Header", "Ngroups_Total", {huge}, false);
    file.dataset<float>("Group/GroupMass", {huge}, {}, {{1024}});
  }
  contains(failure(folder.path("huge.hdf5")), "claims 1099511627776 rows");
  {
    snapshot_files::FileWriter file(folder.path("other.hdf5"));
    file.group("Header").group("Group");
    file.attribute<std::int32_t>("Header", "Ngroups_ThisFile", {-5}, false);
    file.attribute<std::int32_t>("Header", "Ngroups_Total", {-5}, false);
    file.dataset<float>("Group/GroupMass", {3}, {1, 2, 3});
  }
  contains(failure(folder.path("other.hdf5")), "has the wrong shape");
  {
    snapshot_files::FileWriter file(folder.path("files.hdf5"));
    file.group("Header");
    file.attribute<std::uint64_t>("Header", "Ngroups_ThisFile", {1}, false);
    file.attribute<std::uint64_t>("Header", "Ngroups_Total", {1}, false);
    file.attribute<std::uint64_t>("Header", "NumFiles", {std::uint64_t(1) << 50}, false);
  }
  contains(failure(folder.path("files.hdf5")), "NumFiles in /Header is");
  snapshot_files::write_gas(folder.path("snap.hdf5"), {1, 2, 3}, 10);
  contains(failure(folder.path("snap.hdf5")), "not a halo catalog");
  // Flipped bytes: any answer but a crash.
  for (std::size_t at = 0; at < good.size(); at += 97) {
    std::string flipped = good;
    flipped[at] = char(flipped[at] ^ 0x55);
    put_bytes(folder.path("flipped.hdf5"), flipped);
    message_of([&] { open_catalog(folder.path("flipped.hdf5")); });
  }
}

TEST_CASE("catalogs given as snapshots are named") {
  const OutputFolder folder;
  put_bytes(folder.path("out_0.list"), rockstar_text(some_halos(3)));
  put_bytes(folder.path("halos"), ahf_text(some_halos(3)));
  write_subhalo_tab(folder.path("tab.hdf5"), some_halos(3), 0, 3);
  const std::vector<std::pair<const char*, const char*>> files{
      {"out_0.list", "Rockstar halo catalog"},
      {"halos", "AHF halo catalog"},
      {"tab.hdf5", "fof_subhalo_tab halo catalog"}};
  for (const auto& [name, kind] : files) {
    CHECK(catalog_kind(folder.path(name)) == std::optional<std::string>(kind));
    const std::string path = folder.path(name);
    const std::string message = message_of([&] { open_snapshot(path); });
    contains(message, kind);
    contains(message, "haloscope catalog");
  }
  put_bytes(folder.path("points.csv"), "x,y,z,mass\n1,2,3,4\n");
  CHECK_FALSE(catalog_kind(folder.path("points.csv")));
  CHECK_FALSE(catalog_kind(folder.path()));
  CHECK_FALSE(catalog_kind(folder.path("absent")));
}

TEST_CASE("snapshots given as catalogs are named, with the commands that fit") {
  const OutputFolder folder;
  snapshot_files::write_gas(folder.path("snap.hdf5"), {1, 2, 3}, 10);
  for (const std::string& path : {folder.path("snap.hdf5"), folder.path("snap"), folder.path()}) {
    const std::string message = message_of([&] { open_catalog(path); });
    contains(message, "this is a snapshot, not a halo catalog");
    contains(message, "'haloscope halos'");
  }
  put_bytes(folder.path("points.txt"), "1 2 3 4\n5 6 7 8\n");
  CHECK(message_of([&] { open_catalog(folder.path("points.txt")); }).find("snapshot") ==
        std::string::npos);
}

TEST_CASE("GADGET-4's own catalogs are read as they were made") {
  const auto late = haloscope::test::shared_data("data/gadget4/dm64/fof_subhalo_tab_006.hdf5");
  const auto early = haloscope::test::shared_data("data/gadget4/dm64/fof_subhalo_tab_004.hdf5");
  if (!late || !early) return;
  CHECK(open_catalog(early->string()).find("Group")->count == 382);
  const HaloCatalog catalog = open_catalog(late->string());
  const HaloTable& groups = *catalog.find("Group");
  REQUIRE(groups.count == 399);
  const std::vector<double> largest{12686, 9849, 7462, 5719, 2999, 2693, 2351, 2225, 2061, 1804};
  for (std::size_t i = 0; i < largest.size(); ++i) {
    CHECK(groups.find(HaloRole::MemberCount)->value(i) == largest[i]);
    CHECK(groups.find(HaloRole::Mass)->value(i) == Approx(largest[i] * 0.5093952).epsilon(1e-5));
  }
  CHECK(catalog.find("Subhalo")->count == 454);
  CHECK(groups.find("GroupPos")->unit == "Mpc/h");
  CHECK(catalog.box_size == 25);
  CHECK(catalog.cosmology.hubble_param == 0.678);
}

TEST_CASE("AHF's catalogs of a real run are read") {
  const auto path =
      haloscope::test::shared_data("data/real/tipsy_changa/tiny.000640.z2.964.AHF_halos");
  if (!path) return;
  const HaloCatalog catalog = open_catalog(path->string());
  CHECK(catalog.format == "AHF");
  CHECK(catalog.tables[0].count == 9);
  CHECK(catalog.tables[0].columns.size() == 83);
  CHECK(catalog.tables[0].find(HaloRole::Mass)->value(0) == 2.34068e11);
  CHECK(catalog.tables[0].find(HaloRole::MemberCount)->value(0) == 2604573);
  CHECK(*catalog.cosmology.redshift == 2.964);
}
