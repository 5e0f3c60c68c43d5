// Peaks of snapshots over several ranks beside those of one process, on threads.

#include "analysis/finder.h"
#include "analysis/topology/found_peaks.h"
#include "analysis/topology/peaks_options.h"
#include "compute/exec/ranks.h"
#include "core/error.h"
#include "io/snapshot_reader.h"
#include "tests/catch.h"
#include "tests/made/ball_universe.h"
#include "tests/output_folder.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <variant>
#include <vector>

using namespace haloscope;
using analysis::Finding;
using analysis::PeaksOptions;
using compute::Ranks;

namespace {

std::shared_ptr<const Finding> find_peaks(const std::string& snapshot, const PeaksOptions& options,
                                          Ranks* ranks) {
  const auto reader = io::open_snapshot(snapshot);
  Progress progress;
  analysis::FindRequest request;
  request.device = compute::Device::cpu();
  request.ranks = ranks;
  return analysis::find_in(*reader, "peaks", options, request, progress);
}

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

bool same_columns(const HaloTable& a, const HaloTable& b) {
  if (a.count != b.count || a.columns.size() != b.columns.size()) return false;
  for (std::size_t c = 0; c < a.columns.size(); ++c) {
    const bool same = std::visit(
        [](const auto& x, const auto& y) {
          if constexpr (std::is_same_v<decltype(x), decltype(y)>)
            return same_bytes(x, y);
          else
            return false;
        },
        a.columns[c].values, b.columns[c].values);
    if (!same || a.columns[c].name != b.columns[c].name) return false;
  }
  return true;
}

// Nothing: they are the same; else what differs first.
std::string difference(const Finding& a, const Finding& b) {
  if (a.summary != b.summary) return "summary: " + a.summary + " and " + b.summary;
  if (a.notes != b.notes) return "notes";
  if (a.pieces != b.pieces) return "pieces";
  if (a.labels->of != b.labels->of || a.labels->pieces != b.labels->pieces) return "labels";
  if (!same_columns(a.catalog.tables.front(), b.catalog.tables.front())) return "catalog";
  if (a.members.ids != b.members.ids || a.members.offset != b.members.offset ||
      a.members.length != b.members.length)
    return "members";
  if (a.provenance.parameters != b.provenance.parameters) return "provenance";
  const auto &x = a.peaks->structures, &y = b.peaks->structures;
  if (x.by_branch != y.by_branch || x.by_watershed != y.by_watershed) return "labels of cells";
  const Grid &g = a.peaks->tree->grid(), &h = b.peaks->tree->grid();
  if (g.bytes.size() != h.bytes.size() ||
      std::memcmp(g.bytes.data(), h.bytes.data(), g.bytes.size()) != 0)
    return "values of cells";
  return {};
}

// Of what so many ranks find from what one process has found.
std::string difference_over_ranks(const std::string& path, const PeaksOptions& options, int size,
                                  const Finding& one) {
  std::string differs = "nothing was found";
  compute::run_thread_ranks(size, [&](Ranks& ranks) {
    const auto several = find_peaks(path, options, &ranks);
    if (ranks.first()) differs = difference(one, *several);
  });
  return differs;
}

PeaksOptions options_of(const char* grid, const char* persistence) {
  PeaksOptions options;
  options.grid = grid;
  options.persistence = persistence;
  return options;
}

}  // namespace

TEST_CASE("peaks of a snapshot over ranks are those of one", "[peaks][topology][ranks]") {
  const test::OutputFolder folder;
  const std::string path = folder.path("snap.hdf5");
  test::write_universe(path, test::kBox, test::Order::Scattered);
  std::vector<PeaksOptions> searches{options_of("20", "mean:20"), options_of("3,24,11", "abs:2"),
                                     options_of("16", ""), options_of("32", ""),
                                     options_of("12", "")};
  searches[1].types = {"gas", "dm"};
  searches[1].assign = compute::grids::Assign::Triangular;
  searches[1].segments = analysis::SegmentKind::Branch;
  searches[2].smooth = "2cells";
  searches[2].closed = "x";
  searches[3].halos = "82,200";
  searches[4].voids = "0.9,0.8";
  for (const PeaksOptions& options : searches) {
    const auto one = find_peaks(path, options, nullptr);
    REQUIRE(one->pieces > (options.voids.empty() ? 3 : 0));
    for (const int size : {2, 3, 5}) {
      CAPTURE(options.grid, size);
      CHECK(difference_over_ranks(path, options, size, *one) == "");
    }
  }
}

