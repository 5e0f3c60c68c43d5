// Peaks of a snapshot as all finders' findings: cut again they are those of a search of their own.

#include "analysis/finder.h"
#include "analysis/particle_colors.h"
#include "analysis/plot_csv.h"
#include "analysis/topology/found_peaks.h"
#include "analysis/topology/peaks_options.h"
#include "io/snapshot_reader.h"
#include "tests/catch.h"
#include "tests/made/ball_universe.h"
#include "tests/made/resident_points.h"
#include "tests/output_folder.h"
#include "tests/renderers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

using namespace haloscope;
using analysis::Finding;
using analysis::PeaksOptions;

namespace {

using FindingOf = std::shared_ptr<const Finding>;

FindingOf find_peaks(const io::SnapshotReader& reader, const PeaksOptions& options,
                     FindingOf known = nullptr, bool only_labels = false) {
  Progress progress;
  analysis::FindRequest request;
  request.device = compute::Device::cpu();
  request.known = std::move(known);
  request.only_labels = only_labels;
  return analysis::find_in(reader, "peaks", options, request, progress);
}

PeaksOptions on_a_grid(const std::string& persistence) {
  PeaksOptions options;
  options.grid = "20";
  options.persistence = persistence;
  return options;
}

void require_same(const Finding& one, const Finding& other, bool plots = true) {
  REQUIRE(one.pieces == other.pieces);
  CHECK((one.labels->of == other.labels->of));
  CHECK(one.summary == other.summary);
  REQUIRE(one.cut.has_value() == other.cut.has_value());
  if (one.cut) CHECK(one.cut->at == other.cut->at);
  if (!plots) return;
  REQUIRE(one.columns.size() == other.columns.size());
  // Members, peak, persistence, radius; masses are not known again.
  for (std::size_t c = 0; c < 4; ++c)
    for (std::size_t k = 0; k < one.pieces; ++k) {
      const double a = one.columns[c].values[k], b = other.columns[c].values[k];
      CHECK((a == b || (std::isnan(a) && std::isnan(b))));
    }
  REQUIRE(one.plots.size() == other.plots.size());
  for (std::size_t p = 0; p < one.plots.size(); ++p)
    CHECK(one.plots[p].layers.size() == other.plots[p].layers.size());
  for (std::size_t p = 0; p < one.plots.size(); ++p) {
    REQUIRE(one.plots[p].marks.size() == other.plots[p].marks.size());
    for (std::size_t m = 0; m < one.plots[p].marks.size(); ++m)
      CHECK(one.plots[p].marks[m].at == other.plots[p].marks[m].at);
    for (std::size_t l = 0; l < one.plots[p].layers.size(); ++l)
      CHECK(one.plots[p].layers[l].points.size() == other.plots[p].layers[l].points.size());
  }
}

}  // namespace

TEST_CASE("peaks are cut again as a search finds them", "[peaks][cuts]") {
  const test::OutputFolder folder;
  test::write_universe(folder.path("snap.hdf5"));
  const auto reader = io::open_snapshot(folder.path("snap.hdf5"));
  const analysis::Finder& finder = analysis::require_finder("peaks");
  const FindingOf first = find_peaks(*reader, on_a_grid(""));
  CHECK(first->pieces > 100);
  for (const char* where : {"abs:50", "mean:20", "ratio:3", "sigma:2", "off"}) {
    INFO(where);
    const analysis::AnyOptions next = finder.cut_elsewhere(first->options, where, {});
    REQUIRE(finder.shares_work(*first, next));
    const FindingOf again = analysis::take_again(*first, next);
    const FindingOf alone = find_peaks(*reader, next.as<PeaksOptions>());
    require_same(*again, *alone);
    CHECK(!again->measured);
    const FindingOf whole = find_peaks(*reader, next.as<PeaksOptions>(), again);
    require_same(*whole, *alone);
    CHECK(whole->measured);
    CHECK(whole->catalog.tables.front().count == alone->catalog.tables.front().count);
    // The tree is not made anew.
    CHECK(whole->peaks->tree == first->peaks->tree);
    require_same(*find_peaks(*reader, next.as<PeaksOptions>(), nullptr, true), *alone, false);
  }
  const auto distance = finder.cut_elsewhere(first->options, "distance:50", {});
  CHECK(distance.as<PeaksOptions>().persistence == "abs:50");
  CHECK_THROWS(finder.cut_elsewhere(first->options, "count:5", {}));
  CHECK_THROWS(finder.cut_elsewhere(first->options, "abs:5", 10));
}

