// What a session measures as its user goes on: files that change, series that play, points that are
// seen.

#include "app/viewer/viewer.h"
#include "core/vector_math.h"
#include "tests/app/viewer/sample_window.h"
#include "tests/catch.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

namespace {

using Window = test::SampleWindow;

// Dark matter whose masses tell one file from another.
void write_masses(const std::string& path, float mass) {
  using namespace snapshot_files;
  constexpr std::size_t kCount = 2000;
  const std::string written = path + ".new";
  {
    FileWriter file(written);
    write_header(file, {0, kCount, 0, 0, 0, 0}, 10);
    file.group("PartType1")
        .dataset("PartType1/Coordinates", {kCount, 3}, some_positions(kCount, 10));
    file.dataset("PartType1/Masses", {kCount}, std::vector<float>(kCount, mass));
  }
  std::filesystem::rename(written, path);
}

std::string measured_numbers(Window& window) {
  REQUIRE(window.comes_to_rest());
  const auto made = window.viewer.panel_input(1).profile.made;
  return made ? made->table : std::string();
}

}  // namespace

TEST_CASE("a file that was written again is measured again when it is asked for",
          "[window][measuring]") {
  const test::OutputFolder folder;
  write_masses(folder.path("a.hdf5"), 1);
  Window window(folder.path("a.hdf5"));
  window.viewer.push("profile at 5 5 5 radii=1,4");
  const std::string before = measured_numbers(window);
  REQUIRE_FALSE(before.empty());
  window.viewer.push("profile at 5 5 5 radii=1,4");
  CHECK(measured_numbers(window) == before);
  write_masses(folder.path("a.hdf5"), 3);
  window.viewer.push("profile at 5 5 5 radii=1,4");
  const std::string after = measured_numbers(window);
  REQUIRE_FALSE(after.empty());
  CHECK(after != before);
  // And when the snapshot is opened again.
  write_masses(folder.path("a.hdf5"), 5);
  window.viewer.push("open " + folder.path("a.hdf5"));
  CHECK(measured_numbers(window) != after);
}

TEST_CASE("plots of the former snapshot go when a series plays on", "[window][measuring]") {
  const test::OutputFolder folder;
  std::string files;
  for (const char* name : {"a.hdf5", "b.hdf5", "c.hdf5"}) {
    write_masses(folder.path(name), float(name[0] - '`'));
    files += (files.empty() ? "" : " ") + folder.path(name);
  }
  Window window(files);
  window.viewer.push("profile at 5 5 5 radii=1,4");
  const std::string first = measured_numbers(window);
  REQUIRE_FALSE(first.empty());
  window.viewer.push("play on");
  REQUIRE(window.comes(
      [&] { return window.viewer.state().current == 1 && window.viewer.scene().info; }));
  CHECK_FALSE(window.viewer.panel_input(1).profile.made);
  REQUIRE(window.comes([&] { return !window.viewer.playing(); }));
  // Where it ends its last one is measured.
  const std::string last = measured_numbers(window);
  CHECK_FALSE(last.empty());
  CHECK(last != first);
}

TEST_CASE("the ruler is laid between the points that are seen at its ends", "[window][ruler]") {
  Window window;
  const session::PicturePoint from{-0.05, 0}, to{0.1, 0.05};
  window.viewer.measure_seen(from, to);
  REQUIRE(window.comes([&] { return window.viewer.state().ruler.has_value(); }));
  const session::Ruler ruler = *window.viewer.state().ruler;
  const session::Camera& camera = *window.viewer.state().camera;
  const auto begin = session::project(camera, ruler.from), end = session::project(camera, ruler.to);
  REQUIRE(begin);
  REQUIRE(end);
  CHECK(begin->x == Approx(from.x).margin(1e-6));
  CHECK(begin->y == Approx(from.y).margin(1e-6));
  CHECK(end->x == Approx(to.x).margin(1e-6));
  CHECK(end->y == Approx(to.y).margin(1e-6));
  CHECK(length(minus(ruler.from, ruler.to)) > 0);
}

TEST_CASE("a ruler that begins or ends where no light is is refused in a sentence",
          "[window][ruler]") {
  Window window;
  const SceneModel model = *window.viewer.panel_input(1).scene;
  for (const int type : model.types) window.viewer.push("hide " + model.info.types.at(type).name);
  REQUIRE(window.comes_to_rest());
  window.viewer.measure_seen({-0.05, 0}, {0.1, 0});
  CHECK(window.comes([&] {
    return window.viewer.panel_input(1).notice.find("nothing is seen at the first end") !=
           std::string::npos;
  }));
  CHECK_FALSE(window.viewer.state().ruler);
}

