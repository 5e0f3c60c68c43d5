// Tiles drawn as products of matrices, their bright splats one by one, beside sums in double
// precision.

#include "compute/exec/buffer.h"
#include "compute/splotch/tile_products.cuh"
#include "compute/splotch/wide_splat.cuh"
#include "tests/catch.h"
#include "tests/skip.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

using namespace haloscope::compute;
using namespace haloscope::compute::splotch;

namespace {

constexpr int kSide = 96;  // pixels, in whole tiles
constexpr int kAcross = kSide / kTile;
constexpr double kPeak = 1.59154943;  // 5/pi: of the radial kernel times radius²

// `bright`: the part of the splats that have `more` times the light of others.
std::vector<WideSplat> made(int count, float bright, float more) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> uniform(0, 1);
  std::vector<WideSplat> out;
  for (int k = 0; k < count; ++k) {
    const float x = float(kSide + 16) * uniform(random) - 8,
                y = float(kSide + 16) * uniform(random) - 8, radius = 4 + 4 * uniform(random);
    const int ix = int(std::floor(x + 0.5f)), iy = int(std::floor(y + 0.5f));
    float light = 0.5f + 0.5f * uniform(random);
    if (uniform(random) < bright) light *= more;
    out.push_back({ix,
                   iy,
                   x - float(ix),
                   y - float(iy),
                   radius,
                   {light, light * uniform(random), light * uniform(random)}});
  }
  return out;
}

// The lists of a picture's tiles, and about how much light each has.
struct Lists {
  std::vector<unsigned> members;
  std::vector<ListStart> starts;
  std::vector<float> light;
  unsigned items = 0;

  explicit Lists(const std::vector<WideSplat>& splats) {
    for (int tile = 0; tile < kAcross * kAcross; ++tile) {
      starts.push_back({members.size(), items});
      light.push_back(0);
      const float x0 = float(tile % kAcross * kTile), y0 = float(tile / kAcross * kTile);
      for (std::size_t k = 0; k < splats.size(); ++k) {
        const WideSplat& s = splats[k];
        const float x = float(s.ix) + s.fx, y = float(s.iy) + s.fy;
        const float dx = std::max({0.f, x0 - x, x - (x0 + float(kTile - 1))}),
                    dy = std::max({0.f, y0 - y, y - (y0 + float(kTile - 1))});
        if (!(dx * dx + dy * dy < s.radius * s.radius)) continue;
        members.push_back(unsigned(k));
        light.back() += s.emission[0];
      }
      items += unsigned((members.size() - starts.back().place + kItem - 1) / kItem);
    }
    starts.push_back({members.size(), items});
  }
};

template <class T>
Buffer<T, Cuda> uploaded(Cuda& exec, const std::vector<T>& from) {
  Buffer<T, Cuda> out(exec, from.size(), "lists of a test");
  exec.upload(out.data(), from.data(), from.size() * sizeof(T));
  return out;
}

struct Drawn {
  std::vector<float> image = std::vector<float>(std::size_t(4) * kSide * kSide);
  std::vector<char> left;  // of the members: whether they were left
  bool left_twice = false;
};

// `least_splats`: tiles of fewer tell too little of their light.
Drawn draw(const std::vector<WideSplat>& splats, const Lists& lists, unsigned least_splats = 0) {
  Cuda exec(Device::cuda());
  const auto stored = uploaded(exec, splats);
  const auto members = uploaded(exec, lists.members);
  const auto starts = uploaded(exec, lists.starts);
  const auto light = uploaded(exec, lists.light);
  const auto filled =
      uploaded(exec, std::vector{FilledLists{lists.members.size(), lists.items, 0}});
  Drawn out;
  Buffer<float, Cuda> image(exec, out.image.size(), "image");
  exec.zero(image.data(), out.image.size() * sizeof(float));
  Buffer<TileItem, Cuda> left(exec, most_left(lists.members.size(), lists.items),
                              "lists of a test");
  Buffer<unsigned, Cuda> left_count(exec, 1, "lists of a test");
  exec.zero(left_count.data(), sizeof(unsigned));
  const TilingStack stack(Cells{image.data(), kSide, kSide, 0}, nullptr);
  draw_tile_products(
      exec, stack,
      TileLists<WideSplat>{stored.data(), members.data(), starts.data(), filled.data()},
      lists.items, {{light.data(), least_splats}, left.data(), left_count.data()});
  exec.download(out.image.data(), image.data(), out.image.size() * sizeof(float));
  unsigned count = 0;
  exec.download(&count, left_count.data(), sizeof(count));
  REQUIRE(count <= left.size());
  std::vector<TileItem> pieces(count);
  if (count > 0) exec.download(pieces.data(), left.data(), count * sizeof(TileItem));
  out.left.assign(lists.members.size(), 0);
  for (const TileItem& piece : pieces)
    for (auto m = piece.begin; m < piece.end; ++m) {
      out.left_twice = out.left_twice || out.left[m];
      out.left[m] = 1;
    }
  return out;
}

