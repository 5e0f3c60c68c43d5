// Narrow splats drawn by bins, with and without room for all of them.

#include "compute/exec/side_stream.cuh"
#include "compute/splotch/binned_splats.cuh"
#include "compute/splotch/sparse_splats.cuh"
#include "compute/splotch/splat.h"
#include "tests/catch.h"
#include "tests/skip.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace haloscope::compute;
using namespace haloscope::compute::splotch;

namespace {

constexpr int kWidth = 300, kHeight = 200;
constexpr std::size_t kFloats = std::size_t(4) * kWidth * kHeight;
constexpr unsigned kCount = 60000;
constexpr int kTestThreads = 256;
// One splat of so many is so much brighter than others.
constexpr unsigned kBrightOf = 4001;
constexpr float kBright = 1e5f;
// The bin of most of the clump.
constexpr unsigned kClumpBin = 95 / SplatBins::kSide * 5 + 120 / SplatBins::kSide;

// Most in a clump of one or two bins, so that these need many chunks; some across each edge.
std::vector<Splat> made_narrow_splats() {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> uniform(0, 1);
  std::normal_distribution<float> normal;
  std::vector<Splat> out;
  for (unsigned k = 0; k < kCount; ++k) {
    const bool clump = k % 3 != 0;
    const float x = clump ? 120 + 9 * normal(random) : float(kWidth + 12) * uniform(random) - 6;
    const float y = clump ? 95 + 9 * normal(random) : float(kHeight + 12) * uniform(random) - 6;
    const int ix = int(std::floor(x + 0.5f)), iy = int(std::floor(y + 0.5f));
    const float light = std::pow(10.f, -3 * uniform(random)) * (k % kBrightOf == 7 ? kBright : 1);
    Splat s{};
    s.ix = ix, s.iy = iy;
    s.fx = x - float(ix), s.fy = y - float(iy);
    // Also where the kernels meet, and the widest.
    s.radius = k % 100 == 0   ? 2.5f
               : k % 100 == 1 ? kNarrowRadius
                              : 0.501f + 2.498f * uniform(random);
    for (float& e : s.emission) e = light * uniform(random);
    out.push_back(s);
  }
  return out;
}

// Puts what it can into bins, and draws the rest one by one.
__global__ void __launch_bounds__(kTestThreads)
    put_or_draw(SplatBins bins, const Splat* splats, unsigned count, SparseImage image,
                unsigned* kept_count) {
  __shared__ SparseSplats<kTestThreads> sparse;
  const unsigned index = blockIdx.x * kTestThreads + threadIdx.x;
  const bool mine = index < count;
  const Splat s = splats[mine ? index : 0];
  const bool inside = mine && bins.chunk_count > 0 && unsigned(s.ix) < unsigned(kWidth) &&
                      unsigned(s.iy) < unsigned(kHeight);
  const bool kept = put_in_bin(bins, inside, s.ix, s.iy, s.fx, s.fy, s.radius, s.emission);
  if (kept) atomicAdd(kept_count, 1u);
  sparse.add(mine && !kept, to_sparse(s.ix, s.iy, s.fx, s.fy, s.radius, s.emission), image);
}

struct Expected {
  std::vector<double> light = std::vector<double>(kFloats), bound = std::vector<double>(kFloats);
};

// In double precision, and how far a picture may be off. A splat's light is rounded to 2⁻¹² of
// itself twice, its support to 3e-4, of which its weights change by 2.9 times as much of the peak
// at most, and each sum to a unit of its window: the 2²¹th part of the brightest splat drawn there,
// or the 2³⁰th of the light of all, which is less here. The few bright ones are drawn by
// themselves. Then there are float32 sums of some thousand splats.
Expected expected_picture(const std::vector<Splat>& splats) {
  Expected out;
  for (const Splat& s : splats) {
    const double peak = double(FluxProfile::weight(0, 0, s.radius));
    const bool bright = std::max({s.emission[0], s.emission[1], s.emission[2]}) > 8;
    const double half_unit = bright ? double(kBright) * 0x1p-22 : 8 * 0x1p-22;
    for (int y = std::max(0, s.iy - 5); y <= std::min(kHeight - 1, s.iy + 5); ++y)
      for (int x = std::max(0, s.ix - 5); x <= std::min(kWidth - 1, s.ix + 5); ++x) {
        const float dx = float(x - s.ix) - s.fx, dy = float(y - s.iy) - s.fy;
        const double w = double(FluxProfile::weight(dx, dy, s.radius));
        for (int c = 0; c < 3; ++c) {
          const auto at = std::size_t(4 * (y * kWidth + x) + c);
          const double e = double(s.emission[c]);
          out.light[at] += w * e;
          out.bound[at] += e * (5e-4 * w + 1e-3 * peak) + half_unit + 1e-5 * w * e;
        }
      }
  }
  return out;
}

}  // namespace

