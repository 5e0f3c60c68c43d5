#pragma once

#include "core/image.h"

#include <vector>

namespace haloscope::test {

struct PictureArea {
  int x = 0, y = 0, width = 0, height = 0;  // pixels from the upper left
};

// How differently two pictures look: the greatest color difference ΔE*ab of CIELAB (CIE 1976, D65)
// anywhere in them, after the blur of the eye. As in S-CIELAB (Zhang & Wandell 1997, J. Soc. Inf.
// Display 5, 61) the blur comes before the difference, in linear light.
struct PictureDistance {
  double detail = 0;      // blurred by sigma 1.4 pixels: letters, circles, points
  double area = 0;        // blurred by sigma 8.5 pixels: brightness and hue of parts of the picture
  int x = 0, y = 0;       // where detail is greatest
  bool same_size = true;  // else the distances say nothing
};

// Of two sRGB pictures of 3 components; nothing is compared inside `left_out`.
PictureDistance picture_distance(const Image8& one, const Image8& other,
                                 const std::vector<PictureArea>& left_out = {});

// A difference of 2.3 is just noticed when two evenly colored areas lie side by side (Mahy, Van
// Eycken & Oosterlinck 1994, Color Res. Appl. 19, 105); smaller ones nobody sees, least of all in
// details, where the eye's contrast is poorer. Rounding to 8 bits changes ΔE by less than 1.
constexpr double kJustNoticed = 2.3;

inline bool look_alike(const PictureDistance& distance) {
  return distance.same_size && distance.detail < kJustNoticed && distance.area < kJustNoticed;
}

}  // namespace haloscope::test
