#pragma once

#include "core/image.h"

namespace haloscope::render {

// A layer (premultiplied RGBA) over an RGB picture of its size; display values.
Image8 under_layer(const Image8& picture, const Image8& layer);

}  // namespace haloscope::render
