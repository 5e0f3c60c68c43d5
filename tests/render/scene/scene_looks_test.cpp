// How types look: planned, settled by the data, and changed by the user.

#include "render/scene/scene_looks.h"

#include "render/colors/palette.h"
#include "render/scene/choose_looks.h"
#include "tests/catch.h"
#include "tests/made/made_particles.h"

using namespace haloscope;
using namespace haloscope::render;
using compute::splotch::Mode;
using compute::splotch::Transform;

namespace {

// Looks of types that all show `field` and leave its scale open.
LookPlan plan_of(const std::vector<int>& types, const std::string& field) {
  LookPlan plan;
  for (const int type : types) {
    TypeLook& look = plan.looks.emplace_back();
    look.type = type;
    look.color = field;
    look.choose_transform = true;
    plan.load.types.push_back({type, {field}, true, true});
  }
  return plan;
}

ParticleSet with_values(const std::vector<std::pair<int, std::vector<float>>>& values) {
  const Domain domain = test::periodic_domain(10);
  ParticleSet particles;
  particles.domain = domain;
  for (const auto& [type, column] : values) {
    const std::vector<std::array<double, 3>> points(column.size(), {1, 1, 1});
    auto& columns =
        particles.types.emplace_back(test::made_columns(type, type_name(type), domain, points));
    test::add_field(columns, "Metallicity", column);
  }
  return particles;
}

}  // namespace

TEST_CASE("looks are settled by the values, for the types that have particles", "[render][looks]") {
  const LookPlan plan = plan_of({4, 1, 0}, "Metallicity");
  const auto looks = settled_looks(with_values({{0, {1, 100}}, {4, {1, 20}}}), plan);
  REQUIRE(looks.size() == 2);
  CHECK(looks[0].type == 0);
  CHECK(looks[0].transform == Transform::Log);
  CHECK(looks[1].type == 4);
  CHECK(looks[1].transform == Transform::Linear);
  CHECK_FALSE(looks[0].range);
}

TEST_CASE("types that show the field that was asked for have one scale", "[render][looks]") {
  LookPlan plan = plan_of({0, 4}, "Metallicity");
  plan.one_scale = "Metallicity";
  plan.choose_one_transform = true;
  const auto looks = settled_looks(with_values({{0, {1, 20}}, {4, {10, 200}}}), plan);
  REQUIRE(looks.size() == 2);
  for (const TypeLook& look : looks) {
    CHECK(look.transform == Transform::Log);
    REQUIRE(look.range);
    CHECK((*look.range)[0] == Approx(1));
    CHECK((*look.range)[1] == Approx(200));
  }
}

TEST_CASE("colors by local density have limits from the renderer's radii", "[render][looks]") {
  const Domain domain = test::periodic_domain(10);
  ParticleSet particles;
  particles.domain = domain;
  particles.types.push_back(test::made_columns(1, "dm", domain, {{1, 1, 1}, {5, 5, 5}}));
  particles.types[0].support_radius = test::array_of({1, 2});
  SceneLooks made;
  made.looks.resize(1);
  made.looks[0].type = 1;
  made.looks[0].color = kLocalDensity;
  made.looks[0].transform = Transform::Log;
  made.looks[0].palette = find_palette("viridis").colors;
  const RendererInput input = make_renderer_input(particles, made.looks, Mode::Classic);
  made.appearances = input.appearances;
  const auto renderer = test::make_renderer(compute::Device::cpu());
  Progress progress;
  renderer->set_particles(domain, input.inputs, progress);
  set_density_colors(input, *renderer, Mode::Classic, made);
  const double thickest = std::log10(3 / (4 * std::acos(-1.)));
  CHECK(double(made.appearances[0].color.high) == Approx(thickest));
  CHECK(double(made.appearances[0].color.low) == Approx(thickest - std::log10(8.)));
}

TEST_CASE("choices of the user change looks and appearances alike", "[render][looks]") {
  SceneLooks made;
  made.looks.resize(2);
  made.looks[0].type = 0;
  made.looks[0].transform = Transform::Log;
  made.looks[1].type = 4;
  made.appearances.resize(2);
  made.appearances[0].color = {Transform::Log, 3, 7};
  made.appearances[1].brightness = 5;
  std::map<int, TypeChoice> choices;
  choices[0].scale = Transform::Linear;
  choices[0].limits = {100, 2000};
  choices[0].color_map = "ice";
  choices[1].brightness = 3;
  choices[4].shown = false;
  apply_choices(choices, made);
  CHECK(made.looks[0].transform == Transform::Linear);
  CHECK(made.looks[0].palette == find_palette("ice").colors);
  CHECK(made.appearances[0].color.transform == Transform::Linear);
  CHECK(made.appearances[0].color.low == 100);
  CHECK(made.appearances[0].color.high == 2000);
  CHECK(made.looks[1].palette.empty());
  CHECK(made.appearances[1].brightness == 0);
}
