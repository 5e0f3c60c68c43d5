#include "compute/splotch/simd_rows.h"

#include "compute/splotch/large_cpu.h"
#include "core/simd_clones.h"
#include "tests/catch.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

// Rows of splats in a tile by registers of each length, beside the profiles pixel by pixel.

namespace haloscope::compute::splotch {

using AddSplats = void(const PlanarTile&, const Splat*, const std::uint32_t*, std::size_t);
#if HALOSCOPE_HAS_REGISTER_VERSIONS
AddSplats add_flux_splats_16, add_flux_splats_32, add_flux_splats_64, add_classic_splats_16,
    add_classic_splats_32, add_classic_splats_64;
#endif

namespace {

struct Version {
  const char* name;
  AddSplats* add;
};

std::vector<Version> flux_versions() {
  std::vector<Version> all{{"chosen", add_flux_splats}};
#if HALOSCOPE_HAS_REGISTER_VERSIONS
  all.push_back({"16", add_flux_splats_16});
  if (register_bytes() >= 32) all.push_back({"32", add_flux_splats_32});
  if (register_bytes() >= 64) all.push_back({"64", add_flux_splats_64});
#endif
  return all;
}

std::vector<Version> classic_versions() {
  std::vector<Version> all{{"chosen", add_classic_splats}};
#if HALOSCOPE_HAS_REGISTER_VERSIONS
  all.push_back({"16", add_classic_splats_16});
  if (register_bytes() >= 32) all.push_back({"32", add_classic_splats_32});
  if (register_bytes() >= 64) all.push_back({"64", add_classic_splats_64});
#endif
  return all;
}

// Centers in the tile and around it, radii of a fraction of a pixel to more than the tile.
std::vector<Splat> splats_around(std::size_t count) {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> uniform(0, 1);
  std::vector<Splat> splats(count);
  for (Splat& s : splats) {
    s.ix = int(90 + 80 * uniform(random));
    s.iy = int(180 + 120 * uniform(random));
    s.fx = uniform(random) - 0.5f;
    s.fy = uniform(random) - 0.5f;
    s.radius = 0.1f * std::pow(1000.f, uniform(random));
    for (float& e : s.emission) e = 0.5f + 0.5f * uniform(random);
    s.depth = 1;
  }
  return splats;
}

struct Expected {
  double sum = 0, bound = 0;
  bool is_sure = true;
};

// Of a channel of one pixel. A weight is a product or a polynomial of some ten roundings of
// 2⁻²⁴ each, and the classic one has two polynomials that are off by 2e-6 each; in a difference of
// the integrated profile what is rounded is as large as a half; n sums are rounded once each.
template <class Profile, bool kClassic>
Expected expected_at(const std::vector<Splat>& splats, const std::vector<std::uint32_t>& list,
                     int x, int y, int channel) {
  constexpr double kRounded = 0x1p-24;
  Expected pixel;
  int reached = 0;
  double rough = 0;
  for (const std::uint32_t k : list) {
    const Splat& s = splats[k];
    const float dx = float(x - s.ix) - s.fx, dy = float(y - s.iy) - s.fy;
    const bool small = s.radius <= kSmallRadius;
    if (small && (x != s.ix || y != s.iy)) continue;
    const double weight = double(small ? Profile::small_weight(-s.fx, -s.fy, s.radius)
                                       : Profile::weight(dx, dy, s.radius));
    const double emission = double(s.emission[channel]);
    pixel.sum += weight * emission;
    const double d2 = double(dx) * double(dx) + double(dy) * double(dy);
    const double r2 = double(s.radius) * double(s.radius);
    // The classic profile ends in a step, on whose side such a pixel lies by a rounding.
    if (kClassic && std::fabs(d2 - r2) < 1e-5 * r2) pixel.is_sure = false;
    if (weight == 0 && d2 > 1.1 * r2 + 2) continue;
    ++reached;
    // The radial profile near its edge: q⁴ of a difference of numbers near 1.
    const double peak = small ? 1 : kClassic ? weight : Profile::extent(s.radius) > 3 ? 2 / r2 : 1;
    rough += emission * (kClassic ? 6e-6 * weight + 1e-12 : 16 * kRounded * peak);
  }
  pixel.bound = rough + reached * kRounded * pixel.sum;
  return pixel;
}

template <class Profile, bool kClassic>
void check_rows(const std::vector<Version>& versions) {
  const std::vector<Splat> splats = splats_around(900);
  std::vector<std::uint32_t> list;
  for (std::uint32_t k = 0; k < splats.size(); ++k)
    if (k % 3 != 1) list.push_back(k);
  // The tile's last column and row lie beyond the image.
  PlanarTile tile{112, 208, PlanarTile::kWidth - 1, PlanarTile::kHeight - 1, nullptr};
  constexpr std::size_t kSpare = 64;
  std::vector<float> storage(PlanarTile::kFloats + 2 * kSpare);
  tile.rows = storage.data();
  while (reinterpret_cast<std::uintptr_t>(tile.rows) % 64 != 0) ++tile.rows;
  std::vector<Expected> expected;
  for (int y = 0; y < tile.height; ++y)
    for (int x = 0; x < tile.width; ++x)
      for (int c = 0; c < 3; ++c)
        expected.push_back(
            expected_at<Profile, kClassic>(splats, list, tile.x0 + x, tile.y0 + y, c));
  for (const Version& version : versions) {
    INFO(version.name);
    std::fill(storage.begin(), storage.end(), 0.f);
    version.add(tile, splats.data(), list.data(), list.size());
    std::size_t sure = 0, wrong = 0;
    auto pixel = expected.begin();
    for (int y = 0; y < tile.height; ++y)
      for (int x = 0; x < tile.width; ++x)
        for (int c = 0; c < 3; ++c, ++pixel) {
          if (!pixel->is_sure) continue;
          ++sure;
          const double found = double(tile.rows[y * PlanarTile::kRow + c * PlanarTile::kWidth + x]);
          wrong += !(std::fabs(found - pixel->sum) <= pixel->bound);
        }
    CHECK(wrong == 0);
    CHECK(sure > expected.size() / 2);
    float* const end = tile.rows + PlanarTile::kFloats;
    CHECK(std::all_of(tile.rows + tile.height * PlanarTile::kRow, end,
                      [](float v) { return v == 0; }));
    CHECK(std::all_of(end, storage.data() + storage.size(), [](float v) { return v == 0; }));
  }
}

}  // namespace

TEST_CASE("rows of splats are the profiles', by registers of each length") {
  check_rows<FluxProfile, false>(flux_versions());
}

TEST_CASE("rows of classic splats are the profile's, by registers of each length") {
  check_rows<ClassicProfile, true>(classic_versions());
}

// As a camera moves, lists grow and shrink by little.
TEST_CASE("lists of tiles are made in the memory of those before", "[splotch]") {
  constexpr int kSide = 256;
  constexpr std::size_t kMany = 300000, kMore = 303000;
  std::vector<Splat> splats;
  for (std::size_t k = 0; k < kMore; ++k) {
    const int x = int(k * 7919 % kSide), y = int(k / 3 % kSide);
    splats.push_back({x, y, 0.1f, -0.2f, 0.3f, {1, 0.5f, float(k % 5)}, 0});
  }
  const auto drawn = [&](Cpu& cpu, std::size_t count) {
    std::vector<float> image(std::size_t(4) * kSide * kSide);
    splat_on_cpu<Mode::Default>(cpu, splats.data(), count, kSide, kSide, image.data());
    return image;
  };
  Cpu keeps, fresh;
  keeps.keep_freed_memory(true);
  CHECK(drawn(keeps, kMany) == drawn(fresh, kMany));
  const std::size_t kept = keeps.kept_memory();
#if !defined(__SANITIZE_ADDRESS__)  // with which none is kept
  CHECK(kept > 8 * kMany);
#endif
  CHECK(drawn(keeps, kMore) == drawn(fresh, kMore));
  CHECK(keeps.kept_memory() == kept);
  CHECK(drawn(keeps, kMany) == drawn(fresh, kMany));
  CHECK(keeps.kept_memory() == kept);
  CHECK(fresh.kept_memory() == 0);
}

}  // namespace haloscope::compute::splotch
