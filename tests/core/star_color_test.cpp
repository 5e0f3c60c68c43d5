// Colors of stars by age and metals, against what is known of the Sun, Vega and black bodies.

#include "core/star_color.h"

#include "tests/catch.h"

#include <cmath>
#include <limits>

using namespace haloscope;

namespace {

// Of linear light.
double redness(double gyr, double solar_metals = 1) {
  const auto color = star_color(gyr, solar_metals * kSolarMetals);
  return std::log(double(color[0]) / double(color[2]));
}

}  // namespace

TEST_CASE("turnoffs have the temperatures of the stars that leave the main sequence", "[stars]") {
  CHECK(turnoff_temperature(10, kSolarMetals) == Approx(5772));
  // A0 stars of two solar masses live a billion years or somewhat less: 9000 to 10,000 K.
  CHECK(turnoff_temperature(0.9, kSolarMetals) == Approx(9100).margin(300));
  CHECK(turnoff_temperature(0.01, kSolarMetals) > 20000);
  CHECK(turnoff_temperature(10, 0.1 * kSolarMetals) / turnoff_temperature(10, kSolarMetals) ==
        Approx(1.07).margin(0.005));
  CHECK(giant_share(0.01) < 0.01);
  CHECK(giant_share(10) > 0.6);
}

TEST_CASE("a black body of daylight's temperature is white", "[stars]") {
  const auto noon = black_body_color(6500);
  for (const double component : noon) CHECK(component == Approx(1).margin(0.05));
  const auto sun = black_body_color(5772), lamp = black_body_color(2856),
             vega = black_body_color(9600);
  CHECK(sun[0] > sun[2]);
  CHECK(vega[2] > vega[0]);
  CHECK(lamp[0] > 2 * lamp[1]);
  // CIE's illuminant A has x = 0.4476, y = 0.4074: linear sRGB 1.79, 0.84, 0.24 at luminance 1.
  CHECK(lamp[0] == Approx(1.79).epsilon(0.03));
  CHECK(lamp[1] == Approx(0.84).epsilon(0.03));
}

TEST_CASE("populations redden with age and with metals", "[stars]") {
  double former = -10;
  for (const double gyr : {0.003, 0.03, 0.1, 0.3, 1., 3., 10., 13.}) {
    CHECK(redness(gyr) > former);
    former = redness(gyr);
  }
  CHECK(redness(0.01) < 0);  // blue
  CHECK(redness(10) > 0);    // yellow
  for (const double gyr : {0.1, 1., 10.}) CHECK(redness(gyr, 0.05) < redness(gyr, 1));
}

TEST_CASE("what is no age or amount of metals of a star gets a color that can be shown",
          "[stars]") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  CHECK(redness(0) == redness(kYoungestGyr));
  CHECK(redness(5, 0) == redness(5, 0.001));
  CHECK(redness(5, 1e6) == redness(5, 5));
  CHECK(redness(5, kNan) == redness(5, 1));
  for (const double gyr : {0., 1e-9, 1., 1e6})
    for (const float component : star_color(gyr, kSolarMetals)) {
      CHECK(component >= 0);
      CHECK(component <= 1);
    }
}
