#include "compute/splotch/simd_rows.h"

#include "core/simd_clones.h"
#include "tests/catch.h"

#include <cmath>
#include <random>
#include <vector>

// Rows of splats in a tile by registers of each length, beside the profiles pixel by pixel.

namespace haloscope::compute::splotch {

using AddSplats = void(const PlanarTile&, const Splat*, const std::uint32_t*, std::size_t);
#if HALOSCOPE_HAS_SIMD_CLONES
AddSplats add_flux_splats_16, add_flux_splats_32, add_flux_splats_64, add_classic_splats_16,
    add_classic_splats_32, add_classic_splats_64;
#endif

namespace {

struct Rows {
  const char* name;
  AddSplats* add;
};

std::vector<Rows> flux_rows() {
  std::vector<Rows> all{{"chosen", add_flux_splats}};
#if HALOSCOPE_HAS_SIMD_CLONES
  all.push_back({"16", add_flux_splats_16});
  if (register_bytes() >= 32) all.push_back({"32", add_flux_splats_32});
  if (register_bytes() >= 64) all.push_back({"64", add_flux_splats_64});
#endif
  return all;
}

std::vector<Rows> classic_rows() {
  std::vector<Rows> all{{"chosen", add_classic_splats}};
#if HALOSCOPE_HAS_SIMD_CLONES
  all.push_back({"16", add_classic_splats_16});
  if (register_bytes() >= 32) all.push_back({"32", add_classic_splats_32});
  if (register_bytes() >= 64) all.push_back({"64", add_classic_splats_64});
#endif
  return all;
}

// Centers in the tile and around it, radii of a fraction of a pixel to more than the tile.
std::vector<Splat> made_splats(std::size_t count) {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> uniform(0, 1);
  std::vector<Splat> splats(count);
  for (Splat& s : splats) {
    s.ix = int(90 + 80 * uniform(random));
    s.iy = int(180 + 120 * uniform(random));
    s.fx = uniform(random) - 0.5f;
    s.fy = uniform(random) - 0.5f;
    s.radius = 0.1f * std::pow(1000.f, uniform(random));
    for (float& e : s.emission) e = uniform(random);
    s.depth = 1;
  }
  return splats;
}

template <class Profile>
void check_rows(const std::vector<Rows>& all) {
  const std::vector<Splat> splats = made_splats(3000);
  std::vector<std::uint32_t> list;
  for (std::uint32_t k = 0; k < splats.size(); k += 1 + k % 2) list.push_back(k);
  // The tile's last column and row lie beyond the image.
  PlanarTile tile{112, 208, PlanarTile::kWidth - 1, PlanarTile::kHeight - 1, nullptr};
  std::vector<float> storage(PlanarTile::kFloats + 16);
  tile.rows = storage.data();
  while (reinterpret_cast<std::uintptr_t>(tile.rows) % 64 != 0) ++tile.rows;
  for (const Rows& way : all) {
    INFO(way.name);
    std::fill_n(tile.rows, PlanarTile::kFloats, 0.f);
    way.add(tile, splats.data(), list.data(), list.size());
    double farthest = 0, total = 0;
    for (int y = 0; y < tile.height; ++y)
      for (int x = 0; x < tile.width; ++x)
        for (int c = 0; c < 3; ++c) {
          double sum = 0;
          for (const std::uint32_t k : list) {
            const Splat& s = splats[k];
            const float dx = float(tile.x0 + x - s.ix) - s.fx,
                        dy = float(tile.y0 + y - s.iy) - s.fy;
            const bool small = s.radius <= kSmallRadius;
            if (small && (tile.x0 + x != s.ix || tile.y0 + y != s.iy)) continue;
            sum += double(small ? Profile::small_weight(dx, dy, s.radius)
                                : Profile::weight(dx, dy, s.radius)) *
                   double(s.emission[c]);
          }
          const double found = double(tile.rows[y * PlanarTile::kRow + c * PlanarTile::kWidth + x]);
          farthest = std::max(farthest, std::fabs(found - sum));
          total += sum;
        }
    CHECK(total > 100);
    // Weights are off by some 2e-6 of the largest, which is 1; sums of up to 2000 by 2e-7 of each.
    CHECK(farthest < 2e-6 * double(list.size()) * 0.5);
    CHECK(farthest < 1e-4 * total);
  }
}

}  // namespace

TEST_CASE("rows of splats are the profiles', by registers of each length") {
  check_rows<FluxProfile>(flux_rows());
}

TEST_CASE("rows of classic splats are the profile's, by registers of each length") {
  check_rows<ClassicProfile>(classic_rows());
}

}  // namespace haloscope::compute::splotch