// Half of a tile's mean light as the lists tell it: a splat of a higher peak is bright.
double brightest_faint(const Lists& lists, int tile) {
  return double(lists.light[std::size_t(tile)]) * 0.5 / (kTile * kTile) / 2;
}

// A splat's peak and light in a pixel, for an emission of 1.
struct Light {
  double peak, here;
};
Light light_of(const WideSplat& s, int x, int y) {
  const double r2 = double(s.radius) * double(s.radius);
  const double dx = x - (s.ix + double(s.fx)), dy = y - (s.iy + double(s.fy));
  const double q = std::max(0.0, 1 - (dx * dx + dy * dy) / r2), peak = kPeak / r2;
  return {peak, peak * q * q * q * q};
}

// How far the light of the splats that have been dimmed is from what it should be, as the
// difference of two pictures, over its bound: the worst pixel of tiles of which nothing was left.
// What is added one by one is off by some roundings; the sums of both pictures by as many as they
// have terms. Returns how many tiles were looked at, too.
std::pair<double, int> worst_of_bright(const std::vector<WideSplat>& splats,
                                       const std::vector<WideSplat>& dimmed, const Lists& lists,
                                       const Drawn& all, const Drawn& faint) {
  double worst = 0;
  int tiles = 0;
  for (int tile = 0; tile < kAcross * kAcross; ++tile) {
    const std::size_t begin = lists.starts[std::size_t(tile)].place,
                      end = lists.starts[std::size_t(tile) + 1].place;
    bool whole = true;
    for (auto m = begin; m < end; ++m) whole = whole && !all.left[m] && !faint.left[m];
    if (!whole) continue;
    ++tiles;
    const double rounded = double(end - begin) * std::ldexp(1, -23);
    for (int pixel = 0; pixel < kTile * kTile; ++pixel) {
      const int x = tile % kAcross * kTile + pixel % kTile,
                y = tile / kAcross * kTile + pixel / kTile;
      double expected = 0, bound = 0, sum = 0;
      for (auto m = begin; m < end; ++m) {
        const std::size_t k = lists.members[m];
        const Light light = light_of(splats[k], x, y);
        const double e = double(splats[k].emission[0]);
        sum += light.here * e;
        if (dimmed[k].emission[0] != 0) continue;
        expected += light.here * e;
        const bool bright = light.peak * e > brightest_faint(lists, tile);
        bound += e * (bright ? 3e-6 : 5.5e-3) * light.peak;
      }
      const auto at = std::size_t(4 * (y * kSide + x));
      const double off = double(all.image[at]) - double(faint.image[at]) - expected;
      worst =
          std::max(worst, std::isfinite(off) ? std::abs(off) / (bound + 2 * rounded * sum + 1e-30)
                                             : HUGE_VAL);
    }
  }
  return {worst, tiles};
}

// The worst pixel of what was not left, over its bound. A product is off by up to 0.55 % of its
// splat's peak, what is added one by one by some roundings of 2⁻²⁴.
double worst_of(const std::vector<WideSplat>& splats, const Lists& lists, const Drawn& drawn) {
  double worst = 0;
  for (int tile = 0; tile < kAcross * kAcross; ++tile) {
    const double mean = double(lists.light[std::size_t(tile)]) * 0.5 / (kTile * kTile);
    for (int pixel = 0; pixel < kTile * kTile; ++pixel) {
      const int x = tile % kAcross * kTile + pixel % kTile,
                y = tile / kAcross * kTile + pixel / kTile;
      double sum[3] = {}, bound[3] = {};
      for (auto m = lists.starts[std::size_t(tile)].place;
           m < lists.starts[std::size_t(tile) + 1].place; ++m) {
        if (drawn.left[m]) continue;
        const WideSplat& s = splats[lists.members[m]];
        const double r2 = double(s.radius) * double(s.radius);
        const double dx = x - (s.ix + double(s.fx)), dy = y - (s.iy + double(s.fy));
        const auto [peak, w] = light_of(s, x, y);
        const bool faint = peak * double(s.emission[0]) <= 1.0002 * brightest_faint(lists, tile);
        // The two products of the splat reach 2 % farther than it does.
        const bool reaches = dx * dx < 1.1 * r2 && dy * dy < 1.1 * r2;
        for (int c = 0; c < 3; ++c) {
          const double e = double(s.emission[c]);
          sum[c] += w * e;
          if (reaches) bound[c] += e * (faint ? 5.5e-3 * peak : 3e-6 * peak) + 1e-5 * w * e;
        }
      }
      for (int c = 0; c < 3; ++c) {
        const float got = drawn.image[std::size_t(4 * (y * kSide + x) + c)];
        const double off = std::abs(double(got) - sum[c]);
        worst = std::max(worst, std::isfinite(off) ? off / (bound[c] + 1e-9 * mean) : HUGE_VAL);
      }
    }
  }
  return worst;
}

