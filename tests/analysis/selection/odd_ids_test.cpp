// Sets that are followed through snapshots without IDs, with IDs that several particles share, and
// without some of the IDs: what is told, and that the set is whole again in the next snapshot.

#include "analysis/selection/set_members.h"
#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/set_snapshots.h"
#include "tests/output_folder.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::analysis;
using haloscope::test::OutputFolder;
using haloscope::test::SetSnapshot;

namespace {

// The dark matter and gas around a point, followed.
NamedSet followed_set() {
  NamedSet set;
  set.name = "core";
  set.first.selection.kind = SelectionKind::Sphere;
  set.first.selection.center = {5, 5, 5};
  set.first.selection.radius = 3;
  set.first.selection.follow_ids = true;
  return set;
}

// A series that begins with a snapshot as it should be; the IDs of a run are known from one to the
// next, as the window knows them.
struct OddSeries {
  OutputFolder folder;
  std::vector<std::string> series;
  KnownIds known;

  OddSeries() { add("a.hdf5", SetSnapshot(false)); }
  std::string add(const std::string& name, const SetSnapshot& snapshot) {
    series.push_back(folder.path(name));
    snapshot.write(series.back());
    return series.back();
  }
  SetMembers members_in(std::size_t n) {
    Progress progress;
    SetsRequest request{{followed_set()}, series[n], series, {}, compute::Device::cpu(), {}};
    request.leaves_out_faulty = true;
    return members_of_sets(request, known, progress);
  }
  // The set's members at home, which must not have changed.
  std::uint64_t at_home() {
    const SetMembers home = members_in(0);
    CHECK(home.faults.empty());
    CHECK(home.said.empty());
    return home.counts[0];
  }
};

using Sentences = std::vector<std::string>;

}  // namespace

TEST_CASE("a set in a snapshot without IDs is told, and is whole again behind it", "[sets]") {
  OddSeries odd;
  const std::uint64_t all = odd.at_home();
  REQUIRE(all > 50);
  SetSnapshot bare(true);
  bare.without_ids = {"PartType0", "PartType1", "PartType4"};
  const std::string path = odd.add("bare.hdf5", bare);
  odd.add("c.hdf5", SetSnapshot(true));
  const SetMembers none = odd.members_in(1);
  CHECK(none.counts[0] == 0);
  REQUIRE(none.faults.size() == 1);
  CHECK(none.faults[0].find("set 'core': ") == 0);
  CHECK(none.faults[0].find("no particle IDs") != std::string::npos);
  CHECK(none.faults[0].find("bare.hdf5") != std::string::npos);
  CHECK(none.faults[0].find("without follow_ids") != std::string::npos);
  CHECK(odd.members_in(2).counts[0] == all);
  CHECK(odd.at_home() == all);
}

TEST_CASE("a type without IDs in a later snapshot is told with its particles", "[sets]") {
  OddSeries odd;
  const std::uint64_t all = odd.at_home();
  SetSnapshot bare(true);
  bare.without_ids = {"PartType1"};
  odd.add("bare.hdf5", bare);
  const SetMembers some = odd.members_in(1);
  CHECK(some.faults.empty());
  CHECK(some.counts[0] > 0);
  CHECK(some.counts[0] < all);
  REQUIRE(some.said.size() == 2);
  CHECK(some.said[0] ==
        "set 'core': dm has no particle IDs in bare.hdf5: none of its 700 particles is "
        "found.");
  CHECK(some.said[1].find("set 'core': bare.hdf5 lacks ") == 0);
  CHECK(odd.at_home() == all);
}

TEST_CASE("IDs that a later snapshot lacks are counted, and sought again", "[sets]") {
  OddSeries odd;
  const std::uint64_t all = odd.at_home();
  SetSnapshot fewer(true), others(true);
  for (std::uint64_t& id : fewer.dark_ids) id += 5000;
  odd.add("fewer.hdf5", fewer);
  for (auto* ids : {&others.gas_ids, &others.dark_ids, &others.star_ids})
    for (std::uint64_t& id : *ids) id += 1000000;
  odd.add("others.hdf5", others);
  odd.add("d.hdf5", SetSnapshot(true));
  const SetMembers some = odd.members_in(1);
  REQUIRE(some.counts[0] < all);
  CHECK(some.said ==
        Sentences{"set 'core': fewer.hdf5 lacks " + std::to_string(all - some.counts[0]) +
                  " of the " + std::to_string(all) +
                  " IDs that are followed. Other snapshots are searched for all of "
                  "them again."});
  const SetMembers none = odd.members_in(2);
  CHECK(none.counts[0] == 0);
  REQUIRE(none.said.size() == 1);
  CHECK(none.said[0].find("set 'core': others.hdf5 has none of the " + std::to_string(all) +
                          " IDs") == 0);
  CHECK(odd.members_in(3).counts[0] == all);
  CHECK(odd.members_in(3).said.empty());
  CHECK(odd.at_home() == all);
}

TEST_CASE("IDs that particles share are told where the set is made and where it is found",
          "[sets]") {
  // Later: a hundred rows have the ID of the row before them.
  OddSeries odd;
  const std::uint64_t all = odd.at_home();
  SetSnapshot twice(true);
  const SetSnapshot once(true);
  for (std::size_t row = 1; row < 200; row += 2) twice.dark_ids[row] = once.dark_ids[row - 1];
  odd.add("twice.hdf5", twice);
  const SetMembers shared = odd.members_in(1);
  REQUIRE(shared.said.size() == 2);
  CHECK(shared.said[0].find("set 'core': twice.hdf5 lacks ") == 0);
  CHECK(shared.said[1].find(" particles share an ID with another: all are taken.") !=
        std::string::npos);
  CHECK(odd.at_home() == all);

  // At home: all dark matter has one ID.
  OddSeries home;
  SetSnapshot same(false);
  std::fill(same.dark_ids.begin(), same.dark_ids.end(), 10001);
  same.write(home.series[0]);
  home.add("b.hdf5", SetSnapshot(true));
  const std::uint64_t here = home.members_in(0).counts[0];
  const SetMembers later = home.members_in(1);
  CHECK(later.counts[0] < here);
  REQUIRE_FALSE(later.said.empty());
  CHECK(later.said[0].find("selected particles of dm have only one ID in a.hdf5") !=
        std::string::npos);
}
