#pragma once

#include "render/scene/picture_output.h"
#include "render/scene/render_request.h"

#include <cstddef>
#include <string>

namespace haloscope::render {

// Says which frame's limits or exposure all frames of a film have, and how to give them to another
// film; empty where the request gives the brightness.
std::string exposure_in_words(const RenderRequest& request, const Exposure& exposure,
                              std::size_t frame);

}  // namespace haloscope::render
