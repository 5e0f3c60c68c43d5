#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace haloscope::io {

// A unit by its words, in cgs: "kpc/h", "1e10 Msun/h", "ckpc h^-1", "3.08e21cm", "km/s". A number
// may stand before it; blanks and '*' count for nothing.
struct UnitWords {
  double cgs = 0;
  bool per_h = false;
  bool comoving = false;  // lengths alone: "ckpc"
};

// Nothing for what is no such unit, or no positive finite one. Parsecs are Gadget's.
std::optional<UnitWords> length_by_words(std::string_view text);
std::optional<UnitWords> mass_by_words(std::string_view text);
std::optional<UnitWords> velocity_by_words(std::string_view text);

}  // namespace haloscope::io
