#pragma once

#include "compute/splotch/settings.h"
#include "core/domain.h"
#include "core/host_device.h"

#include <cmath>
#include <cstdint>

namespace haloscope::compute::splotch {

// The camera as the kernels need it. Positions reach camera space as
//   d = (p − anchor) · step + anchor_minus_eye,  p' = R d,
// where p − anchor is an exact wrapping integer difference: for a periodic domain the anchor is the
// target (so each particle appears at its image nearest to the target, as in Splotch), otherwise
// the eye or the domain's point nearest to it.
//
// Real is double in classic mode, whose hard kernel edge must fall on the right side of every
// pixel, and float otherwise. Every multiply-add is an explicit fma, so that both executors round
// alike and put each particle in the same class.
template <class Real>
struct Projector {
  std::uint32_t anchor[3];
  Real step;
  Real anchor_minus_eye[3];
  Real rotation[3][3];      // rows: right, up, back
  Real pixels_per_tangent;  // h/F: perspective scale is this over depth
  Real ortho_scale;         // pixels per world length; used when not perspective
  Real center_x, center_y;  // pixel coordinates of the line of sight
  Real y_sign;              // −1 in right-way-up images, whose row 0 is on top
  Real z_near, z_far;
  int width, height;
  bool perspective;

  struct Point {
    Real x, y;   // pixel coordinates; integer = center of a pixel
    Real depth;  // along the line of sight, positive in front of the eye
    Real scale;  // pixels per world length at that depth
  };

  // Returns whether the point lies between the depth limits.
  HALOSCOPE_HD bool project(std::uint32_t px, std::uint32_t py, std::uint32_t pz,
                            Point& out) const {
    using std::fma;
    const Real dx = fma(Real(std::int32_t(px - anchor[0])), step, anchor_minus_eye[0]);
    const Real dy = fma(Real(std::int32_t(py - anchor[1])), step, anchor_minus_eye[1]);
    const Real dz = fma(Real(std::int32_t(pz - anchor[2])), step, anchor_minus_eye[2]);
    const Real depth = -fma(rotation[2][0], dx, fma(rotation[2][1], dy, rotation[2][2] * dz));
    if (!(depth > z_near && depth < z_far)) return false;
    const Real xr = fma(rotation[0][0], dx, fma(rotation[0][1], dy, rotation[0][2] * dz));
    const Real yr = fma(rotation[1][0], dx, fma(rotation[1][1], dy, rotation[1][2] * dz));
    out.depth = depth;
    out.scale = perspective ? pixels_per_tangent / depth : ortho_scale;
    out.x = fma(out.scale, xr, center_x);
    out.y = fma(out.scale * y_sign, yr, center_y);
    return true;
  }
};

// Prepares the projector of a view. Throws Error where eye and target coincide, `up` is parallel to
// the line of sight, or the size or fov is out of range. Source: splotch-semantics §3 for classic.
template <class Real>
Projector<Real> make_projector(const View& view, const Domain& domain, Mode mode);

}  // namespace haloscope::compute::splotch
