#pragma once

namespace haloscope {

// sRGB's transfer function (IEC 61966-2-1): display value → linear light, both in [0, 1].
float srgb_to_linear(float display);
// And back.
float linear_to_srgb(float linear);

}  // namespace haloscope
