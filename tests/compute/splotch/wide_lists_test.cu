// Lists of wide splats by tile, whose room is guessed.

#include "compute/splotch/wide_lists.cuh"
#include "tests/catch.h"
#include "tests/skip.h"

#include <algorithm>
#include <random>
#include <vector>

using namespace haloscope::compute;
using namespace haloscope::compute::splotch;

namespace {

constexpr int kWidth = 300, kHeight = 200;

// Most in a clump, so that few tiles have most of the splats.
std::vector<WideSplat> made_splats(unsigned count) {
  std::mt19937 random(17);
  std::uniform_real_distribution<float> uniform(0, 1);
  std::normal_distribution<float> normal;
  std::vector<WideSplat> out;
  for (unsigned k = 0; k < count; ++k) {
    const bool clump = k % 3 != 0;
    const float x = clump ? 70 + 9 * normal(random) : float(kWidth) * uniform(random);
    const float y = clump ? 90 + 9 * normal(random) : float(kHeight) * uniform(random);
    const float radius = k % 1000 == 0 ? 60 * uniform(random) + 3 : 3 + 9 * uniform(random);
    out.push_back({int(x), int(y), x - float(int(x)), y - float(int(y)), radius, {1, 1, 1}});
  }
  return out;
}

// Whether a splat gives light to a pixel of a tile.
bool shines_into(const WideSplat& s, int tile_x, int tile_y) {
  const float x = float(s.ix) + s.fx, y = float(s.iy) + s.fy;
  const auto beside = [](float center, int first, int end) {
    return std::max({0.f, float(first) - center, center - float(end - 1)});
  };
  const float dx = beside(x, tile_x * kTile, std::min((tile_x + 1) * kTile, kWidth));
  const float dy = beside(y, tile_y * kTile, std::min((tile_y + 1) * kTile, kHeight));
  return dx * dx + dy * dy < s.radius * s.radius * 0.9999f;
}

// Requires that the list of each tile has each splat that shines into it, and none twice.
void require_all_listed(Cuda& exec, const TilingStack& stack, const WideLists<WideSplat>& listed,
                        const std::vector<WideSplat>& splats) {
  const TileLists<WideSplat> lists = listed.lists();
  std::vector<ListStart> starts(stack.tiles + 1);
  std::vector<unsigned> ends(stack.tiles);
  exec.download(starts.data(), lists.starts, starts.size() * sizeof(ListStart));
  exec.download(ends.data(), lists.ends, ends.size() * sizeof(unsigned));
  std::vector<unsigned> members(listed.places());
  exec.download(members.data(), lists.members, members.size() * sizeof(unsigned));
  const int columns = stack.level[0].columns;
  for (unsigned tile = 0; tile < stack.tiles; ++tile) {
    CAPTURE(tile);
    REQUIRE(ends[tile] <= starts[tile + 1].place);
    REQUIRE((ends[tile] - starts[tile].place + kItem - 1) / kItem <=
            starts[tile + 1].item - starts[tile].item);
    std::vector<bool> has(splats.size());
    bool twice = false;
    for (auto k = starts[tile].place; k < ends[tile]; ++k) {
      REQUIRE(members[k] < splats.size());
      twice = twice || has[members[k]];
      has[members[k]] = true;
    }
    CHECK_FALSE(twice);
    std::size_t missing = 0;
    for (std::size_t k = 0; k < splats.size(); ++k)
      missing += !has[k] && shines_into(splats[k], int(tile) % columns, int(tile) / columns);
    CHECK(missing == 0);
  }
}

}  // namespace

TEST_CASE("lists of tiles have all their splats, however little room is guessed", "[gpu]") {
  if (!is_usable(Device::cuda()))
    return haloscope::test::skip(haloscope::test::Needs::Gpu, "there is no GPU");
  Cuda exec(Device::cuda());
  const std::vector<WideSplat> splats = made_splats(1300000);
  Buffer<WideSplat, Cuda> here(exec, splats.size(), "splats of a test");
  exec.upload(here.data(), splats.data(), splats.size() * sizeof(WideSplat));
  const Cells picture{nullptr, kWidth, kHeight, 0};
  const TilingStack stack(picture, nullptr);
  const auto count = unsigned(splats.size());

  const auto list = [&](RoomGuess guess) {
    WideLists<WideSplat> listed(exec, stack, here.data(), count, true, guess);
    listed.fill();
    require_all_listed(exec, stack, listed, splats);
    return listed.was_guessed();
  };
  const RoomGuess usual = RoomGuess::of(count);
  CHECK(usual.sample > 1);
  CHECK(list(usual));
  // Half of the tiles, about, have more than a guess without spare room gives them.
  CHECK_FALSE(list({usual.sample, 0, 0}));
  CHECK_FALSE(list({1, 0, 0}));
}