TEST_CASE("peaks of an open box over ranks are those of one", "[peaks][topology][ranks]") {
  const test::OutputFolder folder;
  const std::string path = folder.path("open.hdf5");
  test::write_universe(path, 0);
  const PeaksOptions options = options_of("18", "mean:5");
  const auto one = find_peaks(path, options, nullptr);
  REQUIRE(one->pieces > 3);
  CHECK((one->peaks->tree->periodic() == std::array<bool, 3>{false, false, false}));
  CHECK(difference_over_ranks(path, options, 4, *one) == "");
}

TEST_CASE("rank 0 gets what is asked for of members and cells", "[peaks][topology][ranks]") {
  const test::OutputFolder folder;
  const std::string path = folder.path("snap.hdf5");
  // All particles lie in a corner, which is told.
  test::write_universe(path, 1000);
  const PeaksOptions options = options_of("45", "mean:2");
  const auto one = find_peaks(path, options, nullptr);
  REQUIRE(std::any_of(one->notes.begin(), one->notes.end(), [](const std::string& note) {
    return note.find("All particles lie in") != std::string::npos;
  }));
  compute::run_thread_ranks(3, [&](Ranks& ranks) {
    const auto reader = io::open_snapshot(path);
    Progress progress;
    analysis::FindRequest request;
    request.device = compute::Device::cpu();
    request.ranks = &ranks;
    request.lists_members = request.labels_of_cells = request.values_of_cells = false;
    const auto few = analysis::find_in(*reader, "peaks", options, request, progress);
    if (!ranks.first()) return;
    CHECK(few->summary == one->summary);
    CHECK(few->notes == one->notes);
    CHECK(same_columns(few->catalog.tables.front(), one->catalog.tables.front()));
    CHECK(few->labels->of.empty());
    CHECK(few->members.ids.empty());
    CHECK(few->peaks->structures.labels().size() == 15 * 45 * 45);
    CHECK(few->peaks->tree->grid().bytes.size() == 15 * 45 * 45 * sizeof(float));
  });
}

TEST_CASE("peaks of a region over ranks are those of one", "[peaks][topology][ranks]") {
  const test::OutputFolder folder;
  // Around two balls, over the edge, with all of an axis, and with cells around it that are cut
  // off.
  struct Chosen {
    const char *region, *grid, *smooth;
  };
  const Chosen all[] = {{"15,25,30,65,65,70", "20", ""},
                        {"90,90,90,10,10,10", "9,16,7", ""},
                        {"10,0,30,70,100,70", "16", "1cells"},
                        {"59,59,59,61,61,61", "2,12,12", "1cells"}};
  for (const double box : {test::kBox, 0.}) {
    const std::string path = folder.path(box > 0 ? "snap.hdf5" : "open.hdf5");
    test::write_universe(path, box, test::Order::Scattered);
    for (const Chosen& chosen : all) {
      // Without a box nothing goes over an edge.
      if (box == 0 && std::string(chosen.region).starts_with("90")) continue;
      PeaksOptions options = options_of(chosen.grid, "mean:1");
      options.region = chosen.region;
      options.smooth = chosen.smooth;
      for (const auto assign :
           {compute::grids::Assign::CloudInCell, compute::grids::Assign::Kernel}) {
        // Kernels of the box are wide in cells of a small region, which takes long.
        if (assign == compute::grids::Assign::Kernel && std::string(chosen.grid) != "16") continue;
        options.assign = assign;
        const auto one = find_peaks(path, options, nullptr);
        REQUIRE(one->pieces > 0);
        for (const int size : {2, 3, 5}) {
          CAPTURE(box, chosen.region, int(assign), size);
          CHECK(difference_over_ranks(path, options, size, *one) == "");
        }
      }
    }
  }
}

TEST_CASE("ranks find smoothing lengths for a grid together", "[peaks][topology][ranks]") {
  const test::OutputFolder folder;
  const std::string path = folder.path("snap.hdf5");
  test::write_universe(path);
  PeaksOptions options = options_of("16", "mean:2");
  options.assign = compute::grids::Assign::Kernel;
  options.types = {"gas", "dm"};
  const auto one = find_peaks(path, options, nullptr);
  REQUIRE(std::any_of(one->notes.begin(), one->notes.end(), [](const std::string& note) {
    return note.find("have no smoothing length in the file") != std::string::npos;
  }));
  for (const int size : {2, 3, 5}) {
    CAPTURE(size);
    CHECK(difference_over_ranks(path, options, size, *one) == "");
  }
}

TEST_CASE("a region that holds nothing is told over ranks", "[peaks][topology][ranks]") {
  const test::OutputFolder folder;
  const std::string path = folder.path("snap.hdf5");
  test::write_universe(path, 0);
  PeaksOptions options = options_of("8", "");
  options.region = "200,200,200,210,210,210";
  CHECK_THROWS_WITH(
      compute::run_thread_ranks(2, [&](Ranks& ranks) { find_peaks(path, options, &ranks); }),
      Catch::Contains("no particle lies in the region"));
}