TEST_CASE("peaks cut where their tree is are those of a search", "[peaks][cuts][gpu]") {
  const test::OutputFolder folder;
  test::write_universe(folder.path("snap.hdf5"));
  const auto reader = io::open_snapshot(folder.path("snap.hdf5"));
  const analysis::Finder& finder = analysis::require_finder("peaks");
  for (const auto& device : test::devices()) {
    CAPTURE(device.word());
    Progress progress;
    analysis::FindRequest request;
    request.device = device;
    request.resident = test::resident_points(*reader, {0, 1}, device);
    const FindingOf first = analysis::find_in(*reader, "peaks", on_a_grid(""), request, progress);
    REQUIRE(first->peaks->live);
    for (const auto kind : {analysis::SegmentKind::Watershed, analysis::SegmentKind::Branch})
      for (const char* where : {"abs:50", "ratio:3", "sigma:2", "off"}) {
        CAPTURE(where, int(kind));
        PeaksOptions next = finder.cut_elsewhere(first->options, where, {}).as<PeaksOptions>();
        next.segments = kind;
        const FindingOf again = analysis::take_again(*first, next);
        // Labels of cells are what it does without.
        CHECK(again->peaks->structures.by_branch.empty());
        CHECK(!again->measured);
        CHECK(bool(again->resident) == device.is_gpu());
        CHECK(bool(again->labels) != device.is_gpu());
        const FindingOf alone = find_peaks(*reader, next);
        for (const auto& [type, labels] : alone->labels->of)
          CHECK((analysis::color_values({again, ""}, type, labels.size(), {}) ==
                 analysis::color_values({alone, ""}, type, labels.size(), {})));
        Finding on_host = *again;
        on_host.labels = alone->labels;
        require_same(again->labels ? *again : on_host, *alone);
        // What is taken from it next is measured, and has all of it.
        request.known = again;
        const FindingOf whole = analysis::find_in(*reader, "peaks", next, request, progress);
        require_same(*whole, *alone);
        CHECK(whole->peaks->live == first->peaks->live);
        CHECK(bool(whole->resident) == device.is_gpu());
        if (whole->resident) {
          Finding there = *whole;
          there.labels = nullptr;
          const auto resident = std::make_shared<const Finding>(std::move(there));
          for (const auto& [type, labels] : alone->labels->of)
            CHECK((analysis::color_values({resident, ""}, type, labels.size(), {}) ==
                   analysis::color_values({alone, ""}, type, labels.size(), {})));
        }
        CHECK(whole->peaks->structures.sum == alone->peaks->structures.sum);
        request.known.reset();
      }
    // Of halos some peaks are left out, which the tree does not know.
    PeaksOptions halos = on_a_grid("");
    halos.halos = "5,20";
    const FindingOf found = analysis::find_in(*reader, "peaks", halos, request, progress);
    halos.segments = analysis::SegmentKind::Branch;
    require_same(*analysis::take_again(*found, halos), *find_peaks(*reader, halos));
  }
}

