// The map in place of light: in stills, films, states and undo, with the numbers of --map, and in
// colors that its bar tells.

#include "render/scene/map_look.h"

#include "core/error.h"
#include "render/colors/palette.h"
#include "render/files/exr_file.h"
#include "render/files/png_file.h"
#include "tests/app/viewer/window_context.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

using Catch::Matchers::Contains;

namespace haloscope::test {

namespace {

std::string sample() {
  return sample_file();
}

// Plays commands in a folder of their own, in which they write.
struct MapSession {
  OutputFolder folder;
  Outcome outcome;

  explicit MapSession(const std::string& commands) {
    put_bytes(folder.path("commands.txt"), commands);
    const auto former = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    outcome =
        run_program({"view", sample(), "--headless", "--device", "cpu", "--run", "commands.txt"});
    std::filesystem::current_path(former);
    INFO(outcome.out << outcome.err);
    REQUIRE(outcome.code == 0);
  }
  Image8 picture(const std::string& name) const { return render::read_png(folder.path(name)); }
  ImageF values(const std::string& name) const { return render::read_exr(folder.path(name)); }
  // `haloscope render` with the state.
  void render(const std::string& state, const std::string& output,
              std::vector<std::string> more = {}) const {
    std::vector<std::string> words{
        "render",           sample(), "-o",      folder.path(output), "--state",
        folder.path(state), "--size", "320x240", "--device",          "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome rendered = run_program(words);
    INFO(rendered.out << rendered.err);
    REQUIRE(rendered.code == 0);
  }
};

// How many pixels differ.
std::size_t differing(const Image8& a, const Image8& b) {
  REQUIRE(a.width == b.width);
  REQUIRE(a.height == b.height);
  std::size_t count = 0;
  for (std::size_t p = 0; p < a.pixels.size(); p += 3)
    count += !std::equal(&a.pixels[p], &a.pixels[p] + 3, &b.pixels[p]);
  return count;
}

// How many pixels have not the color of a logarithmic scale, by the palette's nodes alone.
std::size_t off_scale(const Image8& picture, const ImageF& values, const std::string& name,
                      double low, double high) {
  const auto colors = render::find_palette(name).colors;
  std::size_t count = 0;
  for (std::size_t i = 0; i < values.pixels.size(); ++i) {
    const double value = double(values.pixels[i]);
    std::array<int, 3> expected{0, 0, 0};
    if (!std::isnan(value)) {
      const double t =
          value > 0 ? std::clamp(std::log(value / low) / std::log(high / low), 0., 1.) : 0;
      const double place = t * double(colors.size() - 1);
      const auto k = std::min(std::size_t(place), colors.size() - 2);
      for (std::size_t c = 0; c < 3; ++c)
        expected[c] = int(std::lround(
            255 * (double(colors[k][c]) +
                   (place - double(k)) * (double(colors[k + 1][c]) - double(colors[k][c])))));
    }
    for (std::size_t c = 0; c < 3; ++c)
      if (std::abs(int(picture.pixels[3 * i + c]) - expected[c]) > 1) {
        ++count;
        break;
      }
  }
  return count;
}

// Of those that are numbers.
double largest(const ImageF& map) {
  double most = 0;
  for (const float value : map.pixels)
    if (!std::isnan(value)) most = std::max(most, double(value));
  return most;
}

}  // namespace

TEST_CASE("a map on screen has the colors that its bar tells, and nothing else", "[window][map]") {
  const MapSession session(
      "map gas Temperature\nprojection orthographic\ncolor_map map inferno\nscale map log\n"
      "limits map 1e4 1e7\nexposure 3\ngamma 2\n"
      "screenshot mean.png bare 320x240\nwait\nscreenshot mean.exr bare 320x240\nwait\n"
      "map gas\nlimits map 1e-6 1e-3\n"
      "screenshot density.png bare 320x240\nwait\nscreenshot density.exr bare 320x240\nwait\n");
  CHECK(off_scale(session.picture("mean.png"), session.values("mean.exr"), "inferno", 1e4, 1e7) ==
        0);
  CHECK(off_scale(session.picture("density.png"), session.values("density.exr"), "inferno", 1e-6,
                  1e-3) == 0);
  // The quantities are what they are called: kelvins, and code masses by area.
  const ImageF mean = session.values("mean.exr"), density = session.values("density.exr");
  CHECK(largest(mean) > 1e6);
  CHECK(largest(density) < 1);
}

TEST_CASE("render draws a state's map as stills and films do, with its bar", "[window][map]") {
  if (!gl_context()) return;
  const MapSession session(
      "map stars\nprojection orthographic\noverlay axes on\n"
      "screenshot still.png overlays 320x240\nsave_state s.toml\nwait\n"
      "add_key 0\nadd_key 1\nexport_frames film-%02d.png 1 1 320x240 on\nwait\n"
      "screenshot bare.png bare 320x240\nwait\n");
  session.render("s.toml", "rendered.png", {"--overlays", "usual"});
  const Image8 still = session.picture("still.png");
  CHECK(differing(still, session.picture("rendered.png")) == 0);
  CHECK(differing(still, session.picture("film-00.png")) == 0);
  session.render("s.toml", "bare_again.png");
  CHECK(differing(session.picture("bare.png"), session.picture("bare_again.png")) == 0);
  // The bar stands over the picture.
  CHECK(differing(still, session.picture("bare.png")) > 500);
}

TEST_CASE("a map on screen has the numbers of --map", "[window][map]") {
  const MapSession session(
      "map dm\nprojection orthographic\nsave_state dm.toml\n"
      "map gas Temperature\nsave_state mean.toml\nmap all\nsave_state all.toml\nwait\n");
  for (const auto& [state, map, types] :
       std::vector<std::array<std::string, 3>>{{"dm.toml", "surface-density", "dm"},
                                               {"mean.toml", "mean:Temperature", "gas"},
                                               {"all.toml", "surface-density", "0,1,4"}}) {
    session.render(state, "shown.exr");
    const Outcome numbers =
        run_program({"render", sample(), "-o", session.folder.path("asked.exr"), "--state",
                     session.folder.path(state), "--map", map, "--types", types, "--size",
                     "320x240", "--device", "cpu", "--overwrite"});
    INFO(state << numbers.out << numbers.err);
    REQUIRE(numbers.code == 0);
    const ImageF shown = session.values("shown.exr"), asked = session.values("asked.exr");
    REQUIRE(shown.pixels.size() == asked.pixels.size());
    // To the last bit: the sums are whole numbers.
    const bool same = std::memcmp(shown.pixels.data(), asked.pixels.data(),
                                  shown.pixels.size() * sizeof(float)) == 0;
    CHECK(same);
    CHECK(largest(shown) > 0);
    std::filesystem::remove(session.folder.path("shown.exr"));
  }
}

TEST_CASE("a map is a look that undo takes back and other looks end", "[window][map]") {
  const MapSession session(
      "screenshot light.png bare 160x120\nwait\nmap gas Temperature\nsave_state map.toml\nwait\n"
      "screenshot map.png bare 160x120\nwait\nundo\nwait\nscreenshot undone.png bare "
      "160x120\nwait\n"
      "redo\nwait\nscreenshot redone.png bare 160x120\nwait\n"
      "show_look composite\nscreenshot composite.png bare 160x120\nwait\n"
      "show_look map\nscreenshot again.png bare 160x120\nwait\n");
  const Image8 light = session.picture("light.png"), map = session.picture("map.png");
  CHECK(differing(light, map) > 1000);
  CHECK(differing(light, session.picture("undone.png")) == 0);
  CHECK(differing(map, session.picture("redone.png")) == 0);
  CHECK(differing(light, session.picture("composite.png")) == 0);
  CHECK(differing(map, session.picture("again.png")) == 0);
}

TEST_CASE("what cannot be a map is told in one sentence", "[window][map]") {
  const OutputFolder folder;
  const auto fault = [&](const std::string& commands) {
    put_bytes(folder.path("commands.txt"), commands);
    const Outcome outcome = run_program(
        {"view", sample(), "--headless", "--device", "cpu", "--run", folder.path("commands.txt")});
    CHECK(outcome.is_fault());
    return outcome.err;
  };
  CHECK_THAT(fault("map all Temperature\n"), Contains("name it, as in map gas Temperature"));
  CHECK_THAT(fault("map gas Temprature\n"), Contains("did you mean 'Temperature'"));
  CHECK_THAT(fault("map bh\n"), Contains("no particles of type bh"));
  CHECK_THAT(fault("map dm LocalDensity\n"), Contains("has no mean"));
  CHECK_THAT(fault("map gas\nscreenshot " + folder.path("a.png") + " transparent\n"),
             Contains("a map covers its ground"));
  CHECK_THAT(fault("map gas\nscreenshot " + folder.path("a.exr") + " bare\n"),
             Contains("made with a parallel view"));
}

TEST_CASE("a map of what a snapshot of the series lacks says so", "[window][map]") {
  if (!gl_context()) return;
  const OutputFolder folder;
  for (const int type : {0, 1}) {
    snapshot_files::FileWriter file(folder.path("s" + std::to_string(type) + ".hdf5"));
    std::vector<std::uint32_t> counts(6, 0);
    counts[std::size_t(type)] = 200;
    snapshot_files::write_header(file, counts, 10);
    const std::string group = "PartType" + std::to_string(type);
    file.group(group);
    file.dataset(group + "/Coordinates", {200, 3}, snapshot_files::some_positions(200, 10));
    file.dataset(group + "/Masses", {200}, std::vector<float>(200, 1));
  }
  const auto still = [&](const std::string& name, const std::string& look) {
    return "screenshot " + folder.path(name) + " " + look + " 320x240\nwait\n";
  };
  put_bytes(folder.path("c.txt"),
            "map gas\noverlay scale_bar off\noverlay time off\nwait\nnext_snapshot\nwait\n" +
                still("told.png", "overlays") + still("bare.png", "bare"));
  const Outcome outcome =
      run_program({"view", folder.path("s0.hdf5"), folder.path("s1.hdf5"), "--headless", "--device",
                   "cpu", "--no-cache", "--run", folder.path("c.txt")});
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(differing(render::read_png(folder.path("told.png")),
                  render::read_png(folder.path("bare.png"))) > 300);
}

TEST_CASE("a mean of a field without a unit is told without one", "[map]") {
  SnapshotInfo info;
  info.types[0].name = "gas";
  info.types[0].fields.push_back({"Metallicity", 1, ScalarType::Float32, ""});
  info.types[0].fields.push_back({"Temperature", 1, ScalarType::Float32, "K"});
  render::MapLook look;
  look.field = "Metallicity";
  CHECK(render::map_unit(info, {0}, look.field).empty());
  CHECK(render::map_title(info, {0}, look) == "mean Metallicity");
  look.field = "Temperature";
  CHECK(render::map_title(info, {0}, look) == "mean Temperature [K]");
}

}  // namespace haloscope::test
