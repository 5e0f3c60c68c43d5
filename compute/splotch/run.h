#pragma once

#include "compute/splotch/splat.h"
#include "core/host_device.h"

#include <cmath>
#include <cstdint>

// Particles in Morton order, kRun at a time, lie close together: a run's bounding box tells whether
// any of them can be seen, and where on the image they fall, before any of them is read.
namespace haloscope::compute::splotch {

inline constexpr int kRun = 256;

constexpr std::uint64_t whole_runs(std::uint64_t particles) {
  return (particles + kRun - 1) / kRun * kRun;
}

struct Run {
  std::uint32_t low[3] = {~0u, ~0u, ~0u},
                high[3] = {0, 0, 0};         // inclusive, in the domain's lattice
  float min_radius = 3e38f, max_radius = 0;  // stored radii
  float min_weight = 3e38f;                  // of weight
  float max_weight = 0;                      // of |weight|
};

// Where the centers of a run's particles fall on the image, and how far their splats reach from
// there, in pixels.
struct RunBounds {
  float x0, y0, x1, y1;
  float reach;
  float emission[3];   // no splat of the run exceeds it, by channel
  float least_radius;  // no splat of the run is smaller, in pixels
  bool visible;
  bool bounded;  // false: near the eye or across the periodic seam, x0 … y1 mean nothing
  // All its splats lie between the depth limits, none fades before the eye or lies so far from the
  // image that a PackedSplat cannot hold it, and the view has no planes.
  bool plain;
  bool within;  // all its splats lie whole on the image
};

// Largest radius in pixels that a particle of stored radius `radius` has at `scale`.
template <Mode M>
HALOSCOPE_HD inline float radius_on_image(const Shading& s, float radius, float scale) {
  const float stored = s.fixed_radius != 0 ? s.fixed_radius : radius * s.radius_factor;
  const float r = stored * scale * s.smooth_factor;
  if constexpr (M == Mode::Classic)
    return float(kClassicCut) * sqrtf(4.f * r * r + s.min_radius_pixels * s.min_radius_pixels);
  else
    return r;
}

// An upper bound of the emission of a run's splats by channel, given the largest scale in it.
template <Mode M>
HALOSCOPE_HD inline void bound_emission(const Shading& s, const Run& run, float scale,
                                        float out[3]) {
  constexpr float kRounding = 1.001f;
  float bound;
  if constexpr (M == Mode::Classic) {
    // 0.0963 r0/(r R) is at most 0.0963/r, and at most 0.0963 · 2 s smooth/minrad.
    const float smallest = s.fixed_radius != 0 ? s.fixed_radius : run.min_radius * s.radius_factor;
    bound = 0.0964f / smallest;
    if (s.min_radius_pixels > 0)
      bound = smaller(bound, 0.1928f * scale * s.smooth_factor / s.min_radius_pixels);
    bound *= fabsf(s.brightness) * s.brightest_color;
  } else {
    bound = scale * scale * run.max_weight * fabsf(s.brightness) * s.brightest_color;
  }
  for (int c = 0; c < 3; ++c) out[c] = kRounding * bound;
}

template <Mode M>
HALOSCOPE_HD inline RunBounds bound_run(const Projector<Real<M>>& p, const Shading& s,
                                        const Run& run) {
  RunBounds out{0, 0, 0, 0, 0, {0, 0, 0}, 0, true, false, false, false};
  Real<M> low[3], high[3];
  float size = 0;  // largest distance from the anchor, for the rounding of what follows
  for (int a = 0; a < 3; ++a) {
    const auto l = std::int32_t(run.low[a] - p.anchor[a]);
    const auto h = std::int32_t(run.high[a] - p.anchor[a]);
    if (h < l) return out;  // the periodic seam runs through it
    low[a] = Real<M>(l) * p.step;
    high[a] = Real<M>(h) * p.step;
    size +=
        larger(fabsf(float(low[a])), fabsf(float(high[a]))) + fabsf(float(p.anchor_in_camera[a]));
  }
  float nearest = 3e38f, farthest = -3e38f;
  float x0 = 3e38f, y0 = 3e38f, x1 = -3e38f, y1 = -3e38f;
  bool in_front = true;
  for (int corner = 0; corner < 8; ++corner) {
    Real<M> camera[3];
    p.to_camera(corner & 1 ? high[0] : low[0], corner & 2 ? high[1] : low[1],
                corner & 4 ? high[2] : low[2], camera);
    const float depth = -float(camera[2]);
    nearest = fminf(nearest, depth);
    farthest = fmaxf(farthest, depth);
    if (p.perspective && !(depth > 0)) {
      in_front = false;
      continue;
    }
    const float scale = p.perspective ? float(p.pixels_per_tangent) / depth : float(p.ortho_scale);
    const float x = scale * float(camera[0]) + float(p.center_x);
    const float y = scale * float(p.y_sign) * float(camera[1]) + float(p.center_y);
    x0 = fminf(x0, x);
    x1 = fmaxf(x1, x);
    y0 = fminf(y0, y);
    y1 = fmaxf(y1, y);
  }
  // Rounding of the corners must not hide a particle: allow a few float32 steps.
  const float slack = 1e-6f * size + 1e-30f;
  out.visible = farthest + slack > float(p.z_near) && nearest - slack < float(p.z_far);
  if (!out.visible || !in_front) return out;
  const float depth = fmaxf(nearest - slack, float(p.z_near));
  const float scale = p.perspective ? float(p.pixels_per_tangent) / depth : float(p.ortho_scale);
  out.bounded = true;
  out.reach = radius_on_image<M>(s, run.max_radius, scale) + 1.f;
  // A hair less than the scale of the farthest corner: rounding must not make it too large.
  const float least = p.perspective ? float(p.pixels_per_tangent) / (farthest + slack) : scale;
  out.least_radius = 0.999f * radius_on_image<M>(s, run.min_radius, least);
  bound_emission<M>(s, run, scale, out.emission);
  // A dozen float32 roundings of lengths up to `size`, in pixels.
  const float margin = 0.01f + 1e-6f * size * scale;
  out.x0 = x0 - margin;
  out.y0 = y0 - margin;
  out.x1 = x1 + margin;
  out.y1 = y1 + margin;
  out.visible = out.x1 + out.reach > -1.f && out.x0 - out.reach < float(p.width) &&
                out.y1 + out.reach > -1.f && out.y0 - out.reach < float(p.height);
  const float stored = s.fixed_radius != 0 ? s.fixed_radius : run.max_radius * s.radius_factor;
  const float fades_within = p.perspective ? 1.501f * stored * s.smooth_factor : -3e38f;
  constexpr float kBefore = -16000, kBehind = 48000;  // PackedRange's, and room for rounding
  out.plain = p.planes_span == ~std::uint32_t(0) && out.least_radius >= 0 && out.reach < 9e4f &&
              nearest - slack > larger(float(p.z_near), fades_within) &&
              farthest + slack < float(p.z_far) && out.x0 > kBefore && out.y0 > kBefore &&
              out.x1 < kBehind && out.y1 < kBehind;
  out.within = out.x0 - out.reach > 0 && out.x1 + out.reach < float(p.width - 1) &&
               out.y0 - out.reach > 0 && out.y1 + out.reach < float(p.height - 1);
  return out;
}

}  // namespace haloscope::compute::splotch
