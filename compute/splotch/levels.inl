#pragma once

#include "compute/exec/buffer.h"
#include "compute/splotch/level_rows.h"
#include "compute/splotch/level_tiles.h"
#include "compute/splotch/levels.h"

#include <algorithm>
#include <array>
#include <cstddef>

// The stack of levels and how it is collapsed, once for both executors.
namespace haloscope::compute::splotch {

// The levels of one picture. Those that nobody asks for take no memory.
template <class Exec>
class Levels {
 public:
  Levels(Exec& exec, int width, int height)
      : exec_(exec), width_(width), height_(height), coarsest_(coarsest_level(width, height)) {}

  int coarsest() const { return coarsest_; }
  Cells size(int k) const { return level_size(width_, height_, k); }

  // Level k ≥ 1, dark when first asked for.
  Cells level(int k) {
    Cells cells = size(k);
    auto& light = light_[std::size_t(k)];
    if (light.empty()) {
      const std::size_t floats = 4 * std::size_t(cells.width) * std::size_t(cells.height);
      light = Buffer<float, Exec>(exec_, floats, "levels of wide splats");
      exec_.zero(light.data(), floats * sizeof(float));
    }
    cells.rgba = light.data();
    return cells;
  }

  // Level k ≥ 1 without light where nobody asked for it.
  Cells asked(int k) const {
    Cells cells = size(k);
    cells.rgba = const_cast<float*>(light_[std::size_t(k)].data());
    return cells;
  }

  // Says that there may be light in those cells of a level.
  void touch(int k, const CellBox& box) { touched_[std::size_t(k)].include(box); }
  void touch(int k) {
    const Cells cells = size(k);
    touch(k,
          {-cells.margin, -cells.margin, cells.width - cells.margin, cells.height - cells.margin});
  }
  // Asks for all levels up to k, and says that there may be light anywhere on them.
  void touch_up_to(int most) {
    for (int k = 1; k <= most; ++k) {
      level(k);
      touch(k);
    }
  }

  bool any() const {
    return std::any_of(touched_.begin(), touched_.end(),
                       [](const CellBox& box) { return !box.empty(); });
  }

  // Adds all levels, the coarsest first, to the picture.
  void add_to(float* image) {
    const Cells picture{image, width_, height_, 0};
    for (int k = coarsest_; k >= 1; --k) {
      const CellBox& from = touched_[std::size_t(k)];
      if (from.empty()) continue;
      const Cells fine = k == 1 ? picture : level(k - 1);
      // Where a coarse cell is dark, the finer ones that it covers stay so.
      const CellBox to{std::max(2 * from.x0, -fine.margin), std::max(2 * from.y0, -fine.margin),
                       std::min(2 * from.x1, fine.width - fine.margin),
                       std::min(2 * from.y1, fine.height - fine.margin)};
      if (to.empty()) continue;
      if constexpr (Exec::is_cuda) {
        add_level_on_gpu(exec_, level(k), fine, to);
      } else {
        add_level_on_cpu(level(k), fine, to);
      }
      touched_[std::size_t(k) - 1].include(to);
    }
  }

 private:
  Exec& exec_;
  int width_, height_, coarsest_;
  std::array<Buffer<float, Exec>, kMostLevels + 1> light_;
  std::array<CellBox, kMostLevels + 1> touched_{};
};

}  // namespace haloscope::compute::splotch
