#include "io/snapshots/field_scaling.h"

#include "io/hdf5/hdf5_attributes.h"
#include "io/snapshots/gadget_units.h"

#include <cmath>

namespace haloscope::io {

namespace {

double number_or_0(hid_t dataset, const char* name) {
  const double value = scalar_attribute(dataset, name).value_or(0);
  return std::isfinite(value) ? value : 0;
}

struct Powers {
  double length, mass, velocity;
};

double composed(const Units& units, const Powers& powers) {
  return std::pow(units.length_cm, powers.length) * std::pow(units.mass_g, powers.mass) *
         std::pow(units.velocity_cm_per_s, powers.velocity);
}

// Lengths, masses, velocities, specific energies, densities, pressures, accelerations, energies:
// what simulations store in code units.
constexpr Powers kUsual[] = {{1, 0, 0},  {0, 1, 0}, {0, 0, 1},  {0, 0, 2},  {-3, 1, 0}, {-3, 1, 2},
                             {-1, 0, 2}, {0, 1, 2}, {1, 0, -1}, {-1, 1, 1}, {3, 0, 0},  {0, 1, 1}};

std::optional<FieldScaling> by_gadget4(hid_t dataset) {
  const auto to_cgs = scalar_attribute(dataset, "to_cgs");
  if (!to_cgs) return {};
  auto read = [&](const char* name) { return scalar_attribute(dataset, name).value_or(0); };
  return FieldScaling{*to_cgs,
                      read("a_scaling"),
                      read("h_scaling"),
                      read("length_scaling"),
                      read("mass_scaling"),
                      read("velocity_scaling")};
}

std::optional<FieldScaling> by_eagle(hid_t dataset, const Units& units) {
  if (!has_attribute(dataset, "aexp-scale-exponent") &&
      !has_attribute(dataset, "CGSConversionFactor"))
    return {};
  FieldScaling scaling;
  scaling.to_cgs = scalar_attribute(dataset, "CGSConversionFactor").value_or(0);
  scaling.a = number_or_0(dataset, "aexp-scale-exponent");
  scaling.h = number_or_0(dataset, "h-scale-exponent");
  for (const Powers& powers : kUsual) {
    const double factor = composed(units, powers);
    // The powers of h tell apart what happens to have the same factor.
    const bool same_h = !units.per_h || scaling.h == -(powers.length + powers.mass);
    if (!same_h || std::abs(scaling.to_cgs - factor) > 1e-3 * factor) continue;
    scaling.length = powers.length, scaling.mass = powers.mass, scaling.velocity = powers.velocity;
    break;
  }
  return scaling;
}

// SWIFT counts in units of length, mass and time: U_t = U_L / U_V.
std::optional<FieldScaling> by_swift(hid_t dataset) {
  const auto to_cgs = scalar_attribute(
      dataset, "Conversion factor to CGS (not including cosmological corrections)");
  if (!to_cgs && !has_attribute(dataset, "a-scale exponent")) return {};
  FieldScaling scaling;
  scaling.to_cgs = to_cgs.value_or(0);
  const bool physical = number_or_0(dataset, "Value stored as physical") != 0;
  scaling.a = physical ? 0 : number_or_0(dataset, "a-scale exponent");
  scaling.h = number_or_0(dataset, "h-scale exponent");
  const double time = number_or_0(dataset, "U_t exponent");
  scaling.length = number_or_0(dataset, "U_L exponent") + time;
  scaling.mass = number_or_0(dataset, "U_M exponent");
  scaling.velocity = -time;
  return scaling;
}

}  // namespace

std::optional<FieldScaling> read_field_scaling(hid_t dataset, const Units& units) {
  if (auto scaling = by_gadget4(dataset)) return scaling;
  if (auto scaling = by_eagle(dataset, units)) return scaling;
  return by_swift(dataset);
}

std::optional<FieldScaling> customary_scaling(const std::string& field, const Units& units,
                                              Hdf5Dialect dialect) {
  auto scaling = gadget_scaling(field, units);
  // Gadget's square root of a is in velocities alone.
  if (scaling && scaling->a == 0.5 && !facts_of(dialect).sqrt_a_velocities) scaling->a = 0;
  return scaling;
}

void describe_unit(FieldInfo& field, hid_t dataset, const Units& units, Hdf5Dialect dialect) {
  field.scaling = read_field_scaling(dataset, units);
  if (!field.scaling) field.scaling = customary_scaling(field.name, units, dialect);
  if (field.scaling) field.unit = unit_by_scaling(*field.scaling, units);
  if (field.unit.empty()) field.unit = unit_by_name(field.name, units);
  // The thermal unit is no power of the code's: SWIFT says only K^1.
  if (field.unit.empty() && number_or_0(dataset, "U_T exponent") == 1) field.unit = "K";
}

}  // namespace haloscope::io
