#include "render/scene/slab_choice.h"

#include "core/vector_math.h"

#include <algorithm>
#include <limits>

namespace haloscope::render {

compute::splotch::View with_slab(const compute::splotch::View& view, const SlabChoice& slab) {
  compute::splotch::View cut = view;
  if (slab.axis) cut.planes = compute::splotch::Planes{*slab.axis, slab.low, slab.high};
  if (!slab.thickness) return cut;
  const double distance = length(minus(view.target, view.eye)), half = *slab.thickness / 2;
  double nearest = distance - half;
  // What lies behind the eye of a perspective is not seen; an orthographic view takes 0 for no
  // limit.
  if (view.perspective) nearest = std::max(nearest, view.z_near);
  if (nearest == 0 && !view.perspective) nearest = std::numeric_limits<float>::denorm_min();
  cut.z_near = nearest;
  cut.z_far = std::min(view.z_far, distance + half);
  return cut;
}

}  // namespace haloscope::render
