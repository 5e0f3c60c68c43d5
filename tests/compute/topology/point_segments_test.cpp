// Segments of points, against the labels of their cells.

#include "compute/topology/merge_tree.h"
#include "core/error.h"
#include "core/progress.h"
#include "tests/catch.h"
#include "tests/made/fields.h"
#include "tests/renderers.h"

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute::topology;

namespace {

// More points than cells, many in one cell and some in none.
std::vector<std::uint32_t> cells_of_points(std::uint64_t cells, std::mt19937_64& random) {
  std::vector<std::uint32_t> cell;
  for (std::uint64_t i = 0; i < 2 * cells; ++i)
    cell.push_back(random() % 17 == 0 ? kNoBranch : std::uint32_t(random() % cells));
  cell.insert(cell.end(), 1000, std::uint32_t(cells - 1));
  return cell;
}

void check_points(MergeTree& tree, const std::vector<std::uint32_t>& cell,
                  const Simplification& simplification, Labeling labeling) {
  CAPTURE(int(labeling), int(simplification.measure), simplification.threshold);
  const Segments expected = tree.segments(simplification, labeling);
  const PointSegments found = tree.segment_points(simplification);
  const SegmentLists lists = found.lists->download();
  CHECK(found.count == expected.branch.size());
  CHECK((lists.branch == expected.branch));
  std::vector<std::uint64_t> cells(expected.branch.size(), 0), points(expected.branch.size(), 0);
  for (const std::uint32_t label : expected.label)
    if (label != kNoBranch) ++cells[label];
  std::vector<std::uint32_t> labels;
  for (const std::uint32_t v : cell) {
    labels.push_back(v == kNoBranch ? kNoBranch : expected.label[v]);
    if (labels.back() != kNoBranch) ++points[labels.back()];
  }
  CHECK((lists.cells == cells));
  CHECK((lists.points == points));
  CHECK((found.labels->download() == labels));
}

}  // namespace

TEST_CASE("points have the segments of their cells", "[topology][gpu][few]") {
  std::mt19937_64 random(93);
  Progress progress;
  for (const auto& device : test::devices()) {
    const GridShape shape{{17, 20, 23}, {true, false, true}};
    for (const test::Field& field : test::fields_on(shape, random)) {
      CAPTURE(device, field.name);
      const std::vector<std::uint32_t> cell = cells_of_points(shape.count(), random);
      const auto tree = make_merge_tree(device, progress);
      tree->grow(field.grid(), {Connectivity::Fourteen, Levels::Super, {}});
      for (const Labeling labeling : {Labeling::Branch, Labeling::Watershed}) {
        tree->keep_points(cell, labeling);
        for (const double threshold : {0., 0.3, 1e9})
          check_points(*tree, cell, {Simplification::Measure::Difference, threshold}, labeling);
        check_points(*tree, cell, {Simplification::Measure::Ratio, 1.5, true}, labeling);
      }
    }
  }
}

TEST_CASE("cells below the threshold label no points", "[topology][gpu][few]") {
  std::mt19937_64 random(94);
  Progress progress;
  const GridShape shape{{9, 31, 12}, {}};
  const std::vector<float> value = test::gaussian_random_field(shape, random);
  for (const auto& device : test::devices()) {
    const std::vector<std::uint32_t> cell = cells_of_points(shape.count(), random);
    const auto tree = make_merge_tree(device, progress);
    tree->grow({shape, std::span<const float>(value)}, {Connectivity::Six, Levels::Super, 0.5});
    for (const Labeling labeling : {Labeling::Branch, Labeling::Watershed}) {
      tree->keep_points(cell, labeling);
      check_points(*tree, cell, {Simplification::Measure::Difference, 0.1}, labeling);
    }
  }
}

TEST_CASE("labels of points outlive the next ones, and their tree", "[topology][gpu][few]") {
  std::mt19937_64 random(95);
  Progress progress;
  const GridShape shape{{16, 16, 16}, {true, true, true}};
  const std::vector<float> value = test::white_noise(shape.count(), random);
  for (const auto& device : test::devices()) {
    const std::vector<std::uint32_t> cell = cells_of_points(shape.count(), random);
    auto tree = make_merge_tree(device, progress);
    tree->grow({shape, std::span<const float>(value)}, {});
    tree->keep_points(cell, Labeling::Watershed);
    const PointSegments one = tree->segment_points({Simplification::Measure::Difference, 1});
    const std::vector<std::uint32_t> labels = one.labels->download();
    const PointSegments other = tree->segment_points({Simplification::Measure::Difference, 2});
    const SegmentLists lists = one.lists->download();
    CHECK(other.count < one.count);
    CHECK((one.labels->download() == labels));
    tree.reset();
    CHECK((one.lists->download().points == lists.points));
    CHECK((one.labels->download() == labels));
    CHECK(one.labels->count() == cell.size());
  }
}

TEST_CASE("a point in a cell that is not there is refused, and no point is kept",
          "[topology][gpu][few]") {
  Progress progress;
  const GridShape shape{{2, 3, 4}, {}};
  const std::vector<float> value(shape.count(), 1.f);
  for (const auto& device : test::devices()) {
    const auto tree = make_merge_tree(device, progress);
    CHECK_THROWS_AS(tree->segment_points({}), Error);
    tree->grow({shape, std::span<const float>(value)}, {});
    const std::vector<std::uint32_t> right{0, 23}, wrong{0, 24};
    tree->keep_points(right, Labeling::Branch);
    CHECK(tree->segment_points({}).lists->download().points == std::vector<std::uint64_t>{2});
    CHECK_THROWS_AS(tree->keep_points(wrong, Labeling::Branch), Error);
    CHECK_THROWS_AS(tree->segment_points({}), Error);
    tree->keep_points(right, Labeling::Branch);
    tree->grow({shape, std::span<const float>(value)}, {});
    CHECK_THROWS_AS(tree->segment_points({}), Error);
    tree->keep_points({}, Labeling::Watershed);
    CHECK(tree->segment_points({}).labels->count() == 0);
  }
}
