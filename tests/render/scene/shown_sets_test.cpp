// Sets as pictures show them, with a renderer that only remembers.

#include "render/scene/shown_sets.h"

#include "core/error.h"
#include "render/colors/tone_map.h"
#include "tests/catch.h"
#include "tests/made/made_particles.h"
#include "tests/render/scene/recording_renderer.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

using namespace haloscope;
using namespace haloscope::render;
using analysis::NamedSet;
using analysis::ShowSets;

namespace {

// Three dark matter particles, of four rows in the file, and a star. Of the rows, 0 is in "a", 2 in
// both sets and 3 in "b".
struct Shown {
  LoadedParticles loaded;
  test::RecordingRenderer renderer;
  SetColoring coloring;
  ShownSets sets;

  Shown() {
    const Domain domain = test::periodic_domain(10);
    ParticleSet particles;
    particles.domain = domain;
    particles.types.push_back(
        test::made_columns(1, "dm", domain, {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}}));
    particles.types.back().rejected_rows = {1};
    particles.types.push_back(test::made_columns(4, "stars", domain, {{4, 4, 4}}));
    loaded = LoadedParticles(std::move(particles));
    loaded.forget_columns();
    renderer.counts = loaded.counts();
    sets.how = ShowSets::Highlight;
    sets.sets.resize(2);
    sets.sets[0].name = "a";
    sets.sets[0].color = std::array<double, 3>{1, 0, 0};
    sets.sets[1].name = "b";
    know({1, 0, 3, 2});
  }
  void know(const std::vector<std::uint16_t>& rows) {
    auto members = std::make_shared<analysis::SetMembers>();
    members->sets = sets.sets;
    members->of[1] = rows;
    members->counts = {2, 2};
    sets.members = members;
  }
  void show() { coloring.set(sets, loaded, renderer); }
  std::vector<compute::splotch::Tint> tints() const {
    std::vector<compute::splotch::Appearance> appearances(2);
    coloring.adapt(appearances);
    CHECK(appearances[0].tints.size() == appearances[1].tints.size());
    return appearances[1].tints;
  }
  // A factor on the light of particles with a label that stands in `tints()`.
  float light(std::size_t label) const {
    std::vector<compute::splotch::Appearance> appearances(2);
    coloring.adapt(appearances);
    return appearances[1].brightness * appearances[1].tints.at(label).brightness;
  }
  float light_of_rest() const { return light(0); }
  nlohmann::json described() const {
    nlohmann::json scene = nlohmann::json::object();
    coloring.describe(scene);
    return scene;
  }
};

}  // namespace

TEST_CASE("labels of sets go to the rows that were read, in file order", "[render][sets]") {
  Shown made;
  made.show();
  CHECK(made.renderer.labels == SetLabels{{1, 2, 2}, {0}});
  made.sets.how = ShowSets::Off;
  made.show();
  CHECK(made.renderer.labels.empty());
  CHECK(made.tints().empty());
  CHECK(made.described().empty());
}

TEST_CASE("labels are given once, whatever the sets look like", "[render][sets]") {
  Shown made;
  made.show();
  REQUIRE(made.renderer.labeled == 1);
  const auto highlight = made.tints();
  REQUIRE(highlight.size() == 3);
  CHECK(made.light_of_rest() == 1);
  CHECK(highlight[1].color == std::array<float, 3>{1, 0, 0});
  CHECK(highlight[1].strength == 1);
  CHECK(highlight[2].strength == 0);  // its own color
  made.sets.how = ShowSets::Dim;
  made.sets.sets[0].color = std::array<double, 3>{0, 1, 0};
  made.show();
  CHECK(made.light_of_rest() == 0.1f);
  CHECK(made.tints()[1].color == std::array<float, 3>{0, 1, 0});
  CHECK(made.tints()[1].brightness == 1);
  made.sets.how = ShowSets::Only;
  made.show();
  CHECK(made.light_of_rest() == 0);
  CHECK(made.renderer.labeled == 1);
  // One that is left out for a while, and other members, are other labels.
  made.sets.sets[1].shown = false;
  made.show();
  CHECK(made.renderer.labels == SetLabels{{1, 1, 0}, {0}});
  made.know({0, 0, 0, 1});
  made.show();
  CHECK(made.renderer.labels == SetLabels{{0, 0, 1}, {0}});
  CHECK(made.renderer.labeled == 3);
}

TEST_CASE("who is in the sets may be known before others are", "[render][sets]") {
  Shown made;
  made.show();
  // "a" is gone and "c" is new: who was in it is among the rest, until that is known.
  made.sets.sets[0].name = "c";
  made.sets.how = ShowSets::Dim;
  made.show();
  CHECK(made.renderer.labels == SetLabels{{0, 2, 2}, {0}});
  REQUIRE(made.tints().size() == 3);
  CHECK(made.tints()[1].brightness == made.tints()[0].brightness);
  CHECK(made.light_of_rest() == 0.1f);
  made.sets.members.reset();
  made.show();
  CHECK(made.renderer.labels.empty());
  CHECK(made.tints().empty());
}