bool skipped() {
  using namespace haloscope::test;
  if (!is_usable(Device::cuda()))
    skip(Needs::Gpu, "there is no GPU");
  else if (!can_draw_products(Cuda(Device::cuda())))
    skip(Needs::Gpu, "this GPU draws no products");
  else
    return false;
  return true;
}

}  // namespace

TEST_CASE("bright splats of a crowded tile are added as they are beside its products",
          "[gpu][products]") {
  if (skipped()) return;
  struct Crowd {
    int count;
    float bright, more;
    double least_left, most_left;  // parts of all pairs
  };
  // Some 100 to 3000 splats of a tile. Of the middling ones a tile or two is left, since errors of
  // its products are seen in a dark pixel; batches where bright splats have most of the light are.
  for (const auto& [count, bright, more, least_left, most_left] :
       {Crowd{3000, 0, 1, 0, 0.5}, Crowd{20000, 0, 1, 0, 0.001}, Crowd{3000, 0.02f, 20, 0, 0.5},
        Crowd{20000, 0.002f, 200, 0, 0.2}, Crowd{20000, 0.001f, 1e4f, 0.1, 0.6},
        Crowd{900, 0, 1, 0.9, 1}}) {
    INFO(count << " splats, " << bright << " of them " << more << " times as bright");
    const std::vector<WideSplat> splats = made(count, bright, more);
    const Lists lists(splats);
    const Drawn drawn = draw(splats, lists);
    CHECK_FALSE(drawn.left_twice);
    const double left =
        double(std::count(drawn.left.begin(), drawn.left.end(), 1)) / double(drawn.left.size());
    CHECK(left >= least_left);
    CHECK(left <= most_left);
    CHECK(worst_of(splats, lists, drawn) < 1);
  }
}

TEST_CASE("bright splats beside products give all of their light", "[gpu][products]") {
  if (skipped()) return;
  const std::vector<WideSplat> splats = made(20000, 0.004f, 50);
  const Lists lists(splats);
  std::vector<WideSplat> dimmed = splats;
  for (WideSplat& s : dimmed)
    if (s.emission[0] > 2) s.emission[0] = s.emission[1] = s.emission[2] = 0;
  const auto [worst, tiles] =
      worst_of_bright(splats, dimmed, lists, draw(splats, lists), draw(dimmed, lists));
  CHECK(tiles > kAcross * kAcross / 2);
  CHECK(worst < 1);
}

TEST_CASE("splats that products cannot hold are left", "[gpu][products]") {
  if (skipped()) return;
  const float emission = GENERATE(-1.f, std::nanf(""));
  CAPTURE(emission);
  std::vector<WideSplat> splats = made(20000, 0, 1);
  for (std::size_t k = 0; k < splats.size(); k += 997) splats[k].emission[1] = emission;
  // The light of a tile is told by its red.
  const Lists lists(splats);
  const Drawn drawn = draw(splats, lists);
  for (std::size_t m = 0; m < lists.members.size(); ++m)
    if (lists.members[m] % 997 == 0) REQUIRE(drawn.left[m]);
}

TEST_CASE("tiles of so few splats that their light is not known are left by products",
          "[gpu][products]") {
  if (skipped()) return;
  const std::vector<WideSplat> splats = made(20000, 0, 1);
  const Lists lists(splats);
  std::vector<unsigned> counts;
  for (int tile = 0; tile < kAcross * kAcross; ++tile)
    counts.push_back(unsigned(lists.starts[std::size_t(tile) + 1].place -
                              lists.starts[std::size_t(tile)].place));
  std::vector<unsigned> sorted = counts;
  std::sort(sorted.begin(), sorted.end());
  const unsigned least = sorted[sorted.size() / 2];
  const Drawn drawn = draw(splats, lists, least);
  std::size_t few_drawn = 0, many_drawn = 0;
  for (int tile = 0; tile < kAcross * kAcross; ++tile)
    for (auto m = lists.starts[std::size_t(tile)].place;
         m < lists.starts[std::size_t(tile) + 1].place; ++m)
      (counts[std::size_t(tile)] < least ? few_drawn : many_drawn) += !drawn.left[m];
  CHECK(few_drawn == 0);
  CHECK(many_drawn > lists.members.size() / 4);
}
