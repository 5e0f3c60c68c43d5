#include "tests/oracles/picture_distance.h"

#include "render/files/png_file.h"
#include "tests/catch.h"
#include "tests/test_paths.h"

#include <algorithm>
#include <cmath>

// The measure by which sessions are judged finds what a person would.

namespace haloscope::test {

namespace {

Image8 window() {
  return render::read_png(source_dir() + "/tests/baselines/sessions/open.png");
}

Image8 shifted(const Image8& picture, int pixels) {
  Image8 moved = picture;
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x)
      std::copy_n(picture.at(std::max(0, x - pixels), y), 3, moved.at(x, y));
  return moved;
}

Image8 darker(Image8 picture, double factor) {
  for (auto& value : picture.pixels) value = std::uint8_t(std::lround(factor * value));
  return picture;
}

Image8 without(Image8 picture, const PictureArea& area) {
  for (int y = area.y; y < area.y + area.height; ++y)
    for (int x = area.x; x < area.x + area.width; ++x) std::fill_n(picture.at(x, y), 3, 22);
  return picture;
}

}  // namespace

TEST_CASE("pictures that a person tells apart do not look alike", "[session]") {
  const Image8 seen = window();
  CHECK(look_alike(picture_distance(seen, seen)));
  CHECK_FALSE(look_alike(picture_distance(seen, shifted(seen, 1))));
  CHECK_FALSE(look_alike(picture_distance(seen, darker(seen, 0.93))));
  // The panel of halos, one number in a panel, a bar of colors.
  CHECK_FALSE(look_alike(picture_distance(seen, without(seen, {944, 370, 334, 120}))));
  CHECK_FALSE(look_alike(picture_distance(seen, without(seen, {1005, 90, 80, 14}))));
  CHECK_FALSE(look_alike(picture_distance(seen, without(seen, {12, 30, 190, 12}))));
  CHECK_FALSE(look_alike(picture_distance(seen, Image8(seen.width, seen.height + 1, 3))));
}

TEST_CASE("pictures that differ by rounding alone look alike", "[session]") {
  const Image8 seen = window();
  Image8 rounded = seen;
  for (std::size_t k = 0; k < rounded.pixels.size(); ++k)
    if (rounded.pixels[k] > 0 && rounded.pixels[k] < 255)
      rounded.pixels[k] = std::uint8_t(int(rounded.pixels[k]) + (k * 7919 % 3 == 0) - (k % 5 == 0));
  CHECK(look_alike(picture_distance(seen, rounded)));
}

TEST_CASE("what is left out of a comparison may differ", "[session]") {
  const Image8 seen = window();
  const PictureArea area{944, 370, 334, 120};
  CHECK(look_alike(picture_distance(seen, without(seen, area), {area})));
}

TEST_CASE("the distance between gray levels is that of CIELAB", "[session]") {
  // L* of sRGB 119 is 50.03 and of 128 is 53.59 (CIE 15, IEC 61966-2-1).
  Image8 dark(40, 30, 3), bright(40, 30, 3);
  std::fill(dark.pixels.begin(), dark.pixels.end(), std::uint8_t(119));
  std::fill(bright.pixels.begin(), bright.pixels.end(), std::uint8_t(128));
  const auto distance = picture_distance(dark, bright);
  CHECK(distance.detail == Approx(3.55).margin(0.03));
  CHECK(distance.area == Approx(distance.detail).epsilon(1e-3));
}

}  // namespace haloscope::test
