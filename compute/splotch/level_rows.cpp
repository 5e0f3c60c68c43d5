#include "compute/splotch/level_rows.h"

#include "core/simd_clones.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <cstddef>

namespace haloscope::compute::splotch {

namespace {

constexpr int kStretch =
    128;                   // coarse cells at once: all that is between passes stays in the cache
constexpr int kReach = 3;  // coarse cells beside a stretch

// What lies between the passes of one stretch of a row, four channels a cell.
struct Scratch {
  alignas(64) float between[4 * (kStretch + 2 * kReach)];  // rows are met, columns are not
  alignas(64) float even[4 * kStretch];
  alignas(64) float odd[4 * kStretch];
};

// Floats [0, count) of six rows, three on either side; `step` floats lie between neighbors.
inline __attribute__((always_inline)) void step_all(const float* before2, const float* before,
                                                    const float* own, const float* next,
                                                    const float* next2, const float* next3,
                                                    int count, float* __restrict__ out) {
  for (int i = 0; i < count; ++i)
    out[i] = quarter_step(before2[i], before[i], own[i], next[i], next2[i], next3[i]);
}

// `rows` begin kReach cells before the stretch; `left` and `right` of its cells lie before and
// beyond the coarse level, where nothing that is asked for is read.
HALOSCOPE_SIMD_CLONES __attribute__((flatten)) void upsample_stretch(const float* const* rows,
                                                                     int left, int right, int cells,
                                                                     Scratch* scratch) {
  const int first = 4 * left, floats = 4 * (cells + 2 * kReach - right) - first;
  float* const t = scratch->between;
  step_all(rows[0] + first, rows[1] + first, rows[2] + first, rows[3] + first, rows[4] + first,
           rows[5] + first, floats, t + first);
  for (int i = 0; i < first; ++i) t[i] = 0;
  for (int i = first + floats; i < 4 * (cells + 2 * kReach); ++i) t[i] = 0;
  // t + 4 · kReach is the first cell's column.
  step_all(t + 20, t + 16, t + 12, t + 8, t + 4, t, 4 * cells, scratch->even);
  step_all(t + 4, t + 8, t + 12, t + 16, t + 20, t + 24, 4 * cells, scratch->odd);
}

HALOSCOPE_SIMD_CLONES void add_pairs(float* __restrict__ out, const Scratch* scratch, int begin,
                                     int end) {
  for (int x = begin; x < end; ++x)
    for (int c = 0; c < 4; ++c) {
      out[8 * x + c] += scratch->even[4 * x + c];
      out[8 * x + 4 + c] += scratch->odd[4 * x + c];
    }
}

float* row_of(const Cells& cells, int y) {
  return cells.rgba + 4 * std::ptrdiff_t(y + cells.margin) * cells.width;
}

void add_row(const Cells& coarse, const Cells& fine, const CellBox& box, int y, Scratch* scratch) {
  // An odd row lies nearer to the coarse row below its own, an even one to that above.
  const int step = y & 1 ? 1 : -1;
  float* const out = row_of(fine, y) + 4 * fine.margin;
  const int last = (box.x1 - 1) >> 1;
  for (int begin = box.x0 >> 1; begin <= last; begin += kStretch) {
    const int cells = smaller(kStretch, last + 1 - begin);
    const int from = begin - kReach + coarse.margin;  // column of the level's memory
    const float* rows[6];
    for (int k = 0; k < 6; ++k)
      rows[k] = row_of(coarse, (y >> 1) + (k - 2) * step) + 4 * std::ptrdiff_t(from);
    const int left = larger(0, -from);
    const int right = larger(0, from + cells + 2 * kReach - coarse.width);
    upsample_stretch(rows, left, right, cells, scratch);
    // A box may begin with the second cell of a pair and end with the first one.
    int pair = 0, end = cells;
    float* const to = out + 8 * std::ptrdiff_t(begin);
    auto add_one = [&](int x, int odd) {
      const float* const light = odd ? scratch->odd : scratch->even;
      for (int c = 0; c < 4; ++c) to[8 * x + 4 * odd + c] += light[4 * x + c];
    };
    const bool half_first = 2 * begin < box.x0;
    const bool half_last = 2 * (begin + cells) > box.x1;
    if (half_first && !(half_last && cells == 1)) add_one(pair++, 1);
    if (half_last && end > pair) add_one(--end, 0);
    add_pairs(to, scratch, pair, end);
  }
}

}  // namespace

void add_level_on_cpu(const Cells& coarse, const Cells& fine, const CellBox& box) {
  constexpr int kRows = 8;
  ::tbb::parallel_for(::tbb::blocked_range<int>(box.y0, box.y1, kRows),
                      [&](const ::tbb::blocked_range<int>& rows) {
                        Scratch scratch;
                        for (int y = rows.begin(); y != rows.end(); ++y)
                          add_row(coarse, fine, box, y, &scratch);
                      });
}

}  // namespace haloscope::compute::splotch
