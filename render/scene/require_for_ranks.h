#pragma once

#include "render/scene/render_request.h"

namespace haloscope::render {

// Throws Error for what several ranks cannot draw yet.
void require_for_ranks(const RenderRequest& request);

}  // namespace haloscope::render
