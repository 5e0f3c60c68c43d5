#include "core/error.h"
#include "render/colors/layers.h"
#include "render/colors/tone_map.h"
#include "render/colors/white_ground.h"
#include "render/gl/gl_context.h"
#include "render/gl/gl_layer.h"
#include "render/gl/gl_picture.h"
#include "tests/app/viewer/window_context.h"
#include "tests/catch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

namespace haloscope::render::gl {

namespace {

// Seven decades of light in all hues, with what a renderer must not send and may send all the same.
ImageF hostile_frame(int width, int height) {
  ImageF frame(width, height, 3);
  std::mt19937 random(7);
  std::uniform_real_distribution<float> decade(-4.f, 3.f);
  for (float& value : frame.pixels) value = std::pow(10.f, decade(random));
  const float wrong[] = {0, -1, std::numeric_limits<float>::quiet_NaN(),
                         std::numeric_limits<float>::infinity()};
  for (std::size_t i = 0; i < 40; ++i) frame.pixels[7 * i] = wrong[i % 4];
  for (std::size_t c = 0; c < 3; ++c) frame.at(3, 2)[c] = 0;
  return frame;
}

}  // namespace

TEST_CASE("a layer lies over what is drawn as it does on the host", "[window]") {
  const auto context = test::gl_context();
  if (!context) return;
  std::mt19937 random(3);
  const ImageF frame = hostile_frame(37, 23);
  Image8 layer(frame.width, frame.height, 4);
  for (std::size_t p = 0; p < layer.pixels.size() / 4; ++p) {
    const unsigned alpha = random() % 256;
    layer.pixels[4 * p + 3] = std::uint8_t(alpha);
    for (std::size_t c = 0; c < 3; ++c)
      layer.pixels[4 * p + c] = std::uint8_t(random() % (alpha + 1));
  }
  const Framebuffer target(frame.width, frame.height);
  Picture picture;
  picture.upload(frame);
  target.bind();
  const Viewport whole{0, 0, frame.width, frame.height};
  picture.draw(whole, choose_tone_curve(frame), 1);
  const Image8 below = read_pixels(frame.width, frame.height);
  Layer over;
  over.draw(whole);  // nothing yet
  over.upload(layer);
  over.draw(whole);
  const Image8 shown = read_pixels(frame.width, frame.height);
  const Image8 expected = under_layer(below, layer);
  int worst = 0;
  for (std::size_t i = 0; i < shown.pixels.size(); ++i)
    worst = std::max(worst, std::abs(int(shown.pixels[i]) - int(expected.pixels[i])));
  CHECK(worst <= 1);
  CHECK(context->faults().count == 0);
}

TEST_CASE("the shader shows a frame as the tone map on the CPU does", "[window]") {
  const auto context = test::gl_context();
  if (!context) return;
  // Odd sizes: rows whose bytes are no multiple of four.
  const ImageF frame = hostile_frame(37, 23);
  Framebuffer target(frame.width, frame.height);
  Picture picture;
  picture.upload(frame);
  using Two = std::array<double, 2>;
  for (const auto& [exposure, gamma] :
       {Two{0.125, 1}, Two{1, 1}, Two{16, 1}, Two{1, 0.5}, Two{1, 2.2}}) {
    const ToneCurve curve = choose_tone_curve(frame);
    target.bind();
    picture.draw({0, 0, frame.width, frame.height}, curve, exposure, gamma);
    const Image8 shown = read_pixels(frame.width, frame.height);
    const Image8 expected = tone_map(frame, curve, exposure, gamma);
    int worst = 0;
    std::size_t where = 0;
    for (std::size_t i = 0; i < shown.pixels.size(); ++i) {
      const int difference = std::abs(int(shown.pixels[i]) - int(expected.pixels[i]));
      if (difference > worst) where = i;
      worst = std::max(worst, difference);
    }
    INFO("gamma " << gamma << ", value " << where << " from light " << frame.pixels[where] << " is "
                  << int(shown.pixels[where]) << " instead of " << int(expected.pixels[where]));
    CHECK(worst <= 1);
    picture.draw({0, 0, frame.width, frame.height}, curve, exposure, gamma, true);
    const Image8 white = read_pixels(frame.width, frame.height), paper = on_white(expected);
    int worst_on_white = 0;
    for (std::size_t i = 0; i < white.pixels.size(); ++i)
      worst_on_white =
          std::max(worst_on_white, std::abs(int(white.pixels[i]) - int(paper.pixels[i])));
    CHECK(worst_on_white <= 2);  // of three roundings
  }
  CHECK(context->faults().count == 0);
}

TEST_CASE("a fault of OpenGL is counted", "[window]") {
  const auto context = test::gl_context();
  if (!context) return;
  CHECK(context->faults().count == 0);
  // Storage of no bytes is an error.
  const Buffer none(0);
  CHECK(context->faults().count > 0);
  CHECK_FALSE(context->faults().first.empty());
}

TEST_CASE("a picture larger than OpenGL allows is refused in words", "[window]") {
  const auto context = test::gl_context();
  if (!context) return;
  CHECK_THROWS_AS(Texture(1 << 20, 1, TextureFormat::Rgba8), Error);
}

TEST_CASE("the texture of light is made anew only when the size changes", "[window]") {
  const auto context = test::gl_context();
  if (!context) return;
  Picture picture;
  CHECK(picture.set_size(8, 4));
  CHECK_FALSE(picture.set_size(8, 4));
  CHECK(picture.set_size(8, 5));
}

}  // namespace haloscope::render::gl
