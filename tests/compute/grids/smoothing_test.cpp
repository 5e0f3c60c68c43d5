// Gaussian smoothing of grids, beside sums over all cells.

#include "compute/grids/smoothing.h"

#include "tests/catch.h"
#include "tests/renderers.h"

#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

using namespace haloscope;
using namespace haloscope::compute::grids;
using haloscope::compute::Device;

namespace {

GridFrame frame_of(std::uint32_t x, std::uint32_t y, std::uint32_t z, Edge edge) {
  GridFrame frame;
  const std::uint32_t cells[3] = {x, y, z};
  for (int a = 0; a < 3; ++a) {
    frame.cells[a] = cells[a];
    frame.edge[a] = edge;
  }
  return frame;
}

Array<float> noise(const GridFrame& frame) {
  std::mt19937_64 random(5);
  std::exponential_distribution<float> level(1);
  Array<float> values{std::size_t(frame.count())};
  for (float& value : values) value = level(random);
  return values;
}

// The value beyond an end: of the other end, of the mirror, or nothing.
double beyond(const std::vector<double>& line, int i, Edge edge) {
  const int n = int(line.size());
  if (edge == Edge::Cut) return i < 0 || i >= n ? 0 : line[std::size_t(i)];
  const int period = edge == Edge::Wrap ? n : 2 * n;
  i = ((i % period) + period) % period;
  return line[std::size_t(i < n ? i : 2 * n - 1 - i)];
}

// Along one axis, by the definition.
void smooth_slowly(std::vector<double>& values, const GridFrame& frame, int axis, double sigma) {
  if (sigma == 0) return;
  std::size_t stride = 1;
  for (int a = 2; a > axis; --a) stride *= frame.cells[a];
  const int n = int(frame.cells[axis]), reach = int(4 * sigma + 0.5);
  const std::vector<double> before = values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int place = int(i / stride) % n;
    std::vector<double> line(std::size_t(n), 0.);
    for (int k = 0; k < n; ++k)
      line[std::size_t(k)] = before[i - std::size_t(place) * stride + std::size_t(k) * stride];
    double sum = 0, weights = 0;
    for (int k = -reach; k <= reach; ++k) {
      const double weight = std::exp(-k * k / (2 * sigma * sigma));
      weights += weight;
      sum += weight * beyond(line, place + k, frame.edge[axis]);
    }
    values[i] = sum / weights;
  }
}

}  // namespace

TEST_CASE("smoothing is a Gaussian on each axis", "[compute][grids]") {
  for (const Edge edge : {Edge::Wrap, Edge::Cut, Edge::Keep})
    for (const std::array<double, 3>& sigma :
         {std::array<double, 3>{1, 1, 1}, {0.3, 2.2, 0}, {6, 0, 5}, {0, 0, 0}}) {
      const GridFrame frame = frame_of(7, 12, 5, edge);
      const Array<float> values = noise(frame);
      std::vector<double> expected(values.begin(), values.end());
      for (int a = 0; a < 3; ++a) smooth_slowly(expected, frame, a, sigma[std::size_t(a)]);
      Array<float> first;
      for (const Device device : test::devices()) {
        INFO(int(edge) << " " << sigma[0] << " " << device.word());
        Array<float> smooth = smooth_grid(device, frame, sigma, values);
        double furthest = 0, before = 0, after = 0;
        for (std::size_t i = 0; i < smooth.size(); ++i) {
          furthest = std::max(furthest, std::fabs(double(smooth[i]) / expected[i] - 1));
          before += double(values[i]);
          after += double(smooth[i]);
        }
        // One rounding to float32 a pass, of positive values.
        CHECK(furthest < 4 * 6e-8);
        if (edge != Edge::Cut) CHECK(after == Approx(before).epsilon(1e-6));
        if (first.empty())
          first = std::move(smooth);
        else
          CHECK(std::memcmp(first.data(), smooth.data(), first.size() * sizeof(float)) == 0);
      }
    }
}

TEST_CASE("a grid of one cell stays as it is", "[compute][grids]") {
  for (const Device device : test::devices())
    for (const Edge edge : {Edge::Wrap, Edge::Keep}) {
      const GridFrame frame = frame_of(1, 1, 1, edge);
      Array<float> values(1);
      values[0] = 2.5f;
      CHECK(smooth_grid(device, frame, {3, 3, 3}, values)[0] == 2.5f);
    }
}

TEST_CASE("widths of smoothing that cannot be", "[compute][grids]") {
  const GridFrame frame = frame_of(4, 4, 4, Edge::Wrap);
  const Array<float> values = noise(frame);
  CHECK_THROWS_WITH(smooth_grid(Device::cpu(), frame, {0, -1, 0}, values),
                    Catch::Contains("not a number of 0 or more") && Catch::Contains("y axis"));
  CHECK_THROWS_WITH(smooth_grid(Device::cpu(), frame, {0, 0, 5}, values),
                    Catch::Contains("wider than the grid"));
}
