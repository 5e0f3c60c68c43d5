// The words about a picture: what a scene of made particles says of itself.

#include "render/scene/scene_description.h"

#include "tests/catch.h"
#include "tests/made/made_particles.h"

#include <nlohmann/json.hpp>

using namespace haloscope;
using namespace haloscope::render;
using compute::splotch::Mode;
using compute::splotch::Transform;
using compute::splotch::View;
using nlohmann::json;

namespace {

// Two gas particles and a star, read and with looks, but never drawn.
struct MadeScene {
  RenderRequest request;
  SnapshotInfo info;
  LoadedParticles loaded;
  SceneLooks looks;

  MadeScene() {
    request.snapshot = "made.hdf5";
    info.types[0].name = "gas";
    info.types[4].name = "stars";
    info.assumed = {"the box is periodic."};
    const Domain domain = test::periodic_domain(10);
    ParticleSet particles;
    particles.domain = domain;
    particles.types.push_back(test::made_columns(0, "gas", domain, {{1, 2, 3}, {4, 5, 6}}));
    particles.types.push_back(test::made_columns(4, "stars", domain, {{7, 8, 9}}));
    particles.assumed = {"one row was left out."};
    loaded = LoadedParticles(std::move(particles));
    analysis::LengthsChoice none;
    none.neighbors = 0;
    Progress progress;
    loaded.find_lengths(info, none, progress);
    looks.looks.resize(2);
    looks.looks[0].type = 0;
    looks.looks[0].color = "Temperature";
    looks.looks[0].transform = Transform::Log;
    looks.looks[0].asked_brightness = 2;
    looks.looks[1].type = 4;
    looks.appearances.resize(2);
    looks.appearances[0].color = {Transform::Log, 3, 6.5f};
  }
  DescribedScene described() const { return {request, info, loaded, looks}; }
  json words(const View& view = {}) const { return describe(described(), view); }
};

}  // namespace

TEST_CASE("a picture's description holds what decides its pixels", "[render][words]") {
  MadeScene made;
  View view;
  view.eye = {1, 2, 30};
  view.width = 640;
  view.height = 480;
  json expected = json::parse(R"({
    "snapshot": "made.hdf5", "types": ["gas", "stars"], "size": [640, 480],
    "eye": [1.0, 2.0, 30.0], "target": [0.0, 0.0, 0.0], "up": [0.0, 1.0, 0.0],
    "mode": "default", "fov": 45.0, "exposure": 0.0, "smooth": 1.0,
    "brightness": {"gas": 2.0, "stars": 1.0}, "palette": {"gas": "default", "stars": "default"},
    "color": {"gas": {"field": "Temperature", "transform": "log", "transformed_range": [3.0, 6.5]}}
  })");
  // A power is not the same to the bit in every library.
  const json got = made.words(view);
  CHECK(got["color"]["gas"]["range"][0].get<double>() == Approx(1e3));
  CHECK(got["color"]["gas"]["range"][1].get<double>() == Approx(std::pow(10, 6.5)));
  expected["color"]["gas"]["range"] = got["color"]["gas"]["range"];
  CHECK(got == expected);
  CHECK(got.dump() == expected.dump());

  view.perspective = false;
  view.ortho_width = 7;
  made.request.gamma = 1.5;
  made.request.exposure_ev = -1;
  const json other = made.words(view);
  CHECK(other["ortho"] == 7);
  CHECK_FALSE(other.contains("fov"));
  CHECK(other["gamma"] == 1.5);
  CHECK(other["exposure"] == -1);
}

// As in a window, which changes appearances and leaves the looks of the file as they were.
TEST_CASE("a color's range is told on the scale that it is drawn with", "[render][words]") {
  MadeScene made;
  made.looks.appearances[0].color = {Transform::Linear, 1000, 2000};
  const json color = made.words()["color"]["gas"];
  CHECK(color["transform"] == "lin");
  CHECK(color["range"] == json{1000., 2000.});
  CHECK(color["transformed_range"] == json{1000., 2000.});
  CHECK(sentences(made.described())[0] == "gas: 2 particles, color Temperature 1000 … 2000");
}

TEST_CASE("a description tells palettes and brightness as they were asked for", "[render][words]") {
  MadeScene made;
  made.request.palette = "magma";
  CHECK(made.words()["palette"] == json{{"gas", "magma"}, {"stars", "magma"}});
  // With a color, the palette is that color's.
  made.request.color = analysis::FieldChoice{};
  made.request.color->field = "Temperature";
  CHECK(made.words()["palette"] == json{{"gas", "magma"}, {"stars", "default"}});
  made.request.mode = Mode::Classic;
  CHECK(made.words()["brightness"] == json{{"gas", "automatic"}, {"stars", "automatic"}});
  made.request.brightness = {2, 1};
  CHECK(made.words()["brightness"] == json{{"gas", 2.}, {"stars", 1.}});
  CHECK(made.words()["mode"] == "classic");

  made.request.mode = Mode::Map;
  const json map = made.words();
  CHECK(map["palette"] == "magma");
  CHECK_FALSE(map.contains("brightness"));
  CHECK(map["color"] == json::object());
  made.request.palette.clear();
  CHECK(made.words()["palette"] == "viridis");
}

TEST_CASE("a description tells what the user chose for types", "[render][words]") {
  MadeScene made;
  CHECK_FALSE(made.words().contains("choices"));
  made.request.choices[4].shown = false;
  made.request.choices[4].brightness = 3;
  made.request.choices[4].color_map = "ice";
  // Of types that have no particles nothing is drawn.
  made.request.choices[5].brightness = 7;
  CHECK(made.words()["choices"] ==
        json{{"stars",
              {{"shown", false}, {"brightness", 3.}, {"smoothing", 1.}, {"color_map", "ice"}}}});
}

TEST_CASE("sentences tell particles, colors and what was assumed, in this order",
          "[render][words]") {
  MadeScene made;
  made.loaded.set_estimated({2, 1});
  const std::string estimated =
      " particles have no smoothing length in the file: it was estimated from the local spacing in "
      "Morton order";
  CHECK(sentences(made.described()) ==
        std::vector<std::string>{"gas: 2 particles, color log Temperature 1000 … 3.162e+06",
                                 "stars: 1 particles", "assumed: the box is periodic.",
                                 "assumed: one row was left out.",
                                 "assumed: 2 of 2 gas" + estimated + ".",
                                 "assumed: 1 of 1 stars" + estimated + ", and kept short."});
  // What was found is told in place of an estimate, and columns that are gone are still counted.
  made.request.mode = Mode::Map;
  made.loaded.set_estimated({0, 0});
  analysis::LengthsChoice search;
  search.keep = io::KeepLengths::Nowhere;
  search.device = compute::Device::cpu();
  Progress progress;
  made.loaded.find_lengths(made.info, search, progress);
  made.loaded.forget_columns();
  CHECK(sentences(made.described()) ==
        std::vector<std::string>{
            "gas: 2 particles", "stars: 1 particles", "assumed: the box is periodic.",
            "assumed: one row was left out.",
            "assumed: 2 gas particles have no smoothing length in the file: it is 3.17 times the "
            "distance to the 1st nearest other one of them, for want of 32 others."});
}
