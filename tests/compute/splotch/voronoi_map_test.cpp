#include "compute/splotch/voronoi_map.h"

#include "compute/splotch/nearest_pieces.h"
#include "tests/catch.h"
#include "tests/renderers.h"

#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

// Maps by the cells of a mesh: the nearest generator along each line of sight, beside one that
// looks at all generators at every step.

using namespace haloscope;
using namespace haloscope::compute::splotch;

namespace {

constexpr int kSide = 48;

// A mesh in the box [0, 1]³, dense in one corner.
struct Mesh {
  Domain domain;
  std::vector<std::array<double, 3>> points;
  test::Particles columns;  // radius, mass and a field

  explicit Mesh(const Domain& chosen, std::size_t count, double contrast = 3) : domain(chosen) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> even(0, 1);
    for (std::size_t i = 0; i < count; ++i) {
      std::array<double, 3> at{};
      for (double& x : at) x = std::pow(even(random), i % 2 ? contrast : 1);
      // Where the lattice has it.
      for (std::size_t c = 0; c < 3; ++c)
        at[c] = domain.to_world(domain.to_fixed(at[c], int(c)), int(c));
      points.push_back(at);
      columns.add(domain, at, 0, 0.5 + double(i % 5), {double(i % 13)});
    }
  }

  double distance2(const std::array<double, 3>& at, std::size_t i) const {
    double sum = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      double d = at[c] - points[i][c];
      if (domain.periodic) d -= std::round(d);
      sum += d * d;
    }
    return sum;
  }
  // The generator that has a point; count: none reaches it.
  std::size_t nearest(const std::array<double, 3>& at) const {
    std::size_t best = points.size();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double d2 = distance2(at, i), reach = kCellReach * double(columns.radius[i]);
      if (d2 < least && d2 < reach * reach) {
        least = d2;
        best = i;
      }
    }
    return best;
  }
  // Radii of the cells' volumes in the box, by a grid of points.
  void measure_volumes(int steps = 40) {
    std::fill(columns.radius.begin(), columns.radius.end(), 1e3f);
    std::vector<double> volumes(points.size(), 0.);
    const double part = 1. / steps;
    for (int x = 0; x < steps; ++x)
      for (int y = 0; y < steps; ++y)
        for (int z = 0; z < steps; ++z)
          volumes[nearest({(x + 0.5) * part, (y + 0.5) * part, (z + 0.5) * part})] +=
              part * part * part;
    for (std::size_t i = 0; i < points.size(); ++i)
      columns.radius[i] = float(
          std::cbrt(3 * std::max(volumes[i], 0.2 * part * part * part) / (4 * std::numbers::pi)));
  }
  VoronoiCells cells() const {
    VoronoiCells made;
    made.count = points.size();
    for (std::size_t c = 0; c < 3; ++c) made.position[c] = columns.position[c].data();
    made.radius = columns.radius.data();
    made.mass = columns.weight.data();
    made.field = columns.color[0].data();
    return made;
  }
  double mass() const {
    double sum = 0;
    for (const float m : columns.weight) sum += double(m);
    return sum;
  }
  SeenMap draw(const View& view) const {
    Progress progress;
    return voronoi_map(view, domain, cells(), progress);
  }
};

// Along −z; row 0 is at the top, so y runs against the rows.
View seen_from_above(double width = 1, std::array<double, 3> target = {0.5, 0.5, 0.5},
                     int side = kSide) {
  View view;
  view.target = target;
  view.eye = {target[0], target[1], target[2] + 2};
  view.perspective = false;
  view.ortho_width = width;
  view.width = view.height = side;
  return view;
}

double total(const SeenMap& map, double width, int channel = 0) {
  const double pixel = width / map.image.width;
  double sum = 0;
  for (std::size_t p = std::size_t(channel); p < map.image.pixels.size(); p += 3)
    sum += double(map.image.pixels[p]) * pixel * pixel;
  return sum;
}

// Steps along the line of a pixel, which looks at all generators at each.
struct SlowLines {
  int steps;
  std::vector<std::vector<double>> of_pixel;  // by pixel, the length in each cell
  std::vector<double> of_cell;

  SlowLines(const Mesh& mesh, int side, int how_many)
      : steps(how_many), of_cell(mesh.points.size()) {
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        auto& own = of_pixel.emplace_back(mesh.points.size());
        for (int z = 0; z < steps; ++z) {
          const std::size_t cell =
              mesh.nearest({(x + 0.5) / side, 1 - (y + 0.5) / side, (z + 0.5) / steps});
          if (cell == mesh.points.size()) continue;
          own[cell] += 1. / steps;
          of_cell[cell] += 1. / steps;
        }
      }
  }
};

}  // namespace

