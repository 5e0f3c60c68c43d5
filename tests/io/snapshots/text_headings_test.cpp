// Comments above a text table that name its columns, and rows that a # takes out of it.

#include "io/catalogs/catalog_reader.h"
#include "io/snapshot_reader.h"
#include "tests/catch.h"
#include "tests/made/table_files.h"
#include "tests/output_folder.h"
#include "tests/snapshot_checks.h"

#include <algorithm>

using namespace haloscope;
using namespace haloscope::io;
using haloscope::test::message_of;
using snapshot_checks::says;
using snapshot_checks::values_of;
using snapshot_files::TemporaryFolder;
using table_files::write_bytes;

namespace {

struct Table {
  TemporaryFolder folder;
  std::string path;

  explicit Table(const std::string& text) : path(folder / "table.txt") { write_bytes(path, text); }
  std::unique_ptr<SnapshotReader> open() const { return open_snapshot(path); }
  std::string failure() const {
    return message_of([&] { open(); });
  }
};

}  // namespace

TEST_CASE("a comment that names the columns is used, whatever parts its names") {
  const std::string heads[] = {"# ID, analog position x y z (ckpc/h)",
                               "# ID, analog position x, y, z (ckpc/h)",
                               "#ID,x [ckpc/h],y [ckpc/h],z [ckpc/h]",
                               "# ID x y z (ckpc/h)",
                               "# ID; position (x y z) [ckpc/h]",
                               "# made by hand\n# ID x y z [ckpc/h]\n# - ckpc/h ckpc/h ckpc/h",
                               "# 1: ID 2: x 3: y 4: z",
                               "# ID, x y z in ckpc/h"};
  const std::string rows[] = {"17 1.5 2.5 3.5\n19 4.5 5.5 6.5\n",
                              "17,1.5,2.5,3.5\n19,4.5,5.5,6.5\n",
                              "17\t1.5\t2.5\t3.5\n19\t4.5\t5.5\t6.5\n"};
  for (const auto& head : heads)
    for (const auto& row : rows) {
      CAPTURE(head, row);
      const Table table(head + "\n" + row);
      const auto reader = table.open();
      const TypeInfo& dm = reader->info().types.at(1);
      REQUIRE(values_of(*reader, 1, "Coordinates") ==
              std::vector<double>{1.5, 2.5, 3.5, 4.5, 5.5, 6.5});
      REQUIRE(dm.find(Role::Id));
      CHECK(values_of(*reader, 1, "ParticleIDs") == std::vector<double>{17, 19});
      CHECK(says(reader->info(), "→Coordinates[0]"));
      if (head.find("kpc") == std::string::npos) continue;
      CHECK(dm.find("Coordinates")->unit == "ckpc/h");
      CHECK(reader->info().units.comoving);
      CHECK(reader->info().units.per_h);
    }
}

TEST_CASE("a phrase may name the velocities of three columns, too") {
  const Table table("# pos x y z (Mpc), velocity x y z (m/s), mass (Msun)\n1 2 3 4 5 6 7\n");
  const auto reader = table.open();
  CHECK(values_of(*reader, 1, "Coordinates") == std::vector<double>{1, 2, 3});
  CHECK(values_of(*reader, 1, "Velocities") == std::vector<double>{4, 5, 6});
  CHECK(values_of(*reader, 1, "Masses") == std::vector<double>{7});
  CHECK(reader->info().units.length_cm == Approx(3.085678e24));
  CHECK(reader->info().units.velocity_cm_per_s == 100);
}

TEST_CASE("one unit at the end of three names is that of all three") {
  const Table table("x y z (Mpc/h) mass\n1 2 3 4\n");
  CHECK(table.open()->info().units.length_cm == Approx(3.085678e24));
  CHECK(table.open()->info().units.per_h);
}

TEST_CASE("positions whose names carry a word before are found where there are no others") {
  const Table one("id,halo_pos_x,halo_pos_y,halo_pos_z\n1,2,3,4\n");
  CHECK(values_of(*one.open(), 1, "Coordinates") == std::vector<double>{2, 3, 4});
  // Which of two is meant nobody can tell.
  const Table two("a_x,a_y,a_z,b_x,b_y,b_z\n1,2,3,4,5,6\n");
  CHECK_THAT(two.failure(), Catch::Contains("no columns x, y and z"));
}

TEST_CASE("a comment that names columns but does not fit is never passed over in silence") {
  // The head says that the first column is none of x, y and z.
  for (const std::string head : {"# ID analog position x y z (ckpc/h)", "# ID, mass, x, y, z",
                                 "# halo ID then x y z and more"}) {
    CAPTURE(head);
    const Table table(head + "\n17 1.5 2.5 3.5\n19 4.5 5.5 6.5\n");
    CHECK_THAT(table.failure(), Catch::Contains("line 1 names columns") &&
                                    Catch::Contains("give each of the 4 columns one name"));
  }
  // It agrees with the order, or cannot be understood at all: the order is taken and said.
  const Table first("# x y z and some more\n1 2 3 4\n");
  CHECK(values_of(*first.open(), 1, "Coordinates") == std::vector<double>{1, 2, 3});
  CHECK(says(first.open()->info(), "took the first three as x, y and z"));
  const Table lines("# column 1: ID\n# column 2: x\n# column 3: y\n# column 4: z\n1 2 3 4\n");
  CHECK(says(lines.open()->info(), "The comments above name x, y and z but do not fit"));
  const Table center("# center: x = 1, y = 2.5, z = 3\n1 2 3 4\n");
  CHECK(says(center.open()->info(), "took the first three as x, y and z"));
  // What speaks of no column is a comment like any other.
  const Table plain("# made on a rainy day by hand\n1 2 3 4\n");
  CHECK(says(plain.open()->info(), "The columns have no names"));
}

TEST_CASE("rows that a # takes out are counted and said") {
  const Table table("# x y z\n#0 1 2\n1 2 3\n# 4 5 6\n7 8 9\n# a comment\n#10 11 12\n# 1\n");
  const auto reader = table.open();
  CHECK(reader->info().types.at(1).count == 2);
  CHECK(says(reader->info(), "3 rows begin with # and are left out: the first is line 2."));
  const Table one("1,2,3\n#4,5,6\n");
  CHECK(says(one.open()->info(), "1 row begins with # and is left out: it is line 2."));
  const Table none("# x y z\n1 2 3\n# 2 of 3 rows\n");
  CHECK_FALSE(says(none.open()->info(), "begin with #"));
  // Wherever they lie in a long file.
  std::string text = "# x y z\n";
  for (int i = 0; i < 200000; ++i) text += std::string(i % 2 ? "#" : "") + "1.25 2.25 3.25\n";
  CHECK(says(Table(text).open()->info(), "100000 rows begin with # and are left out"));
}

TEST_CASE("catalogs of text tell the rows that a # takes out, and take heads of phrases") {
  const Table table("# id, position x y z (Mpc/h), mass (Msun/h)\n1,2,3,4,5\n#2,3,4,5,6\n");
  const HaloCatalog catalog = open_catalog(table.path);
  const HaloTable& halos = catalog.tables.front();
  CHECK(halos.count == 1);
  REQUIRE(halos.find(HaloRole::Position));
  CHECK(std::any_of(catalog.assumed.begin(), catalog.assumed.end(), [](const auto& sentence) {
    return sentence.find("1 row begins with # and is left out: it is line 3.") != std::string::npos;
  }));
}
