#include "compute/splotch/projection.h"

#include "compute/splotch/planes_span.h"
#include "core/error.h"
#include "core/vector_math.h"

#include <algorithm>
#include <numbers>

namespace haloscope::compute::splotch {

namespace {

Vec unit_or_throw(const Vec& a, const char* fault) {
  const double size = length(a);
  if (!(size > 0) || !std::isfinite(size)) throw Error(fault, "camera", "move the camera");
  return unit(a);
}

void check(const View& view) {
  if (view.width < 1 || view.height < 1 || view.width > 16384 || view.height > 16384)
    throw Error("an image of " + std::to_string(view.width) + "x" + std::to_string(view.height) +
                    " pixels cannot be made",
                "image size", "choose sides from 1 to 16384");
  if (view.perspective && !(view.fov_degrees > 0 && view.fov_degrees < 180))
    throw Error("a field of view of " + std::to_string(view.fov_degrees) + " degrees is impossible",
                "camera", "choose one between 0 and 180");
}

// In steps of the lattice.
template <class Real>
void set_planes(const std::optional<Planes>& planes, const Domain& domain, Projector<Real>& p) {
  constexpr std::uint32_t kAll = 0xffffffff;
  p.planes_axis = 0;
  p.planes_low = 0;
  p.planes_span = kAll;
  if (!planes) return;
  const int axis = int(planes->axis);
  double low = planes->low, span = planes_span(*planes, domain.periodic ? domain.side : 0);
  if (domain.periodic) {
    if (!(span < domain.side)) return;
  } else {
    // Points fill the middle half of the domain: nothing is lost at its ends.
    const double begin = domain.origin[planes->axis], end = begin + domain.side * (1 - 1e-9);
    low = std::clamp(low, begin, end);
    span = std::clamp(planes->high, low, end) - low;
  }
  p.planes_axis = axis;
  p.planes_low = domain.to_fixed(low, axis);
  p.planes_span = std::uint32_t(std::min(span / domain.step(), double(kAll)));
}

}  // namespace

template <class Real>
Projector<Real> make_projector(const View& view, const Domain& domain, Mode mode) {
  check(view);
  // With a stereo center both eyes have its axes and its distance to the target; positions stay
  // relative to the eye.
  const Vec middle = view.stereo_center.value_or(view.eye);
  const Vec line = minus(middle, view.target);
  const Vec back = unit_or_throw(line, "eye and target are the same point");
  const Vec right =
      unit_or_throw(cross(view.up, back), "the up direction is along the line of sight");
  const Vec up = cross(back, right);

  Projector<Real> p{};
  const Vec* rows[3] = {&right, &up, &back};
  for (int row = 0; row < 3; ++row)
    for (int axis = 0; axis < 3; ++axis)
      p.rotation[row][axis] = Real((*rows[row])[std::size_t(axis)]);

  Vec anchor_minus_eye{};
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = std::size_t(axis);
    double anchor = view.target[a];
    if (!domain.periodic) {
      // Points fill the middle half of a non-periodic domain, so no difference to a point of that
      // half wraps.
      const double low = domain.origin[a] + 0.25 * domain.side;
      anchor =
          std::clamp(view.perspective ? view.eye[a] : view.target[a], low, low + 0.5 * domain.side);
    }
    p.anchor[axis] = domain.to_fixed(anchor, axis);
    double anchor_world = domain.to_world(p.anchor[axis], axis);
    // A periodic target may lie outside the box: its lattice point is one of its images.
    if (domain.periodic)
      anchor_world += std::round((anchor - anchor_world) / domain.side) * domain.side;
    anchor_minus_eye[a] = anchor_world - view.eye[a];
  }
  for (int row = 0; row < 3; ++row)
    p.anchor_in_camera[row] = Real(dot(*rows[row], anchor_minus_eye));
  p.step = Real(domain.step());

  const double half_width = 0.5 * view.width;
  const double tangent = std::tan(0.5 * view.fov_degrees * std::numbers::pi / 180);
  const double distance = length(line);
  p.pixels_per_tangent = Real(half_width / tangent);
  p.ortho_scale = Real(view.ortho_width > 0 ? view.width / view.ortho_width
                                            : half_width / (tangent * distance));
  // Classic: the pixel index itself is the sample position. Otherwise pixel i covers [i, i+1) of
  // the image, so its center lies at i + 1/2, and the line of sight at width/2.
  const double half_pixel = mode == Mode::Classic ? 0 : 0.5;
  double center_x = half_width - half_pixel + view.line_of_sight[0];
  double center_y = 0.5 * view.height - half_pixel + view.line_of_sight[1];
  if (view.stereo_center) {
    const Vec offset = minus(middle, view.eye);
    center_x -= half_width / (tangent * distance) * dot(right, offset);
    center_y -= half_width / (tangent * distance) * dot(up, offset);
  }
  p.center_x = Real(center_x);
  p.center_y = Real(center_y);
  p.y_sign = mode == Mode::Classic ? Real(1) : Real(-1);
  // Orthographic views of our own see all depths unless told otherwise.
  const bool unlimited = !view.perspective && mode != Mode::Classic && view.z_near == 0;
  p.z_near = unlimited ? Real(-1e30) : Real(view.z_near);
  p.z_far = Real(view.z_far);
  p.width = view.width;
  p.height = view.height;
  p.perspective = view.perspective;
  set_planes(view.planes, domain, p);
  return p;
}

template Projector<float> make_projector<float>(const View&, const Domain&, Mode);
template Projector<double> make_projector<double>(const View&, const Domain&, Mode);

}  // namespace haloscope::compute::splotch
