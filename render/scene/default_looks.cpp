#include "render/scene/default_looks.h"

namespace haloscope::render {

DefaultLook default_look(int type) {
  switch (type) {
    case 0:  // gas: cold violet, warm red, hot gold
      return {{{0.30f, 0.20f, 0.75f},
               {0.60f, 0.20f, 0.65f},
               {0.92f, 0.32f, 0.30f},
               {1.00f, 0.62f, 0.22f},
               {1.00f, 0.93f, 0.70f}},
              1};
    case 2:  // disk
    case 3:  // bulge
      return {{{1.00f, 0.80f, 0.55f}, {1.00f, 0.93f, 0.80f}}, 0.15};
    case 4:  // stars
      return {{{1.00f, 0.94f, 0.84f}, {1.00f, 0.97f, 0.92f}}, 0.15};
    case 5:  // black holes
      return {{{0.70f, 1.00f, 0.85f}, {0.90f, 1.00f, 0.95f}}, 0.05};
    default:  // dark matter: deep blue in voids, pale in halos
      return {{{0.14f, 0.20f, 0.62f},
               {0.22f, 0.42f, 0.90f},
               {0.45f, 0.72f, 1.00f},
               {0.86f, 0.93f, 1.00f}},
              0.5};
  }
}

}  // namespace haloscope::render
