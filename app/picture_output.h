#pragma once

#include "app/render_request.h"
#include "compute/splotch/renderer.h"
#include "render/image_file.h"

#include <string>
#include <vector>

namespace haloscope::app {

// Throws Error unless `request.output` has an extension that its mode can be written as, and can be
// written at all. Called before anything is read.
void require_output(const RenderRequest& request);

// Turns a frame of default or classic mode into the file `request.output`. Returns sentences about
// what was chosen (exposure, brightness).
std::vector<std::string> write_picture(const RenderRequest& request,
                                       const compute::splotch::Frame& frame,
                                       const render::ImageText& text);

}  // namespace haloscope::app
