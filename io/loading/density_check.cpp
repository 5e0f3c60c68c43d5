#include "io/loading/density_check.h"

#include "io/text/solar_mass.h"

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

std::optional<double> density_over_omega(const SnapshotInfo& info,
                                         std::optional<double> mass_read) {
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
  if (!std::isfinite(ratio) || ratio <= 0) return {};
  return ratio;
}

std::string units_that_fit(const SnapshotInfo& info, double density) {
  const double factor = std::cbrt(density);  // by which lengths are too small
  if (info.box_given)
    return fmt::format("a side of {:.4g} would fit (--box {:.4g})", info.box_size * factor,
                       info.box_size * factor);
  const Units& units = info.units;
  const auto fitting = [&](const char* what, const char* unit, const char* option,
                           const char* as_typed) {
    const char* const ending = units.per_h ? "/h" : "";
    return fmt::format("{} in {}{} would fit ({} {}{})", what, unit, ending, option, as_typed,
                       ending);
  };
  if (about(factor, 1000) && about(units.length_cm, 3.0857e21))
    return fitting("lengths", "Mpc", "--unit-length", "Mpc");
  if (about(factor, 0.001) && about(units.length_cm, 3.0857e24))
    return fitting("lengths", "kpc", "--unit-length", "kpc");
  if (about(factor, std::cbrt(1e10)) && about(units.mass_g, 1e10 * kGadgetSolarMassG))
    return fitting("masses", "Msun", "--unit-mass", "Msun");
  if (about(factor, std::cbrt(1e-10)) && about(units.mass_g, kGadgetSolarMassG))
    return fitting("masses", "1e10 Msun", "--unit-mass", "1e10Msun");
  return "check --unit-length and --unit-mass";
}

std::optional<std::string> odd_density(const SnapshotInfo& info, std::optional<double> mass_read) {
  const auto density = density_over_omega(info, mass_read);
  if (!density || (*density<kTooDense&& * density> kTooThin)) return {};
  const char* const wrong =
      info.box_given ? "the box given (--box) or the units are" : "the units are";
  return fmt::format(
      "The particles' mean density is {:.3g} times that of Omega0 {:g}: {} not right; {}.",
      *density, info.cosmology.omega_matter, wrong, units_that_fit(info, *density));
}

}  // namespace haloscope::io