TEST_CASE("a line is divided among the cells that are nearest", "[splotch][voronoi]") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> even(0, 1);
  NearestPieces nearest;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<LineCell> cells;
    const int count = trial % 40;
    for (int k = 0; k < count; ++k) {
      // Some at the same depth, some at the same place.
      const double depth = trial % 3 ? even(random) : std::floor(4 * even(random)) / 4;
      const double distance2 = trial % 5 ? 0.1 * even(random) : 0.05;
      const double half = 0.02 + 0.4 * even(random);
      cells.push_back({depth, distance2, half * half, std::uint32_t(100 + k)});
    }
    std::sort(cells.begin(), cells.end(),
              [](const LineCell& a, const LineCell& b) { return a.depth < b.depth; });
    const auto pieces = nearest.find(cells, 0.1, 0.9);
    double end = 0.1;
    for (const LinePiece& piece : pieces) {
      CHECK(piece.begin >= end);
      CHECK(piece.end > piece.begin);
      end = piece.end;
    }
    CHECK(end <= 0.9);
    for (int step = 0; step < 200; ++step) {
      const double t = 0.1 + 0.8 * even(random);
      double least = std::numeric_limits<double>::infinity();
      for (const LineCell& c : cells)
        if ((t - c.depth) * (t - c.depth) < c.half2)
          least = std::min(least, (t - c.depth) * (t - c.depth) + c.distance2);
      const auto found = std::find_if(pieces.begin(), pieces.end(), [&](const LinePiece& piece) {
        return t >= piece.begin && t < piece.end;
      });
      REQUIRE((found == pieces.end()) == std::isinf(least));
      if (found == pieces.end()) continue;
      const LineCell& c = cells[found->of];
      CHECK((t - c.depth) * (t - c.depth) + c.distance2 == Approx(least).margin(1e-12));
    }
  }
}

TEST_CASE("each point of a line of sight belongs to the nearest generator", "[splotch][voronoi]") {
  constexpr int kPixels = 12, kSteps = 400;
  Mesh mesh(test::periodic_domain(1), 60);
  mesh.measure_volumes();
  const SeenMap map = mesh.draw(seen_from_above(1, {0.5, 0.5, 0.5}, kPixels));
  const SlowLines slow(mesh, kPixels, kSteps);
  std::vector<double> expected(2 * kPixels * kPixels, 0.);
  for (std::size_t p = 0; p < kPixels * kPixels; ++p)
    for (std::size_t i = 0; i < mesh.points.size(); ++i)
      if (slow.of_cell[i] > 0) {
        const double mass = double(mesh.columns.weight[i]) * slow.of_pixel[p][i] / slow.of_cell[i];
        expected[2 * p] += mass;
        expected[2 * p + 1] += mass * double(mesh.columns.color[0][i]);
      }
  for (std::size_t i = 0; i < mesh.points.size(); ++i)
    if (slow.of_cell[i] == 0) {
      const auto x = std::size_t(mesh.points[i][0] * kPixels);
      const auto y = std::size_t((1 - mesh.points[i][1]) * kPixels);
      expected[2 * (y * kPixels + x)] += double(mesh.columns.weight[i]);
      expected[2 * (y * kPixels + x) + 1] +=
          double(mesh.columns.weight[i]) * double(mesh.columns.color[0][i]);
    }
  // The slow lines know where a cell ends to a step: a cell of a pixel's width crosses some 30.
  double difference = 0, sum = 0;
  for (std::size_t p = 0; p < kPixels * kPixels; ++p)
    for (std::size_t c = 0; c < 2; ++c) {
      const double value = double(map.image.pixels[3 * p + c]) / (kPixels * kPixels);
      CHECK(value == Approx(expected[2 * p + c]).epsilon(0.15).margin(0.02 * mesh.mass() / 144));
      difference += std::abs(value - expected[2 * p + c]);
      sum += expected[2 * p + c];
    }
  CHECK(difference < 0.01 * sum);
}

