#include "app/session/ruler.h"

#include "core/vector_math.h"
#include "io/snapshots/gadget_units.h"
#include "io/text/length_words.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

namespace haloscope::app::session {

Vec way_of(const Ruler& ruler, bool periodic, double box_size) {
  Vec way = minus(ruler.to, ruler.from);
  if (periodic && box_size > 0)
    for (double& side : way) side -= box_size * std::round(side / box_size);
  return way;
}

std::string parsecs_in_words(double parsecs) {
  constexpr const char* kUnits[] = {"pc", "kpc", "Mpc", "Gpc"};
  std::size_t k = 0;
  for (; k < 3 && parsecs >= 1000 * (1 - 1e-9); ++k) parsecs /= 1000;
  return fmt::format("{:.6g} {}", parsecs, kUnits[k]);
}

std::string ruler_in_words(const Ruler& ruler, const SnapshotInfo& info, double scale_factor) {
  const Units& units = info.units;
  const double code = haloscope::length(way_of(ruler, info.periodic, info.box_size));
  const std::string words = fmt::format("{:.6g} {}", code, io::length_unit(units));
  if (!units.comoving && !units.per_h) return words;
  double physical = code * units.length_cm / io::kParsecCm;
  if (units.comoving) physical *= scale_factor;
  if (units.per_h) physical /= info.cosmology.hubble_param;
  return fmt::format("{}{}, {} physical", words, units.comoving ? " comoving" : "",
                     parsecs_in_words(physical));
}

}  // namespace haloscope::app::session
