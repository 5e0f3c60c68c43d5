// What is told of the place under the cursor.

#include "app/viewer/cursor_values.h"

#include "app/session/camera_motion.h"
#include "render/scene/slice_picture.h"
#include "tests/app/viewer/scene.h"
#include "tests/catch.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>

namespace haloscope::app::viewer {

namespace {

// 4 x 4 cells of 10 in a box that reaches from 0 to 40, with values 0 to 15.
render::ShownSlice plane_across_z(double position) {
  analysis::GridPlane plane;
  plane.axis = 2;
  plane.position = position;
  plane.cells = {4, 4};
  plane.spacing = {10, 10};
  plane.name = "density";
  plane.unit = "Msun/kpc^3";
  for (int k = 0; k < 16; ++k) plane.values.push_back(float(k));
  render::ShownSlice slice;
  slice.plane = std::make_shared<const analysis::GridPlane>(plane);
  slice.choice.axis = 2;
  slice.choice.position = position;
  return slice;
}

}  // namespace

TEST_CASE("a slice tells the cell that is seen under the cursor", "[window][cursor]") {
  const render::ShownSlice slice = plane_across_z(13);
  constexpr int kWidth = 120, kHeight = 80;
  for (const bool perspective : {true, false}) {
    session::Camera camera{perspective, {20, 20, 20}, 90, {}, 40, 70};
    camera = session::orbit(camera, 25, 70);
    const auto view = session::to_view(camera, kWidth, kHeight);
    int met = 0;
    for (const Vec point : {Vec{15, 25, 13}, Vec{1, 1, 13}, Vec{39, 12, 13}}) {
      const auto at = session::project(camera, point);
      REQUIRE(at);
      const double x = (at->x + 0.5) * kWidth - 0.5, y = 0.5 * kHeight - at->y * kWidth - 0.5;
      const auto seen = render::slice_under(slice, view, x, y);
      REQUIRE(seen);
      for (std::size_t c = 0; c < 3; ++c) CHECK(seen->point[c] == Approx(point[c]).margin(1e-6));
      const auto cell = std::size_t(point[0] / 10) * 4 + std::size_t(point[1] / 10);
      CHECK(seen->cell == cell);
      ++met;
    }
    CHECK(met == 3);
    CHECK_FALSE(render::slice_under(slice, view, 10 * kWidth, kHeight / 2.));
  }
  CHECK(value_in_words(*slice.plane, 6) == "density 6 Msun/kpc^3");
}

TEST_CASE("the structure under the cursor is the smallest that holds the point",
          "[window][cursor]") {
  const SceneModel scene = test::box_model();
  analysis::Finding halos = test::many_halos(3);
  halos.places = {{{99, 50, 50}, 4}, {{50, 50, 50}, 10}, {{53, 50, 50}, 2}};
  CHECK(piece_around(halos, scene.info, {1, 50, 50}) == std::uint64_t(0));
  CHECK(piece_around(halos, scene.info, {54, 50, 50}) == std::uint64_t(2));
  CHECK(piece_around(halos, scene.info, {46, 50, 50}) == std::uint64_t(1));
  CHECK_FALSE(piece_around(halos, scene.info, {20, 50, 50}));
  SnapshotInfo open = scene.info;
  open.periodic = false;
  CHECK_FALSE(piece_around(halos, open, {1, 50, 50}));
}

TEST_CASE("a resting cursor searches what was found once", "[window][cursor]") {
  int searches = 0;
  PieceUnderCursor under([&](const analysis::Finding& found, const SnapshotInfo&, const Vec&) {
    ++searches;
    return std::optional<std::uint64_t>(found.pieces);
  });
  const SnapshotInfo info;
  auto found = std::make_shared<const analysis::Finding>(test::many_halos(3));
  CHECK(under.at(found, info, {1, 2, 3}) == std::uint64_t(3));
  CHECK(under.at(found, info, {1, 2, 3}) == std::uint64_t(3));
  CHECK(searches == 1);
  under.at(found, info, {1, 2, 4});
  CHECK(searches == 2);
  // Of another search, though the cursor rests.
  found = std::make_shared<const analysis::Finding>(test::many_halos(5));
  CHECK(under.at(found, info, {1, 2, 4}) == std::uint64_t(5));
  CHECK(searches == 3);
}

TEST_CASE("the cursor's line has the place in the box", "[window][cursor]") {
  const SceneModel scene = test::box_model();
  const std::string words = cursor_in_words(scene.info, {-2.5, 112.25, 50}, "density 3", "halo 7");
  CHECK(words.starts_with("97.5 12.25 50 "));
  CHECK(words.ends_with("   density 3   halo 7"));
  CHECK(cursor_in_words(scene.info, {1, 2, 3}, {}, {}).starts_with("1 2 3 "));
}

}  // namespace haloscope::app::viewer
