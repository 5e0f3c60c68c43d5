// A slab about the camera's center, as limits of depth.

#include "render/scene/slab_choice.h"

#include "tests/catch.h"

using namespace haloscope;
using render::SlabChoice;
using render::with_slab;

namespace {

compute::splotch::View from_far(bool perspective) {
  compute::splotch::View view;
  view.eye = {0, 0, 10};
  view.target = {0, 0, 0};
  view.perspective = perspective;
  view.ortho_width = 4;
  return view;
}

SlabChoice thick(double thickness) {
  SlabChoice slab;
  slab.thickness = thickness;
  return slab;
}

}  // namespace

TEST_CASE("a thickness lies half before and half behind the center", "[slab]") {
  for (const bool perspective : {true, false}) {
    const auto view = with_slab(from_far(perspective), thick(4));
    CHECK(view.z_near == Approx(8));
    CHECK(view.z_far == Approx(12));
    CHECK_FALSE(view.planes);
  }
}

TEST_CASE("a slab around the eye begins at it in a perspective, and behind it without one",
          "[slab]") {
  CHECK(with_slab(from_far(true), thick(40)).z_near == 0);
  CHECK(with_slab(from_far(false), thick(40)).z_near == Approx(-10));
  // 0 would mean all depths.
  const auto at_the_eye = with_slab(from_far(false), thick(20));
  CHECK(at_the_eye.z_near > 0);
  CHECK(at_the_eye.z_near < 1e-30);
}

TEST_CASE("limits of depth that a view has stay", "[slab]") {
  auto view = from_far(true);
  view.z_near = 9;
  view.z_far = 10.5;
  const auto cut = with_slab(view, thick(4));
  CHECK(cut.z_near == 9);
  CHECK(cut.z_far == 10.5);
}

TEST_CASE("without a slab a view stays as it is", "[slab]") {
  CHECK_FALSE(SlabChoice{}.any());
  const auto view = with_slab(from_far(false), {});
  CHECK(view.z_near == 0);
  CHECK(view.z_far == from_far(false).z_far);
  SlabChoice planes;
  planes.axis = 2;
  planes.low = 1;
  planes.high = 3;
  const auto cut = with_slab(from_far(false), planes);
  REQUIRE(cut.planes);
  CHECK(cut.planes->axis == 2);
  CHECK(cut.planes->high == 3);
  CHECK(cut.z_near == 0);
}
