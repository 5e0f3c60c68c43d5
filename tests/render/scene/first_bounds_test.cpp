// What a first picture shows.

#include "render/scene/first_bounds.h"

#include "tests/catch.h"
#include "tests/made/made_particles.h"

using namespace haloscope;
using namespace haloscope::render;
using compute::splotch::Mode;
using Place = std::array<double, 3>;

namespace {

SnapshotInfo box_of_100() {
  SnapshotInfo info;
  info.box_size = 100;
  info.periodic = true;
  info.types[1].name = "dm";
  return info;
}

ParticleSet particles_at(const Domain& domain, const std::vector<Place>& points) {
  ParticleSet particles;
  particles.domain = domain;
  particles.types.push_back(test::made_columns(1, "dm", domain, points));
  return particles;
}

// Along the diagonal.
std::vector<Place> evenly(double low, double high) {
  std::vector<Place> points;
  for (int i = 0; i <= 1000; ++i) {
    const double x = low + (high - low) * i / 1000;
    points.push_back({x, x, x});
  }
  return points;
}

void check_cube(const Bounds& bounds, double low, double high) {
  for (std::size_t c = 0; c < 3; ++c) {
    CHECK(bounds.low[c] == Approx(low).margin(1e-6));
    CHECK(bounds.high[c] == Approx(high).margin(1e-6));
  }
}

}  // namespace

TEST_CASE("a first picture shows the box, or the part of it that particles fill",
          "[render][scene]") {
  const SnapshotInfo info = box_of_100();
  const Domain domain = test::periodic_domain(100);
  const auto wide = first_bounds(info, {}, particles_at(domain, evenly(10, 90)));
  check_cube(wide.bounds, 0, 100);
  CHECK(wide.note.empty());
  const ParticleSet few = particles_at(domain, evenly(10, 60));
  const auto part = first_bounds(info, {}, few);
  // Two thousandths on each side may lie outside.
  check_cube(part.bounds, 10.1, 59.9);
  CHECK(part.note == "The particles fill a part of the box: the picture shows that part.");
  RenderRequest looking;
  looking.camera.eye = Place{1, 2, 3};
  CHECK(first_bounds(info, looking, few).note.empty());

  RenderRequest map;
  map.mode = Mode::Map;
  check_cube(first_bounds(info, map, few).bounds, 0, 100);
  SnapshotInfo open = info;
  open.periodic = false;
  check_cube(first_bounds(open, map, few).bounds, 10, 60);
  check_cube(first_bounds(open, {}, few).bounds, 10.1, 59.9);
}

TEST_CASE("a first picture shows the region that was selected, across the box's edge",
          "[render][scene]") {
  const SnapshotInfo info = box_of_100();
  const ParticleSet particles = particles_at(test::periodic_domain(100), evenly(10, 60));
  RenderRequest request;
  request.selection.region.emplace();
  request.selection.region->low = {90, -10, 20};
  request.selection.region->high = {10, 10, 150};
  const Bounds bounds = first_bounds(info, request, particles).bounds;
  CHECK(bounds.low == Place{90, 90, 0});
  CHECK(bounds.high == Place{110, 110, 100});
}

TEST_CASE("a map without a box, and a single point, are shown with their kernels",
          "[render][scene]") {
  SnapshotInfo info = box_of_100();
  const Bounds cube{{10, 10, 10}, {20, 20, 20}}, point{{5, 5, 5}, {5, 5, 5}};
  int asked = 0;
  const auto radius = [&] {
    ++asked;
    return 2.;
  };
  check_cube(with_kernels(info, false, cube, radius), 10, 20);
  check_cube(with_kernels(info, true, cube, radius), 10, 20);
  CHECK(asked == 0);
  check_cube(with_kernels(info, false, point, radius), -15, 25);
  info.box_size = 30;
  check_cube(with_kernels(info, false, point, radius), -10, 20);
  info.periodic = false;
  check_cube(with_kernels(info, true, cube, radius), 8, 22);
  CHECK(asked == 3);
}

TEST_CASE("a first picture of an isolated galaxy shows its stars, not the whole halo",
          "[render][scene]") {
  SnapshotInfo info;
  info.types[1].name = "dm";
  info.types[2].name = "disk";
  const Domain domain = test::open_domain(-100, 100);
  ParticleSet particles = particles_at(domain, evenly(-100, 100));
  particles.types.push_back(test::made_columns(2, "disk", domain, evenly(-5, 5)));
  const FirstBounds seen = first_bounds(info, {}, particles);
  CHECK(longest_side(seen.bounds) < 20);
  CHECK(longest_side(seen.bounds) > 9);
  CHECK(seen.note == "The picture shows the galaxy: its dark matter reaches farther.");
  // A map is of all that there is.
  RenderRequest map;
  map.mode = Mode::Map;
  check_cube(first_bounds(info, map, particles).bounds, -100, 100);
  // Stars that reach as far as the dark matter are no galaxy in a halo, nor are nameless particles.
  particles.types[1] = test::made_columns(2, "disk", domain, evenly(-60, 60));
  CHECK(longest_side(first_bounds(info, {}, particles).bounds) > 190);
  particles.types[1] = test::made_columns(2, "type 2", domain, evenly(-5, 5));
  info.types[2].name = "type 2";
  CHECK(longest_side(first_bounds(info, {}, particles).bounds) > 190);
}
