#include "analysis/halos/halo_colors.h"

#include "analysis/halos/halo_search.h"
#include "core/error.h"
#include "core/srgb.h"

#include <tbb/parallel_for.h>

#include <algorithm>

namespace haloscope::analysis {

namespace {

// Hues in the manner of Okabe and Ito (2008, "Color Universal Design"), with violets in place of
// their dark blue and purple. The largest component is 1 in each, for that is what the tone curve
// takes for the light: a halo's brightness goes on telling its column density. In this order
// neighbors differ most in CIE L*a*b* to normal, protan and deutan eyes (Machado et al. 2009).
constexpr std::array<std::array<float, 3>, kHaloColors> kColors{{
    {0.373f, 0.773f, 1.000f},  // sky blue
    {1.000f, 0.694f, 0.000f},  // orange
    {0.604f, 0.361f, 1.000f},  // violet
    {0.000f, 1.000f, 0.737f},  // bluish green
    {0.392f, 0.561f, 1.000f},  // blue
    {1.000f, 0.949f, 0.278f},  // yellow
    {1.000f, 0.290f, 0.690f},  // magenta
    {1.000f, 0.447f, 0.000f},  // vermilion
}};

// Linear light of particles in no halo: filaments are still seen beside the halos, and add little
// gray to the halos behind them.
constexpr float kGround = 0.035f;

}  // namespace

HaloColors halo_colors(const HaloSearch& search, const HaloOptions& options) {
  HaloColors colors;
  const auto& types = search.particles.types;
  colors.halos = search.members.halos(types.size());
  colors.options = options;
  colors.linking_length = search.linking_length;
  for (std::size_t k = 0; k < types.size(); ++k) {
    if (!search.has_members(types[k].type)) continue;
    std::vector<std::uint8_t> read(types[k].count);
    tbb::parallel_for(std::uint64_t(0), colors.halos, [&](std::uint64_t halo) {
      for (const std::uint32_t row : search.members.run(halo, k, types.size()))
        read[row] = std::uint8_t(1 + halo % kHaloColors);
    });
    // Rows that were not read are in no halo.
    auto& places = colors.places[types[k].type];
    places.reserve(read.size() + types[k].rejected_rows.size());
    auto next = read.begin();
    for (const std::uint64_t row : types[k].rejected_rows) {
      const auto until = next + std::ptrdiff_t(row - places.size());
      places.insert(places.end(), next, until);
      places.push_back(0);
      next = until;
    }
    places.insert(places.end(), next, read.end());
  }
  return colors;
}

const std::array<float, 3>& display_color(std::uint64_t halo) {
  return kColors[halo % kHaloColors];
}

std::vector<float> color_values(const HaloColors& colors, int type, std::uint64_t count,
                                const std::vector<std::uint64_t>& rejected) {
  std::vector<float> values(count);
  const auto found = colors.places.find(type);
  if (found == colors.places.end()) return values;
  const auto& places = found->second;
  if (places.size() != count + rejected.size())
    throw Error("the halos are those of other particles than are shown", "color_by_halo",
                "find the halos again");
  auto left_out = rejected.begin();
  std::size_t at = 0;
  for (std::size_t row = 0; row < places.size(); ++row) {
    if (left_out != rejected.end() && *left_out == row)
      ++left_out;
    else
      values[at++] = float(places[row]);
  }
  return values;
}

void look_like_halos(compute::splotch::Appearance& appearance) {
  // A power of two of colors: values meet the palette's nodes without rounding.
  appearance.color = {compute::splotch::Transform::Linear, 0, float(kHaloColors)};
  appearance.palette = {{kGround, kGround, kGround}};
  for (auto color : kColors) {
    for (float& component : color) component = srgb_to_linear(component);
    appearance.palette.push_back(color);
  }
}

}  // namespace haloscope::analysis
