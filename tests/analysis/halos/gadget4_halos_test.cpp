// Groups of snapshots that GADGET-4 made, against the catalogs of its own halo finder.

#include "analysis/catalogs/catalog_comparison.h"
#include "analysis/halos/halo_search.h"
#include "analysis/halos/halo_table.h"
#include "analysis/option_parsing/option_text.h"
#include "io/catalogs/catalog_reader.h"
#include "io/catalogs/write_catalog.h"
#include "tests/catch.h"
#include "tests/output_folder.h"
#include "tests/renderers.h"
#include "tests/test_paths.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

using namespace haloscope;

namespace {

struct Output {
  const char *folder, *number;
  std::vector<std::string> attach;
};

// Members of each halo by type, in any order of halos of the same size.
using Lengths = std::vector<std::array<std::uint64_t, 6>>;

Lengths sorted(Lengths lengths) {
  std::sort(lengths.begin(), lengths.end());
  return lengths;
}

Lengths lengths_of(const analysis::HaloSearch& search) {
  const std::size_t kinds = search.particles.types.size();
  Lengths lengths(std::size_t(search.members.halos(kinds)));
  for (std::size_t h = 0; h < lengths.size(); ++h)
    for (std::size_t kind = 0; kind < kinds; ++kind)
      lengths[h][std::size_t(search.particles.types[kind].type)] =
          search.members.run(h, kind, kinds).size();
  return lengths;
}

Lengths lengths_of(const HaloTable& groups) {
  Lengths lengths(std::size_t(groups.count));
  const CatalogColumn* column = groups.find("GroupLenType");
  REQUIRE(column);
  for (std::size_t h = 0; h < lengths.size(); ++h)
    for (int type = 0; type < column->components; ++type)
      lengths[h][std::size_t(type)] = std::uint64_t(column->value(h, type));
  return lengths;
}

// Their snapshots stand in the order of the groups: the rows of each type in a halo are one of
// their runs.
std::uint64_t halos_of_other_members(const analysis::HaloSearch& search, const HaloTable& groups) {
  const std::size_t kinds = search.particles.types.size();
  const CatalogColumn &offset = *groups.find("GroupOffsetType"),
                      &length = *groups.find("GroupLenType");
  std::uint64_t other = 0;
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    const int type = search.particles.types[kind].type;
    std::map<std::uint64_t, std::uint64_t> runs;
    for (std::uint64_t g = 0; g < groups.count; ++g)
      if (length.value(g, type) > 0)
        runs[std::uint64_t(offset.value(g, type))] = std::uint64_t(length.value(g, type));
    for (std::uint64_t h = 0; h < search.members.halos(kinds); ++h) {
      const auto run = search.members.run(h, kind, kinds);
      if (run.empty()) continue;
      const auto found = runs.find(run.front());
      other += found == runs.end() || found->second != run.size() ||
               run.back() - run.front() + 1 != run.size();
    }
  }
  return other;
}

}  // namespace

TEST_CASE("groups are GADGET-4's own, member for member of each type", "[halos]") {
  const Output outputs[] = {{"dm64", "004", {}},
                            {"dm64", "006", {}},
                            {"gas48", "002", {"gas", "stars"}},
                            {"gas48", "003", {"gas", "stars"}}};
  for (const auto& output : outputs) {
    const auto snapshot = haloscope::test::shared_data(
        std::string("data/gadget4/") + output.folder + "/snapshot_" + output.number + ".hdf5");
    const auto catalog =
        haloscope::test::shared_data(std::string("data/gadget4/") + output.folder +
                                     "/fof_subhalo_tab_" + output.number + ".hdf5");
    if (!snapshot || !catalog) return;
    const auto reader = io::open_snapshot(snapshot->string());
    const HaloCatalog theirs = io::open_catalog(catalog->string());
    REQUIRE(theirs.find("Group"));
    const Lengths expected = lengths_of(*theirs.find("Group"));
    for (const auto& device : ::test::devices())
      for (const char* algorithm : {"grid", "fdbscan", "densebox"}) {
        INFO(output.folder << " " << output.number << " on " << device << " by " << algorithm);
        analysis::HaloSearchRequest request;
        request.types = {"dm"};
        request.attach = output.attach;
        request.device = device;
        analysis::read_option<analysis::HaloOptions>(request, "algorithm", algorithm);
        Progress progress;
        const analysis::HaloSearch ours = analysis::search_halos(*reader, request, progress);
        CHECK(ours.members.halos(ours.particles.types.size()) == expected.size());
        CHECK(sorted(lengths_of(ours)) == sorted(expected));
        CHECK(halos_of_other_members(ours, *theirs.find("Group")) == 0);
      }
  }
}

