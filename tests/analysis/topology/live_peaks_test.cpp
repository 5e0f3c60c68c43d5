// Particles that stay where a merge tree is: rows that were not read are not among them.

#include "analysis/topology/live_peaks.h"

#include "analysis/topology/peaks_options.h"
#include "core/grid.h"
#include "tests/catch.h"
#include "tests/renderers.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

using namespace haloscope;
using analysis::LivePeaks;

namespace {

// Two peaks along z, and a saddle between them.
std::shared_ptr<const analysis::GridTree> tree_of_two_peaks(compute::Device device) {
  const std::vector<float> value{1, 5, 2, 1, 3, 9, 3};
  Grid grid;
  grid.cells = {1, 1, value.size()};
  grid.bytes = Array<std::byte>(value.size() * sizeof(float));
  std::memcpy(grid.bytes.data(), value.data(), value.size() * sizeof(float));
  Progress progress;
  return std::make_shared<const analysis::GridTree>(
      std::move(grid), false, analysis::PeaksOptions{}, std::array<bool, 3>{}, device, progress);
}

ParticleColumns type_with(int type, std::vector<std::uint64_t> rejected) {
  ParticleColumns columns;
  columns.type = type;
  columns.rejected_rows = std::move(rejected);
  return columns;
}

}  // namespace

TEST_CASE("labels of live peaks lie as the rows that were read", "[peaks][gpu][few]") {
  constexpr std::uint32_t kNone = Labels::kNone;
  const auto cells = std::make_shared<Labels>();
  // Rows 0, 3 and the last one of type 1 were not read; one lies outside the grid.
  cells->of[1] = {kNone, 1, 5, kNone, kNone, 2, kNone};
  cells->of[0] = {4, 0};
  for (const auto& device : test::devices()) {
    const auto tree = tree_of_two_peaks(device);
    std::vector<ParticleColumns> types;
    types.push_back(type_with(1, {0, 3, 6}));
    types.push_back(type_with(0, {}));
    types.push_back(type_with(4, {1}));  // of no peak
    LivePeaks live(tree, cells, types);
    REQUIRE(live.ranges().size() == 2);
    CHECK(live.ranges().at(0).first == 0);
    CHECK(live.ranges().at(0).count == 2);
    CHECK(live.ranges().at(1).first == 2);
    CHECK(live.ranges().at(1).count == 4);
    auto found = live.segments({}, compute::topology::Labeling::Watershed);
    // The higher peak is segment 0.
    CHECK(found->labels->download() == std::vector<std::uint32_t>{0, 1, 1, 0, kNone, 1});
    CHECK(found->lists->download().points == std::vector<std::uint64_t>{2, 3});
    const Labels labels = live.on_host(*found);
    CHECK(labels.pieces == 2);
    CHECK(labels.of.at(0) == std::vector<std::uint32_t>{0, 1});
    CHECK(labels.of.at(1) == std::vector<std::uint32_t>{kNone, 1, 0, kNone, kNone, 1, kNone});
    // On a GPU labels of the threshold before stay, those before them go, and the newest are not
    // made again.
    using compute::topology::Labeling;
    if (!device.is_gpu()) continue;
    const std::weak_ptr<const compute::ResidentLabels> first = found->labels;
    CHECK(live.segments({}, Labeling::Watershed) == found);
    found.reset();
    live.segments({}, Labeling::Branch);
    live.segments({}, Labeling::Branch);
    CHECK_FALSE(first.expired());
    live.segments({{}, 1}, Labeling::Branch);
    CHECK(first.expired());
  }
}
