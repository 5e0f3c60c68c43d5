// Sets as pictures show them, with a renderer that only remembers.

#include "render/scene/shown_sets.h"

#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/made_particles.h"
#include "tests/render/scene/recording_renderer.h"

#include <nlohmann/json.hpp>

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
  CHECK(highlight[0].brightness == 1);
  CHECK(highlight[1].color == std::array<float, 3>{1, 0, 0});
  CHECK(highlight[1].strength == 1);
  CHECK(highlight[2].strength == 0);  // its own color
  made.sets.how = ShowSets::Dim;
  made.sets.sets[0].color = std::array<double, 3>{0, 1, 0};
  made.show();
  CHECK(made.tints()[0].brightness == 0.1f);
  CHECK(made.tints()[1].color == std::array<float, 3>{0, 1, 0});
  CHECK(made.tints()[1].brightness == 1);
  made.sets.how = ShowSets::Only;
  made.show();
  CHECK(made.tints()[0].brightness == 0);
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
  CHECK(made.tints()[1].brightness == 0.1f);
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
