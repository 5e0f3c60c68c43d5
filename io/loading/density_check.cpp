#include "io/loading/density_check.h"

#include <fmt/format.h>

#include <cmath>

namespace haloscope::io {

namespace {

// Critical density today over h^2, g/cm^3: 3 (100 km/s/Mpc)^2 / (8 pi G).
constexpr double kCriticalDensity = 1.8783e-29;
// Codes round their constants and headers their masses.
constexpr double kTooDense = 3;
constexpr double kTooThin = 1e-6;

bool about(double value, double other) {
  return std::abs(value / other - 1) < 0.05;
}

}  // namespace

std::optional<std::string> odd_density(const SnapshotInfo& info, std::optional<double> mass_read) {
  const Cosmology& cosmology = info.cosmology;
  if (!info.periodic || !(info.box_size > 0) || !info.units.comoving ||
      !(cosmology.omega_matter > 0) || !(cosmology.hubble_param > 0))
    return {};
  double mass = mass_read.value_or(0);
  for (const auto& [number, type] : info.types) {
    if (mass_read) break;
    if (!(type.uniform_mass > 0)) return {};
    mass += double(type.count) * type.uniform_mass;
  }
  const double per_h = info.units.per_h ? 1 / cosmology.hubble_param : 1;
  const double side = info.box_size * info.units.length_cm * per_h;
  const double expected = cosmology.omega_matter * kCriticalDensity * cosmology.hubble_param *
                          cosmology.hubble_param * side * side * side;
  const double ratio = mass * info.units.mass_g * per_h / expected;
  if (!std::isfinite(ratio) || ratio <= 0 || (ratio < kTooDense && ratio > kTooThin)) return {};
  std::string hint = "check --unit-length and --unit-mass";
  const char* const ending = info.units.per_h ? "/h" : "";
  const double factor = std::cbrt(ratio);
  if (about(factor, 1000) && about(info.units.length_cm, 3.0857e21))
    hint = fmt::format("lengths in Mpc{} would fit (--unit-length Mpc{})", ending, ending);
  if (about(factor, 0.001) && about(info.units.length_cm, 3.0857e24))
    hint = fmt::format("lengths in kpc{} would fit (--unit-length kpc{})", ending, ending);
  if (info.box_given)
    return fmt::format(
        "The particles' mean density is {:.3g} times that of Omega0 {:g}: the box given (--box) or "
        "the units are not right; a side of {:.4g} would fit.",
        ratio, cosmology.omega_matter, info.box_size * factor);
  return fmt::format(
      "The particles' mean density is {:.3g} times that of Omega0 {:g}: the units are not right; "
      "{}.",
      ratio, cosmology.omega_matter, hint);
}

}  // namespace haloscope::io
