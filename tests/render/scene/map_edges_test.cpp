// What of the mass a map leaves out, and whether that is told or warned of.

#include "core/log.h"
#include "render/scene/periodic_map.h"
#include "render/scene/picture_warnings.h"
#include "tests/catch.h"

#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::render;
using compute::splotch::View;

namespace {

View map_view(double width) {
  View view;
  view.perspective = false;
  view.ortho_width = width;
  view.width = 4;
  view.height = 2;
  return view;
}

// A map with this much mass on its area of 2 x 1.
ImageF map_of(double mass) {
  ImageF map(4, 2, 3);
  for (std::size_t i = 0; i < map.pixels.size(); i += 3) map.pixels[i] = float(mass / 2);
  return map;
}

// What it says, and what it warns of.
struct Told {
  std::string sentence;
  std::vector<std::string> warnings;
  Told(double mass_in_map, double mass, const MapEdges& edges) {
    auto former = log::set_sink(
        [this](log::Level, const std::string& message) { warnings.push_back(message); });
    sentence = tell_mass_outside(map_of(mass_in_map), map_view(2), mass, edges);
    log::set_sink(former);
  }
};

}  // namespace

TEST_CASE("a map covers a box where both its sides do", "[render][map]") {
  CHECK_FALSE(covers_box(map_view(10), 10));
  CHECK(covers_box(map_view(20), 10));
  CHECK(covers_box(map_view(20 * (1 - 1e-7)), 10));
  CHECK_FALSE(covers_box(map_view(20 * (1 - 1e-5)), 10));
}

TEST_CASE("mass outside a map is told, where it should be inside warned of", "[render][map]") {
  const Told part(3, 4, {});
  CHECK(part.sentence == "25 % of the particles' mass lies outside the map.");
  CHECK(part.warnings.empty());
  const Told rounding(3.9999, 4, {.at_box = true});
  CHECK(rounding.sentence.empty());
  CHECK(rounding.warnings.empty());
  CHECK(Told(0, 0, {}).sentence.empty());
  const Told oblique(3, 4, {.at_box = true});
  CHECK(oblique.sentence.empty());
  REQUIRE(oblique.warnings.size() == 1);
  CHECK(oblique.warnings[0].find("though it is as wide as the box") != std::string::npos);
  const Told wide(3, 4, {.at_box = true, .margin_too_small = true});
  CHECK(wide.sentence.empty());
  REQUIRE(wide.warnings.size() == 1);
  CHECK(wide.warnings[0].find("wider than the margin") != std::string::npos);
}
