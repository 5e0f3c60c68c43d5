#pragma once

#include "compute/splotch/levels.h"
#include "core/host_device.h"

#include <cstddef>

// How levels are collapsed, cell by cell: add_level_on_cpu() and add_level_on_gpu() do the same.
namespace haloscope::test {

using compute::splotch::CellBox;
using compute::splotch::Cells;
using compute::splotch::larger;
using compute::splotch::quarter_step;
using compute::splotch::smaller;

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

}  // namespace haloscope::test