TEST_CASE("a point lies in the peak whose cell holds it", "[peaks]") {
  const test::OutputFolder folder;
  test::write_universe(folder.path("snap.hdf5"));
  const auto reader = io::open_snapshot(folder.path("snap.hdf5"));
  const analysis::Finder& finder = analysis::require_finder("peaks");
  for (const auto kind : {analysis::SegmentKind::Watershed, analysis::SegmentKind::Branch}) {
    PeaksOptions options = on_a_grid("mean:2");
    options.segments = kind;
    const FindingOf found = find_peaks(*reader, options);
    REQUIRE(found->pieces > 3);
    for (std::uint64_t k = 0; k < found->pieces; ++k) {
      Vec point = found->places[k].center;
      CHECK(finder.piece_at(*found, point) == k);
      // Copies in the boxes beside it, and the whole of its cell.
      point[0] += 2.4;
      point[1] -= test::kBox;
      point[2] += 3 * test::kBox - 2.4;
      CHECK(finder.piece_at(*found, point) == k);
    }
  }
  // Cells have no labels on the host before peaks are measured.
  Progress progress;
  analysis::FindRequest request;
  request.device = compute::Device::cpu();
  request.resident = test::resident_points(*reader, {0, 1}, request.device);
  const FindingOf live =
      analysis::find_in(*reader, "peaks", on_a_grid("mean:2"), request, progress);
  const FindingOf again =
      analysis::take_again(*live, finder.cut_elsewhere(live->options, "mean:1", {}));
  CHECK_FALSE(finder.piece_at(*again, again->places[0].center));
  // Outside of a region, and below a threshold, there is none.
  PeaksOptions part = on_a_grid("mean:2");
  part.region = "0,0,0,50,50,50";
  const FindingOf corner = find_peaks(*reader, part);
  Vec point = corner->places[0].center;
  CHECK(finder.piece_at(*corner, point) == 0);
  CHECK_FALSE(finder.piece_at(*corner, {51, 10, 10}));
  CHECK_FALSE(finder.piece_at(*corner, {-1, 10, 10}));
  // A region closes along no axis, and yet particles have copies in the boxes beside it: those of
  // one across the edge lie at its other end.
  for (double& x : point) x -= test::kBox;
  CHECK(finder.piece_at(*corner, point) == 0);
  part.region = "90,0,0,110,100,100";
  const FindingOf across = find_peaks(*reader, part);
  // The largest ball lies across the corner of the box.
  CHECK(finder.piece_at(*across, {0.3, 0.3, 0.3}));
  CHECK(finder.piece_at(*across, {99.7, 99.7, 99.7}));
  CHECK_FALSE(finder.piece_at(*across, {50, 0.3, 0.3}));
  PeaksOptions dense = on_a_grid("");
  dense.threshold = "mean:10";
  const FindingOf high = find_peaks(*reader, dense);
  CHECK(finder.piece_at(*high, high->places[0].center) == 0);
  CHECK_FALSE(finder.piece_at(*high, {40, 50, 5}));
  // Circles of clusters are no cells.
  Finding clusters;
  CHECK_FALSE(analysis::require_finder("clusters").piece_at(clusters, {0, 0, 0}));
}

TEST_CASE("the persistence that was asked for is told as it is", "[peaks][cuts]") {
  const test::OutputFolder folder;
  test::write_universe(folder.path("snap.hdf5"));
  const auto reader = io::open_snapshot(folder.path("snap.hdf5"));
  // More than any peak has.
  const FindingOf high = find_peaks(*reader, on_a_grid("abs:1e9"));
  REQUIRE(high->cut);
  CHECK(high->cut->at == 1e9);
  CHECK(high->cut->high < 1e9);
  CHECK(high->cut->asked.empty());
  CHECK(find_peaks(*reader, on_a_grid("mean:20"))->cut->asked == "mean:20");
  const FindingOf ratio = find_peaks(*reader, on_a_grid("ratio:3"));
  CHECK(ratio->cut->asked == "ratio:3");
  CHECK_FALSE(ratio->cut->at);
}

TEST_CASE("a persistence diagram has its diagonal", "[peaks]") {
  const test::OutputFolder folder;
  test::write_universe(folder.path("snap.hdf5"));
  const auto reader = io::open_snapshot(folder.path("snap.hdf5"));
  const FindingOf found = find_peaks(*reader, on_a_grid(""));
  const analysis::Plot& plot = found->plots.front();
  REQUIRE(plot.name == "persistence_diagram");
  const analysis::PlotLayer& line = plot.layers.back();
  REQUIRE(line.guide);
  REQUIRE(line.points.size() == 2);
  for (const analysis::PlotPoint& point : line.points) CHECK(point.x == point.y);
  CHECK(line.points[0].x < line.points[1].x);
  // It is no pair: in the file there is a header and a row for each of the other points.
  std::size_t pairs = 0, rows = 0;
  for (const analysis::PlotLayer& layer : plot.layers)
    if (!layer.guide) pairs += layer.points.size();
  std::istringstream csv(analysis::plot_csv(plot));
  for (std::string row; std::getline(csv, row);) rows += !row.starts_with("#");
  CHECK(rows == 1 + pairs);
}

