// Merge trees over several ranks beside those of one, on threads.

#include "compute/distributed/slab_tree.h"

#include "compute/distributed/distinct_values.h"
#include "compute/exec/device.h"
#include "compute/exec/device_ranks.h"
#include "compute/exec/ranks.h"
#include "compute/topology/merge_tree.h"
#include "core/error.h"
#include "core/progress.h"
#include "tests/catch.h"
#include "tests/compute/topology/check_tree.h"
#include "tests/gpus.h"
#include "tests/made/fields.h"
#include "tests/skip.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute;
using namespace haloscope::compute::distributed;
using namespace haloscope::compute::topology;

namespace {

constexpr Connectivity kNeighbors[] = {Connectivity::Six, Connectivity::Fourteen,
                                       Connectivity::Eighteen, Connectivity::TwentySix};
constexpr Simplification kPlain{Simplification::Measure::Difference, 0, true};
constexpr Simplification kSome{Simplification::Measure::Difference, 0.4, false};

bool same_branches(const Branches& a, const Branches& b) {
  return a.kind == b.kind && a.maximum == b.maximum && a.saddle == b.saddle &&
         a.parent == b.parent && a.across == b.across && a.birth == b.birth && a.death == b.death;
}

bool same_segments(const Segments& a, const Segments& b) {
  return a.branch == b.branch && a.label == b.label;
}

// All that a tree tells over so many ranks, and on one processor.
template <class T>
void check_slabs(const GridShape& shape, const std::vector<T>& value, const TreeSettings& settings,
                 const std::vector<Device>& devices, Wire wire = Wire::Auto) {
  const int size = int(devices.size());
  CAPTURE(shape.cells, shape.periodic, int(settings.connectivity), int(settings.levels),
          settings.block_cells, size, int(wire));
  Progress progress;
  const auto whole = make_merge_tree(Device::cpu(), progress);
  TreeSettings at_once = settings;
  at_once.block_cells = 0;
  whole->grow({shape, std::span<const T>(value)}, at_once);
  std::array<bool, 5> same{};
  run_thread_ranks(size, [&](Ranks& ranks) {
    Progress own_progress;
    const Planes planes = planes_of_rank(shape.cells[0], ranks.rank(), size);
    const std::uint64_t plane = std::uint64_t(shape.cells[1]) * shape.cells[2];
    const std::span<const T> own(value.data() + planes.begin * plane,
                                 std::size_t(planes.count() * plane));
    const auto tree = make_slab_tree(ranks, devices[std::size_t(ranks.rank())], own_progress, wire);
    tree->grow(shape, own, settings);
    std::array<bool, 5> right{same_branches(tree->branches(), whole->branches()), true, true, true,
                              true};
    std::size_t k = 0;
    for (const Simplification& simplification : {kPlain, kSome})
      for (const auto labeling : {Labeling::Branch, Labeling::Watershed}) {
        const Segments found = tree->segments(simplification, labeling);
        const auto all = ranks.gather<std::uint32_t>(found.label);
        if (ranks.first()) {
          const Segments expected = whole->segments(simplification, labeling);
          right[k + 1] = same_segments({all, found.branch}, expected);
        }
        ++k;
      }
    // Of all ranks.
    for (bool& one : right) one = ranks.sum(one ? 0 : 1) == 0;
    if (ranks.first()) same = right;
  });
  const std::array<bool, 5> all{true, true, true, true, true};
  CHECK((same == all));
}

template <class T>
void check_slabs(const GridShape& shape, const std::vector<T>& value, const TreeSettings& settings,
                 int size) {
  check_slabs(shape, value, settings, std::vector<Device>(std::size_t(size), Device::cpu()));
}

// Fields of all kinds, shapes and numbers of neighbors over 1 to 3 ranks, and over more ranks than
// planes, in slabs of one block and of several.
void check_fields(const std::vector<Device>& devices, std::uint64_t seed) {
  const std::array<std::uint32_t, 3> shapes[] = {{4, 3, 40},  {3, 5, 4},  {9, 8, 33},  {40, 1, 1},
                                                 {1, 17, 19}, {2, 9, 11}, {14, 18, 35}};
  const std::array<bool, 3> periods[] = {
      {false, false, false}, {true, true, true}, {true, false, true}};
  std::mt19937_64 random(seed);
  unsigned turn = 0;
  for (const auto& cells : shapes)
    for (const auto& periodic : periods)
      for (const test::Field& field : test::fields_on({cells, periodic}, random)) {
        CAPTURE(field.name);
        const std::uint32_t plane = cells[1] * cells[2];
        const TreeSettings settings{kNeighbors[turn % 4], turn % 3 ? Levels::Super : Levels::Sub,
                                    turn % 5 ? std::optional<double>() : 0.3,
                                    turn % 2 && cells[0] > 2 ? 2 * plane : 0};
        const std::size_t size = 1 + turn % 3;
        std::vector<Device> on;
        for (std::size_t r = 0; r < (turn % 7 ? size : 4); ++r)
          on.push_back(devices[r % devices.size()]);
        check_slabs(field.shape, field.value, settings, on, turn % 2 ? Wire::Auto : Wire::Host);
        if (turn % 11 == 0) {
          Progress progress;
          const auto whole = make_merge_tree(Device::cpu(), progress);
          TreeSettings at_once = settings;
          at_once.block_cells = 0;
          whole->grow({field.shape, std::span<const float>(field.value)}, at_once);
          test::check_branches(whole->branches(),
                               test::slow_tree(field.shape, field.value, at_once));
        }
        ++turn;
      }
}

// Doubles that floats do not tell apart, with plateaus; whole numbers up to the ends of their type;
// both zeros, which are one value.
struct ValuesOf64Bits {
  std::vector<double> real;
  std::vector<std::int64_t> whole;

