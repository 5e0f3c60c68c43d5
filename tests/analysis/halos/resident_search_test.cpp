// Halos among particles whose positions are on a device already: the file's positions are not read
// again, and nothing of the result is another one.

#include "analysis/finder.h"
#include "analysis/halos/halo_options.h"
#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/ball_universe.h"
#include "tests/made/resident_points.h"
#include "tests/renderers.h"

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

using namespace haloscope;

namespace {

struct Case {
  const char* what;
  std::vector<std::string> types, attach;
  std::vector<int> resident;
  double box;
  bool read_again;  // positions of the file, some of which are not resident
};

// Types are linked alone, together, and with others attached; some are in no halo and count in
// spheres.
const Case kCases[] = {
    {"gas attached", {"dm"}, {"gas"}, {0, 1}, test::kBox, false},
    {"two types linked", {"gas", "dm"}, {}, {0, 1}, test::kBox, false},
    {"gas around", {"dm"}, {}, {0, 1}, test::kBox, false},
    {"no box", {"dm"}, {"gas"}, {0, 1}, 0, false},
    {"dark matter alone is resident", {"dm"}, {"gas"}, {1}, test::kBox, true},
    {"dark matter alone is resident, no box", {"dm"}, {"gas"}, {1}, 0, true},
};

analysis::HaloOptions options_of(const Case& one) {
  analysis::HaloOptions options;
  options.types = one.types;
  options.attach = one.attach;
  options.epsilon = 0.4;
  options.min_members = 20;
  return options;
}

void check_same(const analysis::Finding& found, const analysis::Finding& expected) {
  CHECK(found.summary == expected.summary);
  CHECK(found.notes == expected.notes);
  REQUIRE(found.pieces == expected.pieces);
  REQUIRE(found.labels);
  CHECK(found.labels->of == expected.labels->of);
  // Where R200 is none, the circle has another radius.
  for (std::size_t h = 0; h < found.places.size(); ++h) {
    CHECK(found.places[h].assumed == std::isnan(found.columns[2].values[h]));
    CHECK(found.places[h].radius > 0);
  }
  REQUIRE(found.catalog.tables.size() == expected.catalog.tables.size());
  for (std::size_t t = 0; t < found.catalog.tables.size(); ++t) {
    const HaloTable &a = found.catalog.tables[t], &b = expected.catalog.tables[t];
    REQUIRE(a.columns.size() == b.columns.size());
    for (std::size_t c = 0; c < a.columns.size(); ++c) {
      INFO(a.columns[c].name);
      CHECK(a.columns[c].values == b.columns[c].values);
    }
  }
}

}  // namespace

TEST_CASE("a search takes positions from the device and finds the same halos",
          "[halos][few][gpu]") {
  const snapshot_files::TemporaryFolder folder;
  Progress progress;
  for (const Case& one : kCases) {
    test::write_universe(folder / "u.hdf5", one.box);
    const auto reader = io::open_snapshot(folder / "u.hdf5");
    const test::WithoutPositions closed(*reader);
    for (const auto& device : test::devices()) {
      INFO(one.what << ", " << device);
      analysis::FindRequest request;
      request.device = device;
      const auto expected = analysis::find_in(*reader, "halos", options_of(one), request, progress);
      REQUIRE(expected->pieces >= 3);
      for (const auto& where : test::devices()) {
        request.resident = test::resident_points(*reader, one.resident, where);
        const auto search = [&](const io::SnapshotReader& from) {
          return analysis::find_in(from, "halos", options_of(one), request, progress);
        };
        if (one.read_again) {
          CHECK_THROWS_AS(search(closed), Error);
          check_same(*search(*reader), *expected);
        } else {
          check_same(*search(closed), *expected);
        }
      }
    }
  }
}

TEST_CASE("a file that has changed since is read again", "[halos]") {
  const snapshot_files::TemporaryFolder folder;
  Progress progress;
  test::write_universe(folder / "u.hdf5");
  const auto reader = io::open_snapshot(folder / "u.hdf5");
  const test::WithoutPositions closed(*reader);
  analysis::FindRequest request;
  request.resident = test::resident_points(*reader, {0, 1}, compute::Device::cpu());
  CHECK_NOTHROW(analysis::find_in(closed, "halos", options_of(kCases[0]), request, progress));
  std::ofstream(folder / "u.hdf5", std::ios::app) << "more";
  CHECK_THROWS_AS(analysis::find_in(closed, "halos", options_of(kCases[0]), request, progress),
                  Error);
}
