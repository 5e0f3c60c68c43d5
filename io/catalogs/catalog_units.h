#pragma once

#include "core/halo_catalog.h"
#include "core/units.h"

#include <optional>
#include <string>

namespace haloscope::io {

// The value of a unit as catalogs write them: "Mpc/h", "kpc / h (comoving)", "1e10 Msun/h", "Msun",
// "ckpc/h", "km/s", "km/s*a". A length counts as comoving unless it says "physical" or "pkpc". The
// parsec and the solar mass are ours whatever digits a code gave them, so that catalogs of two
// codes differ by their content alone. Nothing for a unit that it does not know.
std::optional<FieldScaling> parse_unit(const std::string& text);

// Gives a column its unit, and the scaling that goes with it.
void set_unit(CatalogColumn& column, const std::string& unit);

// "mass [1e10 Msun/h]" → name "mass", unit "1e10 Msun/h"; also "(…)" where that is a known unit.
struct NameAndUnit {
  std::string name, unit;
};
NameAndUnit split_unit(const std::string& text);

}  // namespace haloscope::io
