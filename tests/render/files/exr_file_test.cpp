#include "render/files/exr_file.h"

#include "core/log.h"
#include "tests/catch.h"
#include "tests/output_folder.h"

#include <cmath>
#include <limits>
#include <random>

using namespace haloscope;
using namespace haloscope::render;
using namespace haloscope::test;
using Catch::Matchers::Contains;

namespace {

ImageF noise(int width, int height, int channels) {
  ImageF image(width, height, channels);
  std::mt19937 random(unsigned(width * 31 + height * 7 + channels));
  std::normal_distribution<float> exponent(0, 2);
  for (auto& value : image.pixels) value = std::exp(exponent(random)) * (random() % 2 ? 1 : -1);
  return image;
}

}  // namespace

TEST_CASE("EXR float files keep every bit, with 1 to 4 channels") {
  OutputFolder folder;
  const std::vector<std::string> names[] = {
      {"Y"}, {"Y", "A"}, {"R", "G", "B"}, {"R", "G", "B", "A"}};
  constexpr int sizes[][2] = {{1, 1}, {3, 5}, {5000, 3}, {7, 600}};
  for (const auto& size : sizes)
    for (int channels = 1; channels <= 4; ++channels) {
      const ImageF image = noise(size[0], size[1], channels);
      write_exr(folder.path("a.exr"), image, ExrPrecision::Float);
      std::vector<std::string> found;
      const ImageF back = read_exr(folder.path("a.exr"), &found);
      CHECK(back.width == image.width);
      CHECK(back.height == image.height);
      CHECK(found == names[channels - 1]);
      CHECK(back.pixels == image.pixels);
    }
}

TEST_CASE("EXR half files are exact to half precision") {
  OutputFolder folder;
  const ImageF image = noise(37, 300, 3);
  write_exr(folder.path("a.exr"), image, ExrPrecision::Half);
  const ImageF back = read_exr(folder.path("a.exr"));
  REQUIRE(back.pixels.size() == image.pixels.size());
  double worst = 0;
  for (std::size_t i = 0; i < image.pixels.size(); ++i)
    worst = std::max(worst, double(std::abs(back.pixels[i] - image.pixels[i])) /
                                std::max(6.2e-5, double(std::abs(image.pixels[i]))));
  CHECK(worst <= 1.0 / 2048);
  CHECK(worst > 1e-6);  // it was half
}

TEST_CASE("EXR half files clamp what is too bright, and say how many values") {
  OutputFolder folder;
  const float infinity = std::numeric_limits<float>::infinity();
  ImageF image(7, 1, 1);
  image.pixels = {65504.0f, 65505.0f, 1e30f, -1e30f, infinity, std::nanf(""), 0.5f};
  log::flush();  // a warning given before is only counted
  std::string warning;
  auto former = log::set_sink([&](log::Level, const std::string& message) { warning += message; });
  write_exr(folder.path("a.exr"), image, ExrPrecision::Half);
  log::set_sink(former);
  CHECK_THAT(warning, Contains("a.exr: 4 values"));
  const ImageF back = read_exr(folder.path("a.exr"));
  const std::vector<float> expected{65504, 65504, 65504, -65504, 65504};
  CHECK(std::vector<float>(back.pixels.begin(), back.pixels.begin() + 5) == expected);
  CHECK(std::isnan(back.pixels[5]));
  CHECK(back.pixels[6] == 0.5f);
}

TEST_CASE("EXR files carry channel names and text") {
  OutputFolder folder;
  const ImageText text{{"scene", "eye = 1, 2, 3\n"}, {"units", "Msun/kpc²"}};
  write_exr(folder.path("a.exr"), noise(3, 5, 2), ExrPrecision::Float, {"density", "weight"}, text);
  std::vector<std::string> channels;
  ImageText back;
  const ImageF image = read_exr(folder.path("a.exr"), &channels, &back);
  CHECK(channels == std::vector<std::string>{"density", "weight"});
  CHECK(back == text);
  CHECK(image.pixels == noise(3, 5, 2).pixels);
}

TEST_CASE("an EXR file that cannot be written leaves the old one and nothing else") {
  OutputFolder folder;
  const std::string path = folder.path("a.exr");
  put_bytes(path, "old");
  const ImageF image = noise(300, 300, 3);
  for (const ExrPrecision precision : {ExrPrecision::Half, ExrPrecision::Float})
    for (const std::uint64_t limit : {0, 100, 200000}) {
      CHECK_THAT(message_with_file_limit(limit, [&] { write_exr(path, image, precision); }),
                 Contains("a.exr: cannot write: the file would be larger than allowed"));
      CHECK(file_bytes(path) == "old");
    }
  CHECK_THAT(message_of([&] { write_exr(folder.path("no/a.exr"), image, ExrPrecision::Half); }),
             Contains("does not exist"));
  CHECK(folder.files().size() == 1);
}

TEST_CASE("damaged and foreign EXR files are told apart") {
  OutputFolder folder;
  write_exr(folder.path("a.exr"), noise(30, 100, 3), ExrPrecision::Float);
  const std::string bytes = file_bytes(folder.path("a.exr"));
  put_bytes(folder.path("b.exr"), bytes.substr(0, bytes.size() / 2));
  CHECK_THROWS_AS(read_exr(folder.path("b.exr")), BadFile);
  put_bytes(folder.path("b.exr"), bytes.substr(0, 40));
  CHECK_THROWS_AS(read_exr(folder.path("b.exr")), BadFile);
  put_bytes(folder.path("b.exr"), "P6\n1 1\n255\n   ");
  CHECK_THROWS_AS(read_exr(folder.path("b.exr")), NotThisFormat);
  CHECK_THAT(message_of([&] { read_exr(folder.path("none.exr")); }), Contains("cannot be opened"));
}
