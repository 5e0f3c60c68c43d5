// Writers of halo catalogs: what they write is what open_catalog() and HDF5 read.

#include "core/error.h"
#include "io/catalogs/catalog_reader.h"
#include "io/catalogs/catalog_roles.h"
#include "io/catalogs/catalog_units.h"
#include "io/catalogs/read_halo_members.h"
#include "io/catalogs/write_catalog.h"
#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_dataset.h"
#include "io/hdf5/hdf5_handle.h"
#include "io/hdf5/hdf5_values.h"
#include "tests/catch.h"
#include "tests/made/written_catalog.h"
#include "tests/output_folder.h"

using namespace haloscope;
using namespace haloscope::io;
using namespace haloscope::test;
using Catch::Matchers::Contains;

namespace {

void check_same_scaling(const FieldScaling& a, const FieldScaling& b) {
  CHECK((a.to_cgs == b.to_cgs && a.a == b.a && a.h == b.h));
  CHECK((a.length == b.length && a.mass == b.mass && a.velocity == b.velocity));
}

void check_same_column(const CatalogColumn& a, const CatalogColumn& b) {
  INFO(a.name);
  CHECK(a.unit == b.unit);
  CHECK(a.description == b.description);
  CHECK(a.components == b.components);
  CHECK(a.scalar == b.scalar);
  CHECK(a.values == b.values);
  if (a.scaling) {
    REQUIRE(b.scaling);
    check_same_scaling(*a.scaling, *b.scaling);
  }
}

Hdf5Handle opened(const std::string& path) {
  return open_hdf5_file(path);
}

Counts counts_in(const std::string& path, const std::string& dataset) {
  const auto values = count_dataset(opened(path).id(), dataset, 1000);
  REQUIRE(values);
  return *values;
}

}  // namespace

TEST_CASE("a catalog in GADGET-4's layout is read back to the same values, units and scalings") {
  const OutputFolder folder;
  const HaloCatalog first = three_halos();
  write_catalog(folder.path("a.hdf5"), first, {}, provenance());
  const HaloCatalog again = open_catalog(folder.path("a.hdf5"));
  CHECK(again.format == "haloscope fof_subhalo_tab");
  CHECK(again.assumed.empty());
  REQUIRE(again.tables.size() == 2);
  CHECK(again.tables[0].count == 3);
  CHECK(again.tables[0].columns.size() == first.tables[0].columns.size());
  for (const auto& column : first.tables[0].columns) {
    REQUIRE(again.tables[0].find(column.name));
    check_same_column(column, *again.tables[0].find(column.name));
  }
  CHECK(again.tables[0].roles == first.tables[0].roles);
  CHECK(again.tables[1].count == 0);
  CHECK(again.box_size == first.box_size);
  CHECK(again.periodic);
  CHECK(again.time == 0.5);
  CHECK(again.cosmology.redshift == first.cosmology.redshift);
  CHECK(again.cosmology.hubble_param == 0.678);
  CHECK(again.cosmology.omega_matter == 0.308);
  CHECK(again.cosmology.omega_lambda == 0.692);
  CHECK((again.units.comoving && again.units.per_h));
  CHECK(again.units.length_cm == first.units.length_cm);
  CHECK(again.units.mass_g == first.units.mass_g);
  CHECK(again.tables[0].find("GroupPos")->scaling->length == 1);
  CHECK_FALSE(again.tables[0].find("GroupMassRatio")->scaling);
}

