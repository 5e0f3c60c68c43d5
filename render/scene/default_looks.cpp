#include "render/scene/default_looks.h"

namespace haloscope::render {

TypeLook default_look(int type) {
  TypeLook look;
  switch (type) {
    case 0:  // gas: cold violet, warm red, hot gold
      look.palette = {{0.30f, 0.20f, 0.75f},
                      {0.60f, 0.20f, 0.65f},
                      {0.92f, 0.32f, 0.30f},
                      {1.00f, 0.62f, 0.22f},
                      {1.00f, 0.93f, 0.70f}};
      break;
    case 2:  // disk
    case 3:  // bulge
      look.palette = {{1.00f, 0.80f, 0.55f}, {1.00f, 0.93f, 0.80f}};
      look.brightness = 0.15;
      break;
    case 4:  // stars
      look.palette = {{1.00f, 0.94f, 0.84f}, {1.00f, 0.97f, 0.92f}};
      look.brightness = 0.15;
      break;
    case 5:  // black holes
      look.palette = {{0.70f, 1.00f, 0.85f}, {0.90f, 1.00f, 0.95f}};
      look.brightness = 0.05;
      break;
    default:  // dark matter: deep blue in voids, pale in halos
      look.palette = {{0.14f, 0.20f, 0.62f},
                      {0.22f, 0.42f, 0.90f},
                      {0.45f, 0.72f, 1.00f},
                      {0.86f, 0.93f, 1.00f}};
      look.brightness = 0.5;
  }
  return look;
}

std::vector<std::array<float, 3>> compact_palette() {
  return {
      {0.45f, 0.65f, 1.00f}, {0.85f, 0.90f, 1.00f}, {1.00f, 0.85f, 0.55f}, {1.00f, 0.50f, 0.25f}};
}

}  // namespace haloscope::render
