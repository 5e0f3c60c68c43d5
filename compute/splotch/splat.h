#pragma once

#include "compute/spatial/points_view.h"
#include "compute/splotch/kernel_profile.h"
#include "compute/splotch/map_kernel.h"
#include "compute/splotch/projection.h"
#include "compute/splotch/settings.h"
#include "core/host_device.h"
#include "core/simd_clones.h"

#include <bit>
#include <cmath>
#include <cstdint>

// One thread per particle: project, cull, classify, color (Rivi et al. 2014, §4, "rasterization").
namespace haloscope::compute::splotch {

// std::fmin and std::floor are library calls on plain x86-64; these are single instructions.
template <class T>
HALOSCOPE_HD inline T smaller(T a, T b) {
  return b < a ? b : a;
}
template <class T>
HALOSCOPE_HD inline T larger(T a, T b) {
  return a < b ? b : a;
}
template <class T>
HALOSCOPE_HD inline int floor_to_int(T x) {
  const int i = int(x);
  return i - (x < T(i) ? 1 : 0);
}

// The columns of one particle type where the executor can read them, in Morton order.
struct Columns {
  std::uint64_t count = 0;
  spatial::Positions position;
  // Never null. Where positions are packed, those of loose blocks alone: read by radius_of().
  const float* radius = nullptr;
  const float* color[3] = {nullptr, nullptr, nullptr};
  const float* weight = nullptr;  // null: uniform_weight
  float uniform_weight = 1;
  float density_color = 0;  // > 0: color[0] is this many over 4π/3 radius³, not a column
  const std::uint8_t* label = nullptr;  // null: none has one

  HALOSCOPE_HD bool packed() const { return position.blocks != nullptr; }
  HALOSCOPE_HD float radius_of(std::uint64_t i) const;
};

// A particle's place and radius as they lie in memory. A kernel reads them ahead: it does not wait
// for them before it unpacks them.
struct StoredPlace {
  spatial::FixedPoint words;
  std::uint32_t rest;  // the radius's bits; of packed particles which one it is
};

struct PlaceAndRadius {
  spatial::FixedPoint at;
  float radius;
};

HALOSCOPE_HD inline StoredPlace load_place(const Columns& columns, std::uint64_t i) {
  return {columns.position.words(i),
          columns.packed() ? std::uint32_t(i) : std::bit_cast<std::uint32_t>(columns.radius[i])};
}

HALOSCOPE_HD inline PlaceAndRadius unpack(const Columns& columns, const StoredPlace& stored) {
  if (!columns.packed()) return {stored.words, std::bit_cast<float>(stored.rest)};
  constexpr std::uint32_t kBlock = spatial::kPointBlock;
  const spatial::PointBlock block = columns.position.blocks[stored.rest / kBlock];
  return {block.place(stored.words),
          block.is_loose()
              ? columns.radius[std::size_t(block.loose) * kBlock + stored.rest % kBlock]
              : block.radius(stored.words)};
}

HALOSCOPE_HD inline float Columns::radius_of(std::uint64_t i) const {
  return packed() ? unpack(*this, load_place(*this, i)).radius : radius[i];
}

// One particle's values, loaded.
struct Particle {
  std::uint32_t x, y, z;
  float radius;
  float color[3];
  float weight;
};

// The same as they lie in memory.
struct StoredParticle {
  StoredPlace place;
  float color[3];
  float weight;
};

HALOSCOPE_HD inline StoredParticle load_stored(const Columns& columns, std::uint64_t i) {
  StoredParticle p{load_place(columns, i), {1, 1, 1}, columns.uniform_weight};
  if (columns.color[0]) p.color[0] = columns.color[0][i];
  if (columns.color[1]) {
    p.color[1] = columns.color[1][i];
    p.color[2] = columns.color[2][i];
  }
  if (columns.weight) p.weight = columns.weight[i];
  return p;
}

HALOSCOPE_HD inline Particle unpack(const Columns& columns, const StoredParticle& stored) {
  const auto [at, radius] = unpack(columns, stored.place);
  Particle p{at.x,         at.y, at.z, radius, {stored.color[0], stored.color[1], stored.color[2]},
             stored.weight};
  if (columns.density_color > 0)
    p.color[0] = columns.density_color * 0.238732415f / (radius * radius * radius);
  return p;
}

HALOSCOPE_HD inline Particle load_particle(const Columns& columns, std::uint64_t i) {
  return unpack(columns, load_stored(columns, i));
}

// One 16-byte load.
struct alignas(16) PaletteNode {
  float r, g, b, unused;
};

// A Tint as the kernels read it: two 16-byte loads.
struct alignas(16) StoredTint {
  float color[3];
  float strength;
  float brightness, unused[3];