TEST_CASE("members are written per type by offset and length, and of all types halo after halo") {
  const OutputFolder folder;
  HaloCatalog catalog = three_halos();
  drop_column(catalog.tables[0], "GroupLen");
  drop_column(catalog.tables[0], "GroupOffsetType");
  const HaloMembers members = two_types();
  const std::string path = folder.path("a.hdf5");
  write_catalog(path, catalog, members, provenance());
  for (const int type : {0, 1}) {
    const auto& ids = members.ids.at(type);
    CHECK(counts_in(path, "IDs/PartType" + std::to_string(type) + "/ParticleIDs") ==
          Counts(ids.begin(), ids.end()));
  }
  CHECK(counts_in(path, "IDs/ID") == Counts{10, members.ids.at(0)[1], 20, 21, 22, 12, 23});
  CHECK(counts_in(path, "Group/GroupLen") == Counts{3, 2, 2});
  CHECK(counts_in(path, "Group/GroupLenType") ==
        Counts{2, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0});
  CHECK(counts_in(path, "Group/GroupFirstIDType") ==
        Counts{0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 2, 3, 0, 0, 0, 0});
  // That would be rows of a snapshot, of which the writer knows nothing.
  const Hdf5Handle group = open_hdf5_group(opened(path).id(), "Group");
  CHECK_FALSE(hdf5_exists(group.id(), "GroupOffsetType"));
  const Hdf5Handle file = opened(path), header = open_hdf5_group(file.id(), "Header");
  CHECK(*count_attribute(header.id(), "Nids_ThisFile") == Counts{7});
  CHECK(*count_attribute(header.id(), "Nids_Total") == Counts{7});
}

TEST_CASE("members of one type are stored once") {
  const OutputFolder folder;
  const HaloCatalog catalog = three_halos();
  HaloMembers members;
  constexpr std::size_t kEach = 100000;
  members.offset[1] = {0, kEach, 2 * kEach};
  members.length[1] = {kEach, kEach, kEach};
  members.ids[1].assign(3 * kEach, 7);
  write_catalog(folder.path("a.h5"), catalog, members, provenance());
  CHECK(std::filesystem::file_size(folder.path("a.h5")) < 3 * kEach * 8 * 5 / 4);
  // In another order than the halos' the two differ.
  members.offset[1] = {2 * kEach, 0, kEach};
  members.ids[1].back() = 8;
  const std::string path = folder.path("b.hdf5");
  write_catalog(path, catalog, members, provenance());
  const auto ids = count_dataset(opened(path).id(), "IDs/ID", 3 * kEach);
  REQUIRE(ids);
  CHECK((*ids)[kEach - 1] == 8);
  CHECK(ids->back() == 7);
}

TEST_CASE("members of several types keep their order over the pieces in which they are written") {
  const OutputFolder folder;
  constexpr std::uint64_t kHalos = 3, kEach = 700000;
  HaloMembers members;
  for (const int type : {1, 4})
    for (std::uint64_t halo = 0; halo < kHalos; ++halo) {
      members.offset[type].push_back(halo * kEach);
      members.length[type].push_back(kEach);
      for (std::uint64_t i = 0; i < kEach; ++i)
        members.ids[type].push_back((halo * 10 + std::uint64_t(type)) * kEach + i);
    }
  const std::string path = folder.path("a.hdf5");
  write_catalog(path, three_halos(), members, provenance());
  const auto ids = count_dataset(opened(path).id(), "IDs/ID", kHalos * 2 * kEach);
  REQUIRE(ids);
  REQUIRE(ids->size() == kHalos * 2 * kEach);
  std::size_t at = 0;
  bool right = true;
  for (std::uint64_t halo = 0; halo < kHalos; ++halo)
    for (const std::uint64_t type : {1, 4})
      for (std::uint64_t i = 0; i < kEach; ++i)
        right = right && (*ids)[at++] == (halo * 10 + type) * kEach + i;
  CHECK(right);
}