  ValuesOf64Bits(std::size_t count, std::mt19937_64& random) {
    for (std::size_t i = 0; i < count; ++i) {
      const int step = int(random() % 40);
      real.push_back(step == 0 ? -0. : step == 1 ? 0. : 1 + 1e-15 * step);
      whole.push_back(step == 0   ? std::numeric_limits<std::int64_t>::min()
                      : step == 1 ? std::numeric_limits<std::int64_t>::max()
                                  : std::int64_t(1) << 60 | std::int64_t(random() % 50));
    }
  }
};

// Grids of other types than float.
void check_types(const std::vector<Device>& devices) {
  std::mt19937_64 random(47);
  const GridShape shape{{9, 8, 35}, {true, false, true}};
  const ValuesOf64Bits wide(shape.count(), random);
  std::vector<std::uint8_t> byte;
  std::vector<std::int16_t> half;
  std::vector<std::uint32_t> word;
  for (std::size_t i = 0; i < shape.count(); ++i) {
    byte.push_back(std::uint8_t(random() % 9 * 31));
    half.push_back(std::int16_t(random()));
    word.push_back(std::uint32_t(random()));
  }
  for (std::size_t size = 1; size <= 3; ++size) {
    std::vector<Device> on;
    for (std::size_t r = 0; r < size; ++r) on.push_back(devices[r % devices.size()]);
    for (const auto levels : {Levels::Super, Levels::Sub}) {
      check_slabs(shape, wide.real, {Connectivity::Fourteen, levels, {}, 0}, on);
      check_slabs(shape, wide.whole, {Connectivity::TwentySix, levels, 0., 0}, on);
      check_slabs(shape, byte, {Connectivity::Six, levels, {}, 0}, on);
      check_slabs(shape, byte, {Connectivity::TwentySix, levels, 60., 3 * 8 * 35}, on);
      check_slabs(shape, half, {Connectivity::Eighteen, levels, {}, 0}, on);
      check_slabs(shape, word, {Connectivity::Fourteen, levels, {}, 0}, on);
    }
  }
}

}  // namespace

TEST_CASE("a grid over ranks has the tree of one rank", "[topology][ranks][distributed]") {
  const std::array<std::uint32_t, 3> shapes[] = {{4, 3, 40},  {3, 5, 4},  {7, 9, 8},
                                                 {9, 1, 37},  {40, 1, 1}, {5, 18, 33},
                                                 {1, 17, 19}, {2, 9, 11}, {17, 19, 1}};
  const std::array<bool, 3> periods[] = {
      {false, false, false}, {true, true, true}, {true, false, true}};
  std::mt19937_64 random(43);
  unsigned turn = 0;
  for (const auto& cells : shapes)
    for (const auto& periodic : periods)
      for (const test::Field& field : test::fields_on({cells, periodic}, random)) {
        CAPTURE(field.name);
        const TreeSettings settings{kNeighbors[turn % 4], turn % 3 ? Levels::Super : Levels::Sub,
                                    turn % 5 ? std::optional<double>() : 0.3, 0};
        check_slabs(field.shape, field.value, settings, 1 + int(turn % 5));
        ++turn;
      }
}

