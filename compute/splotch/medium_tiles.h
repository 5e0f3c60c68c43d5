#pragma once

#include "compute/splotch/settings.h"
#include "compute/splotch/splat.h"

#include <cstdint>

// Medium particles of the paper's scheme (§4.2): an image tile with a boundary as wide as the
// largest medium radius holds every splat whose center lies in the tile.
namespace haloscope::compute::splotch {

struct PaperTiling {
  static constexpr int kTile = 8;      // t_x = t_y, the best of the paper's Table 1
  static constexpr int kBoundary = 8;  // r_0
  static constexpr int kPadded = kTile + 2 * kBoundary;

  int width, height;  // of the image
  int columns, rows;  // of tiles, with one more ring for centers just outside the image

  HALOSCOPE_HD PaperTiling(int image_width, int image_height)
      : width(image_width),
        height(image_height),
        columns((image_width + kTile - 1) / kTile + 2 * kRing),
        rows((image_height + kTile - 1) / kTile + 2 * kRing) {}

  HALOSCOPE_HD std::int32_t count() const { return columns * rows; }
  HALOSCOPE_HD std::int32_t tile_of(int ix, int iy) const {
    return ((iy + kRing * kTile) / kTile) * columns + (ix + kRing * kTile) / kTile;
  }
  // Pixel of the padded tile's first corner; may lie outside the image.
  HALOSCOPE_HD int first_column(std::int32_t tile) const {
    return (tile % columns - kRing) * kTile - kBoundary;
  }
  HALOSCOPE_HD int first_row(std::int32_t tile) const {
    return (tile / columns - kRing) * kTile - kBoundary;
  }

 private:
  // A medium center lies at most kBoundary + 1 pixels outside the image.
  static constexpr int kRing = (kBoundary + kTile) / kTile;
};

// Splats beyond this radius are Large, pixels: the paper's scheme calls more of them so.
inline float large_radius_of(const Options& options) {
  return options.strategy == Strategy::Paper ? float(PaperTiling::kBoundary) : kLargeRadius;
}

}  // namespace haloscope::compute::splotch

namespace haloscope::compute {
class Cpu;
class Cuda;
}  // namespace haloscope::compute

namespace haloscope::compute::splotch {

// Adds the medium splats of `tiles` tiles (ids and list ends as reduce_by_key and inclusive_scan
// left them) to the RGBA image: one task per tile on the CPU, one block per tile on the GPU.
template <Mode M>
void medium_tiles(Cpu& exec, const Splat* splats, const std::int32_t* tile_ids,
                  const std::int32_t* tile_ends, std::size_t tiles, const PaperTiling& tiling,
                  float* image);
template <Mode M>
void medium_tiles(Cuda& exec, const Splat* splats, const std::int32_t* tile_ids,
                  const std::int32_t* tile_ends, std::size_t tiles, const PaperTiling& tiling,
                  float* image);

}  // namespace haloscope::compute::splotch
