#pragma once

#include "compute/splotch/settings.h"
#include "core/domain.h"
#include "core/host_device.h"

#include <cmath>
#include <cstdint>

namespace haloscope::compute::splotch {

// The camera as the kernels need it. Positions reach camera space as
//   p' = R (p − anchor) · step + anchor',
// where p − anchor is an exact wrapping integer difference and anchor' = R (anchor − eye) was
// computed in double. The anchor is the target where the domain is periodic (so each particle
// appears at its image nearest to the target, as in Splotch) or the view has no vanishing point, so
// that zooming in on the target never jitters; otherwise it is the eye, or the domain's point
// nearest to it.
//
// Real is double in classic mode, whose hard kernel edge must fall on the right side of every
// pixel, and float otherwise. Every multiply-add is an explicit fma, so that both executors round
// alike and put each particle in the same class.
template <class Real>
struct Projector {
  std::uint32_t anchor[3];
  Real step;
  Real anchor_in_camera[3];  // right, up, back
  Real rotation[3][3];       // rows: right, up, back
  Real pixels_per_tangent;   // h/F: perspective scale is this over depth
  Real ortho_scale;          // pixels per world length; used when not perspective
  Real center_x, center_y;   // pixel coordinates of the line of sight
  Real y_sign;               // −1 in right-way-up images, whose row 0 is on top
  Real z_near, z_far;
  // Kept: at most `planes_span` steps of the lattice above `planes_low`, along an axis; all steps
  // where the view has no planes.
  std::uint32_t planes_low, planes_span;
  int planes_axis;
  int width, height;
  bool perspective;

  struct Point {
    Real x, y;   // pixel coordinates; integer = center of a pixel
    Real depth;  // along the line of sight, positive in front of the eye
    Real scale;  // pixels per world length at that depth
  };

  // Offsets from the anchor, world length → camera space: right, up, back.
  HALOSCOPE_HD void to_camera(Real dx, Real dy, Real dz, Real out[3]) const {
    using std::fma;
    for (int row = 0; row < 3; ++row)
      out[row] = fma(rotation[row][0], dx,
                     fma(rotation[row][1], dy, fma(rotation[row][2], dz, anchor_in_camera[row])));
  }

  // Whether a point lies between the view's planes. Differences wrap as positions do, so that
  // planes on both sides of a periodic box's edge need no case of their own.
  HALOSCOPE_HD bool between_planes(std::uint32_t px, std::uint32_t py, std::uint32_t pz) const {
    const std::uint32_t at = planes_axis == 0 ? px : planes_axis == 1 ? py : pz;
    return at - planes_low <= planes_span;
  }

  // Returns whether the point lies between the depth limits and the planes.
  HALOSCOPE_HD bool project(std::uint32_t px, std::uint32_t py, std::uint32_t pz,
                            Point& out) const {
    using std::fma;
    if (!between_planes(px, py, pz)) return false;
    Real camera[3];
    to_camera(Real(std::int32_t(px - anchor[0])) * step, Real(std::int32_t(py - anchor[1])) * step,
              Real(std::int32_t(pz - anchor[2])) * step, camera);
    const Real depth = -camera[2];
    if (!(depth > z_near && depth < z_far)) return false;
    const Real xr = camera[0];
    const Real yr = camera[1];
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