TEST_CASE("values of 64 bits have one order over ranks", "[topology][ranks][distributed]") {
  std::mt19937_64 random(44);
  const GridShape shape{{9, 8, 7}, {true, false, true}};
  const ValuesOf64Bits wide(shape.count(), random);
  for (int size = 1; size <= 5; ++size)
    for (const auto levels : {Levels::Super, Levels::Sub}) {
      check_slabs(shape, wide.real, {Connectivity::Fourteen, levels, {}, 0}, size);
      check_slabs(shape, wide.whole, {Connectivity::TwentySix, levels, {}, 0}, size);
    }
}

TEST_CASE("ways up go on from rank to rank", "[topology][ranks][distributed]") {
  const test::Field ridge = test::winding_ridge();
  for (const int size : {1, 2, 3, 5, 9, 12})
    for (const std::uint32_t block_cells : {0, 40, 80})
      check_slabs(ridge.shape, ridge.value, {Connectivity::Six, Levels::Super, {}, block_cells},
                  size);
}

TEST_CASE("slabs in blocks have the tree of one rank", "[topology][ranks][distributed]") {
  check_fields({Device::cpu()}, 46);
  check_types({Device::cpu()});
}

TEST_CASE("values where they lie have the tree of those that are given",
          "[topology][ranks][distributed]") {
  std::mt19937_64 random(48);
  const GridShape shape{{9, 7, 12}, {true, false, true}};
  const std::vector<float> value = test::gaussian_random_field(shape, random);
  const std::uint64_t plane = 7 * 12;
  for (const int size : {1, 2, 4})
    for (const std::uint32_t block_cells : {0u, 84u}) {
      CAPTURE(size, block_cells);
      const TreeSettings settings{Connectivity::Fourteen, Levels::Super, {}, block_cells};
      Progress progress;
      const auto whole = make_merge_tree(Device::cpu(), progress);
      whole->grow({shape, std::span<const float>(value)}, {});
      run_thread_ranks(size, [&](Ranks& ranks) {
        Progress own_progress;
        const Planes planes = planes_of_rank(9, ranks.rank(), size);
        const auto tree = make_slab_tree(ranks, Device::cpu(), own_progress);
        tree->grow_in_place(shape, value.data() + planes.begin * plane, settings);
        const bool same = same_branches(tree->branches(), whole->branches());
        const auto labels =
            ranks.gather<std::uint32_t>(tree->segments(kPlain, Labeling::Branch).label);
        const int wrong = ranks.sum(same ? 0 : 1);
        if (!ranks.first()) return;
        CHECK(wrong == 0);
        CHECK((labels == whole->segments(kPlain, Labeling::Branch).label));
      });
    }
}

TEST_CASE("values of 64 bits are refused in slabs of several blocks",
          "[topology][ranks][distributed]") {
  const std::vector<double> value(60, 1.);
  CHECK_THROWS_WITH(
      check_slabs({{5, 4, 3}, {}}, value, {Connectivity::Fourteen, Levels::Super, {}, 12}, 2),
      Catch::Contains("give float32 values, or start more ranks"));
}

TEST_CASE("ranks on one GPU have the tree of the processor",
          "[gpu][topology][ranks][distributed]") {
  if (!is_usable(Device::cuda())) return test::skip(test::Needs::Gpu, "there is no GPU");
  check_fields({Device::cuda()}, 49);
  check_types({Device::cuda()});
  const test::Field ridge = test::winding_ridge();
  for (const std::size_t size : {1, 2, 3, 5, 9})
    for (const std::uint32_t block_cells : {0, 40})
      check_slabs(ridge.shape, ridge.value, {Connectivity::Six, Levels::Super, {}, block_cells},
                  std::vector<Device>(size, Device::cuda()));
  // No cell is kept; a value is no number.
  std::vector<float> value(60, 1.f);
  const std::vector<Device> two(2, Device::cuda());
  check_slabs({{5, 4, 3}, {}}, value, {Connectivity::Fourteen, Levels::Super, 2., 0}, two);
  value[47] = std::numeric_limits<float>::quiet_NaN();
  CHECK_THROWS_WITH(run_thread_ranks(2,
                                     [&](Ranks& ranks) {
                                       Progress own;
                                       const auto tree = make_slab_tree(ranks, Device::cuda(), own);
                                       const Planes planes = planes_of_rank(5, ranks.rank(), 2);
                                       tree->grow(
                                           {{5, 4, 3}, {}},
                                           std::span<const float>(value.data() + planes.begin * 12,
                                                                  std::size_t(planes.count() * 12)),
                                           {});
                                     }),
                    Catch::Contains("(3, 3, 2)"));
}

