// The limits of the color that --range and the keys of a path mean, in the field's own units and in
// transformed ones.

#include "render/scene/color_limits.h"

#include "core/error.h"
#include "tests/catch.h"

#include <cmath>

using namespace haloscope;
using namespace haloscope::render;
using compute::splotch::Mode;
using compute::splotch::Transform;

namespace {

// Gas by temperature, dark matter by density, stars in one color.
SceneLooks three_types() {
  SceneLooks made;
  made.looks.resize(3);
  made.appearances.resize(3);
  const int types[] = {0, 1, 4};
  for (std::size_t k = 0; k < 3; ++k) made.looks[k].type = types[k];
  made.looks[0].color = "Temperature";
  made.looks[1].color = "Density";
  made.appearances[0].color = {Transform::Log, 3.5f, 7};
  made.appearances[1].color = {Transform::Asinh, -2, 2};
  return made;
}

RenderRequest colored_by(const std::string& field) {
  RenderRequest request;
  request.color = analysis::FieldChoice{};
  request.color->field = field;
  return request;
}

}  // namespace

TEST_CASE("limits are those of the color that was asked for, or of the only one",
          "[render][limits]") {
  SceneLooks made = three_types();
  const RenderRequest any;
  CHECK_FALSE(has_color_range(any, made.looks));
  CHECK_FALSE(color_range(any, made));
  const RenderRequest temperature = colored_by("Temperature");
  CHECK(has_color_range(temperature, made.looks));
  CHECK(color_range(temperature, made) == std::array<double, 2>{3.5, 7});
  CHECK(color_range(colored_by("Density"), made) == std::array<double, 2>{-2, 2});
  CHECK_FALSE(has_color_range(colored_by("Metallicity"), made.looks));

  RenderRequest hidden;
  hidden.choices[0].shown = false;
  CHECK(color_range(hidden, made) == std::array<double, 2>{-2, 2});
  hidden.choices[1].shown = false;
  CHECK_FALSE(has_color_range(hidden, made.looks));

  RenderRequest map = temperature;
  map.mode = Mode::Map;
  CHECK_FALSE(has_color_range(map, made.looks));
  // Known before there are particles.
  made.appearances.clear();
  CHECK(has_color_range(temperature, made.looks));
}

TEST_CASE("limits are set of all types that show the field, and of no other", "[render][limits]") {
  SceneLooks made = three_types();
  made.looks[2].color = "Temperature";
  set_color_range(colored_by("Temperature"), {4, 6}, made);
  CHECK(made.appearances[0].color.low == 4);
  CHECK(made.appearances[0].color.high == 6);
  CHECK(made.appearances[1].color.low == -2);
  CHECK(made.appearances[2].color.low == 4);
  CHECK(made.appearances[0].color.transform == Transform::Log);
}

TEST_CASE("limits in the field's own units become transformed ones, and back", "[render][limits]") {
  const SceneLooks made = three_types();
  const RenderRequest temperature = colored_by("Temperature"), density = colored_by("Density");
  CHECK(transformed_limit(temperature, made, 1e4) == 4);
  CHECK(transformed_limit(density, made, -3) == std::asinh(-3.));
  CHECK_THROWS_AS(transformed_limit(temperature, made, 0), Error);
  CHECK_THROWS_WITH(transformed_limit(temperature, made, -1),
                    "range: a logarithmic color has no limit -1; give positive limits, or add :lin "
                    "or :asinh to --color");
  SceneLooks linear = made;
  linear.appearances[0].color.transform = Transform::Linear;
  CHECK(transformed_limit(temperature, linear, -1) == -1);
  // No color, no scale.
  CHECK(transformed_limit(colored_by("Metallicity"), made, -1) == -1);
  for (const Transform scale : {Transform::Linear, Transform::Log, Transform::Asinh})
    for (const double value : {0.02, 3., 1.5e7})
      CHECK(in_field_units(scale, transformed(scale, value)) == Approx(value));
}
