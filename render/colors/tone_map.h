#pragma once

#include "compute/splotch/light_quantiles.h"
#include "core/image.h"

namespace haloscope::render {

// How the default mode's linear light becomes display values. Light here means the largest of the
// three color components: a stretch of that keeps hues, and every stretched color can be shown.
//   v = asinh(light / softening) / asinh(white / softening)
// is linear for faint light and logarithmic above `softening` (Lupton et al. 2004, PASP 116, 133,
// who stretch the components' mean), so that voids, filaments and halos, four to five decades
// apart, are seen together. v is a display value (sRGB-encoded); 1 is reached at `white`.
struct ToneCurve {
  double softening = 1;
  double white = 1;
};

// The curve that shows a picture well: the brightest thousandth of the pixels that received light
// is white, and their median lies at a dark gray. Robust against single bright particles; a uniform
// picture comes out as a middle gray. Pixels that are not finite are left out. A picture without
// light gets the default curve.
ToneCurve choose_tone_curve(const ImageF& frame);
compute::splotch::LightQuantiles light_quantiles(const ImageF& frame);
// The same from a picture's quantiles, which a GPU finds of one that is not on the host.
ToneCurve choose_tone_curve(const compute::splotch::LightQuantiles& light);

// Linear light (3 channels) → sRGB bytes. `exposure` multiplies the light first. Beyond white,
// colors go over to white, as on film. Values that are not finite or negative count as 0. `gamma`:
// display values in [0, 1] to this power after all else.
Image8 tone_map(const ImageF& frame, const ToneCurve& curve, double exposure, double gamma = 1);

// Whether any pixel received light.
bool has_light(const ImageF& frame);

}  // namespace haloscope::render
