#pragma once

#include "analysis/selection/set_members.h"
#include "compute/exec/device.h"
#include "core/progress.h"
#include "render/scene/render_request.h"
#include "render/scene/shown_sets.h"

#include <string>

namespace haloscope::render {

// A sentence of why pictures of the request cannot show the sets that it wants shown; empty: they
// can, or none is wanted.
std::string why_no_sets(const RenderRequest& request);

// Who is in the sets that a request wants shown, in a snapshot of its series; none where it wants
// none. Throws as analysis::members_of_sets.
ShownSets search_sets(const RenderRequest& request, const std::string& snapshot,
                      compute::Device device, analysis::KnownIds& known, Progress& progress);

}  // namespace haloscope::render