TEST_CASE("two GPUs have the tree of the processor", "[gpu][topology][ranks][distributed]") {
  const auto gpus = test::two_gpus();
  if (gpus.empty()) return;
  check_fields(gpus, 50);
  check_types(gpus);
  std::mt19937_64 random(51);
  const GridShape shape{{33, 40, 70}, {true, true, true}};
  const std::vector<float> value = test::white_noise(shape.count(), random);
  for (const Wire wire : {Wire::Auto, Wire::Peer, Wire::Host})
    check_slabs(shape, value, {Connectivity::Fourteen, Levels::Super, {}, 5 * 40 * 70}, gpus, wire);
}

TEST_CASE("a grid without kept cells has no tree over ranks", "[topology][ranks][distributed]") {
  const std::vector<float> value(60, 1.f);
  for (const int size : {1, 3})
    check_slabs({{5, 4, 3}, {}}, value, {Connectivity::Fourteen, Levels::Super, 2., 0}, size);
}

TEST_CASE("planes of ranks follow each other", "[topology][ranks][distributed]") {
  for (const std::uint64_t planes : {1, 2, 3, 4, 7, 1000})
    for (const int size : {1, 2, 3, 4, 9}) {
      CAPTURE(planes, size);
      std::uint64_t end = 0, most = 0;
      for (int r = 0; r < size; ++r) {
        const Planes own = planes_of_rank(planes, r, size);
        CHECK(own.begin == end);
        end = own.end;
        most = std::max(most, own.count());
      }
      CHECK(end == planes);
      CHECK(most <= (planes <= 2 ? planes : planes / std::uint64_t(size) + 1));
    }
}

TEST_CASE("blocks of slabs with their rims have numbers of 32 bits",
          "[topology][ranks][distributed]") {
  const GridShape shape{{3, 1u << 15, 1u << 15}, {true, false, false}};
  CHECK(GridSlabs(shape, 1).blocks(0).size() == 1);
  const GridSlabs three(shape, 3);
  CHECK(!three.is_in_blocks());
  CHECK(three.blocks(1).front().view.count() == 3u << 30);
  CHECK(three.rims_before(3) == std::uint64_t(6) << 30);
  // Two planes and the two beside them are 2³² cells.
  CHECK_THROWS_WITH(GridSlabs(shape, 2), Catch::Contains("more blocks"));
  // 1024 planes of each rank are so many too.
  const GridSlabs two({{2048, 2048, 2048}, {true, false, false}}, 2);
  CHECK(two.is_in_blocks());
  for (const int rank : {0, 1}) {
    CHECK(two.blocks(rank).size() == 4);
    CHECK(two.rim(rank) == 8u << 22);
    std::uint64_t own = 0;
    for (const GridBlock& block : two.blocks(rank)) own += block.own();
    CHECK(own == two.cells(rank));
    CHECK(own == std::uint64_t(1) << 32);
  }
  const GridShape wider{{4, 1u << 16, 1u << 15}, {true, false, false}};
  CHECK_THROWS_WITH(GridSlabs(wider, 2), Catch::Contains("exchange its axes"));
}

TEST_CASE("a value that is no number is told over ranks", "[topology][ranks][distributed]") {
  std::vector<float> value(60, 1.f);
  value[47] = std::numeric_limits<float>::quiet_NaN();
  CHECK_THROWS_WITH(check_slabs({{5, 4, 3}, {}}, value, TreeSettings{}, 2),
                    Catch::Contains("(3, 3, 2)"));
}

TEST_CASE("places of values count those of all ranks", "[ranks][distributed]") {
  std::mt19937_64 random(45);
  for (const int size : {1, 2, 5})
    for (const std::uint64_t kinds : {1, 3, 5000}) {
      std::vector<std::vector<std::uint64_t>> values(static_cast<std::size_t>(size));
      std::set<std::uint64_t> all;
      for (std::size_t r = 1; r < values.size() || size == 1; ++r) {
        auto& own = values[r % values.size()];
        std::set<std::uint64_t> some;
        for (int i = 0; i < 3000; ++i) some.insert((random() % kinds) * 0x123456789abcdefull);
        own.assign(some.begin(), some.end());
        all.insert(some.begin(), some.end());
        if (size == 1) break;
      }
      run_thread_ranks(size, [&](Ranks& ranks) {
        const auto& own = values[std::size_t(ranks.rank())];
        const auto found = places_of_values(ranks, own);
        bool right = found.size() == own.size();
        for (std::size_t i = 0; right && i < own.size(); ++i)
          right = found[i] == std::uint64_t(std::distance(all.begin(), all.find(own[i])));
        const int wrong = ranks.sum(right ? 0 : 1);
        if (ranks.first()) CHECK(wrong == 0);
      });
    }
}
