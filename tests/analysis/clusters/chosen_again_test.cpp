// Clusters by weights and of chosen sizes that are taken again from their tree: they are those of a
// search of their own.

#include "analysis/clusters/cluster_hierarchy.h"
#include "analysis/clusters/clusters_options.h"
#include "analysis/clusters/size_choice.h"
#include "analysis/finder.h"
#include "io/snapshot_reader.h"
#include "tests/catch.h"
#include "tests/made/ball_universe.h"
#include "tests/output_folder.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

using namespace haloscope;
using analysis::ClustersOptions;
using analysis::Finding;

namespace {

using FindingOf = std::shared_ptr<const Finding>;

FindingOf find_with_tree(const io::SnapshotReader& reader, const ClustersOptions& options,
                         FindingOf known) {
  Progress progress;
  analysis::FindRequest request;
  request.device = compute::Device::cpu();
  request.known = std::move(known);
  return analysis::find_in(reader, "clusters", options, request, progress);
}

ClustersOptions weighted_auto() {
  ClustersOptions options;
  options.types = {"gas", "dm"};
  options.weights = "mass";
  options.min_samples = 3;  // without weights another size is chosen
  options.min_cluster_size = ClustersOptions::kAutoSize;
  options.resolutions = 3;
  return options;
}

void require_same_sizes(const Finding& one, const Finding& other) {
  REQUIRE(bool(one.sizes) == bool(other.sizes));
  REQUIRE(one.resolutions.size() == other.resolutions.size());
  for (std::size_t k = 0; k < one.resolutions.size(); ++k) {
    CHECK(one.resolutions[k].pieces == other.resolutions[k].pieces);
    CHECK((one.resolutions[k].of == other.resolutions[k].of));
  }
  if (!one.sizes) return;
  CHECK(one.sizes->ranges.size() == other.sizes->ranges.size());
  REQUIRE(one.sizes->resolutions.size() == other.sizes->resolutions.size());
  for (std::size_t k = 0; k < one.sizes->resolutions.size(); ++k)
    CHECK(one.sizes->resolutions[k].size == other.sizes->resolutions[k].size);
}

}  // namespace

TEST_CASE("clusters by weights are cut and chosen again as a search finds them",
          "[clusters][weights][sizes][cuts]") {
  const test::OutputFolder folder;
  test::write_universe(folder.path("snap.hdf5"));
  const auto reader = io::open_snapshot(folder.path("snap.hdf5"));
  const analysis::Finder& finder = analysis::require_finder("clusters");
  const ClustersOptions options = weighted_auto();
  const FindingOf first = find_with_tree(*reader, options, nullptr);
  REQUIRE(first->pieces > 0);
  REQUIRE(first->sizes);
  REQUIRE(first->cut);

  std::vector<ClustersOptions> asked;
  const double height = 0.3 * first->cut->low + 0.7 * first->cut->high;
  asked.push_back(cut_elsewhere(options, fmt::format("distance:{:.4g}", height), {}));
  asked.push_back(options);
  asked.back().resolutions.reset();
  asked.push_back(asked.back());
  asked.back().min_cluster_size = 38;
  asked.push_back(asked.back());
  asked.back().weights.clear();
  asked.push_back(options);
  asked.back().weights.clear();
  asked.push_back(options);
  for (const ClustersOptions& one : asked) {
    CAPTURE(one.cut, one.weights, one.min_cluster_size.value_or(1));
    check_options(one);
    REQUIRE(finder.shares_work(*first, one));
    const FindingOf fresh = find_with_tree(*reader, one, nullptr);
    const FindingOf again = analysis::take_again(*first, one);
    CHECK_FALSE(again->measured);
    CHECK(again->hierarchy == first->hierarchy);
    CHECK(again->summary == fresh->summary);
    CHECK(again->pieces == fresh->pieces);
    CHECK(again->pieces > 0);
    CHECK((again->labels->of == fresh->labels->of));
    CHECK((again->columns.at(0).values == fresh->columns.at(0).values));
    require_same_sizes(*again, *fresh);
    REQUIRE(again->fields.size() == fresh->fields.size());
    for (const auto& [name, field] : fresh->fields)
      CHECK((again->fields.at(name).values.at(1) == field.values.at(1)));
    REQUIRE(again->plots.size() == fresh->plots.size());
    for (std::size_t k = 0; k < again->plots.size(); ++k) {
      REQUIRE(again->plots[k].layers.size() == fresh->plots[k].layers.size());
      for (std::size_t l = 0; l < again->plots[k].layers.size(); ++l)
        CHECK(again->plots[k].layers[l].name == fresh->plots[k].layers[l].name);
    }
    const FindingOf measured = find_with_tree(*reader, one, first);
    CHECK(measured->hierarchy == first->hierarchy);
    CHECK((measured->labels->of == fresh->labels->of));
    REQUIRE(measured->columns.size() == fresh->columns.size());
    CHECK((measured->columns.back().title == "Weight") == !one.weights.empty());
    for (std::size_t k = 0; k < fresh->columns.size(); ++k)
      CHECK((measured->columns[k].values == fresh->columns[k].values));
    CHECK((measured->provenance.parameters == fresh->provenance.parameters));
  }
}

TEST_CASE("a tree keeps its weights, and serves no others", "[clusters][weights][cuts]") {
  const test::OutputFolder folder;
  test::write_universe(folder.path("snap.hdf5"));
  const auto reader = io::open_snapshot(folder.path("snap.hdf5"));
  const analysis::Finder& finder = analysis::require_finder("clusters");
  const ClustersOptions options = weighted_auto();
  ClustersOptions plain = options;
  plain.weights.clear();
  const FindingOf weighted = find_with_tree(*reader, options, nullptr);
  const FindingOf without = find_with_tree(*reader, plain, nullptr);
  CHECK(finder.shares_work(*weighted, plain));
  CHECK_FALSE(finder.shares_work(*without, options));
  const std::uint64_t points = weighted->hierarchy->tree.points;
  CHECK(weighted->hierarchy->bytes() == without->hierarchy->bytes() + points * sizeof(double));
  // Those of the hierarchy, of the condensed tree, and what tells of sizes and of clusters.
  CHECK(weighted->bytes() >= weighted->hierarchy->bytes() + weighted->labels->bytes() +
                                 weighted->resolutions.size() * weighted->labels->bytes() +
                                 points * (sizeof(std::uint32_t) + 2 * sizeof(double)) +
                                 weighted->sizes->bytes());
}

TEST_CASE("a cut leaves out what contradicts it", "[clusters][weights][sizes][cuts]") {
  ClustersOptions options = weighted_auto();
  options.min_samples = 7;
  ClustersOptions expected;
  expected.types = options.types;
  expected.min_samples = 7;
  expected.cut = "count:9";
  // The least size that was tried.
  expected.min_cluster_size = 7;
  CHECK((cut_elsewhere(options, "count:9", {}) == expected));
  expected.min_cluster_size = 30;
  CHECK((cut_elsewhere(options, "count:9", 30) == expected));
  CHECK_NOTHROW(check_options(expected));
  // Without a cut nothing contradicts.
  CHECK((cut_elsewhere(options, "off", {}) == options));
  ClustersOptions given = options;
  given.min_cluster_size = 30;
  given.resolutions.reset();
  CHECK((cut_elsewhere(options, "off", 30) == given));
  CHECK_NOTHROW(check_options(given));
}
