#pragma once

#include "compute/exec/device.h"
#include "compute/exec/ranks.h"
#include "render/scene/render_request.h"

namespace haloscope::render {

// Whether several ranks can draw it together.
bool can_be_drawn_by_ranks(const RenderRequest& request);
// Throws Error for what they cannot draw yet.
void require_for_ranks(const RenderRequest& request);

// Where this rank computes. All ranks call it. Throws Error as choose_device_of_rank().
compute::Device device_of_rank(const ComputeRequest& request, compute::Ranks& ranks);

}  // namespace haloscope::render