TEST_CASE("peaks in a rectangle of the diagram are those between its births and deaths",
          "[peaks]") {
  const test::OutputFolder folder;
  test::write_universe(folder.path("snap.hdf5"));
  const auto reader = io::open_snapshot(folder.path("snap.hdf5"));
  const analysis::Finder& finder = analysis::require_finder("peaks");
  const FindingOf found = find_peaks(*reader, on_a_grid(""));
  const analysis::GridTree& tree = *found->peaks->tree;
  const std::vector<std::uint32_t>& branches = found->peaks->structures.branch;
  // The lowest end above 0 stands for those that end at 0.
  double lowest = HUGE_VAL;
  for (const analysis::PlotLayer& layer : found->plots.front().layers)
    for (const analysis::PlotPoint& point : layer.points) lowest = std::min(lowest, point.y);
  const std::array<double, 2> whole{0, 1e9};
  std::size_t all = 0;
  for (const auto& [births, deaths] :
       {std::array{whole, whole}, std::array{std::array{2., 40.}, whole},
        std::array{std::array{2., 40.}, std::array{0.5, 3.}},
        std::array{whole, std::array{lowest, lowest * 1.001}}}) {
    std::vector<std::uint64_t> expected;
    for (std::size_t k = 0; k < branches.size(); ++k) {
      const double birth = analysis::peak_value(tree, branches[k]);
      double death = analysis::saddle_value(tree, branches[k]);
      if (std::isnan(death)) continue;
      if (!(death > 0)) death = lowest;
      if (birth >= births[0] && birth <= births[1] && death >= deaths[0] && death <= deaths[1])
        expected.push_back(k);
    }
    CHECK(finder.pieces_within(*found, births, deaths) == expected);
    if (all == 0) all = expected.size();
    CHECK(expected.size() > 0);
  }
  // All but the one that never ends are in the plot.
  CHECK(all == found->pieces - 1);
  CHECK(finder.pieces_within(*found, {1e6, 1e7}, whole).empty());
}