TEST_CASE("whole numbers too large for their column's type are stored in 64 bits") {
  const OutputFolder folder;
  HaloCatalog catalog = three_halos();
  auto& columns = catalog.tables[0].columns;
  columns.push_back(column("A", "", 1, ScalarType::UInt32, Counts{1, 2, 2 * kTwoTo31}));
  columns.push_back(column("B", "", 1, ScalarType::Int32, Counts{1, 2, kTwoTo31}));
  columns.push_back(column("C", "", 1, ScalarType::UInt32, std::vector<std::int64_t>{1, 2, -3}));
  columns.push_back(column("D", "", 1, ScalarType::UInt32, Counts{1, 2, 2 * kTwoTo31 - 1}));
  write_catalog(folder.path("a.hdf5"), catalog, {}, provenance());
  const HaloCatalog again = open_catalog(folder.path("a.hdf5"));
  const HaloTable& table = again.tables[0];
  CHECK(table.find("A")->scalar == ScalarType::UInt64);
  CHECK(table.find("B")->scalar == ScalarType::UInt64);
  CHECK(table.find("C")->scalar == ScalarType::Int64);
  CHECK(table.find("D")->scalar == ScalarType::UInt32);
  CHECK(table.find("A")->value(2) == double(2 * kTwoTo31));
  CHECK(table.find("B")->value(2) == double(kTwoTo31));
  CHECK(table.find("C")->value(2) == -3);
  CHECK(table.find("D")->value(2) == double(2 * kTwoTo31 - 1));
}

TEST_CASE("a box in a unit that begins with a number keeps its size as CSV") {
  const OutputFolder folder;
  HaloCatalog catalog = three_halos();
  catalog.units = {1.54284e26, 1.989e43, 1e5, true, true};
  for (auto& one : catalog.tables[0].columns)
    if (one.name == "GroupPos") one.unit = "1.54284e+26 cm";
  write_catalog(folder.path("a.csv"), catalog, {}, provenance());
  CHECK(open_catalog(folder.path("a.csv")).box_size == Approx(25));
}

TEST_CASE("a catalog without halos is written and read in both formats") {
  const OutputFolder folder;
  HaloCatalog catalog = three_halos();
  HaloTable& table = catalog.tables[0];
  table.count = 0;
  for (auto& column : table.columns) std::visit([](auto& v) { v.clear(); }, column.values);
  HaloMembers members;
  members.offset[1] = members.length[1] = {};
  members.ids[1] = {};
  for (const char* name : {"a.hdf5", "a.csv"}) {
    INFO(name);
    write_catalog(folder.path(name), catalog, members, provenance());
    const HaloCatalog again = open_catalog(folder.path(name));
    CHECK(again.tables[0].count == 0);
    CHECK(again.box_size == 25);
    CHECK(*again.cosmology.redshift == 1);
  }
  CHECK(open_catalog(folder.path("a.hdf5")).assumed.empty());
  CHECK(open_catalog(folder.path("a.csv")).tables[0].find("GroupPos_x")->unit == "Mpc/h");
  const Hdf5Handle file = opened(folder.path("a.hdf5"));
  for (const char* name : {"Group/GroupLen", "Group/GroupPos", "IDs/ID"}) {
    INFO(name);
    const Hdf5Handle dataset = open_hdf5_dataset(file.id(), name);
    REQUIRE(dataset);
    CHECK(dataset_layout(dataset.id()).rows() == 0);
  }
}

TEST_CASE("the header's units are per h in comoving runs and without h in others") {
  const OutputFolder folder;
  HaloCatalog catalog = three_halos();
  catalog.units.per_h = false;
  write_catalog(folder.path("a.hdf5"), catalog, {}, provenance());
  const HaloCatalog comoving = open_catalog(folder.path("a.hdf5"));
  CHECK(comoving.units.per_h);
  CHECK(comoving.units.length_cm == Approx(catalog.units.length_cm * 0.678));
  CHECK(comoving.units.mass_g == Approx(catalog.units.mass_g * 0.678));

  catalog.units.comoving = false;
  catalog.cosmology.redshift.reset();
  catalog.time = 3.5;
  write_catalog(folder.path("b.hdf5"), catalog, {}, provenance());
  const HaloCatalog physical = open_catalog(folder.path("b.hdf5"));
  CHECK_FALSE((physical.units.per_h || physical.units.comoving));
  CHECK(physical.units.length_cm == catalog.units.length_cm);
  CHECK(physical.cosmology.hubble_param == 1);
  CHECK(physical.time == 3.5);
}

