#pragma once

#include "analysis/halos/halo_options.h"
#include "compute/splotch/settings.h"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace haloscope::analysis {

struct HaloSearch;

// Colors of halos; halo n has the one at n modulo their number.
inline constexpr std::size_t kHaloColors = 8;

// Which color each particle has when particles are colored by their halo.
struct HaloColors {
  // Per type that was searched, per row of the file: 0 in no halo, else 1 + the color's place.
  std::map<int, std::vector<std::uint8_t>> places;
  std::uint64_t halos = 0;
  HaloOptions options;        // of their search
  double linking_length = 0;  // code units
};

HaloColors halo_colors(const HaloSearch& search, const HaloOptions& options);

// The display color of a halo. The hues alternate between bluish and yellowish ones, which readers
// of all common kinds of color vision tell apart, so that consecutive halos never look alike.
const std::array<float, 3>& display_color(std::uint64_t halo);

// One value per particle of a type as it was read, without the rows `rejected`, for
// Renderer::recolor(); types that were not searched are in no halo. Throws Error where the file has
// other particles than those that were searched.
std::vector<float> color_values(const HaloColors& colors, int type, std::uint64_t count,
                                const std::vector<std::uint64_t>& rejected);

// How a type looks with those values: halos in their colors, all else a dim gray.
void look_like_halos(compute::splotch::Appearance& appearance);

}  // namespace haloscope::analysis