TEST_CASE("centers in a catalog are those of GADGET-4's potentials, softened as its own",
          "[halos]") {
  const auto snapshot = haloscope::test::shared_data("data/gadget4/dm64/snapshot_006.hdf5");
  const auto catalog = haloscope::test::shared_data("data/gadget4/dm64/fof_subhalo_tab_006.hdf5");
  if (!snapshot || !catalog) return;
  const auto reader = io::open_snapshot(snapshot->string());
  analysis::HaloSearchRequest request;
  Progress progress;
  analysis::HaloSearch found = analysis::search_halos(*reader, request, progress);
  CHECK(found.softening > 0);
  const auto made = analysis::make_catalog(*reader, found, progress);
  const HaloTable& ours = *made.catalog.find("Group");
  const HaloCatalog read = io::open_catalog(catalog->string());
  const HaloTable& theirs = *read.find("Group");
  // Groups of one length each are the same groups.
  std::map<double, std::vector<std::uint64_t>> our_rows, their_rows;
  for (std::uint64_t h = 0; h < ours.count; ++h)
    our_rows[ours.find("GroupLen")->value(h)].push_back(h);
  for (std::uint64_t h = 0; h < theirs.count; ++h)
    their_rows[theirs.find("GroupLen")->value(h)].push_back(h);
  int groups = 0, same = 0;
  for (const auto& [length, rows] : our_rows) {
    if (length <= 100 || rows.size() != 1 || their_rows[length].size() != 1) continue;
    ++groups;
    double offset = 0;
    for (int axis = 0; axis < 3; ++axis)
      offset = std::max(offset,
                        std::abs(ours.find("GroupPos")->value(rows.front(), axis) -
                                 theirs.find("GroupPos")->value(their_rows[length].front(), axis)));
    same += offset < 1e-4;
  }
  INFO(same << " of " << groups);
  CHECK(groups > 50);
  // SUBFIND looks at the particles bound to the main subhalo alone, with a tree of its own.
  CHECK(same >= 0.85 * groups);
}

TEST_CASE("masses in a catalog of the same groups compare with GADGET-4's as one", "[halos]") {
  const auto snapshot = haloscope::test::shared_data("data/gadget4/gas48/snapshot_003.hdf5");
  const auto catalog = haloscope::test::shared_data("data/gadget4/gas48/fof_subhalo_tab_003.hdf5");
  if (!snapshot || !catalog) return;
  const auto reader = io::open_snapshot(snapshot->string());
  analysis::HaloSearchRequest request;
  request.attach = {"gas", "stars"};
  Progress progress;
  analysis::HaloSearch found = analysis::search_halos(*reader, request, progress);
  const auto made = analysis::make_catalog(*reader, found, progress);
  const haloscope::test::OutputFolder folder;
  io::write_catalog(folder.path("a.hdf5"), made.catalog, made.members, {});
  const HaloCatalog ours = io::open_catalog(folder.path("a.hdf5")),
                    theirs = io::open_catalog(catalog->string());
  const auto compared = analysis::compare_catalogs(theirs, *theirs.find("Group"), ours,
                                                   *ours.find("Group"), {}, progress);
  CHECK(compared.pairs.size() > 270);
  // Theirs are stored as float32.
  CHECK(compared.mass_ratio == Approx(1).epsilon(1e-6));
  // Their snapshot stands in the order of their groups.
  const CatalogColumn* offset = ours.find("Group")->find("GroupOffsetType");
  REQUIRE(offset);
  for (std::uint64_t row = 0; row < 20; ++row)
    CHECK(offset->value(row, 1) == theirs.find("Group")->find("GroupOffsetType")->value(row, 1));
}
