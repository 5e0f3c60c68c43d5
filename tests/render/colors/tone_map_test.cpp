#include "render/colors/tone_map.h"

#include "core/srgb.h"
#include "tests/catch.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace haloscope;
using namespace haloscope::render;

namespace {

// Gray levels over `decades`, one per pixel, in falling numbers: voids are many, halos few.
ImageF decades_image(double decades, double unit) {
  ImageF image(100, 100, 3);
  for (std::size_t i = 0; i < 10000; ++i) {
    const double rank = double(i) / 9999;
    const double light = unit * std::pow(10, decades * std::pow(rank, 6));
    for (std::size_t c = 0; c < 3; ++c) image.pixels[3 * i + c] = float(light);
  }
  return image;
}

double mean_of(const Image8& image) {
  double sum = 0;
  for (auto byte : image.pixels) sum += byte;
  return sum / double(image.pixels.size());
}

Image8 automatic(const ImageF& image, double exposure = 1) {
  return tone_map(image, choose_tone_curve(image), exposure);
}

}  // namespace

TEST_CASE("the automatic exposure is neither black nor white, whatever the unit", "[tone]") {
  for (double decades : {1., 3., 5., 8.})
    for (double unit : {1e-20, 1e-6, 1., 1e12}) {
      const Image8 picture = automatic(decades_image(decades, unit));
      INFO(decades << " decades from " << unit);
      CHECK(mean_of(picture) > 15);
      CHECK(mean_of(picture) < 140);
      CHECK(*std::max_element(picture.pixels.begin(), picture.pixels.end()) >= 250);
      // The median lies in the shadows, but is not black while five decades hold the picture.
      if (decades <= 5) CHECK(picture.pixels[3 * 5000] > 20);
      CHECK(picture.pixels[3 * 5000] < 140);
      // Brighter light is never darker on screen.
      for (std::size_t i = 1; i < 10000; ++i)
        REQUIRE(picture.pixels[3 * i] >= picture.pixels[3 * (i - 1)]);
    }
}

TEST_CASE("one blinding particle does not darken the others", "[tone]") {
  ImageF image = decades_image(3, 1);
  const double before = mean_of(automatic(image));
  for (std::size_t c = 0; c < 3; ++c) image.pixels[3 * 42 + c] = 1e9f;
  CHECK(mean_of(automatic(image)) == Approx(before).margin(4));
}

TEST_CASE("uniform light is a middle gray, no light black", "[tone]") {
  ImageF image(8, 8, 3);
  std::fill(image.pixels.begin(), image.pixels.end(), 3.f);
  const Image8 gray = automatic(image);
  CHECK(gray.pixels[0] > 60);
  CHECK(gray.pixels[0] < 200);
  std::fill(image.pixels.begin(), image.pixels.end(), 0.f);
  CHECK_FALSE(has_light(image));
  CHECK(mean_of(automatic(image)) == 0);
}

TEST_CASE("colors keep their hue in the shadows and go to white in the lights", "[tone]") {
  ImageF image = decades_image(4, 1);
  for (std::size_t i = 0; i < 10000; ++i) {
    image.pixels[3 * i + 1] *= 0.5f;
    image.pixels[3 * i + 2] *= 0.25f;
  }
  const Image8 picture = automatic(image);
  const std::uint8_t* dark = &picture.pixels[3 * 7000];
  REQUIRE(dark[0] > 30);
  for (int c : {1, 2}) {
    const double ratio =
        srgb_to_linear(float(dark[c]) / 255) / srgb_to_linear(float(dark[0]) / 255);
    CHECK(ratio == Approx(c == 1 ? 0.5 : 0.25).margin(0.04));
  }
  const Image8 over = automatic(image, 1000);
  CHECK(int(over.pixels[3 * 9999 + 2]) > 250);
}

TEST_CASE("exposure brightens, values that are no numbers stay black", "[tone]") {
  ImageF image = decades_image(3, 1);
  CHECK(mean_of(automatic(image, 4)) > mean_of(automatic(image)) + 10);
  CHECK(mean_of(automatic(image, 0.25)) < mean_of(automatic(image)) - 10);
  image.pixels[0] = std::numeric_limits<float>::quiet_NaN();
  image.pixels[1] = image.pixels[2] = std::numeric_limits<float>::infinity();
  image.pixels[3] = -5;
  const Image8 picture = automatic(image);
  CHECK(picture.pixels[0] == 0);
  CHECK(picture.pixels[3] == 0);
  CHECK(picture.pixels[4] > 0);
}

TEST_CASE("gamma is a power of the display values", "[tone]") {
  const ImageF image = decades_image(3, 1);
  const ToneCurve curve = choose_tone_curve(image);
  const Image8 plain = tone_map(image, curve, 1);
  for (const double gamma : {0.5, 2.2}) {
    const Image8 toned = tone_map(image, curve, 1, gamma);
    for (std::size_t i = 0; i < plain.pixels.size(); ++i) {
      const auto powered = [&](double byte) { return 255 * std::pow(byte / 255, gamma); };
      // What a byte stands for is known to half of it.
      INFO(int(plain.pixels[i]) << " to the power " << gamma);
      CHECK(double(toned.pixels[i]) >= powered(std::max(0., plain.pixels[i] - 0.51)) - 0.51);
      CHECK(double(toned.pixels[i]) <= powered(std::min(255., plain.pixels[i] + 0.51)) + 0.51);
    }
  }
}

TEST_CASE("display values and light are sRGB's", "[tone]") {
  CHECK(srgb_to_linear(0.f) == 0.f);
  CHECK(srgb_to_linear(1.f) == Approx(1.f));
  CHECK(srgb_to_linear(0.5f) == Approx(0.2140f).margin(1e-3));
  CHECK(srgb_to_linear(0.04f) == Approx(0.04 / 12.92).epsilon(1e-4));
}
