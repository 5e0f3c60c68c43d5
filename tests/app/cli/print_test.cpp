// Pictures for print: on white ground, with letters of a size that is asked for, and very large.

#include "render/colors/white_ground.h"
#include "render/files/png_file.h"
#include "render/film/film_output.h"
#include "render/scene/picture_output.h"
#include "tests/app/viewer/window_context.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace haloscope::test {

namespace {

struct Prints {
  std::string size = "320x240";
  OutputFolder folder;

  Outcome run(const std::string& name, std::vector<std::string> more) const {
    std::vector<std::string> words{"render", sample_file(), "-o",       folder.path(name),
                                   "--size", size,          "--device", "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  }
  Image8 draw(const std::string& name, const std::vector<std::string>& more) const {
    const Outcome outcome = run(name, more);
    INFO(outcome.out << outcome.err);
    REQUIRE(outcome.code == 0);
    return render::read_png(folder.path(name));
  }
};

// The part of the pixels whose components all lie between two bytes.
double part_between(const Image8& picture, int low, int high) {
  std::size_t count = 0;
  for (std::size_t p = 0; p < picture.pixels.size(); p += 3) {
    const auto [least, most] = std::minmax_element(&picture.pixels[p], &picture.pixels[p] + 3);
    count += *least >= low && *most <= high;
  }
  return double(count) * 3 / double(picture.pixels.size());
}

}  // namespace

TEST_CASE("on white ground lightness is turned over and hues stay", "[render][print]") {
  Image8 picture(5, 1, 3);
  picture.pixels = {0, 0, 0, 255, 255, 255, 255, 0, 0, 250, 200, 100, 10, 20, 90};
  const Image8 white = render::on_white(picture);
  const std::vector<int> expected{255, 255, 255, 0, 0, 0, 255, 0, 0, 155, 105, 5, 165, 175, 245};
  CHECK(std::vector<int>(white.pixels.begin(), white.pixels.end()) == expected);
  const Image8 back = render::on_white(white);
  CHECK(std::vector<int>(back.pixels.begin(), back.pixels.end()) ==
        std::vector<int>(picture.pixels.begin(), picture.pixels.end()));
}

TEST_CASE("a composite on white is the dark one with its lightness turned over",
          "[window][print]") {
  const Prints prints;
  const std::vector<std::string> view{"--target", "9000,9000,9000", "--ortho", "60000"};
  auto white_view = view;
  white_view.insert(white_view.end(), {"--ground", "white"});
  const Image8 dark = prints.draw("dark.png", view);
  const Image8 white = prints.draw("white.png", white_view);
  const bool same = render::on_white(dark).pixels == white.pixels;
  CHECK(same);
  // Around the box there is nothing: paper.
  CHECK(part_between(white, 255, 255) > 0.3);
  CHECK(part_between(dark, 0, 0) > 0.3);
}

TEST_CASE("a map on white has its colors, and white where there is no mass", "[print][map]") {
  const Prints prints;
  const std::vector<std::string> map{"--map",   "surface-density", "--types",   "stars",
                                     "--range", "1e-6,1e-2",       "--palette", "viridis"};
  auto on_white = map;
  on_white.insert(on_white.end(), {"--ground", "white"});
  const Image8 dark = prints.draw("dark.png", map), white = prints.draw("white.png", on_white);
  std::size_t paper = 0, changed = 0;
  for (std::size_t p = 0; p < dark.pixels.size(); p += 3) {
    const bool is_white = white.pixels[p] == 255 && white.pixels[p + 1] == 255;
    paper += is_white;
    changed += !is_white && !std::equal(&dark.pixels[p], &dark.pixels[p] + 3, &white.pixels[p]);
  }
  CHECK(paper > dark.pixels.size() / 6);
  CHECK(paper < dark.pixels.size() / 3);
  CHECK(changed == 0);
}

TEST_CASE("letters are dark on white, and as large as asked", "[window][print]") {
  if (!gl_context()) return;
  const Prints prints;
  // Empty space: whatever is not the ground is an overlay.
  const std::vector<std::string> view{"--target",   "9000,9000,9000", "--ortho", "1e9",
                                      "--overlays", "time,scale_bar", "--types", "stars"};
  const auto with = [&](const std::string& name, const std::vector<std::string>& more) {
    auto words = view;
    words.insert(words.end(), more.begin(), more.end());
    return prints.draw(name, words);
  };
  const Image8 dark = with("dark.png", {}), white = with("white.png", {"--ground", "white"});
  CHECK(part_between(dark, 200, 255) > 0.0004);
  CHECK(part_between(white, 0, 60) > 0.0004);
  CHECK(part_between(white, 255, 255) > 0.9);
  const Image8 large = with("large.png", {"--ground", "white", "--letters", "3"});
  CHECK(part_between(large, 0, 60) > 2.5 * part_between(white, 0, 60));
}

TEST_CASE("bars and scale are told apart in small pictures, and in wide and low ones",
          "[window][print]") {
  if (!gl_context()) return;
  for (const char* const size : {"3000x200", "160x160"}) {
    Prints prints;
    prints.size = size;
    const Image8 bare = prints.draw("bare.png", {});
    const auto rows_of = [&](const char* overlays) {
      const Image8 picture = prints.draw(std::string(overlays) + ".png", {"--overlays", overlays});
      std::array<int, 2> rows{picture.height, -1};
      for (int y = 0; y < picture.height; ++y)
        for (int x = 0; x < picture.width; ++x)
          if (!std::equal(bare.at(x, y), bare.at(x, y) + 3, picture.at(x, y)))
            rows = {std::min(rows[0], y), std::max(rows[1], y)};
      return rows;
    };
    INFO(size);
    const auto bars = rows_of("color_bar"), scale = rows_of("scale_bar");
    CHECK(bars[1] > 50);  // two bars with letters of 9 pixels
    CHECK(scale[1] >= scale[0]);
    CHECK(scale[0] > bars[1]);
  }
}

TEST_CASE("colors of a vector have words and no bar", "[window][print]") {
  if (!gl_context()) return;
  const Prints prints;
  const auto last_row = [&](const char* color) {
    const std::vector<std::string> words{"--types", "dm", "--color", color};
    auto with_bar = words;
    with_bar.insert(with_bar.end(), {"--overlays", "color_bar"});
    const Image8 bare = prints.draw("bare.png", words), barred = prints.draw("bar.png", with_bar);
    int last = -1;
    for (int y = 0; y < bare.height; ++y)
      for (int x = 0; x < bare.width; ++x)
        if (!std::equal(bare.at(x, y), bare.at(x, y) + 3, barred.at(x, y))) last = y;
    return last;
  };
  // Two lines of letters beside one above a bar and its limits.
  const int words = last_row("Velocities"), bar = last_row("Velocities[0]");
  CHECK(words > 20);
  CHECK(bar > words + 2);
}

TEST_CASE("the window shows and keeps ground and letters", "[window][print]") {
  if (!gl_context()) return;
  const Prints prints;
  put_bytes(prints.folder.path("commands.txt"),
            "ground white\nletter_size 2\nscreenshot \"" + prints.folder.path("still.png") +
                "\" overlays 320x240\nwait\nsave_state \"" + prints.folder.path("s.toml") + "\"\n");
  const Outcome view = run_program({"view", sample_file(), "--headless", "--device", "cpu", "--run",
                                    prints.folder.path("commands.txt")});
  INFO(view.out << view.err);
  REQUIRE(view.code == 0);
  const Image8 still = render::read_png(prints.folder.path("still.png"));
  const std::vector<std::string> state{"--state", prints.folder.path("s.toml"), "--overlays",
                                       "usual"};
  const bool same = prints.draw("same.png", state).pixels == still.pixels;
  CHECK(same);
  auto dark = state;
  dark.insert(dark.end(), {"--ground", "dark"});
  const bool other = prints.draw("other.png", dark).pixels != still.pixels;
  CHECK(other);
}

TEST_CASE("options of print that have no effect are refused", "[print]") {
  const Prints prints;
  CHECK_THAT(prints.run("a.exr", {"--ground", "white"}).err, Contains("stand on no ground"));
  CHECK_THAT(prints.run("a.png", {"--letters", "2"}).err, Contains("add --overlays usual"));
  CHECK_THAT(prints.run("a.png", {"--ground", "pink"}).err, Contains("use dark or white"));
  CHECK_THAT(prints.run("a.png", {"--letters", "99"}).err, Contains("between 0.25 and 8"));
  CHECK(prints.folder.files().empty());
}

TEST_CASE("what a very large picture takes is told before it is drawn", "[render][print]") {
  CHECK(render::memory_in_words({16384, 16384}) ==
        "A picture of 16384 x 16384 pixels takes 14.0 GiB of memory while it is drawn.");
  CHECK(render::is_worth_telling(render::picture_bytes({16384, 16384})));
  CHECK_FALSE(render::is_worth_telling(render::picture_bytes({3840, 2160})));
}

TEST_CASE("films are encoded up to what H.264 has", "[film][print]") {
  const auto fault = [](int width, int height) {
    return message_of([&] { render::Encoder::require_size({width, height}, "film.mp4"); });
  };
  CHECK(fault(3840, 2160).empty());
  CHECK(fault(8192, 4352).empty());
  CHECK_THAT(fault(8192, 4353), Contains("more than the encoder, H.264, takes"));
  CHECK_THAT(fault(16384, 16384), Contains("write frames by a name such as frames/%05d.png"));
  CHECK_THAT(fault(16384, 2176), Equals(""));
  CHECK_THAT(fault(16896, 16), Contains("more than the encoder"));
  // Before the snapshot is read, and whether or not there is an encoder.
  const OutputFolder folder;
  put_bytes(folder.path("path.toml"), "[[key]]\ntime = 0\n[[key]]\ntime = 1\ntarget = [1, 1, 1]\n");
  const Outcome movie = run_program({"movie", sample_file(), "--path", folder.path("path.toml"),
                                     "-o", folder.path("film.mp4"), "--size", "16384x16384"});
  CHECK(movie.is_fault());
  CHECK_THAT(movie.err, Contains("more than the encoder, H.264, takes"));
}

TEST_CASE("a title that is wider than the picture goes on in a line below", "[window][print]") {
  if (!gl_context()) return;
  const Prints prints;
  const std::vector<std::string> map{"--map", "mean:Temperature", "--types",
                                     "gas",   "--palette",        "gray"};
  auto with_bar = map;
  // Twice as large as in a window.
  with_bar.insert(with_bar.end(), {"--overlays", "color_bar", "--letters", "2.857"});
  const Image8 bare = prints.draw("bare.png", map), barred = prints.draw("barred.png", with_bar);
  int right = 0, lowest = 0;
  for (int y = 0; y < bare.height; ++y)
    for (int x = 0; x < bare.width; ++x)
      if (!std::equal(bare.at(x, y), bare.at(x, y) + 3, barred.at(x, y))) {
        right = std::max(right, x);
        lowest = std::max(lowest, y);
      }
  CHECK(right > 200);
  CHECK(right < 318);
  // One line of the title, the bar and its limits take 125 pixels, and another line 27.
  CHECK(lowest > 140);
}

}  // namespace haloscope::test
