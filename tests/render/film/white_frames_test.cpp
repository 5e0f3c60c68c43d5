#include "render/film/white_frames.h"

#include "tests/catch.h"

#include <cstdint>

namespace haloscope::render {

namespace {

Image8 with_white(int percent) {
  Image8 image(10, 10, 3);
  for (int i = 0; i < 100; ++i)
    for (int c = 0; c < 3; ++c)
      image.pixels[std::size_t(3 * i + c)] = std::uint8_t(i < percent ? 255 : c == 0 ? 255 : 40);
  return image;
}

}  // namespace

TEST_CASE("a film that grows white is told", "[film]") {
  WhiteFrames film;
  CHECK(film.sentence(0).empty());
  film.look(with_white(1));
  CHECK(film.sentence(0).empty());
  film.look(with_white(5));
  CHECK(film.sentence(7).find("5 % of the last frame is white, and 1 % of the first") == 0);
  CHECK(film.sentence(7).find("that of frame 7.") != std::string::npos);
  film.look(with_white(2));
  CHECK(film.sentence(0).empty());
  // What was white from the start is meant.
  WhiteFrames bright;
  bright.look(with_white(20));
  bright.look(with_white(60));
  CHECK(bright.sentence(0).empty());
}

}  // namespace haloscope::render
