// Kernels far larger than any grid, of which no test can sum all cells.

#include "compute/grids/kernel_deposit.inl"

#include "tests/catch.h"

namespace grids = haloscope::compute::grids;

TEST_CASE("weights of the widest kernels fit their sum", "[compute][grids]") {
  grids::GridFrame frame{};
  for (int axis = 0; axis < 3; ++axis) {
    frame.cells[axis] = 4;
    frame.edge[axis] = grids::Edge::Cut;
  }
  // ∫ (1 − r²)^3.5 over the unit ball.
  constexpr double kIntegral = 0.5398;
  for (const double radius : {10., 2000., 2100., 40000.}) {
    const grids::WideKernel kernel({{2, 2, 2}, {radius, radius, radius}}, frame);
    CAPTURE(radius);
    CHECK(kIntegral * radius * radius * radius * kernel.units < 0x1p63);
    // In the middle.
    CHECK(double(kernel.weight(0, 0)) == kernel.units);
    CHECK(kernel.units <= 0x1p30);
    if (radius < 2048) CHECK(kernel.units == 0x1p30);
  }
}
