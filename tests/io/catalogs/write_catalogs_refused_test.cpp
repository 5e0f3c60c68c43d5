// What writers of halo catalogs refuse, and a file that cannot be written leaves the old one.

#include "core/error.h"
#include "core/progress.h"
#include "io/catalogs/write_catalog.h"
#include "tests/catch.h"
#include "tests/made/written_catalog.h"
#include "tests/output_folder.h"

using namespace haloscope;
using namespace haloscope::io;
using namespace haloscope::test;
using Catch::Matchers::Contains;

TEST_CASE("a catalog that cannot be written ends in one sentence and leaves the old file") {
  const OutputFolder folder;
  const HaloCatalog catalog = three_halos();
  HaloMembers members;
  members.offset[1] = {0, 100000, 200000};
  members.length[1] = {100000, 100000, 100000};
  members.ids[1].assign(300000, 1);
  HaloCatalog many = catalog;
  many.tables[0].count = 30000;
  for (auto& column : many.tables[0].columns)
    std::visit([&](auto& v) { v.assign(30000 * std::size_t(column.components), 1); },
               column.values);
  const auto check = [&](const std::string& name, const HaloCatalog& what,
                         const HaloMembers& whose) {
    INFO(name);
    put_bytes(folder.path(name), "old");
    const std::string message = message_with_file_limit(
        100000, [&] { write_catalog(folder.path(name), what, whose, provenance()); });
    CHECK_THAT(message, Contains(name) && Contains("larger than allowed"));
    CHECK(message.find('\n') == std::string::npos);
    CHECK(file_bytes(folder.path(name)) == "old");
  };
  check("a.hdf5", catalog, members);
  check("a.csv", many, {});
  CHECK(folder.files() == std::vector<std::string>{"a.csv", "a.hdf5"});
}

TEST_CASE("writing a catalog can be stopped, and leaves the old file") {
  const OutputFolder folder;
  for (const char* name : {"a.hdf5", "a.csv"}) {
    INFO(name);
    put_bytes(folder.path(name), "old");
    Progress progress;
    progress.cancel();
    CHECK_THROWS_AS(
        write_catalog(folder.path(name), three_halos(), two_types(), provenance(), progress),
        Cancelled);
    CHECK(file_bytes(folder.path(name)) == "old");
  }
  CHECK(folder.files() == std::vector<std::string>{"a.csv", "a.hdf5"});
}

TEST_CASE("an output that cannot work is refused before the work") {
  const OutputFolder folder;
  const auto refusal = [&](const std::string& name) {
    const std::string path = folder.path(name);
    const std::string early = message_of([&] { require_catalog_output(path); });
    CHECK(message_of([&] { write_catalog(path, three_halos(), {}, provenance()); }) == early);
    return early;
  };
  CHECK_THAT(refusal("halos.txt"), Contains("halos.txt") && Contains("end it in .hdf5 or .csv"));
  CHECK_THAT(refusal("halos"), Contains("end it in .hdf5 or .csv"));
  CHECK_THAT(refusal("missing/a.hdf5"), Contains("does not exist"));
  CHECK_THAT(refusal("missing/a.csv"), Contains("does not exist"));
  CHECK(folder.files().empty());
  CHECK(refusal("A.HDF5").empty());
  CHECK(refusal("fof_subhalo_tab_006.0.hdf5").empty());
}

TEST_CASE("columns and members that do not fit the halos are refused") {
  const OutputFolder folder;
  const std::string path = folder.path("a.hdf5");
  const auto refusal = [&](const HaloCatalog& catalog, const HaloMembers& members) {
    return message_of([&] { write_catalog(path, catalog, members, provenance()); });
  };
  HaloCatalog catalog = three_halos();
  HaloMembers members = two_types();
  members.length[1] = {1, 2, 2};
  CHECK_THAT(refusal(catalog, members), Contains("halo 2 lie beyond its 4 IDs"));
  members.length[1] = {1, 1, 1};
  CHECK_THAT(refusal(catalog, members), Contains("3 members of type 1, but 4 IDs"));
  members.length[1] = {1, 2};
  CHECK_THAT(refusal(catalog, members), Contains("not those of 3 halos"));
  std::get<Counts>(catalog.tables[0].columns[0].values).pop_back();
  CHECK_THAT(refusal(catalog, {}), Contains("GroupLen has 2 values, expected 3 x 1"));
  CHECK(folder.files().empty());
}
