// Lists of wide splats by tile, counted by block and by all together, in room that is told.

#include "compute/splotch/wide_lists.cuh"
#include "tests/catch.h"
#include "tests/compute/splotch/made_splats.cuh"
#include "tests/skip.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

using namespace haloscope::compute;
using namespace haloscope::compute::splotch;

namespace {

constexpr int kWidth = 600, kHeight = 400;

// What a splat is on the level that it is drawn on.
struct Leveled {
  int level;
  Splat splat;
};
Leveled leveled(const TilingStack& stack, const Splat& s) {
  const int level = stack.coarsest > 0 ? level_of(s.radius, stack.coarsest) : 0;
  return {level, level > 0 ? on_level(s, level) : s};
}

// Calls f(tile) for each tile of which the splat's disc covers a pixel, but for those that it only
// just covers.
template <class F>
void for_each_covered(const TilingStack& stack, const Leveled& l, const F& f) {
  const WideTiling& tiling = stack.level[l.level];
  const Splat& s = l.splat;
  const double x = double(s.ix) + s.fx, y = double(s.iy) + s.fy, radius = 0.998 * s.radius - 0.002;
  const auto beside = [](double center, int first, int size) {
    return std::max({0., first - center, center - (std::min(first + kTile, size) - 1)});
  };
  const int rows = (tiling.height + kTile - 1) / kTile;
  const auto tile_of = [](double pixel) { return int(std::floor(pixel)) / kTile; };
  for (int ty = std::max(0, tile_of(y - radius) - 1);
       ty <= std::min(rows - 1, tile_of(y + radius) + 1); ++ty)
    for (int tx = std::max(0, tile_of(x - radius) - 1);
         tx <= std::min(tiling.columns - 1, tile_of(x + radius) + 1); ++tx)
      if (radius > 0 && std::hypot(beside(x, tx * kTile, tiling.width),
                                   beside(y, ty * kTile, tiling.height)) < radius)
        f(tiling.first + unsigned(ty * tiling.columns + tx));
}

// The pairs of a tile and a splat in lists, sorted.
template <class S>
std::vector<std::uint64_t> pairs_in(Cuda& exec, const TilingStack& stack,
                                    const WideLists<S>& listed) {
  const TileLists<S> lists = listed.lists();
  std::vector<ListStart> starts(stack.tiles + 1);
  std::vector<unsigned> members(listed.room().places);
  exec.download(starts.data(), lists.starts, starts.size() * sizeof(ListStart));
  exec.download(members.data(), lists.members, members.size() * sizeof(unsigned));
  std::vector<std::uint64_t> out;
  for (unsigned tile = 0; tile < stack.tiles; ++tile) {
    CAPTURE(tile);
    const auto begin = starts[tile].place, end = starts[tile + 1].place;
    REQUIRE(begin <= end);
    REQUIRE(end <= members.size());
    REQUIRE((end - begin + kItem - 1) / kItem == starts[tile + 1].item - starts[tile].item);
    for (auto k = begin; k < end; ++k) out.push_back(std::uint64_t(tile) << 32 | members[k]);
  }
  const FilledLists filled = listed.wait_filled();
  CHECK(filled.places == starts[stack.tiles].place);
  CHECK(filled.items == starts[stack.tiles].item);
  std::sort(out.begin(), out.end());
  return out;
}

// Requires that the list of each tile has each splat that shines into it, and none twice, and that
// the light of each tile is what its splats have.
template <class S>
void require_listed(Cuda& exec, const TilingStack& stack, const WideLists<S>& listed,
                    const std::vector<Splat>& splats) {
  const std::vector<std::uint64_t> pairs = pairs_in(exec, stack, listed);
  CHECK(std::adjacent_find(pairs.begin(), pairs.end()) == pairs.end());
  REQUIRE(
      (pairs.empty() || unsigned(*std::max_element(pairs.begin(), pairs.end(), [](auto a, auto b) {
                          return unsigned(a) < unsigned(b);
                        })) < splats.size()));
  std::size_t missing = 0, level_wrong = 0, nothings = 0, far_away = 0;
  std::vector<double> light(stack.tiles);
  std::vector<unsigned> counts(stack.tiles);
  for (std::size_t k = 0; k < splats.size(); ++k)
    for_each_covered(stack, leveled(stack, splats[k]), [&](unsigned tile) {
      missing += !std::binary_search(pairs.begin(), pairs.end(), std::uint64_t(tile) << 32 | k);
    });
  CHECK(missing == 0);
  for (const std::uint64_t pair : pairs) {
    const auto tile = unsigned(pair >> 32);
    const Leveled l = leveled(stack, splats[unsigned(pair)]);
    nothings += !(splats[unsigned(pair)].radius > 0);
    const WideTiling& tiling = stack.level[l.level];
    level_wrong += tile < tiling.first || tile >= tiling.end();
    // The square around the disc, with a pixel of slack.
    const auto gap = [](double center, unsigned column) {
      const double first = double(column) * kTile;
      return std::max({0., first - center, center - (first + kTile - 1)});
    };
    const unsigned own = tile - tiling.first, columns = unsigned(tiling.columns);
    const double reach = 1.001 * double(l.splat.radius) + 1.01;
    far_away += gap(double(l.splat.ix) + double(l.splat.fx), own % columns) > reach ||
                gap(double(l.splat.iy) + double(l.splat.fy), own / columns) > reach;
    light[tile] += double(l.splat.emission[0]);
    ++counts[tile];
  }
  CHECK(level_wrong == 0);
  CHECK(nothings == 0);
  CHECK(far_away == 0);
  std::vector<float> found(stack.tiles);
  exec.download(found.data(), listed.light().of_tile, found.size() * sizeof(float));
  const bool sampled = splats.size() >= 1u << 14;
  const unsigned sample = std::max(1u, listed.light().least_splats / 16);
  CHECK((sample > 1) == sampled);
  for (unsigned tile = 0; tile < stack.tiles; ++tile) {
    CAPTURE(tile, counts[tile]);
    if (!sampled)
      CHECK(found[tile] == Approx(light[tile]).epsilon(1e-4).margin(1e-6));
    else if (counts[tile] > 500 * sample)
      // Six deviations of a sum of some, of light that is uniform between 0 and 1.
      CHECK(found[tile] ==
            Approx(light[tile]).epsilon(6 * std::sqrt(4. / 3 * sample / double(counts[tile]))));
  }
}

// What lists had the memory before.
enum class Before { None, MoreTiles, FewerTiles, NotCleared };

template <class S>
void use_before(Cuda& exec, ListMemory& memory, Before before, const S* splats, unsigned count,
                bool by_block) {
  if (before == Before::None) return;
  const TilingStack stack(Cells{nullptr, before == Before::FewerTiles ? 100 : 1000, 900, 0},
                          nullptr);
  WideLists<S> lists(exec, memory, stack, splats, count, before == Before::MoreTiles, by_block);
  lists.fill(lists.find_room());
  if (before != Before::NotCleared) memory.clear(exec);
}

template <class S>
void check_lists(bool with_levels, bool by_block, std::size_t some, Before before) {
  Cuda exec(Device::cuda());
  std::vector<Splat> splats = haloscope::test::made_splats(some, kWidth, kHeight);
  const auto count = unsigned(splats.size());
  Buffer<Splat, Cuda> made(exec, count, "splats of a test");
  Buffer<S, Cuda> stored(exec, count, "splats of a test");
  exec.upload(made.data(), splats.data(), count * sizeof(Splat));
  haloscope::test::store_splats<<<(count + 255) / 256, 256, 0, exec.stream()>>>(made.data(), count,
                                                                                stored.data());
  check_cuda(cudaGetLastError(), "making splats of a test");
  exec.download(splats.data(), made.data(), count * sizeof(Splat));
  Levels<Cuda> levels(exec, kWidth, kHeight);
  const TilingStack stack(Cells{nullptr, kWidth, kHeight, 0}, with_levels ? &levels : nullptr);

  ListMemory memory;
  use_before(exec, memory, before, stored.data(), count / 2, by_block);
  WideLists<S> listed(exec, memory, stack, stored.data(), count, true, by_block);
  // Other GPUs have less shared memory.
  if (exec.block_shared_memory() >= std::size_t(100) << 10)
    CHECK(listed.counts_by_block() == by_block);
  const ListRoom needed = listed.find_room();
  const auto lacks_room = [&](unsigned long long places, unsigned items) {
    listed.fill({places, items});
    const FilledLists filled = listed.wait_filled();
    CHECK(filled.places == needed.places);
    CHECK(filled.items == needed.items);
    return filled.lacks_room != 0;
  };
  CHECK(lacks_room(needed.places - 1, needed.items));
  CHECK(lacks_room(needed.places / 2, needed.items / 2));
  CHECK(lacks_room(needed.places, needed.items - 1));
  // What was counted still tells where each tile's splats go.
  CHECK_FALSE(lacks_room(needed.places, needed.items));
  require_listed(exec, stack, listed, splats);
  CHECK_FALSE(lacks_room(needed.places * 2, needed.items * 2));
  require_listed(exec, stack, listed, splats);
}

}  // namespace

