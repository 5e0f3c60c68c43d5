#pragma once

#include "compute/splotch/settings.h"
#include "compute/splotch/splat.h"
#include "core/host_device.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

// Wide splats are drawn on coarser images, so that their cost does not grow with their radius:
// level k has cells of 2^k × 2^k pixels, cell i covers pixels 2^k i … 2^k (i + 1) − 1, and level 0
// is the picture. Light is a sum, so each level may be upsampled and added to the next finer one
// after all splats are drawn. Levels start at the picture's first pixel. The idea is that of SMSG
// (Benítez-Llambay 2025), the interpolation is not.
namespace haloscope::compute::splotch {

// Pixels. A splat of this radius or more goes to the level where its radius is 12 to 24 cells.
// Upsampled from there it is within 0.01 % of its own peak. With half as many cells it is within
// 0.13 %, which shows at its rim where the tone curve is far from linear: pictures with saturated
// splats differed by up to 8 of 255.
inline constexpr float kLevelRadius = 24;

// Levels beyond the picture, at most. The coarsest of them takes splats of any radius.
inline constexpr int kMostLevels = 15;

// Cells of a level beyond the picture on each side: as many as the upsampling of the next finer
// level with its own margin reads.
inline constexpr int kLevelMargin = 5;

// Only sums of light allow it, and only a picture that need not be the same to the last bit.
inline bool uses_levels(const Options& options) {
  return options.mode == Mode::Default && options.strategy == Strategy::Auto &&
         !options.absorption && !options.exact && !options.deterministic;
}

// Whether a core takes less time for levels than for so many wide splats drawn exactly, which need
// `updates` of pixels. On a level a splat needs some 960, and adding the levels costs as much as
// kUpdatesPerPixel in each pixel of the picture (measured on two cores). A GPU adds them in less
// time than it needs to ask.
inline bool worth_levels(std::uint64_t splats, double updates, int width, int height) {
  constexpr double kOnLevel = 960, kUpdatesPerPixel = 24;
  return updates - kOnLevel * double(splats) > kUpdatesPerPixel * double(width) * double(height);
}

// The light of one level, or of the picture: RGBA without gaps. Cell (0, 0) of the picture is at
// (margin, margin).
struct Cells {
  float* rgba = nullptr;
  int width = 0, height = 0;  // with margins
  int margin = 0;
};

// Cells [x0, x1) × [y0, y1) of a level, counted from the picture's first.
struct CellBox {
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;

  bool empty() const { return x1 <= x0 || y1 <= y0; }
  void include(const CellBox& b) {
    if (b.empty()) return;
    if (empty())
      *this = b;
    else
      *this = {std::min(x0, b.x0), std::min(y0, b.y0), std::max(x1, b.x1), std::max(y1, b.y1)};
  }
};

// Coarsest level of a picture: beyond some eight cells nothing is saved.
inline int coarsest_level(int width, int height) {
  int k = 1;
  while (k < kMostLevels && (larger(width, height) >> k) > 8) ++k;
  return k;
}

// Size of level k ≥ 1, whose light has no place yet.
inline Cells level_size(int width, int height, int k) {
  auto cells = [k](int pixels) { return ((pixels - 1) >> k) + 1 + 2 * kLevelMargin; };
  return {nullptr, cells(width), cells(height), kLevelMargin};
}

// The level that a splat of that radius is drawn on; 0: the picture.
HALOSCOPE_HD inline int level_of(float radius, int coarsest) {
  if (!(radius >= kLevelRadius)) return 0;
  return 1 + smaller(std::ilogb(radius / kLevelRadius), coarsest - 1);
}

// A splat in cells of level k ≥ 1, from its place in pixels. The profile is light per area, so that
// its emission becomes light per pixel again. Scaling by powers of two rounds nothing.
template <class S>
HALOSCOPE_HD inline S on_level(S s, int k) {
  const float scale = 1.f / float(1 << k);
  // Pixel i has its center at (i + ½)/2^k − ½ cells.
  auto place = [&](int& i, float& f) {
    const int cell = i >> k;
    f = (float(i - (cell << k)) + f + 0.5f) * scale - 0.5f;
    i = cell + kLevelMargin;
  };
  place(s.ix, s.fx);
  place(s.iy, s.fy);
  s.radius *= scale;
  for (float& e : s.emission) e *= scale * scale;
  return s;
}

// Light a quarter of a cell from the center of `own` towards `next`: the polynomial of the fifth
// degree through six cells, whose Lagrange weights there are 77, −693, 6930, 2310, −495 and 63 in
// 8192. Refining again and again by it is the six-point scheme of Dyn, Floater and Hormann 2005 ("A
// C² four-point subdivision scheme with fourth order accuracy and its extensions"). At 6 cells per
// radius it errs by 0.13 % of a splat's peak, Keys' cubic (a = −½) by 0.51 %.
//
// A cell without light stays dark and one with light keeps some: the tone curve's median is that of
// the pixels that have light, and the interpolation's tails would reach five cells beyond a splat,
// and its undershoot beside the rim would darken half a cell inside.
template <class T>
HALOSCOPE_HD inline T quarter_step(const T& before2, const T& before, const T& own, const T& next,
                                   const T& next2, const T& next3) {
  constexpr T kLeast = T(1.f / 1024);
  const T sum = ((6930.f / 8192.f * own + 2310.f / 8192.f * next) -
                 (693.f / 8192.f * before + 495.f / 8192.f * next2)) +
                (77.f / 8192.f * before2 + 63.f / 8192.f * next3);
  return own > T{} ? larger(sum, kLeast * own) : T{};
}

}  // namespace haloscope::compute::splotch