TEST_CASE("a map by cells of the whole box holds all mass", "[splotch][voronoi]") {
  Mesh mesh(test::periodic_domain(1), 3000, 5);
  mesh.measure_volumes(32);
  double moment = 0;
  for (std::size_t i = 0; i < mesh.points.size(); ++i)
    moment += double(mesh.columns.weight[i]) * double(mesh.columns.color[0][i]);
  // Many cells are smaller than a pixel; the box is cut elsewhere where the middle is another.
  for (const auto& target : {std::array<double, 3>{0.5, 0.5, 0.5}, {0.03, 0.9, 0.4}}) {
    const SeenMap map = mesh.draw(seen_from_above(1, target));
    CHECK(map.seen == mesh.points.size());
    CHECK(total(map, 1) == Approx(mesh.mass()).epsilon(1e-6));
    CHECK(total(map, 1, 1) == Approx(moment).epsilon(1e-6));
  }
  // Seen along a diagonal, the box fits into a wider picture.
  View askew = seen_from_above(2);
  askew.eye = {2.5, 1.5, 1.1};
  askew.up = {0, 0, 1};
  CHECK(total(mesh.draw(askew), 2) == Approx(mesh.mass()).epsilon(1e-6));
}

TEST_CASE("a part of a map by cells is that part of the whole", "[splotch][voronoi]") {
  Mesh mesh(test::periodic_domain(1), 400, 1);
  mesh.measure_volumes(60);
  const SeenMap whole = mesh.draw(seen_from_above(1, {0.5, 0.5, 0.5}, 64));
  // The upper right quarter, over the edge of nothing.
  const SeenMap part = mesh.draw(seen_from_above(0.5, {0.75, 0.75, 0.5}, 32));
  double difference = 0, sum = 0;
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 32; ++x) {
      const double one = double(whole.image.at(x + 32, y)[0]);
      difference += std::abs(double(part.image.at(x, y)[0]) - one);
      sum += one;
    }
  // Cells at the edge have the density of their measured volumes, which a grid of 60³ points knows
  // to some percent each: a cell has 540 points, and its faces a part of them.
  CHECK(difference < 0.05 * sum);
}

TEST_CASE("empty space around a mesh stays empty", "[splotch][voronoi]") {
  Mesh mesh(test::open_domain(0, 1), 1);
  mesh.points[0] = {0.5, 0.5, 0.5};
  mesh.columns = {};
  mesh.columns.add(mesh.domain, mesh.points[0], 0.05, 2, {7});
  const SeenMap map = mesh.draw(seen_from_above());
  CHECK(total(map, 1) == Approx(2).epsilon(1e-6));
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x) {
      const double from = std::hypot(x + 0.5 - kSide / 2., y + 0.5 - kSide / 2.) / kSide;
      INFO(x << " " << y);
      CHECK((map.image.at(x, y)[0] > 0) == (from < kCellReach * 0.05));
    }
  CHECK(map.image.at(kSide / 2, kSide / 2)[1] / map.image.at(kSide / 2, kSide / 2)[0] ==
        Approx(7).epsilon(1e-6));
}

TEST_CASE("a cell that no line of sight meets leaves its mass", "[splotch][voronoi]") {
  Mesh mesh(test::open_domain(0, 1), 1);
  mesh.points[0] = {0.3 + 0.001, 0.6 + 0.001, 0.5};
  mesh.columns = {};
  mesh.columns.add(mesh.domain, mesh.points[0], 1e-5, 3, {1});
  const SeenMap map = mesh.draw(seen_from_above());
  CHECK(total(map, 1) == Approx(3).epsilon(1e-6));
  CHECK(map.image.at(int(0.301 * kSide), int(0.399 * kSide))[0] > 0);
}

TEST_CASE("a map by cells has the same bytes on any number of threads", "[splotch][voronoi]") {
  Mesh mesh(test::periodic_domain(1), 2000, 4);
  mesh.measure_volumes(24);
  const View view = seen_from_above(0.7, {0.2, 0.3, 0.5}, 150);
  const SeenMap many = mesh.draw(view);
  const ::tbb::global_control one(::tbb::global_control::max_allowed_parallelism, 1);
  const SeenMap single = mesh.draw(view);
  CHECK(std::memcmp(many.image.pixels.data(), single.image.pixels.data(),
                    many.image.pixels.size() * sizeof(float)) == 0);
}

TEST_CASE("a map by cells can be cancelled", "[splotch][voronoi]") {
  Mesh mesh(test::periodic_domain(1), 100);
  mesh.measure_volumes(16);
  Progress progress;
  progress.cancel();
  CHECK_THROWS_AS(voronoi_map(seen_from_above(), mesh.domain, mesh.cells(), progress), Cancelled);
}