TEST_CASE("lists of tiles have all their splats, however they are counted and whatever their room",
          "[gpu]") {
  if (!is_usable(Device::cuda()))
    return haloscope::test::skip(haloscope::test::Needs::Gpu, "there is no GPU");
  const bool with_levels = GENERATE(false, true), by_block = GENERATE(false, true);
  // The light of more than 2¹⁴ splats is told from some of them; few splats are one block's.
  const auto [some, before] =
      GENERATE(std::pair{1300000, Before::None}, std::pair{70000, Before::NotCleared},
               std::pair{900, Before::None}, std::pair{900, Before::MoreTiles},
               std::pair{900, Before::FewerTiles}, std::pair{900, Before::NotCleared});
  CAPTURE(with_levels, by_block, some, int(before));
  check_lists<WideSplat>(with_levels, by_block, std::size_t(some), before);
  check_lists<PackedSplat>(with_levels, by_block, std::size_t(some), before);
}

TEST_CASE("blocks do not count more tiles than they have memory for", "[gpu]") {
  if (!is_usable(Device::cuda()))
    return haloscope::test::skip(haloscope::test::Needs::Gpu, "there is no GPU");
  Cuda exec(Device::cuda());
  const TilingStack stack(Cells{nullptr, 6000, 5000, 0}, nullptr);
  Buffer<PackedSplat, Cuda> none(exec, 1, "splats of a test");
  exec.zero(none.data(), sizeof(PackedSplat));
  ListMemory memory;
  CHECK_FALSE(WideLists<PackedSplat>(exec, memory, stack, none.data(), 1, true).counts_by_block());
}
