#pragma once

#include "compute/exec/buffer.h"
#include "compute/exec/small_upload.h"
#include "compute/splotch/settings.h"
#include "compute/splotch/splat.h"
#include "core/check.h"

#include <algorithm>
#include <cmath>
#include <vector>

// Appearances as the kernels read them.
namespace haloscope::compute::splotch {

// `sample`: of how many particles one is drawn.
inline Shading make_shading(const Appearance& a, const Options& options, int sample,
                            const Columns& columns, const PaletteNode* palette,
                            const StoredTint* tints = nullptr) {
  // Limits so close that the inverse overflows count as equal.
  auto inverse = [](const Ranging& r) {
    const float i = 1.f / (r.high - r.low);
    return r.high == r.low || !std::isfinite(i) ? 0.f : i;
  };
  Shading s{};
  s.color = a.color;
  s.intensity = a.intensity;
  s.inverse_color_range = inverse(a.color);
  s.inverse_intensity_range = inverse(a.intensity);
  s.palette = palette;
  s.palette_size = std::max(1, int(a.palette.size()));
  s.brightness = a.brightness * float(sample);
  // What a negative radius leaves out of a map counts for nothing in its quanta either.
  s.weight_factor = a.fixed_radius < 0 ? 0.f : float(sample);
  s.brightest_color = 1;
  for (const auto& node : a.palette)
    for (const float channel : node)
      s.brightest_color = std::max(s.brightest_color, std::abs(channel));
  if (tints && columns.label && options.mode == Mode::Default) {
    s.tints = tints;
    for (const Tint& tint : a.tints)
      for (const float channel : tint.color)
        s.brightest_color = std::max(s.brightest_color, std::abs(channel));
  }
  s.radius_factor = a.radius_factor;
  s.fixed_radius = a.fixed_radius;
  s.smooth_factor = a.smooth_factor;
  s.min_radius_pixels = options.min_radius_pixels;
  s.has_color = a.uses_color && (columns.color[0] != nullptr || columns.density_color > 0);
  s.vector_color = a.uses_color && columns.color[1] != nullptr;
  return s;
}

// The palettes of all types in the executor's memory.
template <class Exec>
class StoredPalettes {
 public:
  StoredPalettes(Exec& exec, const std::vector<Appearance>& appearances) {
    for (const auto& a : appearances) {
      std::vector<PaletteNode> nodes;
      for (const auto& node : a.palette) nodes.push_back({node[0], node[1], node[2], 0});
      if (nodes.empty()) nodes.push_back({1, 1, 1, 0});
      Buffer<PaletteNode, Exec> b(exec, nodes.size(), "palette");
      upload_small(exec, "palette", b.data(), nodes.data(), nodes.size());
      buffers_.push_back(std::move(b));
    }
  }
  const PaletteNode* operator[](std::size_t type) const { return buffers_[type].data(); }

 private:
  std::vector<Buffer<PaletteNode, Exec>> buffers_;
};

// The tints of all types in the executor's memory, kTints of each; nothing where there are none.
template <class Exec>
class StoredTints {
 public:
  StoredTints(Exec& exec, const std::vector<Appearance>& appearances) {
    if (std::all_of(appearances.begin(), appearances.end(),
                    [](const Appearance& a) { return a.tints.empty(); }))
      return;
    tints_ = Buffer<StoredTint, Exec>(exec, kTints * appearances.size(), "colors of sets");
    std::vector<StoredTint> stored(tints_.size(), StoredTint{{1, 1, 1}, 0, 1, {}});
    for (std::size_t type = 0; type < appearances.size(); ++type) {
      const std::vector<Tint>& tints = appearances[type].tints;
      HALOSCOPE_CHECK(tints.size(), <=, kTints);
      for (std::size_t k = 0; k < tints.size(); ++k)
        stored[kTints * type + k] = {{tints[k].color[0], tints[k].color[1], tints[k].color[2]},
                                     std::clamp(tints[k].strength, 0.f, 1.f),
                                     std::clamp(tints[k].brightness, 0.f, 1.f),
                                     {}};
    }
    upload_small(exec, "colors of sets", tints_.data(), stored.data(), stored.size());
  }
  const StoredTint* operator[](std::size_t type) const {
    return tints_.empty() ? nullptr : tints_.data() + kTints * type;
  }

 private:
  Buffer<StoredTint, Exec> tints_;
};

}  // namespace haloscope::compute::splotch
