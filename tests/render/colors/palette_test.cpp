#include "render/colors/palette.h"

#include "core/assets.h"
#include "core/log.h"
#include "tests/catch.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

using namespace haloscope;
using namespace haloscope::render;
using namespace haloscope::test;
using Catch::Matchers::Contains;
using Color = std::array<float, 3>;

namespace {

// A build folder outside the source tree has no assets above it; the program is told where they
// are, as a user would. (Where this path does not exist either, the search goes on beside the
// program.)
const int kAssetsTold = setenv("HALOSCOPE_ASSETS", (source_dir() + "/assets").c_str(), 0);

Color hex(int r, int g, int b) {
  return {float(r / 255.0), float(g / 255.0), float(b / 255.0)};
}

std::string text_of(const std::string& second, const std::string& rest) {
  return "name\n" + second + "\n" + rest;
}

}  // namespace

TEST_CASE("all named palettes load, with 256 colors in [0, 1]") {
  REQUIRE(kAssetsTold == 0);
  const std::vector<std::string> names = palette_names();
  for (const char* wanted : {"viridis", "magma", "inferno", "plasma", "cividis", "turbo",
                             "twilight", "gray", "ember", "thermal", "cubehelix", "coolwarm"})
    CHECK(std::count(names.begin(), names.end(), wanted) == 1);
  for (const std::string& name : names) {
    CAPTURE(name);
    const Palette palette = find_palette(name);
    CHECK(palette.name == name);
    CHECK(palette.colors.size() == 256);
    for (const Color& color : palette.colors)
      for (float component : color) REQUIRE((component >= 0 && component <= 1));
    CHECK(palette.colors.front() != palette.colors[128]);
  }
}

TEST_CASE("palettes have the colors that their names promise") {
  const Palette viridis = find_palette("viridis");
  CHECK(viridis.colors.front() == hex(0x44, 0x01, 0x54));
  CHECK(viridis.colors.back() == hex(0xfd, 0xe7, 0x25));
  CHECK(find_palette("gray").colors[100] == hex(100, 100, 100));
  CHECK(find_palette("hot").colors.front()[0] < 0.05f);
  CHECK(find_palette("hot").colors.back() == Color{1, 1, 1});
  CHECK(find_palette("RdBu").colors.front()[0] > 2 * find_palette("RdBu").colors.front()[2]);
  CHECK(find_palette("magma").colors.back() == hex(0xfc, 0xfd, 0xbf));
}

TEST_CASE("_r reverses a palette, and the case of a name does not matter") {
  const Palette forward = find_palette("viridis");
  const Palette backward = find_palette("Viridis_R");
  CHECK(backward.name == "viridis_r");
  CHECK(backward.colors.front() == forward.colors.back());
  CHECK(backward.colors[10] == forward.colors[245]);
  CHECK(reversed(backward).name == "viridis");
  CHECK(reversed(backward).colors == forward.colors);
  CHECK(find_palette("rdbu").name == "RdBu");
}

TEST_CASE("sampling is linear between nodes and clamped at the ends") {
  const Palette palette{"three", {{0, 0, 0}, {1, 0, 0.5f}, {1, 1, 1}}};
  CHECK(sample(palette, 0.25f) == Color{0.5f, 0, 0.25f});
  CHECK(sample(palette, 0.5f) == Color{1, 0, 0.5f});
  CHECK(sample(palette, 0.75f) == Color{1, 0.5f, 0.75f});
  CHECK(sample(palette, 0) == Color{0, 0, 0});
  CHECK(sample(palette, 1) == Color{1, 1, 1});
  CHECK(sample(palette, -3) == Color{0, 0, 0});
  CHECK(sample(palette, 3) == Color{1, 1, 1});
  CHECK(sample(palette, std::numeric_limits<float>::infinity()) == Color{1, 1, 1});
  CHECK(sample(palette, std::nanf("")) == Color{0, 0, 0});
  const float below_one = std::nextafter(1.0f, 0.0f);
  CHECK(sample(find_palette("viridis"), below_one)[0] == Approx(0xfd / 255.0).epsilon(1e-4));
}

TEST_CASE("an unknown palette is answered with the nearest names") {
  CHECK_THAT(message_of([] { find_palette("virdis"); }),
             Contains("no color map is called \"virdis\"; the nearest are viridis,"));
  CHECK_THAT(message_of([] { find_palette("infreno_r"); }), Contains("nearest are inferno,"));
  CHECK_THAT(message_of([] { find_palette("none.pal"); }),
             Contains("none.pal: the palette file cannot be opened"));
  CHECK_THAT(message_of([] { find_palette("/tmp"); }), Contains("folder"));
  CHECK_FALSE(message_of([] { find_palette("../palettes/viridis"); }).empty());
  CHECK_FALSE(message_of([] { find_palette(""); }).empty());
}