TEST_CASE("a mass in solar masses is the same whatever digits its code gave the sun") {
  const OutputFolder folder;
  HaloCatalog catalog = three_halos();
  for (auto& c : catalog.tables[0].columns)
    if (c.name == "GroupMass") c.scaling = FieldScaling{1.989e43, 0, -1, 0, 1, 0};
  write_catalog(folder.path("a.hdf5"), catalog, {}, provenance());
  // In the file the code unit of its header.
  const Hdf5Handle file = opened(folder.path("a.hdf5"));
  const Hdf5Handle masses = open_hdf5_dataset(file.id(), "Group/GroupMass");
  CHECK(scalar_attribute(masses.id(), "to_cgs") == 1.989e43);
  const HaloCatalog noted = open_catalog(folder.path("a.hdf5"));
  // As other codes' catalogs, which note nothing.
  check_same_scaling(*noted.tables[0].find("GroupMass")->scaling, *parse_unit("1e10 Msun/h"));

  // Notes that say more than the word are taken as they are.
  for (auto& c : catalog.tables[0].columns)
    if (c.name == "GroupMass") c.scaling = FieldScaling{3e43, 0, 0, 0, 1, 0};
  write_catalog(folder.path("b.hdf5"), catalog, {}, provenance());
  const HaloCatalog other = open_catalog(folder.path("b.hdf5"));
  CHECK(other.tables[0].find("GroupMass")->scaling->to_cgs == 3e43);
}

TEST_CASE("an HDF5 catalog names program, snapshot, command line and parameters") {
  const OutputFolder folder;
  CatalogProvenance origin = provenance();
  origin.snapshot = std::string(100000, 'x');  // more than an attribute holds
  write_catalog(folder.path("a.hdf5"), three_halos(), {}, origin);
  const Hdf5Handle file = opened(folder.path("a.hdf5"));
  const Hdf5Handle said = open_hdf5_group(file.id(), "Provenance");
  CHECK(text_attribute(said.id(), "Program") == "haloscope 1.2.3");
  CHECK(text_attribute(said.id(), "Snapshot") == origin.snapshot);
  CHECK(text_attribute(said.id(), "CommandLine") == origin.command_line);
  const Hdf5Handle parameters = open_hdf5_group(file.id(), "Provenance/Parameters");
  CHECK(scalar_attribute(parameters.id(), "linking length") == 0.2);
  CHECK(count_attribute(parameters.id(), "minimum members") == Counts{32});
  CHECK(text_attribute(parameters.id(), "algorithm") == "grid");
}

TEST_CASE("a column whose name has a slash stays one column") {
  const OutputFolder folder;
  HaloCatalog catalog = three_halos();
  catalog.tables[0].name = "halos";
  catalog.tables[0].columns.push_back(
      column("T/|U|", "", 1, ScalarType::Float64, std::vector<double>{1, 2, 3}));
  write_catalog(folder.path("a.hdf5"), catalog, {}, provenance());
  const HaloCatalog again = open_catalog(folder.path("a.hdf5"));
  REQUIRE(again.tables[0].find("T_|U|"));
  CHECK(again.tables[0].find("T_|U|")->value(2) == 3);
}