TEST_CASE("voids are at their minima, and of one tree whatever their walls", "[peaks]") {
  const test::OutputFolder folder;
  test::write_universe(folder.path("snap.hdf5"));
  const auto reader = io::open_snapshot(folder.path("snap.hdf5"));
  const analysis::Finder& finder = analysis::require_finder("peaks");
  PeaksOptions options = on_a_grid("");
  options.voids = "0.3,0.9";
  const FindingOf found = find_peaks(*reader, options);
  const analysis::FoundPeaks& peaks = *found->peaks;
  REQUIRE(found->pieces > 1);
  CHECK(analysis::piece_word(*found, finder.words(), 2) == "voids");
  CHECK(found->columns[1].title == "Minimum");
  CHECK(found->summary.find("peak") == std::string::npos);
  CHECK_FALSE(found->cut);
  CHECK_THROWS(finder.cut_elsewhere(found->options, "abs:1", {}));
  // Nothing about the member of lowest potential, which lies in a wall.
  const HaloTable& table = found->catalog.tables.front();
  for (const char* name : {"Group_R_Crit200", "Group_M_Mean200", "GroupVmax", "GroupPotential"})
    CHECK_FALSE(table.find(name));
  REQUIRE(table.find(HaloRole::Radius));
  CHECK(table.find(HaloRole::Radius)->name == "GroupRadius");
  REQUIRE(table.find("GroupVolume"));
  for (std::size_t k = 0; k < found->pieces; ++k)
    CHECK(4 * M_PI / 3 * std::pow(table.find("GroupRadius")->value(k), 3) ==
          Approx(table.find("GroupVolume")->value(k)));
  const CatalogColumn* const place = found->catalog.tables.front().find("GroupPos");
  REQUIRE(place);
  for (std::size_t k = 0; k < found->pieces; ++k) {
    const Vec minimum = analysis::middle_of(
        peaks.tree->grid(), peaks.tree->branches().maximum[peaks.structures.branch[k]]);
    for (std::size_t a = 0; a < 3; ++a)
      CHECK(std::get<std::vector<double>>(place->values)[3 * k + a] == minimum[a]);
    CHECK(analysis::peak_value(*peaks.tree, peaks.structures.branch[k]) < 0.9);
    // What it joins is another void, across a wall that is no lower.
    if (peaks.structures.parent[k] != Labels::kNone)
      CHECK(analysis::saddle_value(*peaks.tree, peaks.structures.branch[k]) >= 0.3);
  }
  // The same as with all written out, from the same tree.
  PeaksOptions written = options;
  written.levels = compute::topology::Levels::Sub;
  written.smooth = analysis::kVoidSmoothing;
  CHECK(finder.shares_work(*found, written));
  require_same(*analysis::take_again(*found, written), *found);
  written.voids = "0.5,0.9";
  REQUIRE(finder.shares_work(*found, written));
  const FindingOf joined = analysis::take_again(*found, written);
  CHECK(joined->pieces < found->pieces);
  require_same(*joined, *find_peaks(*reader, written));
  // A threshold leaves out what their zones hold of walls.
  written.threshold = "mean:0.9";
  const FindingOf cores = find_peaks(*reader, written);
  CHECK(cores->pieces == joined->pieces);
  CHECK(cores->peaks->structures.cells[0] < joined->peaks->structures.cells[0]);
}

TEST_CASE("another grid or threshold is another tree", "[peaks][cuts]") {
  const PeaksOptions one = on_a_grid("abs:5");
  PeaksOptions other = one;
  other.persistence = "ratio:2";
  other.segments = analysis::SegmentKind::Branch;
  CHECK(analysis::have_one_tree(one, other));
  for (auto change :
       {+[](PeaksOptions& o) { o.grid = "21"; }, +[](PeaksOptions& o) { o.threshold = "mean:2"; },
        +[](PeaksOptions& o) { o.halos = "82,200"; }, +[](PeaksOptions& o) { o.smooth = "1cells"; },
        +[](PeaksOptions& o) { o.types = {"dm"}; }, +[](PeaksOptions& o) { o.log = true; }}) {
    other = one;
    change(other);
    CHECK(!analysis::have_one_tree(one, other));
  }
}

TEST_CASE("cells of the grid are as many as particles unless they are said", "[peaks]") {
  const test::OutputFolder folder;
  test::write_universe(folder.path("snap.hdf5"));
  const auto reader = io::open_snapshot(folder.path("snap.hdf5"));
  PeaksOptions options;
  options.persistence = "mean:1";
  // 508 particles: 8 along an axis, but 16 at least.
  CHECK(find_peaks(*reader, options)->peaks->tree->grid().cells ==
        std::array<std::uint64_t, 3>{16, 16, 16});
  options.grid = "8,4,2";
  CHECK(find_peaks(*reader, options)->peaks->tree->grid().cells ==
        std::array<std::uint64_t, 3>{8, 4, 2});
}

TEST_CASE("particles outside a region are in no peak", "[peaks]") {
  const test::OutputFolder folder;
  test::write_universe(folder.path("snap.hdf5"));
  const auto reader = io::open_snapshot(folder.path("snap.hdf5"));
  PeaksOptions options = on_a_grid("");
  options.region = "90,90,90,110,110,110";
  const FindingOf found = find_peaks(*reader, options);
  CHECK(found->peaks->tree->periodic() == std::array<bool, 3>{false, false, false});
  std::uint64_t inside = 0;
  for (const std::uint32_t label : found->labels->of.at(1)) inside += label != Labels::kNone;
  // The ball across the corner, and few others.
  CHECK(inside >= 100);
  CHECK(inside < 115);
}