TEST_CASE("narrow splats by bins make the picture of all of them, whatever room there is",
          "[gpu][splotch]") {
  if (!is_usable(Device::cuda()))
    return haloscope::test::skip(haloscope::test::Needs::Gpu, "there is no GPU");
  const std::vector<Splat> splats = made_narrow_splats();
  const Expected expected = expected_picture(splats);
  Cuda exec(Device::cuda());
  Buffer<Splat, Cuda> stored(exec, splats.size(), "splats of a test");
  exec.upload(stored.data(), splats.data(), splats.size() * sizeof(Splat));
  Buffer<float, Cuda> image(exec, kFloats, "image");
  Buffer<unsigned, Cuda> kept(exec, 1, "splats of a test");
  BinMemory memory(exec);
  SideStream side(exec);
  // Chunks for all, for few, and none; and a bin that may have one group more. Empty bins follow
  // full ones each time. Few blocks draw several groups each, or leave none to those of a second
  // call; two calls beside each other share them.
  struct Room {
    unsigned most;
    bool crowded;
    unsigned blocks;
    bool beside = false;
  };
  constexpr unsigned kAll = ~0u;
  int turn = 0;
  for (const auto& [most, crowded, blocks, beside] :
       {Room{kAll, false, kAll}, Room{7, false, kAll}, Room{0, false, kAll}, Room{kAll, true, kAll},
        Room{kAll, false, 3}, Room{kAll, true, 1}, Room{kAll, false, kAll},
        Room{kAll, false, 2, true}, Room{kAll, true, 5, true}}) {
    INFO("chunks " << most << (crowded ? ", a crowded bin" : "") << ", blocks " << blocks
                   << (beside ? ", twice" : ""));
    // Bins are empty whatever had the memory before, and whether it was told when that was done.
    if (turn % 3 == 2) memory.empty(memory.bins(2 * kWidth, 3 * kHeight, kCount));
    SplatBins bins = memory.bins(kWidth, kHeight, 4 * kCount);
    const SplatBins whole = bins;
    REQUIRE(bins.chunk_count >= kCount / SplatBins::kChunk);
    REQUIRE(bins.columns == 5);
    bins.chunk_count = std::min(bins.chunk_count, most);
    constexpr unsigned kAllButOneGroup =
        (SplatBins::kMostChunks - SplatBins::kGroup) * SplatBins::kChunk;
    if (crowded) exec.upload(bins.counts + kClumpBin, &kAllButOneGroup, sizeof(unsigned));
    exec.zero(image.data(), kFloats * sizeof(float));
    exec.zero(kept.data(), sizeof(unsigned));
    auto* const pixels = reinterpret_cast<float4*>(image.data());
    put_or_draw<<<(kCount + kTestThreads - 1) / kTestThreads, kTestThreads, 0, exec.stream()>>>(
        bins, stored.data(), kCount, {pixels, kWidth, kHeight}, kept.data());
    check_cuda(cudaGetLastError(), "drawing splats of a test");
    const auto draw = [&] {
      if (bins.chunk_count > 0) draw_bins(exec, bins, kWidth, kHeight, pixels, blocks);
    };
    if (beside) {
      SideStream::Fork fork(side);
      fork.run(draw);
      draw();
      fork.join();
    } else {
      draw();
    }
    if (++turn % 2 == 0) memory.empty(whole);
    std::vector<float> drawn(kFloats);
    exec.download(drawn.data(), image.data(), kFloats * sizeof(float));
    unsigned kept_count = 0;
    exec.download(&kept_count, kept.data(), sizeof(kept_count));
    if (crowded)
      CHECK(kept_count < kCount * 9 / 10);
    else if (most == ~0u)
      CHECK(kept_count > kCount * 9 / 10);
    else
      CHECK(kept_count <= most * SplatBins::kChunk);
    CHECK((kept_count > 0) == (most > 0));
    double worst = 0;
    for (std::size_t i = 0; i < kFloats; ++i) {
      const double off = std::abs(double(drawn[i]) - expected.light[i]);
      worst = std::max(worst, std::isfinite(off) ? off / (expected.bound[i] + 1e-12) : HUGE_VAL);
    }
    CHECK(worst < 1);
  }
}
