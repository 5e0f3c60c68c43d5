#include "analysis/measuring/catalog_structure.h"

#include "core/error.h"
#include "tests/catch.h"
#include "tests/output_folder.h"

#include <cmath>

// One row of a catalog in the units of a snapshot.

using namespace haloscope;
using namespace haloscope::analysis;
using namespace haloscope::test;

namespace {

constexpr double kMpc = 3.085678e24;

CatalogColumn column(const std::string& name, int components, std::vector<double> values,
                     std::optional<FieldScaling> scaling) {
  CatalogColumn made;
  made.name = name;
  made.components = components;
  made.scaling = scaling;
  made.values = std::move(values);
  return made;
}

// Two halos in comoving Mpc/h, with velocities that are a times the peculiar ones.
HaloCatalog made_catalog() {
  HaloCatalog catalog;
  catalog.files = {"halos.hdf5"};
  catalog.cosmology.hubble_param = 0.7;
  catalog.hubble_known = true;
  HaloTable table;
  table.name = "Group";
  table.count = 2;
  table.columns.push_back(
      column("GroupPos", 3, {1, 2, 3, 4, 5, 6}, FieldScaling{kMpc, 1, -1, 1, 0, 0}));
  table.columns.push_back(
      column("GroupVel", 3, {0, 0, 0, 10, 20, -30}, FieldScaling{1e5, -1, 0, 0, 0, 1}));
  table.columns.push_back(
      column("Group_R_Crit200", 1, {0, 0.25}, FieldScaling{kMpc, 1, -1, 1, 0, 0}));
  table.roles = {{HaloRole::Position, {"GroupPos"}},
                 {HaloRole::Velocity, {"GroupVel"}},
                 {HaloRole::Radius, {"Group_R_Crit200"}}};
  catalog.tables = {table};
  return catalog;
}

// Comoving kpc/h at a = 0.5.
SnapshotInfo made_info() {
  SnapshotInfo info;
  info.units.length_cm = kMpc / 1000;
  info.units.comoving = info.units.per_h = true;
  info.cosmology.scale_factor = 0.5;
  info.cosmology.hubble_param = 0.7;
  info.box_size = 10000;
  info.periodic = true;
  return info;
}

}  // namespace

TEST_CASE("a row of a catalog comes in the units of the snapshot", "[measuring]") {
  const CatalogStructure found = structure_of(made_catalog(), "", 1, made_info());
  CHECK(found.center[0] == Approx(4000));
  CHECK(found.center[2] == Approx(6000));
  // Stored as a v: 20 / 0.5.
  REQUIRE(found.velocity.has_value());
  CHECK((*found.velocity)[1] == Approx(40));
  CHECK(found.r200.value() == Approx(250));
  CHECK(found.r200_column == "Group_R_Crit200");
  CHECK(found.said.empty());
}

TEST_CASE("a snapshot without h in its lengths takes the catalog's apart", "[measuring]") {
  SnapshotInfo info = made_info();
  info.units.per_h = false;
  const CatalogStructure found = structure_of(made_catalog(), "group", 1, info);
  CHECK(found.center[0] == Approx(4000 / 0.7));
}

TEST_CASE("no R200 is no radius of 0", "[measuring]") {
  CHECK_FALSE(structure_of(made_catalog(), "", 0, made_info()).r200.has_value());
}

TEST_CASE("a structure of fewer members than a profile needs is told", "[measuring]") {
  HaloCatalog catalog = made_catalog();
  catalog.tables[0].columns.push_back(column("GroupLen", 1, {10, 3}, {}));
  catalog.tables[0].roles[HaloRole::MemberCount] = {"GroupLen"};
  CHECK(structure_of(catalog, "", 0, made_info()).said.empty());
  CHECK(structure_of(catalog, "", 1, made_info()).said ==
        std::vector<std::string>{
            "The structure has 3 members, fewer than the 10 particles of a profile: what is shown "
            "is around it."});
}

TEST_CASE("units that the catalog does not tell are taken for the snapshot's, and said",
          "[measuring]") {
  HaloCatalog catalog = made_catalog();
  for (CatalogColumn& one : catalog.tables[0].columns) one.scaling.reset();
  const CatalogStructure found = structure_of(catalog, "", 1, made_info());
  CHECK(found.center[0] == 4);
  REQUIRE(found.said.size() == 3);
  CHECK(found.said[0] ==
        "The catalog tells no unit of GroupPos: taken as kpc/h, as in the snapshot.");
}

TEST_CASE("positions from the low corner are moved to a box around the origin", "[measuring]") {
  SnapshotInfo info = made_info();
  info.box_origin = {-5000, -5000, -5000};
  HaloCatalog catalog = made_catalog();
  CHECK(structure_of(catalog, "", 1, info).center[0] == Approx(-1000));
  std::get<std::vector<double>>(catalog.tables[0].columns[0].values)[0] = -1;
  CHECK(structure_of(catalog, "", 1, info).center[0] == Approx(4000));
}

TEST_CASE("tables and rows that are not there are told", "[measuring]") {
  const HaloCatalog catalog = made_catalog();
  CHECK(message_of([&] {
          structure_of(catalog, "", 2, made_info());
        }).find("there is no row 2 in table Group") != std::string::npos);
  CHECK(message_of([&] {
          structure_of(catalog, "Subhalo", 0, made_info());
        }).find("there is no table Subhalo") != std::string::npos);
  HaloCatalog nowhere = catalog;
  nowhere.tables[0].roles.erase(HaloRole::Position);
  CHECK(message_of([&] {
          structure_of(nowhere, "", 0, made_info());
        }).find("table Group has no positions") != std::string::npos);
}
