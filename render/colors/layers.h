#pragma once

#include "core/image.h"

namespace haloscope::render {

// An RGB picture as a layer that covers all.
Image8 opaque(const Image8& picture);

// A layer (premultiplied RGBA) over an RGB picture of its size; display values.
Image8 under_layer(const Image8& picture, const Image8& layer);

}  // namespace haloscope::render
