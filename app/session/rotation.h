#pragma once

#include "app/session/camera.h"
#include "core/vector_math.h"

namespace haloscope::app::session {

using haloscope::dot;
using haloscope::plus;

// The vector after the rotation.
Vec turned(const Rotation& rotation, const Vec& vector);

// First `second`, then `first`; normalized, so that thousands of steps stay a rotation.
Rotation operator*(const Rotation& first, const Rotation& second);

// About an axis of unit length; counterclockwise seen from its tip.
Rotation about(const Vec& axis, double degrees);

// A camera that has `behind` (any length) at its back and `up` as nearly up as can be.
Rotation facing(const Vec& behind, const Vec& up);

// Along the great circle between two, the shorter way (slerp; Shoemake 1985, SIGGRAPH 19, 245).
Rotation between(const Rotation& from, const Rotation& to, double fraction);

}  // namespace haloscope::app::session