TEST_CASE("a catalog as CSV is read back to the same values, one column per component") {
  const OutputFolder folder;
  const HaloCatalog first = three_halos();
  write_catalog(folder.path("a.csv"), first, {}, provenance());
  CHECK(catalog_kind(folder.path("a.csv")) == std::optional<std::string>("CSV halo catalog"));
  const HaloCatalog again = open_catalog(folder.path("a.csv"));
  const HaloTable& table = again.tables[0];
  REQUIRE(table.count == 3);
  CHECK(again.box_size == 25);
  CHECK(again.cosmology.hubble_param == 0.678);
  CHECK(table.find("GroupMass")->unit == "1e10 Msun/h");
  CHECK(float(table.find("GroupMass")->value(0)) == 1.0F / 3);
  CHECK(table.find("GroupVel_z")->value(0) == 1e-300);
  CHECK(table.find("GroupTag")->value(0) == -1);
  REQUIRE(table.find("GroupOffsetType_gas"));
  CHECK(table.find("GroupOffsetType_dm")->value(2) == double(4 * kTwoTo31 + 1));
  CHECK(table.find("GroupOffsetType_bh"));
  CHECK(table.vector(HaloRole::Position, 2)[2] == 24.5);
}

TEST_CASE("the provenance of a CSV is told in comments that change no fact of the catalog") {
  const OutputFolder folder;
  CatalogProvenance origin = provenance();
  origin.command_line = "haloscope halos 'a; h = 0.1'\nh = 0.2";
  origin.snapshot = std::string(200000, 's');
  origin.parameters["box"] = 1.5;
  write_catalog(folder.path("a.csv"), three_halos(), {}, origin);
  const std::string text = file_bytes(folder.path("a.csv"));
  CHECK_THAT(text, Contains("\n# program = haloscope 1.2.3\n"));
  CHECK_THAT(text, Contains("\n# parameter linking length = 0.2\n"));
  CHECK_THAT(text, Contains("\n# parameter minimum members = 32\n"));
  const HaloCatalog again = open_catalog(folder.path("a.csv"));
  CHECK(again.tables[0].count == 3);
  CHECK(again.cosmology.hubble_param == 0.678);
  CHECK(again.box_size == 25);
}

TEST_CASE("members that were written are read back, of halos and of clusters within them") {
  const OutputFolder folder;
  HaloCatalog catalog = three_halos();
  drop_column(catalog.tables[0], "GroupLen");
  HaloTable clusters;
  clusters.name = "Subhalo";
  clusters.count = 1;
  clusters.columns.push_back(
      column("SubhaloPos", "Mpc/h", 3, ScalarType::Float64, std::vector<double>{1, 2, 3}));
  clusters.columns.push_back(
      column("SubhaloMass", "1e10 Msun/h", 1, ScalarType::Float64, std::vector<double>{1}));
  clusters.columns.push_back(
      column("SubhaloFirstIDType", "", 6, ScalarType::UInt64, Counts{0, 1, 0, 0, 0, 0}));
  clusters.columns.push_back(
      column("SubhaloLenType", "", 6, ScalarType::UInt32, Counts{0, 2, 0, 0, 0, 0}));
  catalog.tables.push_back(clusters);
  const std::string path = folder.path("a.hdf5");
  write_catalog(path, catalog, two_types(), provenance());
  const HaloCatalog again = open_catalog(path);
  Progress progress;
  const auto members = read_halo_members(again, *again.find("Group"), progress);
  REQUIRE(members);
  CHECK(members->ids == two_types().ids);
  CHECK(members->offset == two_types().offset);
  CHECK(members->length == two_types().length);
  const auto within = read_halo_members(again, *again.find("Subhalo"), progress);
  REQUIRE(within);
  CHECK(within->offset.at(1) == Counts{1});
  CHECK(within->length.at(1) == Counts{2});

  // A list of fewer rows than the halos name.
  HaloCatalog longer = again;
  for (auto& c : longer.tables[0].columns)
    if (c.name == "GroupLenType") std::get<Counts>(c.values)[1] = 5;
  CHECK_THROWS_AS(read_halo_members(longer, longer.tables[0], progress), BadFile);
  write_catalog(path, three_halos(), {}, provenance());
  const HaloCatalog without = open_catalog(path);
  CHECK_FALSE(read_halo_members(without, without.tables[0], progress));
}
