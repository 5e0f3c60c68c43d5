#include "core/unit_words.h"

#include "tests/catch.h"

using namespace haloscope;

TEST_CASE("units of several words stand in brackets below a power", "[core]") {
  CHECK(grouped_unit("kpc") == "kpc");
  CHECK(grouped_unit("kpc/h") == "(kpc/h)");
  CHECK(grouped_unit("1e10 Msun") == "(1e10 Msun)");
  CHECK(grouped_unit("kpc*a") == "(kpc*a)");
  CHECK(grouped_unit("yr-1") == "(yr-1)");
  CHECK(grouped_unit("h-1Mpc") == "(h-1Mpc)");
  CHECK(grouped_unit("km.s-1") == "(km.s-1)");
  CHECK(grouped_unit("Å") == "Å");
  CHECK(unit_power("", 3).empty());
  CHECK(unit_power("kpc", -3) == "kpc^-3");
  CHECK(unit_power("kpc/h", -3) == "(kpc/h)^-3");
  CHECK(unit_power("km/s", 1) == "km/s");
  CHECK(unit_power("kpc^2", 0.5) == "(kpc^2)^0.5");
}
