// What stays known of particles that were loaded.

#include "render/scene/loaded_particles.h"

#include "tests/catch.h"
#include "tests/made/made_particles.h"

#include <limits>

using namespace haloscope;
using namespace haloscope::render;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

ParticleSet gas_and_stars() {
  const Domain domain = test::periodic_domain(10);
  ParticleSet particles;
  particles.domain = domain;
  auto& gas = particles.types.emplace_back(
      test::made_columns(0, "gas", domain, {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}}));
  gas.mass = test::array_of({1, -2, kNan, 4});
  gas.support_radius = test::array_of({1, kNan, 1, 1});
  gas.rejected_rows = {2, 5};
  test::add_field(gas, "Metallicity", {0.5f, 0.5f, 0.5f, kNan});
  auto& stars =
      particles.types.emplace_back(test::made_columns(4, "stars", domain, {{5, 5, 5}, {6, 6, 6}}));
  stars.uniform_mass = 3;
  test::add_field(stars, "Metallicity", {kNan, 1});
  return particles;
}

}  // namespace

TEST_CASE("loaded particles are clean, and known when their columns are gone", "[render][scene]") {
  LoadedParticles loaded(gas_and_stars());
  CHECK(loaded.mass() == 1 + 4 + 2 * 3);
  CHECK(loaded.particles().types[0].mass[1] == 0);
  CHECK(loaded.particles().types[0].mass[2] == 0);
  CHECK(loaded.particles().types[0].support_radius[1] == 0);
  loaded.forget_columns();
  CHECK(loaded.particles().count() == 0);
  CHECK(loaded.mass() == 11);
  CHECK(loaded.types() == std::vector<int>{0, 4});
  CHECK(loaded.names() == std::vector<std::string>{"gas", "stars"});
  CHECK(loaded.counts() == std::vector<std::uint64_t>{4, 2});
  CHECK(loaded.rejected_rows()[0] == std::vector<std::uint64_t>{2, 5});
  CHECK(loaded.rejected_rows()[1].empty());
  CHECK(loaded.histograms().empty());
}

TEST_CASE("particles without a value have no part in a map of means", "[render][scene]") {
  const LoadedParticles loaded(gas_and_stars(), "Metallicity");
  CHECK(loaded.mass() == 1 + 3);
  CHECK(loaded.particles().types[0].fields.at("Metallicity")[0][3] == 0);
}

TEST_CASE("only single values are counted", "[render][scene]") {
  LoadedParticles loaded(gas_and_stars());
  const auto renderer = test::make_renderer(compute::Device::cpu());
  const std::vector<float> values{1, 10, 100, 1000}, red{1, 2};
  RendererInput input;
  input.inputs.resize(2);
  input.inputs[0].count = 4;
  input.inputs[0].color[0] = values.data();
  input.inputs[1].count = 2;
  input.inputs[1].color = {red.data(), red.data(), red.data()};
  loaded.count_colors(input, *renderer);
  REQUIRE(loaded.histograms().size() == 2);
  const auto& log = loaded.histograms()[0].on(compute::splotch::Transform::Log);
  CHECK(log.low == 0);
  CHECK(log.high == Approx(3));
  CHECK(loaded.histograms()[0].counted == 4);
  CHECK(loaded.histograms()[1].counted == 0);
}
