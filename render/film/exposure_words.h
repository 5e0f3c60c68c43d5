#pragma once

#include "render/scene/picture_output.h"
#include "render/scene/render_request.h"

#include <cstddef>
#include <string>

namespace haloscope::render {

// What all frames of a film have from one of them, and how to give it to another film; empty where
// the request gives it.
std::string exposure_in_words(const RenderRequest& request, const Exposure& exposure,
                              std::size_t frame);

}  // namespace haloscope::render