TEST_CASE("the map's value at a point is told as under the cursor", "[window][driving]") {
  Window window;
  const auto told = [&](const std::string& line) {
    window.viewer.push(line);
    REQUIRE(window.comes_to_rest());
    return window.viewer.panel_input(1).log.back().text;
  };
  CHECK(told("tell_value 0 0").find("no map is shown") != std::string::npos);
  window.viewer.push("map gas");
  REQUIRE(window.comes_to_rest());
  const auto of_map = nlohmann::json::parse(told("tell_value 0.03 0.05"));
  CHECK(of_map.at("quantity") == "surface density");
  REQUIRE(of_map.at("value").get<double>() > 0);
  const std::string words =
      fmt::format("surface density {:.6g} {}", of_map.at("value").get<double>(),
                  of_map.at("unit").get<std::string>());
  CHECK(window.comes([&] {
    return window.viewer.under_cursor({0.03, 0.05}).find(words) != std::string::npos;
  }));
  // Another point has another value, and beside the picture there is none.
  CHECK(nlohmann::json::parse(told("tell_value 0.03 -0.05")).at("value") != of_map.at("value"));
  CHECK(nlohmann::json::parse(told("tell_value 3 0")).at("value").is_null());
}

TEST_CASE("a profile that fails takes no other one away", "[window][measuring]") {
  const test::OutputFolder folder;
  write_masses(folder.path("a.hdf5"), 1);
  Window window(folder.path("a.hdf5"));
  window.viewer.push("profile at 5 5 5 radii=1,4");
  const std::string before = measured_numbers(window);
  REQUIRE_FALSE(before.empty());
  window.viewer.push("profile at 5 5 5 radii=0.001,0.002");
  CHECK(measured_numbers(window) == before);
  CHECK(window.viewer.state().profile->options.radii.find("4") != std::string::npos);
  // And says nothing again.
  const std::size_t said = window.viewer.panel_input(1).log.size();
  window.viewer.push("profile at 5 5 5 radii=0.001,0.003");
  CHECK(measured_numbers(window) == before);
  const auto& log = window.viewer.panel_input(1).log;
  REQUIRE(log.size() == said + 1);
  CHECK(log.back().text.find("a profile needs 10 particles") != std::string::npos);
  // So with one that is stopped.
  window.viewer.push("profile at 5 5 5 radii=1,3");
  window.viewer.push("cancel");
  CHECK(measured_numbers(window) == before);
  // What was switched off is not back.
  window.viewer.push("profile off");
  REQUIRE(window.comes_to_rest());
  window.viewer.push("profile at 5 5 5 radii=0.001,0.002");
  CHECK(measured_numbers(window).empty());
  window.viewer.push("phase Coordinates[0] types=dm");
  REQUIRE(window.comes_to_rest());
  const auto phase = window.viewer.panel_input(1).phase.made;
  REQUIRE(phase);
  window.viewer.push("phase Coordinates[0] types=dm range_x=1e20,1e21");
  REQUIRE(window.comes_to_rest());
  REQUIRE(window.viewer.panel_input(1).phase.made);
  CHECK(window.viewer.panel_input(1).phase.made->table == phase->table);
  // Nothing was measured before, so that nothing is back.
  Window fresh(folder.path("a.hdf5"));
  fresh.viewer.push("profile at 5 5 5 radii=0.001,0.002");
  CHECK(measured_numbers(fresh).empty());
  CHECK(fresh.viewer.state().profile);
}

TEST_CASE("a search that fails takes nothing away", "[window][finders]") {
  Window window;
  const auto& state = window.viewer.state();
  window.viewer.push("find halos epsilon=100");
  REQUIRE(window.comes_to_rest());
  const auto found = window.viewer.panel_input(1).finding;
  REQUIRE(found);
  // One of the finders that fail below has found something before.
  window.viewer.push("find peaks grid=16");
  REQUIRE(window.comes_to_rest());
  window.viewer.push("structures halos");
  REQUIRE(window.comes_to_rest());
  const auto former = state.finding("halos");
  // Another finder's, and another of the same finder: longer than half the box.
  for (const char* line : {"load_halos absent.csv", "find halos epsilon=1e9"}) {
    INFO(line);
    window.viewer.push(line);
    REQUIRE(window.comes_to_rest());
    CHECK(state.shown_finder == "halos");
    CHECK(window.viewer.panel_input(1).finding == found);
    CHECK((state.finding("halos") == former));
    CHECK_FALSE(state.finding("loaded_halos").searched);
  }
  window.viewer.push("find peaks grid=16 threshold=abs:1e30");
  REQUIRE(window.comes_to_rest());
  CHECK(state.shown_finder == "halos");
  CHECK(state.finding("peaks").searched);
  CHECK(window.viewer.panel_input(1).finding == found);
  // Two of others in turn, the second while the first is under way.
  window.viewer.push("find peaks grid=16 threshold=abs:1e30");
  window.viewer.push("load_halos absent.csv");
  REQUIRE(window.comes_to_rest());
  CHECK(state.shown_finder == "halos");
  CHECK(window.viewer.panel_input(1).finding == found);
  // A good one is shown in its place all the same.
  window.viewer.push("find halos epsilon=50");
  REQUIRE(window.comes_to_rest());
  CHECK(window.viewer.panel_input(1).finding != found);
  CHECK(state.finding("halos").searched);
}

}  // namespace haloscope::app::viewer
