#include "compute/topology/grid_blocks.h"

#include "compute/topology/merge_tree.h"
#include "core/error.h"
#include "core/progress.h"
#include "tests/catch.h"
#include "tests/compute/topology/check_tree.h"
#include "tests/made/fields.h"
#include "tests/renderers.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute::topology;

namespace {

constexpr Connectivity kConnectivities[] = {Connectivity::Six, Connectivity::Fourteen,
                                            Connectivity::Eighteen, Connectivity::TwentySix};

// All that a tree tells in blocks of so many planes and in one block.
void check_blocks(const compute::Device& device, const test::Field& field, TreeSettings settings,
                  std::uint32_t planes) {
  CAPTURE(device, field.name, field.shape.cells, field.shape.periodic, int(settings.connectivity),
          int(settings.levels), planes);
  const auto& cells = field.shape.cells;
  Progress progress;
  const ScalarGrid grid{field.shape, std::span<const float>(field.value)};
  const auto whole = make_merge_tree(device, progress);
  whole->grow(grid, settings);
  settings.block_cells = planes * cells[1] * cells[2];
  REQUIRE(blocks_of(field.shape, settings).size() > 1);
  const auto blocks = make_merge_tree(device, progress);
  blocks->grow(grid, settings);
  const Branches &one = whole->branches(), &many = blocks->branches();
  CHECK((many.maximum == one.maximum));
  CHECK((many.saddle == one.saddle));
  CHECK((many.parent == one.parent));
  CHECK((many.across == one.across));
  CHECK((many.birth == one.birth));
  CHECK((many.death == one.death));
  CHECK((blocks->triplets() == whole->triplets()));
  const auto in_place = device.is_gpu() ? nullptr : make_merge_tree(device, progress);
  if (in_place) in_place->grow_in_place(field.shape, field.value.data(), settings);
  const Simplification simplification{Simplification::Measure::Difference, 0.4, false};
  for (const auto labeling : {Labeling::Branch, Labeling::Watershed}) {
    const Segments in_one = whole->segments(simplification, labeling),
                   in_many = blocks->segments(simplification, labeling);
    CHECK((in_many.branch == in_one.branch));
    CHECK((in_many.label == in_one.label));
    if (in_place) CHECK((in_place->segments(simplification, labeling).label == in_one.label));
  }
}

}  // namespace

TEST_CASE("a grid in blocks has the tree of the whole grid", "[topology][gpu][few]") {
  const std::array<std::uint32_t, 3> shapes[] = {{4, 3, 40}, {3, 5, 4},  {7, 9, 8},
                                                 {9, 1, 37}, {40, 1, 1}, {5, 18, 33}};
  const std::array<bool, 3> periods[] = {
      {false, false, false}, {true, true, true}, {true, false, true}};
  std::mt19937_64 random(41);
  unsigned turn = 0;
  for (const auto& device : test::devices())
    for (const auto& cells : shapes)
      for (const auto& periodic : periods)
        for (const test::Field& field : test::fields_on({cells, periodic}, random)) {
          const TreeSettings settings{kConnectivities[turn % 4],
                                      turn % 3 ? Levels::Super : Levels::Sub,
                                      turn % 5 ? std::optional<double>() : 0.3,
                                      {}};
          check_blocks(device, field, settings, std::min(cells[0] - 1, 1 + turn / 4 % 3));
          ++turn;
        }
}

TEST_CASE("ways up go on from block to block", "[topology][gpu]") {
  for (const auto& device : test::devices())
    for (const std::uint32_t planes : {1u, 2u, 4u, 8u})
      check_blocks(device, test::winding_ridge(), {Connectivity::Six, Levels::Super, {}, {}},
                   planes);
}

TEST_CASE("blocks are planes of the grid with their rims", "[topology]") {
  const auto told = [](const GridShape& shape, std::uint32_t block_cells) {
    TreeSettings settings;
    settings.block_cells = block_cells;
    std::vector<std::array<std::uint64_t, 4>> blocks;
    for (const GridBlock& block : blocks_of(shape, settings))
      blocks.push_back({block.first, block.own(), block.view.cells[0], block.view.outer[0]});
    return blocks;
  };
  using Blocks = std::vector<std::array<std::uint64_t, 4>>;
  CHECK(told({{5, 2, 3}, {}}, 0) == Blocks{{0, 30, 5, 1}});
  CHECK(told({{5, 2, 3}, {}}, 13) == Blocks{{0, 12, 3, 1}, {12, 12, 4, 1}, {24, 6, 2, 1}});
  CHECK(told({{5, 2, 3}, {true, false, false}}, 13) ==
        Blocks{{0, 12, 4, 2}, {12, 12, 4, 1}, {24, 6, 3, 1}});
  CHECK(told({{2, 2, 3}, {true, false, false}}, 6) == Blocks{{0, 12, 2, 1}});
  // 2048³, which 32 bits do not number.
  const auto large = told({{2048, 2048, 2048}, {true, true, true}}, 0);
  CHECK(large.size() == 8);
  CHECK(large.back()[0] == 7 * (std::uint64_t(1) << 30));
  // Of 5000³ a billion cells are few planes: blocks are as large as can be.
  CHECK(told({{5000, 5000, 5000}, {true, true, true}}, 0).size() == 30);
  CHECK(told({{2048, 2048, 2048}, {}}, ~0u).size() == 3);
  CHECK_THROWS_AS(told({{3, 1u << 16, 1u << 16}, {}}, 0), Error);
  CHECK_THROWS_AS(told({{1u << 17, 1u << 15, 1u << 15}, {}}, 0), Error);
}

TEST_CASE("values of 64 bits have no order in blocks", "[topology]") {
  const std::vector<double> value(24, 1.);
  Progress progress;
  const auto tree = make_merge_tree(compute::Device::cpu(), progress);
  TreeSettings settings;
  settings.block_cells = 6;
  CHECK_THROWS_AS(tree->grow({{{4, 2, 3}, {}}, std::span<const double>(value)}, settings), Error);
}