TEST_CASE("palette files: Splotch's own, other line ends, fractions") {
  OutputFolder folder;
  const std::string path = folder.path("a.pal");
  put_bytes(path, "my palette\r\n0100\r\n2\r\n0 0 0\r\n255  127.5\t51 \r\n\r\n");
  const Palette palette = find_palette(path);
  CHECK(palette.name == "my palette");
  REQUIRE(palette.colors.size() == 2);
  CHECK(palette.colors[1] == Color{1, 0.5f, 0.2f});
  put_bytes(path, "no end\n0100\n2\n0 0 0\n1 1 1");
  CHECK(find_palette(path).colors.size() == 2);

  const auto fire = shared_data("data/splotch/s01_perspective_log/fire.pal");
  if (!fire) return;
  const Palette splotch = find_palette(fire->string());
  CHECK(splotch.colors.size() == 5);
  CHECK(splotch.colors[1] == hex(120, 20, 0));
}

TEST_CASE("palette files with more colors than they say are read with a warning") {
  OutputFolder folder;
  put_bytes(folder.path("a.pal"), text_of("0100", "2\n0 0 0\n1 1 1\n2 2 2\n"));
  log::flush();
  std::string warning;
  auto former = log::set_sink([&](log::Level, const std::string& message) { warning = message; });
  const Palette palette = find_palette(folder.path("a.pal"));
  log::set_sink(former);
  CHECK(palette.colors.size() == 2);
  CHECK_THAT(warning, Contains("more lines than it says"));
}

TEST_CASE("malformed palette files are refused with the line") {
  OutputFolder folder;
  const auto message = [&](const std::string& text) {
    put_bytes(folder.path("bad.pal"), text);
    CHECK_THROWS_AS(find_palette(folder.path("bad.pal")), BadFile);
    return message_of([&] { find_palette(folder.path("bad.pal")); });
  };
  CHECK_THAT(message(""), Contains("bad.pal: not a valid palette: it ends after line 0"));
  CHECK_THAT(message("name\n"), Contains("after line 1 where 0100"));
  CHECK_THAT(message(text_of("JASC", "2\n")), Contains("line 2 should be 0100"));
  CHECK_THAT(message(text_of("0100", "two\n")), Contains("line 3 should be the number"));
  CHECK_THAT(message(text_of("0100", "2.5\n")), Contains("line 3 should be the number"));
  CHECK_THAT(message(text_of("0100", "1e300\n")), Contains("line 3 should be the number"));
  CHECK_THAT(message(text_of("0100", "1\n0 0 0\n")), Contains("line 3 says fewer than 2"));
  CHECK_THAT(message(text_of("0100", "-4\n0 0 0\n")), Contains("line 3 says fewer than 2"));
  CHECK_THAT(message(text_of("0100", "3\n0 0 0\n1 1 1\n")),
             Contains("after line 5 where 1 more of 3 colors"));
  CHECK_THAT(message(text_of("0100", "900000000\n0 0 0\n")), Contains("it ends after line 4"));
  CHECK_THAT(message(text_of("0100", "2\n0 0 0\n0 1\n")), Contains("line 5 should be three"));
  CHECK_THAT(message(text_of("0100", "2\n0 0 0 0\n1 1 1\n")), Contains("line 4 should be three"));
  CHECK_THAT(message(text_of("0100", "2\n# black\n0 0 0\n")), Contains("line 4 should be three"));
  CHECK_THAT(message(text_of("0100", "2\n0 0 256\n1 1 1\n")), Contains("line 4 has a color outs"));
  CHECK_THAT(message(text_of("0100", "2\n0 0 0\n-1 1 1\n")), Contains("line 5 has a color outs"));
}

TEST_CASE("assets are found beside the program, installed or in the build tree") {
  namespace fs = std::filesystem;
  OutputFolder folder;
  fs::create_directories(folder.path("source/assets/palettes"));
  fs::create_directories(folder.path("source/build/app"));
  const auto contains = [](const std::vector<fs::path>& folders, const fs::path& wanted) {
    return std::find(folders.begin(), folders.end(), wanted) != folders.end();
  };
  const auto built = asset_folders(folder.path("source/build/app"));
  CHECK(contains(built, folder.path("source/assets")));
  CHECK(contains(built, folder.path("source/build/share/haloscope")));
  CHECK(contains(built, folder.path("source/build/app/assets")));
  CHECK_FALSE(contains(asset_folders(folder.path("other/bin")), folder.path("source/assets")));

  const std::string missing = message_of([] { asset_path("palettes/none.pal"); });
  CHECK_THAT(missing, Contains("assets/palettes/none.pal") && Contains("share/haloscope") &&
                          Contains("HALOSCOPE_ASSETS"));
}