  HALOSCOPE_HD bool hides() const { return !(brightness > 0); }
  HALOSCOPE_HD float mixed(float own_color, int channel) const {
    return own_color * (1 - strength) + color[channel] * strength;
  }
  HALOSCOPE_HD float light(float scale) const { return scale * brightness; }
};

// Of particles without labels; leaves no trace in the kernels.
struct NoTint {
  HALOSCOPE_HD bool hides() const { return false; }
  HALOSCOPE_HD float mixed(float own_color, int) const { return own_color; }
  HALOSCOPE_HD float light(float scale) const { return scale; }
};

// Appearance as the kernels read it.
struct Shading {
  Ranging color;
  Ranging intensity;
  float inverse_color_range;  // 1/(high − low), 0 where they are equal
  float inverse_intensity_range;
  const PaletteNode* palette;
  int palette_size;
  float brightness;
  float brightest_color;  // largest channel that a particle's color can have
  float radius_factor;
  float fixed_radius;
  float smooth_factor;
  float min_radius_pixels;
  float weight_factor;  // maps: of the weights
  bool has_color;
  bool vector_color;
  const StoredTint* tints;  // kTints of them; null where no particle has a label
};

enum class Class : std::uint8_t { Inactive, Small, Medium, Large };

// Splats beyond this radius are Large, pixels, but for the paper's scheme (large_radius_of()): a
// GPU may share them with the CPU.
inline constexpr float kLargeRadius = 32;

// A particle on the image. The center is kept as the nearest pixel plus a fraction in [−½, ½), so
// that distances to pixel centers are as precise as the projection was, anywhere on the image.
struct Splat {
  int ix, iy;
  float fx, fy;
  float radius;       // where the kernel ends (classic: w = 0.75 R), pixels
  float emission[3];  // multiplies the kernel's weight
  float depth;
};

// value → [0, 1] (splotch-semantics §1); equal limits give 1.
HALOSCOPE_HD inline float ranged(float value, const Ranging& ranging, float inverse_range) {
  if (ranging.transform == Transform::Log)
    value = value > 0 ? log10f(value) : -38.f;
  else if (ranging.transform == Transform::Asinh)
    value = asinhf(value);
  if (inverse_range == 0) return 1.f;
  value = smaller(ranging.high, larger(ranging.low, value));
  return (value - ranging.low) * inverse_range;
}

// Linear interpolation between the palette's nodes, node k at k/(N−1).
HALOSCOPE_HD inline void palette_color(const Shading& s, float t, float rgb[3]) {
  const float position = t * float(s.palette_size - 1);
  int node = int(position);
  if (node > s.palette_size - 2) node = s.palette_size - 2;
  if (node < 0) node = 0;
  const float f = position - float(node);
  const PaletteNode a = s.palette[node];
  const PaletteNode b = s.palette[s.palette_size > 1 ? node + 1 : node];
  rgb[0] = std::fma(f, b.r - a.r, a.r);
  rgb[1] = std::fma(f, b.g - a.g, a.g);
  rgb[2] = std::fma(f, b.b - a.b, a.b);
}

HALOSCOPE_HD inline void particle_color(const Particle& particle, const Shading& s, float rgb[3]) {
  if (s.vector_color) {
    for (int c = 0; c < 3; ++c) rgb[c] = ranged(particle.color[c], s.color, s.inverse_color_range);
  } else {
    const float t = s.has_color ? ranged(particle.color[0], s.color, s.inverse_color_range) : 1.f;
    palette_color(s, t, rgb);
  }
}

template <Mode M>
struct RealOf {
  using type = float;
};
template <>
struct RealOf<Mode::Classic> {
  using type = double;
};
template <Mode M>
using Real = typename RealOf<M>::type;

// Makes the splat of a particle; returns its class. A splat is Large beyond `large_radius`.
template <Mode M, class Tinting = NoTint>
HALOSCOPE_HD HALOSCOPE_INLINE_IN_CLONES Class make_splat(const Projector<Real<M>>& projector,
                                                         const Particle& particle, const Shading& s,
                                                         float large_radius, Splat& out,
                                                         const Tinting& tint = {}) {
  using R = Real<M>;
  if (tint.hides()) return Class::Inactive;
  typename Projector<R>::Point p;
  if (!projector.project(particle.x, particle.y, particle.z, p)) return Class::Inactive;

  const float stored = s.fixed_radius != 0 ? s.fixed_radius : particle.radius * s.radius_factor;
  float emission_scale;
  R radius;
  if constexpr (M == Mode::Classic) {
    // R0 = 2 r s smooth; R = √(R0² + minrad²); w = 0.75 R; E ∝ 1/(r q), q = R/R0 (§4, §5).
    const R r0 = R(2) * R(stored) * p.scale * R(s.smooth_factor);
    const R full = std::sqrt(std::fma(r0, r0, R(s.min_radius_pixels) * R(s.min_radius_pixels)));
    radius = R(kClassicCut) * full;
    emission_scale = float(R(0.09630491) * r0 / (R(stored) * full));
  } else {
    radius = stored * p.scale * s.smooth_factor;
    // One world length² covers scale² pixels: weight/pixel area is a column density. In a map
    // without a vanishing point that is one number, by which sums are multiplied at the end.
    emission_scale = M == Mode::Map && !projector.perspective ? 1.f : p.scale * p.scale;
    if (projector.perspective) {
      // Soft near plane: a particle fades as the eye enters it and is gone at half its radius.
      const float reach_world = stored * s.smooth_factor;
      if (!(p.depth >= 1.5f * reach_world)) {
        const float t = p.depth / reach_world - 0.5f;
        if (!(t > 0)) return Class::Inactive;
        emission_scale *= t * t * (3.f - 2.f * t);
      }
    }
  }
  if (!(radius >= 0)) return Class::Inactive;  // NaN, and negative radii that reached us

  const R reach = radius <= R(kSmallRadius) ? R(0.5) : R(Profile<M>::extent(float(radius)));
  const bool inside = p.x + reach > R(-0.5) && p.x - reach < R(projector.width) - R(0.5) &&
                      p.y + reach > R(-0.5) && p.y - reach < R(projector.height) - R(0.5);
  if (!inside) return Class::Inactive;

  // Centers of giants saturate, and their reach at twice that: they still cover the image.
  const R x = smaller(R(4e8), larger(R(-4e8), p.x));
  const R y = smaller(R(4e8), larger(R(-4e8), p.y));
  out.ix = floor_to_int(x + R(0.5));
  out.iy = floor_to_int(y + R(0.5));
  out.fx = float(x - R(out.ix));
  out.fy = float(y - R(out.iy));
  out.radius = float(radius);
  out.depth = float(p.depth);

  const float weight = particle.weight;
  if constexpr (M == Mode::Map) {
    // Channel 0: the weight itself; channel 1: weight × field, for means.
    float scale = weight * s.weight_factor * emission_scale;
    if (radius > R(kSmallRadius)) scale /= sampled_sum(out.fx, out.fy, out.radius);
    out.emission[0] = scale;
    out.emission[1] = s.has_color ? scale * particle.color[0] : 0.f;
    out.emission[2] = 0;
    // A weight or a field that is not a number says nothing of the mean.
    if (!(fabsf(out.emission[0]) < 3e38f && fabsf(out.emission[1]) < 3e38f)) return Class::Inactive;
  } else {
    float rgb[3];
    particle_color(particle, s, rgb);
    const float intensity =
        M == Mode::Classic ? ranged(weight, s.intensity, s.inverse_intensity_range) : weight;
    const float scale = tint.light(intensity * s.brightness * emission_scale);
    for (int c = 0; c < 3; ++c) out.emission[c] = tint.mixed(rgb[c], c) * scale;
    // A color or weight that is not a number gives no light.
    const float sum = fabsf(out.emission[0]) + fabsf(out.emission[1]) + fabsf(out.emission[2]);
    if (!(sum < 3e38f)) return Class::Inactive;
  }

  if (out.radius <= kSmallRadius) {
    const bool on_image =
        out.ix >= 0 && out.ix < projector.width && out.iy >= 0 && out.iy < projector.height;
    return on_image ? Class::Small : Class::Inactive;
  }
  return out.radius > large_radius ? Class::Large : Class::Medium;
}

// The same of particle i of some columns, by its label where there are any.
template <Mode M>
HALOSCOPE_HD inline Class make_splat_of(const Projector<Real<M>>& projector, const Columns& columns,
                                        std::uint64_t i, const Shading& s, float large_radius,
                                        Splat& out) {
  const Particle particle = load_particle(columns, i);
  if constexpr (M == Mode::Default)
    if (s.tints)
      return make_splat<M>(projector, particle, s, large_radius, out, s.tints[columns.label[i]]);
  return make_splat<M>(projector, particle, s, large_radius, out);
}

// Pixel columns [first, last] that a splat can touch, clipped to [0, size).
struct PixelRange {
  int first, last;
};
HALOSCOPE_HD inline PixelRange pixel_range(int i, float f, float extent, int low, int size) {
  // First integer > i + f − extent and last < i + f + extent. Giants saturate: the sums fit an int.
  const float reach = smaller(extent, 8e8f);
  const int first = i + floor_to_int(f - reach) + 1;
  const int last = i - floor_to_int(-(f + reach)) - 1;
  return {first < low ? low : first, last > low + size - 1 ? low + size - 1 : last};
}

}  // namespace haloscope::compute::splotch
