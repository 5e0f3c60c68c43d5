// What particles have in place of their own colors, with a renderer that only remembers.

#include "render/scene/particle_coloring.h"

#include "analysis/clusters/cluster_hierarchy.h"
#include "analysis/clusters/clusters_options.h"
#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/labeled.h"
#include "tests/made/made_particles.h"
#include "tests/render/scene/recording_renderer.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <utility>

using namespace haloscope;
using namespace haloscope::render;
using Values = std::vector<std::vector<float>>;

namespace {

// Three dark matter particles, of four rows in the file, and a star.
struct Colored {
  LoadedParticles loaded;
  test::RecordingRenderer renderer;
  ParticleColoring coloring;

  Colored() {
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
  }
  void set(const ParticleColors& colors) { coloring.set(colors, loaded, renderer); }
  nlohmann::json described() const {
    nlohmann::json scene = nlohmann::json::object();
    coloring.describe(scene);
    return scene;
  }
};

// Of each row 0 in no halo, else the halo's number and 1.
ParticleColors halos(std::vector<std::uint32_t> places) {
  for (std::uint32_t& place : places) --place;
  analysis::HaloOptions options;
  options.min_members = 2;
  return test::labeled(1, std::move(places), 3, options);
}

}  // namespace

TEST_CASE("colors go to the rows that were read, in file order", "[render][halos]") {
  Colored made;
  made.set(halos({3, 8, 0, 2}));
  CHECK(made.renderer.values == Values{{3, 0, 2}, {0}});
  made.set({});
  CHECK(made.renderer.values.empty());
}

TEST_CASE("the same colors are given once", "[render][halos]") {
  Colored made;
  const auto colors = halos({1, 0, 1, 2});
  made.set({});
  CHECK(made.renderer.recolored == 0);
  made.set(colors);
  made.set(colors);
  CHECK(made.renderer.recolored == 1);
}

TEST_CASE("pieces keep their colors when they are measured", "[render][clusters]") {
  Colored made;
  analysis::ClustersOptions options;
  options.cut = "distance:1";
  const auto tree = std::make_shared<const analysis::ClusterHierarchy>();
  const auto taken_from = [&](std::shared_ptr<const analysis::ClusterHierarchy> hierarchy,
                              const analysis::ClustersOptions& by) {
    analysis::Finding finding = *halos({1, 0, 1, 2}).finding;
    finding.finder = "clusters";
    finding.options = by;
    finding.hierarchy = std::move(hierarchy);
    return ParticleColors{std::make_shared<const analysis::Finding>(finding), {}};
  };
  const auto taken = taken_from(tree, options), measured = taken_from(tree, options);
  CHECK(taken == measured);
  made.set(taken);
  made.set(measured);
  CHECK(made.renderer.recolored == 1);
  // Of a tree of its own, at another height, or of no tree they may be others.
  const auto other = taken_from(std::make_shared<const analysis::ClusterHierarchy>(), options);
  CHECK_FALSE(other == measured);
  options.cut = "distance:2";
  const auto higher = taken_from(tree, options);
  CHECK_FALSE(higher == measured);
  CHECK_FALSE(taken_from(nullptr, options) == taken_from(nullptr, options));
  made.set(other);
  made.set(higher);
  CHECK(made.renderer.recolored == 3);
  // What was refused of pieces that were not measured may be had of those that are.
  made.renderer.refuses = true;
  CHECK_THROWS_AS(made.set(measured), Error);
  made.renderer.refuses = false;
  made.set(measured);
  made.set(taken);
  CHECK_FALSE(made.renderer.values.empty());
}

TEST_CASE("particles have their own colors again where a renderer refuses others",
          "[render][halos]") {
  Colored made;
  const auto first = halos({1, 0, 1, 2}), second = halos({2, 0, 2, 1});
  made.set(first);
  made.renderer.refuses = true;
  CHECK_THROWS_AS(made.set(second), Error);
  CHECK(made.renderer.values.empty());
  CHECK(made.described() == nlohmann::json::object());
  const int asked = made.renderer.recolored;
  CHECK_NOTHROW(made.set(second));
  CHECK(made.renderer.recolored == asked);
  made.renderer.refuses = false;
  made.set(first);
  made.set(second);
  CHECK(made.renderer.values == Values{{2, 2, 1}, {0}});
}

TEST_CASE("looks and words follow the colors that particles have", "[render][halos]") {
  Colored made;
  std::vector<compute::splotch::Appearance> appearances(2);
  appearances[0].color = {compute::splotch::Transform::Log, 3, 7};
  appearances[0].brightness = 5;
  made.coloring.adapt(appearances);
  CHECK(appearances[0].color.high == 7);
  CHECK(made.described() == nlohmann::json::object());

  made.set(halos({1, 0, 1, 2}));
  made.coloring.adapt(appearances);
  for (const auto& appearance : appearances) {
    CHECK(appearance.color.low == 0);
    CHECK(appearance.color.high == float(analysis::kPieceColors));
    CHECK(appearance.palette.size() == analysis::kPieceColors + 1);
  }
  CHECK(appearances[0].brightness == 5);
  const auto described = made.described().at("color_by");
  CHECK(described["finder"] == "halos");
  CHECK(described["pieces"] == 3);
  CHECK(described["options"]["min_members"] == 2);
}

TEST_CASE("types of which a field says nothing are gray", "[render][halos]") {
  Colored made;
  auto finding = std::make_shared<analysis::Finding>();
  finding->finder = "halos";
  auto& field = finding->fields["distance"];
  field.limits = {1, 4};
  field.values[1] = {1, 2, 3, 4};
  made.set({finding, "distance"});
  std::vector<compute::splotch::Appearance> appearances(2);
  made.coloring.adapt(appearances);
  CHECK(appearances[0].palette.size() > 2);
  CHECK(appearances[0].color.high == 4);
  REQUIRE(appearances[1].palette.size() == 2);
  CHECK(appearances[1].palette[0] == appearances[1].palette[1]);
}

TEST_CASE("a field that was found has the user's scale, limits and palette", "[render][halos]") {
  Colored made;
  auto finding = std::make_shared<analysis::Finding>();
  finding->finder = "halos";
  auto& field = finding->fields["distance"];
  field.limits = {1, 4};
  field.values[1] = {1, 2, 3, 4};
  made.set({finding, "distance"});
  std::vector<compute::splotch::Appearance> usual(2), chosen(2);
  made.coloring.adapt(usual);
  CHECK(made.described().at("color_by")["palette"] == "viridis");
  using compute::splotch::Transform;
  made.set({finding, "distance", {"magma", Transform::Log, std::array<double, 2>{0.1, 100}}});
  // The renderer has the values already.
  CHECK(made.renderer.recolored == 1);
  made.coloring.adapt(chosen);
  CHECK(chosen[0].color.transform == Transform::Log);
  CHECK(chosen[0].color.low == -1);
  CHECK(chosen[0].color.high == 2);
  CHECK(chosen[0].palette != usual[0].palette);
  const auto described = made.described().at("color_by");
  CHECK(described["field"] == "distance");
  CHECK(described["palette"] == "magma");
  CHECK(described["transform"] == "log");
  CHECK(described["transformed_range"][1] == 2);
}
