#include "render/files/image_file.h"

#include "core/log.h"
#include "render/files/png_file.h"
#include "render/files/ppm_tga_file.h"
#include "tests/catch.h"
#include "tests/output_folder.h"

#include <random>

using namespace haloscope;
using namespace haloscope::render;
using namespace haloscope::test;
using Catch::Matchers::Contains;

namespace {

Image8 noise(int width, int height, int channels) {
  Image8 image(width, height, channels);
  std::mt19937 random(unsigned(width * 31 + height * 7 + channels));
  for (auto& value : image.pixels) value = std::uint8_t(random());
  return image;
}

constexpr int kSizes[][2] = {{1, 1}, {3, 5}, {5000, 3}, {2, 4001}};

}  // namespace

TEST_CASE("PNG files keep every pixel, with 1 to 4 channels") {
  OutputFolder folder;
  for (const auto& size : kSizes)
    for (int channels = 1; channels <= 4; ++channels) {
      const Image8 image = noise(size[0], size[1], channels);
      write_image8(folder.path("a.png"), image);
      const Image8 back = read_png(folder.path("a.png"));
      CHECK(back.width == image.width);
      CHECK(back.height == image.height);
      CHECK(back.channels == channels);
      CHECK(back.pixels == image.pixels);
    }
  CHECK(folder.files() == std::vector<std::string>{"a.png"});
}

TEST_CASE("PNG files carry the scene as text") {
  OutputFolder folder;
  const ImageText text{{"Scene", "eye = 1, 2, 3\npalette = viridis\n"},
                       {"Author", "Zwicky, Höhenstraße, 銀河"},
                       {"Empty", ""},
                       {"Long", std::string(100000, 'x')}};
  write_image8(folder.path("a.PNG"), noise(3, 5, 3), text);
  ImageText back;
  read_png(folder.path("a.PNG"), &back);
  CHECK(back == text);
  const std::string bytes = file_bytes(folder.path("a.PNG"));
  CHECK(bytes.find("palette = viridis") < bytes.find("IDAT"));
  CHECK(bytes.find("tEXtScene") != std::string::npos);
  CHECK(bytes.find("iTXtAuthor") != std::string::npos);
}

TEST_CASE("PPM files keep every pixel and hold nothing but Splotch's header") {
  OutputFolder folder;
  for (const auto& size : kSizes) {
    const Image8 image = noise(size[0], size[1], 3);
    write_image8(folder.path("a.ppm"), image, {{"Scene", "left out"}});
    const Image8 back = read_ppm(folder.path("a.ppm"));
    CHECK(back.width == image.width);
    CHECK(back.height == image.height);
    CHECK(back.pixels == image.pixels);
  }
  Image8 image(2, 1, 4);
  image.pixels = {1, 2, 3, 99, 4, 5, 6, 99};
  write_ppm(folder.path("a.ppm"), image);
  CHECK(file_bytes(folder.path("a.ppm")) == "P6\n2\n1\n255\n\1\2\3\4\5\6");
  image = Image8(1, 1, 1);
  image.pixels = {7};
  write_ppm(folder.path("a.ppm"), image);
  CHECK(file_bytes(folder.path("a.ppm")) == "P6\n1\n1\n255\n\7\7\7");
}

TEST_CASE("PPM files of other programs are read: comments, a first pixel that looks like space") {
  OutputFolder folder;
  put_bytes(folder.path("a.ppm"), "P6 # made by\n# somebody\n 1\t1 # one\n255\n\n\r ");
  CHECK(read_ppm(folder.path("a.ppm")).pixels == std::vector<std::uint8_t>{'\n', '\r', ' '});
}

