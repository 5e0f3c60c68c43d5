#include "render/scene/periodic_map.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace haloscope::render {

namespace {

constexpr int kLargestSide = 16384;
// Relative difference below which a map counts as wide as the box.
constexpr double kSameWidth = 1e-6;

// Index inside the box's pixels [begin, begin + period) onto which `i` folds.
int folded(int i, int begin, int period) {
  const int offset = (i - begin) % period;
  return begin + (offset < 0 ? offset + period : offset);
}

}  // namespace

bool covers_box(const compute::splotch::View& view, double box_side) {
  const double smallest = box_side * (1 - kSameWidth);
  return view.ortho_width >= smallest && view.ortho_width * view.height / view.width >= smallest;
}

PeriodicMap widen_view(const compute::splotch::View& view, double box_side, double largest_radius) {
  PeriodicMap map;
  map.view = view;
  map.period = std::max(1, int(std::lround(view.width * box_side / view.ortho_width)));
  const double wanted = std::ceil(largest_radius * view.width / view.ortho_width) + 1;
  const int possible = (kLargestSide - std::max(view.width, view.height)) / 2;
  map.complete = wanted <= possible;
  map.margin = map.complete ? int(wanted) : std::max(possible, 0);
  map.view.width += 2 * map.margin;
  map.view.height += 2 * map.margin;
  map.view.ortho_width *= double(map.view.width) / view.width;
  return map;
}

ImageF fold(const ImageF& wide, const PeriodicMap& map) {
  const int width = wide.width - 2 * map.margin, height = wide.height - 2 * map.margin;
  const int begin_x = (wide.width - map.period) / 2, begin_y = (wide.height - map.period) / 2;
  std::vector<double> sums(std::size_t(width) * std::size_t(height) * 3, 0.);
  for (int y = 0; y < wide.height; ++y)
    for (int x = 0; x < wide.width; ++x) {
      const int to_x = folded(x, begin_x, map.period) - map.margin;
      const int to_y = folded(y, begin_y, map.period) - map.margin;
      if (to_x < 0 || to_x >= width || to_y < 0 || to_y >= height) continue;
      const float* from = wide.at(x, y);
      double* to = &sums[(std::size_t(to_y) * std::size_t(width) + std::size_t(to_x)) * 3];
      for (int c = 0; c < 3; ++c) to[c] += double(from[c]);
    }
  ImageF out(width, height, 3);
  std::transform(sums.begin(), sums.end(), out.pixels.begin(),
                 [](double value) { return float(value); });
  return out;
}

}  // namespace haloscope::render