TEST_CASE("sets that cannot be shown are told once, and none is shown", "[render][sets]") {
  Shown made;
  made.know({1, 0, 3});  // of another file
  CHECK_THROWS_AS(made.show(), Error);
  CHECK(made.renderer.labels.empty());
  const int labeled = made.renderer.labeled;
  CHECK_NOTHROW(made.show());
  CHECK(made.renderer.labeled == labeled);
  CHECK(made.tints().empty());
  made.know({1, 0, 3, 2});
  made.renderer.refuses_labels = true;
  CHECK_THROWS_AS(made.show(), Error);
  CHECK_NOTHROW(made.show());
  CHECK(made.tints().empty());
  // Others are tried.
  made.renderer.refuses_labels = false;
  made.know({0, 0, 0, 2});
  made.show();
  CHECK(made.renderer.labels == SetLabels{{0, 0, 2}, {0}});
}

TEST_CASE("what decides the pixels of sets is described", "[render][sets]") {
  Shown made;
  made.show();
  const auto first = made.described();
  CHECK(first["sets"]["rest"] == "highlight");
  CHECK(first["sets"]["sets"][0]["name"] == "a");
  CHECK(first["sets"]["sets"][0]["color"] == "#ff0000");
  CHECK(first["sets"]["sets"][1]["color"] == "own");
  made.sets.sets[0].color = std::array<double, 3>{0, 1, 0};
  made.show();
  CHECK(made.described() != first);
  made.coloring.forget();
  CHECK(made.described().empty());
  // Others are drawn: their labels are given anew.
  const int labeled = made.renderer.labeled;
  made.show();
  CHECK(made.renderer.labeled == labeled + 1);
}

namespace {

// A blue picture over three decades, with a halo of a set in some of its bright pixels: half of the
// light there is the set's, half is of what lies before and behind it.
struct SetInHalo {
  static constexpr int kSide = 100;
  static constexpr std::size_t kPixels = kSide * kSide, kHalo = 9400, kEnd = 9405;
  static constexpr std::array<float, 3> kBlue{0.45f, 0.72f, 1};
  Shown made;

  explicit SetInHalo(ShowSets how) {
    made.sets.how = how;
    made.sets.sets[0].color = std::array<double, 3>{0, 1, 0};
    auto members = std::make_shared<analysis::SetMembers>(*made.sets.members);
    members->counts = {1, 0};
    members->of[1].resize(1000);
    made.sets.members = members;
  }
  Image8 picture() {
    made.coloring.set_labels(made.sets, {{1, 0, 0}, {0}}, made.renderer);
    const bool shown = bool(made.sets);
    const float rest = shown ? made.light(0) : 1, in_set = shown ? made.light(1) : 1;
    ImageF light(kSide, kSide, 3);
    for (std::size_t k = 0; k < kPixels; ++k) {
      const bool halo = k >= kHalo && k < kEnd;
      const auto all = float(std::pow(10, 3 * std::pow(double(k) / double(kPixels - 1), 6)));
      for (std::size_t c = 0; c < 3; ++c) {
        const float own = shown ? float(c == 1) : kBlue[c];
        light.pixels[3 * k + c] =
            halo ? all / 2 * (rest * kBlue[c] + in_set * own) : all * rest * kBlue[c];
      }
    }
    const auto curve = choose_tone_curve(exposed_with_sets(light_quantiles(light), made.sets));
    return tone_map(light, curve, 1);
  }
};

double mean_of_rest(const Image8& picture) {
  double sum = 0;
  for (std::size_t k = 0; k < 3 * SetInHalo::kHalo; ++k) sum += picture.pixels[k];
  return sum / double(3 * SetInHalo::kHalo);
}

// How much brighter the set's green is than the rest of its pixel's color, in bytes.
int greenness(const Image8& picture) {
  const std::uint8_t* rgb = &picture.pixels[3 * SetInHalo::kHalo];
  return int(rgb[1]) - std::max(int(rgb[0]), int(rgb[2]));
}

}  // namespace

TEST_CASE("sets outshine what lies before and behind them", "[render][sets]") {
  const Image8 off = SetInHalo(ShowSets::Off).picture();
  CHECK(greenness(off) < 0);
  const Image8 highlight = SetInHalo(ShowSets::Highlight).picture();
  CHECK(greenness(highlight) > 60);
  CHECK(mean_of_rest(highlight) > 0.75 * mean_of_rest(off));
  CHECK(greenness(SetInHalo(ShowSets::Dim).picture()) > 60);
}

TEST_CASE("the automatic exposure leaves a rest dark that is dimmed", "[render][sets]") {
  const double off = mean_of_rest(SetInHalo(ShowSets::Off).picture());
  CHECK(mean_of_rest(SetInHalo(ShowSets::Dim).picture()) < 0.5 * off);
  // Of most particles the median pixel is the sets' own, and they are not to be dark.
  SetInHalo most(ShowSets::Dim);
  auto members = std::make_shared<analysis::SetMembers>(*most.made.sets.members);
  members->counts = {900, 0};
  most.made.sets.members = members;
  const auto light = exposed_with_sets({true, 2, 3}, most.made.sets);
  CHECK(light.median == 2);
  CHECK(light.bright == 3);
  most.made.sets.sets[0].shown = false;
  CHECK(exposed_with_sets({true, 2, 3}, most.made.sets).median == Approx(20));
  most.made.sets.how = ShowSets::Only;
  CHECK(exposed_with_sets({true, 2, 3}, most.made.sets).median == 2);
}