TEST_CASE("TGA files hold BGR rows from the flagged corner") {
  OutputFolder folder;
  Image8 image(2, 2, 3);
  image.pixels = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  write_image8(folder.path("a.tga"), image);
  std::string header({0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0, 24, 0x20});
  CHECK(file_bytes(folder.path("a.tga")) ==
        header + std::string({3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10}));
  write_tga(folder.path("a.tga"), image, TgaOrigin::BottomLeft);
  header[17] = 0;
  CHECK(file_bytes(folder.path("a.tga")) ==
        header + std::string({9, 8, 7, 12, 11, 10, 3, 2, 1, 6, 5, 4}));
  write_tga(folder.path("wide.tga"), Image8(5000, 3, 3));
  const std::string wide = file_bytes(folder.path("wide.tga"));
  CHECK(wide.size() == 18 + 5000 * 3 * 3);
  CHECK(std::uint8_t(wide[12]) + 256 * std::uint8_t(wide[13]) == 5000);
  CHECK_THAT(message_of([&] { write_tga(folder.path("b.tga"), Image8(65536, 1, 3)); }),
             Contains("65535"));
}

TEST_CASE("image extensions: known ones in any case, others refused with a list") {
  CHECK(image_extension("a/b.PnG") == ".png");
  CHECK(image_extension("a.b.exr") == ".exr");
  CHECK_THAT(message_of([] { image_extension("picture.jpg"); }),
             Contains("picture.jpg: pictures cannot be written as .jpg files") &&
                 Contains("use .png, .exr, .ppm or .tga"));
  CHECK_THAT(message_of([] { image_extension("a.dir/picture"); }), Contains("needs an extension"));
  CHECK_THAT(message_of([] { write_image8("a.exr", Image8(1, 1, 3)); }), Contains("linear light"));
}

TEST_CASE("a picture that cannot be written leaves the old one and nothing else") {
  OutputFolder folder;
  const Image8 image = noise(300, 300, 3);
  for (const char* name : {"a.png", "a.ppm", "a.tga"}) {
    const std::string path = folder.path(name);
    put_bytes(path, "old");
    CHECK_THAT(message_with_file_limit(50000, [&] { write_image8(path, image, {}); }),
               Contains(name) && Contains("larger than allowed"));
    CHECK(file_bytes(path) == "old");
    CHECK_THAT(message_of([&] { write_image8(folder.path("no/") + name, image); }),
               Contains("does not exist"));
  }
  CHECK(folder.files() == std::vector<std::string>{"a.png", "a.ppm", "a.tga"});
}

TEST_CASE("damaged and foreign pictures are told apart") {
  OutputFolder folder;
  write_image8(folder.path("a.png"), noise(30, 30, 3));
  write_image8(folder.path("a.ppm"), noise(30, 30, 3));
  const std::string png = file_bytes(folder.path("a.png"));
  const std::string ppm = file_bytes(folder.path("a.ppm"));
  const auto put = [&](const std::string& bytes) {
    put_bytes(folder.path("b"), bytes);
    return folder.path("b");
  };
  CHECK_THROWS_AS(read_png(put(png.substr(0, png.size() / 2))), BadFile);
  CHECK_THROWS_AS(read_png(put(png.substr(0, 20))), BadFile);
  CHECK_THROWS_AS(read_png(put(ppm)), NotThisFormat);
  CHECK_THROWS_AS(read_png(put("")), NotThisFormat);
  std::string flipped = png;
  flipped[png.size() / 2] ^= 1;
  auto former = log::set_sink([](log::Level, const std::string&) {});
  CHECK_THROWS_AS(read_png(put(flipped)), BadFile);
  log::set_sink(former);
  CHECK_THROWS_AS(read_png(folder.path("none")), Error);
  CHECK_THROWS_AS(read_ppm(put(png)), NotThisFormat);
  CHECK_THROWS_AS(read_ppm(put(ppm.substr(0, ppm.size() - 1))), BadFile);
  CHECK_THROWS_AS(read_ppm(put("P6\n1 1\n65535\n      ")), BadFile);
  CHECK_THROWS_AS(read_ppm(put("P6\n1 x\n255\n   ")), BadFile);
  CHECK_THROWS_AS(read_ppm(put("P6\n0 1\n255\n")), BadFile);
  CHECK_THROWS_AS(read_ppm(put("P6\n16000000 16000000\n255\n")), BadFile);
  CHECK_THROWS_AS(read_ppm(folder.path("none")), Error);
}
