#include "benchmarks/box_rows.h"

#include "benchmarks/universe.h"
#include "compute/spatial/points.h"
#include "compute/spatial/points_in_box.h"

#include <fmt/core.h>

#include <array>
#include <chrono>
#include <vector>

namespace haloscope::benchmarks {

namespace {

LatticeBox cube_about(const Universe& universe, std::size_t row, double width) {
  std::array<double, 3> low, high;
  for (std::size_t a = 0; a < 3; ++a) {
    const double middle = universe.domain.to_world(universe.position[a][row], int(a));
    low[a] = middle - width / 2;
    high[a] = middle + width / 2;
  }
  return lattice_box(universe.domain, low, high);
}

}  // namespace

void bench_box_rows(const BoxRowsSetup& setup) {
  const Universe universe = read_universe(setup.file, setup.box);
  const auto points = compute::spatial::place_points(
      compute::choose_device(setup.device), universe.domain,
      {universe.position[0].data(), universe.position[1].data(), universe.position[2].data()},
      universe.count());
  fmt::print("{} particles on {}\n", universe.count(), points->device().word());
  for (std::size_t k = 0; k < 5; ++k) {
    const std::size_t row = universe.count() / 5 * k + universe.count() / 10;
    double narrow = 0, wide = setup.box;
    LatticeBox box;
    for (int step = 0; step < 16; ++step) {
      const double width = (narrow + wide) / 2;
      box = cube_about(universe, row, width);
      (points_in_box(*points, box).rows.size() < setup.count ? narrow : wide) = width;
    }
    std::vector<double> times;
    std::size_t found = 0;
    for (int repeat = 0; repeat < setup.repeats; ++repeat) {
      const auto begin = std::chrono::steady_clock::now();
      found = points_in_box(*points, box).rows.size();
      times.push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
              .count());
    }
    const Statistics ms = statistics(times);
    fmt::print("cube of {:.4g} about row {}: {} points, {:.3f} ms ({:.3f} to {:.3f})\n", wide, row,
               found, ms.median, ms.low, ms.high);
  }
}

}  // namespace haloscope::benchmarks
