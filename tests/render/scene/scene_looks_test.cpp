// How types look: planned, settled by the data, and changed by the user.

#include "render/scene/scene_looks.h"

#include "render/colors/palette.h"
#include "render/scene/choose_looks.h"
#include "render/scene/renderer_input.h"
#include "tests/catch.h"
#include "tests/made/made_particles.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

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

TEST_CASE("dark matter has a quarter of the light where gas is shown, and half of it alone",
          "[render][looks]") {
  std::vector<TypeLook> looks(4);
  for (std::size_t k = 0; k < 4; ++k) looks[k].type = std::array{0, 1, 4, 2}[k];
  looks[3].light_of = 1;  // dark matter of low resolution
  std::vector<compute::splotch::Appearance> shown(4);
  for (auto& one : shown) one.brightness = 0.5f;
  auto beside = shown;
  dim_beside_gas(looks, beside);
  CHECK(beside[0].brightness == 0.5f);
  CHECK(beside[1].brightness == 0.25f);
  CHECK(beside[2].brightness == 0.5f);
  CHECK(beside[3].brightness == 0.25f);
  shown[0].brightness = 0;  // hidden
  auto alone = shown;
  dim_beside_gas(looks, alone);
  CHECK(alone[1].brightness == 0.5f);
  CHECK(alone[3].brightness == 0.5f);
}

TEST_CASE("a tenth of the gas by mass is colder than the temperature's lower limit",
          "[render][looks]") {
  const Domain domain = test::periodic_domain(10);
  std::vector<float> temperature, mass;
  // Many light particles of cold gas, a few heavy ones of hot gas.
  for (int k = 0; k < 1000; ++k) {
    temperature.push_back(float(1000 + k));
    mass.push_back(k < 900 ? 1 : 100);
  }
  const std::vector<std::array<double, 3>> points(temperature.size(), {1, 1, 1});
  ParticleSet particles;
  particles.domain = domain;
  particles.types.push_back(test::made_columns(0, "gas", domain, points));
  particles.types.back().mass = test::array_of(mass);
  test::add_field(particles.types.back(), "Temperature", temperature);
  test::add_field(particles.types.back(), "Heat", temperature);
  const auto low = [&](const std::string& field, std::optional<std::array<double, 2>> range = {}) {
    TypeLook look;
    look.color = field;
    look.palette = {{0, 0, 0}, {1, 1, 1}};
    look.range = range;
    return double(make_renderer_input(particles, {look}, Mode::Default).appearances[0].color.low);
  };
  // 10,900 in all: 900 of it below 1900, 190 more in two particles above.
  CHECK(low("Temperature") == Approx(1901).margin(0.5));
  CHECK(low("Heat") == Approx(1005).margin(0.5));
  CHECK(low("Temperature", std::array<double, 2>{1200, 1900}) == Approx(1200));
}

TEST_CASE("colors of stars are shown as they are", "[render][looks][stars]") {
  const Domain domain = test::periodic_domain(10);
  ParticleSet particles;
  particles.domain = domain;
  particles.types.push_back(test::made_columns(4, "stars", domain, {{1, 1, 1}, {2, 2, 2}}));
  for (const float value : {0.4f, 0.5f, 0.6f})
    test::add_field(particles.types.back(), "StarColor", {value, value + 0.1f});
  TypeLook look;
  look.color = "StarColor";
  look.palette = {{1, 1, 1}};
  const auto color = make_renderer_input(particles, {look}, Mode::Default).appearances[0].color;
  CHECK(color.transform == Transform::Linear);
  CHECK(color.low == 0);
  CHECK(color.high == 1);
}
