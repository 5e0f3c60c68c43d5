#include "io/loading/stellar_ages.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace haloscope::io {

namespace {

bool is_cosmological(const SnapshotInfo& info) {
  return info.units.comoving || info.cosmology.redshift.has_value();
}

bool has_cosmology(const SnapshotInfo& info) {
  return info.cosmology.omega_matter > 0 && info.cosmology.hubble_param > 0 &&
         info.cosmology.scale_factor > 0;
}

// Tipsy's stars have code times since the Big Bang, also in a cosmology.
bool has_scale_factors(const SnapshotInfo& info) {
  return is_cosmological(info) && !info.format.starts_with("Tipsy");
}

}  // namespace

bool knows_ages(const SnapshotInfo& info) {
  if (is_cosmological(info)) return has_cosmology(info);
  return info.units.length_cm > 0 && info.units.velocity_cm_per_s > 0;
}

std::string formation_in_words(const SnapshotInfo& info) {
  return has_scale_factors(info) ? "taken for a scale factor" : "taken for a time in code units";
}

StellarAges::StellarAges(const SnapshotInfo& info) : scale_factors_(has_scale_factors(info)) {
  unit_gyr_ = info.units.length_cm / info.units.velocity_cm_per_s / kSecondsPerGyr;
  if (info.units.per_h) unit_gyr_ /= info.cosmology.hubble_param;
  now_ = info.time;
  if (!is_cosmological(info)) return;
  cosmic_.emplace(info.cosmology, info.cosmology.scale_factor);
  now_ = cosmic_->gyr(info.cosmology.scale_factor);
}

double StellarAges::gyr(double formed) const {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!std::isfinite(formed)) return kNone;
  if (!cosmic_) return std::max(0., (now_ - formed) * unit_gyr_);
  if (!(formed > 0)) return kNone;
  return std::max(0., now_ - (scale_factors_ ? cosmic_->gyr(formed) : formed * unit_gyr_));
}

}  // namespace haloscope::io
