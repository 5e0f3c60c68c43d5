// Catalogs that are written as several files are those of one.

#include "io/catalogs/catalog_parts.h"

#include "core/error.h"
#include "io/catalogs/catalog_reader.h"
#include "io/catalogs/read_halo_members.h"
#include "io/catalogs/write_catalog.h"
#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_handle.h"
#include "tests/catch.h"
#include "tests/made/written_catalog.h"
#include "tests/output_folder.h"

#include <filesystem>

using namespace haloscope;
using namespace haloscope::io;
using namespace haloscope::test;
using Catch::Matchers::Contains;

namespace {

void write_parts(const std::string& path, const HaloCatalog& catalog, const HaloMembers& members,
                 int files) {
  Progress progress;
  write_catalog(path, catalog, members, provenance(), progress, {}, files);
}

void check_same(const std::string& one, const std::string& parts) {
  const HaloCatalog a = open_catalog(one), b = open_catalog(parts);
  REQUIRE(a.tables.size() == b.tables.size());
  for (std::size_t t = 0; t < a.tables.size(); ++t) {
    CHECK(a.tables[t].count == b.tables[t].count);
    REQUIRE(a.tables[t].columns.size() == b.tables[t].columns.size());
    for (const CatalogColumn& column : a.tables[t].columns) {
      INFO(column.name);
      const CatalogColumn* other = b.tables[t].find(column.name);
      REQUIRE(other);
      CHECK(other->values == column.values);
      CHECK(other->scalar == column.scalar);
      CHECK(other->unit == column.unit);
    }
  }
  Progress progress;
  const auto members = read_halo_members(a, a.tables[0], progress);
  const auto of_parts = read_halo_members(b, b.tables[0], progress);
  REQUIRE(members.has_value() == of_parts.has_value());
  if (!members) return;
  CHECK(members->offset == of_parts->offset);
  CHECK(members->length == of_parts->length);
  REQUIRE(members->ids.size() == of_parts->ids.size());
  for (const auto& [type, ids] : members->ids) CHECK(ids == of_parts->ids.at(type));
}

std::uint64_t count_in(const std::string& path, const char* name) {
  const Hdf5Handle file = open_hdf5_file(path), header = open_hdf5_group(file.id(), "Header");
  return count_attribute(header.id(), name)->front();
}

}  // namespace

TEST_CASE("files of a set are named by numbers before the ending", "[catalogs]") {
  CHECK(names_of_parts("a/halos.hdf5", 1) == std::vector<std::string>{"a/halos.hdf5"});
  CHECK(names_of_parts("a/halos.h5", 2) ==
        std::vector<std::string>{"a/halos.0.h5", "a/halos.1.h5"});
}

TEST_CASE("a catalog of several files has the values and members of one", "[catalogs]") {
  HaloCatalog catalog = three_halos();
  drop_column(catalog.tables[0], "GroupLen");
  drop_column(catalog.tables[0], "GroupOffsetType");
  // In one file alone are numbers that need 64 bits.
  catalog.tables[0].columns.push_back(
      column("Large", "", 1, ScalarType::UInt32, Counts{1, 2, 2 * kTwoTo31}));
  HaloTable subhalos;
  subhalos.name = "Subhalo";
  subhalos.count = 4;
  subhalos.columns.push_back(column("SubhaloMass", "1e10 Msun/h", 1, ScalarType::Float32,
                                    std::vector<double>{4, 3, 2, 1}));
  const HaloMembers members = two_types();
  for (const bool with_subhalos : {false, true}) {
    if (with_subhalos) catalog.tables.push_back(subhalos);
    // Of five files two have no group.
    for (const int files : {2, 3, 5}) {
      INFO(files << " files");
      const OutputFolder folder;
      write_catalog(folder.path("a.hdf5"), catalog, members, provenance());
      write_parts(folder.path("b.hdf5"), catalog, members, files);
      CHECK_FALSE(std::filesystem::exists(folder.path("b.hdf5")));
      check_same(folder.path("a.hdf5"), folder.path("b.0.hdf5"));
      check_same(folder.path("a.hdf5"), folder.path("b.1.hdf5"));
      std::uint64_t groups = 0, ids = 0;
      for (const std::string& part : names_of_parts(folder.path("b.hdf5"), files)) {
        CHECK(count_in(part, "NumFiles") == std::uint64_t(files));
        CHECK(count_in(part, "Ngroups_Total") == 3);
        CHECK(count_in(part, "Nids_Total") == 7);
        groups += count_in(part, "Ngroups_ThisFile");
        ids += count_in(part, "Nids_ThisFile");
      }
      CHECK(groups == 3);
      CHECK(ids == 7);
    }
  }
}

TEST_CASE("members of a set are read where all its files are there, each in its place",
          "[catalogs]") {
  HaloCatalog catalog = three_halos();
  drop_column(catalog.tables[0], "GroupLen");
  const HaloMembers members = two_types();
  const OutputFolder folder;
  write_parts(folder.path("a.hdf5"), catalog, members, 3);
  Progress progress;
  const auto read = [&](bool allow_missing) {
    CatalogOptions options;
    options.allow_missing_files = allow_missing;
    // By the name that it was written with, too.
    const HaloCatalog set = open_catalog(folder.path("a.hdf5"), options);
    return read_halo_members(set, set.tables[0], progress);
  };
  REQUIRE(read(false));
  std::filesystem::rename(folder.path("a.1.hdf5"), folder.path("kept"));
  CHECK_FALSE(read(true));
  std::filesystem::copy(folder.path("a.2.hdf5"), folder.path("a.1.hdf5"));
  CHECK_THROWS_WITH(read(false), Contains("do not follow"));
}

TEST_CASE("a set of which one file cannot be written leaves none", "[catalogs]") {
  const OutputFolder folder;
  std::filesystem::create_directory(folder.path("a.1.hdf5"));
  CHECK_THROWS_WITH(write_parts(folder.path("a.hdf5"), three_halos(), {}, 3), Contains("a.1.hdf5"));
  CHECK_FALSE(std::filesystem::exists(folder.path("a.0.hdf5")));
  CHECK_FALSE(std::filesystem::exists(folder.path("a.2.hdf5")));
}

TEST_CASE("a set whose last file does not fit the disk leaves the old one", "[catalogs]") {
  const OutputFolder folder;
  HaloCatalog catalog = three_halos();
  drop_column(catalog.tables[0], "GroupLen");
  const auto of_lengths = [](std::vector<std::uint64_t> length) {
    HaloMembers members;
    std::uint64_t all = 0;
    for (const std::uint64_t n : length) {
      members.offset[1].push_back(all);
      all += n;
    }
    members.length[1] = std::move(length);
    members.ids[1].assign(std::size_t(all), 7);
    return members;
  };
  const HaloMembers few = of_lengths({1, 2, 3}), many = of_lengths({1, 2, 200000});
  write_catalog(folder.path("old.hdf5"), catalog, few, provenance());
  write_parts(folder.path("a.hdf5"), catalog, few, 3);
  const std::string said = message_with_file_limit(
      1000000, [&] { write_parts(folder.path("a.hdf5"), catalog, many, 3); });
  CHECK_THAT(said, Contains("a.2.hdf5"));
  check_same(folder.path("old.hdf5"), folder.path("a.0.hdf5"));
  // Temporary files are gone, too.
  CHECK(folder.files() == std::vector<std::string>{"a.0.hdf5", "a.1.hdf5", "a.2.hdf5", "old.hdf5"});
}
