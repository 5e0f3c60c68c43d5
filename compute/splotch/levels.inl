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

// One load; the fourth channel is not used.
struct alignas(16) CellLight {
  float c[4];
};
HALOSCOPE_HD inline CellLight quarter_step(const CellLight& before2, const CellLight& before,
                                           const CellLight& own, const CellLight& next,
                                           const CellLight& next2, const CellLight& next3) {
  CellLight out{};
  for (int k = 0; k < 3; ++k)
    out.c[k] = quarter_step(before2.c[k], before.c[k], own.c[k], next.c[k], next2.c[k], next3.c[k]);
  return out;
}

// Adds a level to the next finer one: each call to the two cells of a row that one coarse cell
// covers. The plain form, with which add_level_on_cpu() and add_level_on_gpu() are compared.
struct AddLevel {
  Cells coarse, fine;
  CellBox box;  // of the finer level
  int first;    // coarse column of the box
  int per_row;  // coarse cells

  AddLevel(const Cells& from, const Cells& to, const CellBox& where)
      : coarse(from),
        fine(to),
        box(where),
        first(where.x0 >> 1),
        per_row(((where.x1 - 1) >> 1) - first + 1) {}
  std::size_t calls() const { return std::size_t(per_row) * std::size_t(box.y1 - box.y0); }

  HALOSCOPE_HD void operator()(std::size_t i) const {
    const int y = box.y0 + int(i / std::size_t(per_row));
    const int x = first + int(i % std::size_t(per_row));
    // An odd row lies nearer to the coarse row below its own, an even one to that above.
    const int step = y & 1 ? 1 : -1;
    const CellLight* rows[6];
    for (int k = 0; k < 6; ++k) rows[k] = row_of(coarse, (y >> 1) + (k - 2) * step);
    CellLight near[7];
    for (int k = 0; k < 7; ++k) near[k] = column(rows, x - 3 + k);
    CellLight* const out = row_of(fine, y) + fine.margin;
    if (2 * x >= box.x0)
      add(out[2 * x], quarter_step(near[5], near[4], near[3], near[2], near[1], near[0]));
    if (2 * x + 1 < box.x1)
      add(out[2 * x + 1], quarter_step(near[1], near[2], near[3], near[4], near[5], near[6]));
  }

 private:
  HALOSCOPE_HD static CellLight* row_of(const Cells& cells, int y) {
    return reinterpret_cast<CellLight*>(cells.rgba) +
           std::ptrdiff_t(y + cells.margin) * std::ptrdiff_t(cells.width);
  }
  HALOSCOPE_HD CellLight column(const CellLight* const (&rows)[6], int x) const {
    // Beyond the margin lies only what no cell of the box asks for.
    const int at = smaller(larger(x + coarse.margin, 0), coarse.width - 1);
    return quarter_step(rows[0][at], rows[1][at], rows[2][at], rows[3][at], rows[4][at],
                        rows[5][at]);
  }
  HALOSCOPE_HD static void add(CellLight& to, const CellLight& light) {
    CellLight sum = to;
    for (int k = 0; k < 3; ++k) sum.c[k] += light.c[k];
    to = sum;
  }
};

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
