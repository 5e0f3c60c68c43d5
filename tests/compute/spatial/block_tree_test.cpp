// The order of points in a block tree: Hilbert's curve, whose steps are of one cell.

#include "compute/spatial/block_tree.inl"

#include "compute/exec/cpu.h"
#include "tests/catch.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

using namespace haloscope::compute;
using namespace haloscope::compute::spatial;

namespace {

// All cells of a grid of 2^bits cells along each axis, each axis shifted left, in a random order.
// A stray point makes all bits count.
template <int D>
void check_steps(int bits, int shift, bool stray) {
  CAPTURE(D, bits, shift, stray);
  const std::uint32_t cells = 1u << (D * bits);
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t k = 0; k < cells; ++k) numbers.push_back(k);
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937(9));
  std::vector<std::vector<std::uint32_t>> column(D);
  for (const std::uint32_t number : numbers)
    for (int a = 0; a < D; ++a)
      column[std::size_t(a)].push_back((number >> (a * bits) & ((1u << bits) - 1)) << shift);
  if (stray)
    for (auto& values : column) values.push_back(1u << 29);
  Cpu exec;
  Columns<D> columns{};
  for (int a = 0; a < D; ++a) columns.column[a] = column[std::size_t(a)].data();
  const auto count = std::uint32_t(column[0].size());
  const BlockTree<D, Cpu> tree = build_block_tree<D>(exec, columns, count);
  std::uint32_t jumps = 0;
  for (std::uint32_t i = 0; i + 1 < count; ++i) {
    std::uint64_t steps = 0;
    for (int a = 0; a < D; ++a) {
      const std::uint32_t p = tree.points.data()[i].at[a], q = tree.points.data()[i + 1].at[a];
      steps += (p < q ? q - p : p - q) >> shift;
    }
    jumps += steps != 1;
  }
  // Only to and from the stray one.
  CHECK(jumps <= (stray ? 2u : 0u));
}

}  // namespace

TEST_CASE("points lie along Hilbert's curve", "[spatial]") {
  // In the bits that are sorted by at first, and in the lowest ones.
  check_steps<3>(4, 28, false);
  check_steps<6>(2, 30, false);
  check_steps<8>(1, 31, false);
  check_steps<3>(4, 0, true);
  check_steps<6>(2, 0, true);
  check_steps<8>(1, 0, true);
}
