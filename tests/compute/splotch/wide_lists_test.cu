// Lists of wide splats by tile, whose room is guessed, or is that of other lists.

#include "compute/splotch/wide_lists.cuh"
#include "tests/catch.h"
#include "tests/compute/splotch/made_splats.cuh"
#include "tests/skip.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
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
  std::vector<unsigned> ends(stack.tiles), members(listed.room().places);
  exec.download(starts.data(), lists.starts, starts.size() * sizeof(ListStart));
  exec.download(ends.data(), lists.ends, ends.size() * sizeof(unsigned));
  exec.download(members.data(), lists.members, members.size() * sizeof(unsigned));
  std::vector<std::uint64_t> out;
  for (unsigned tile = 0; tile < stack.tiles; ++tile) {
    CAPTURE(tile);
    REQUIRE(ends[tile] <= starts[tile + 1].place);
    REQUIRE((ends[tile] - starts[tile].place + kItem - 1) / kItem <=
            starts[tile + 1].item - starts[tile].item);
    for (auto k = starts[tile].place; k < ends[tile]; ++k)
      out.push_back(std::uint64_t(tile) << 32 | members[k]);
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
  std::size_t missing = 0, level_wrong = 0, nothings = 0;
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
    light[tile] += double(l.splat.emission[0]);
    ++counts[tile];
  }
  CHECK(level_wrong == 0);
  CHECK(nothings == 0);
  std::vector<float> found(stack.tiles);
  exec.download(found.data(), listed.light(), found.size() * sizeof(float));
  for (unsigned tile = 0; tile < stack.tiles; ++tile) {
    CAPTURE(tile, counts[tile]);
    if (!listed.was_guessed())
      CHECK(found[tile] == Approx(light[tile]).epsilon(1e-4).margin(1e-6));
    else if (counts[tile] > 2000)  // a 4th of them, of light that differs by its own mean at most
      CHECK(found[tile] == Approx(light[tile]).epsilon(6 * 2 / std::sqrt(double(counts[tile]))));
  }
}

template <class S>
void check_lists(bool with_levels) {
  Cuda exec(Device::cuda());
  std::vector<Splat> splats = haloscope::test::made_splats(1300000, kWidth, kHeight);
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

  const auto list = [&](RoomGuess guess) {
    WideLists<S> listed(exec, stack, stored.data(), count, true, guess);
    listed.fill(listed.find_room());
    const unsigned faults = listed.wait_filled().faults;
    if (faults != 0) {
      CHECK(faults == FilledLists::kGuessedLow);
      listed.count_all();
      listed.fill(listed.find_room());
      REQUIRE(listed.wait_filled().faults == 0);
    }
    require_listed(exec, stack, listed, splats);
    CHECK(listed.was_guessed() == (faults == 0 && guess.sample > 1));
    return faults == 0;
  };
  const RoomGuess usual = RoomGuess::of(count, stack.tiles);
  CHECK(usual.sample == 4);
  CHECK(list(usual));
  // Half of the tiles, about, have more than a guess without spare room gives them.
  CHECK_FALSE(list({usual.sample, 0, 0}));
  CHECK(list({1, 0, 0}));

  WideLists<S> listed(exec, stack, stored.data(), count, true, usual);
  const ListRoom needed = listed.find_room();
  const auto fill = [&](unsigned long long places, unsigned items) {
    listed.fill({places, items});
    const FilledLists filled = listed.wait_filled();
    CHECK(filled.places == needed.places);
    CHECK(filled.items == needed.items);
    return filled.faults;
  };
  CHECK(fill(needed.places - 1, needed.items) == FilledLists::kLackRoom);
  CHECK(fill(needed.places / 2, needed.items / 2) == FilledLists::kLackRoom);
  CHECK(fill(needed.places, needed.items - 1) == FilledLists::kLackRoom);
  // What was counted still tells the room of each tile.
  CHECK(fill(needed.places, needed.items) == 0);
  require_listed(exec, stack, listed, splats);
  CHECK(fill(needed.places * 2, needed.items * 2) == 0);
  require_listed(exec, stack, listed, splats);
}

}  // namespace

TEST_CASE("lists of tiles have all their splats, however little room is guessed or given",
          "[gpu]") {
  if (!is_usable(Device::cuda()))
    return haloscope::test::skip(haloscope::test::Needs::Gpu, "there is no GPU");
  const bool with_levels = GENERATE(false, true);
  CAPTURE(with_levels);
  check_lists<WideSplat>(with_levels);
  check_lists<PackedSplat>(with_levels);
}

TEST_CASE("room to spare for tiles is small beside long lists", "[splotch]") {
  for (const unsigned count : {1u << 20, 1u << 22, 1u << 24, 1u << 28})
    for (const unsigned tiles : {64u, 5461u, 90000u, 3000000u}) {
      CAPTURE(count, tiles);
      const RoomGuess guess = RoomGuess::of(count, tiles);
      CHECK(double(guess.spare) * guess.sample * tiles <= (guess.sample > 1 ? 2. * count : 1e9));
    }
  CHECK(RoomGuess::of(1000, 5461).sample == 1);
  CHECK(RoomGuess::of(1u << 26, 5461).sample == 16);
}
