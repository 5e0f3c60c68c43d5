#include "io/snapshots/gadget_units.h"

#include "core/unit_words.h"
#include "io/text/length_words.h"
#include "io/text/solar_mass.h"

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <map>
#include <set>
#include <utility>

namespace haloscope::io {

namespace {

constexpr double kSolarMassPerYear = 6.30276e25;  // g/s, with Gadget's digits

// Codes round the parsec and the solar mass to three or four digits, each in its own way.
bool about(double value, double reference) {
  return std::abs(value - reference) < 5e-3 * reference;
}

// A unit without a name of its own is told in the first one, "50000 kpc"; in the last, which is
// cgs, where that is a thousand times too large or more.
std::string named(double value, std::initializer_list<std::pair<double, const char*>> names) {
  for (const auto& [size, name] : names)
    if (about(value, size)) return name;
  const auto& usual = value < 1e-3 * names.begin()->first ? *(names.end() - 1) : *names.begin();
  return fmt::format("{:.6g} {}", value / usual.first, usual.second);
}

// Powers of a and h behind a unit's name.
std::string cosmological(double a, double h) {
  std::string text;
  if (a == 0.5)
    text += "*sqrt(a)";
  else if (a == 1)
    text += "*a";
  else if (a != 0)
    text += fmt::format("*a^{:g}", a);
  if (h != 0) text += fmt::format("*h^{:g}", h);
  return text;
}

}  // namespace

std::string length_unit(const Units& units) {
  const auto name = named(units.length_cm, {{1e3 * kParsecCm, "kpc"},
                                            {1e6 * kParsecCm, "Mpc"},
                                            {kParsecCm, "pc"},
                                            {1.49598e13, "AU"},
                                            {6.957e10, "Rsun"},
                                            {1e5, "km"},
                                            {1e2, "m"},
                                            {1, "cm"}});
  return units.per_h ? name + "/h" : name;
}

std::string mass_unit(const Units& units) {
  const auto in_suns = [&](double sun) {
    return named(units.mass_g, {{sun, "Msun"},
                                {1e10 * sun, "1e10 Msun"},
                                {1e6 * sun, "1e6 Msun"},
                                {5.972e27, "Mearth"},
                                {1e3, "kg"},
                                {1, "g"}});
  };
  // Whoever made up the unit took one of the two, and a round number of them.
  const std::string plain = in_suns(kSolarMassG), gadget = in_suns(kGadgetSolarMassG);
  const std::string& name = gadget.size() < plain.size() ? gadget : plain;
  return units.per_h ? name + "/h" : name;
}

std::string velocity_unit(const Units& units) {
  return named(units.velocity_cm_per_s, {{1e5, "km/s"}, {1e2, "m/s"}, {1, "cm/s"}});
}

std::optional<FieldScaling> gadget_scaling(const std::string& field, const Units& units) {
  struct Powers {
    double length, mass, velocity;
  };
  constexpr Powers kLength{1, 0, 0}, kMass{0, 1, 0}, kVelocity{0, 0, 1}, kEnergy{0, 0, 2},
      kDensity{-3, 1, 0}, kVolume{3, 0, 0};
  static const std::map<std::string, Powers> customs{{"Coordinates", kLength},
                                                     {"IntCoordinates", kLength},
                                                     {"SmoothingLength", kLength},
                                                     {"SmoothingLengths", kLength},
                                                     {"SubfindHsml", kLength},
                                                     {"StellarHsml", kLength},
                                                     {"CenterOfMass", kLength},
                                                     {"Masses", kMass},
                                                     {"Mass", kMass},
                                                     {"DynamicalMasses", kMass},
                                                     {"SubgridMasses", kMass},
                                                     {"BH_Mass", kMass},
                                                     {"GFM_InitialMass", kMass},
                                                     {"Velocities", kVelocity},
                                                     {"Velocity", kVelocity},
                                                     {"InternalEnergy", kEnergy},
                                                     {"InternalEnergies", kEnergy},
                                                     {"Density", kDensity},
                                                     {"Densities", kDensity},
                                                     {"Volume", kVolume}};
  if (field == "StarFormationRate") return FieldScaling{kSolarMassPerYear, 0, 0, -1, 1, 1};
  const auto found = customs.find(field);
  if (found == customs.end()) return {};
  const auto [length, mass, velocity] = found->second;
  FieldScaling scaling{std::pow(units.length_cm, length) * std::pow(units.mass_g, mass) *
                           std::pow(units.velocity_cm_per_s, velocity),
                       0,
                       0,
                       length,
                       mass,
                       velocity};
  if (units.comoving) scaling.a = velocity == 1 ? 0.5 : length;
  if (units.per_h) scaling.h = -(length + mass);
  return scaling;
}

namespace {

// A mass, a length or a velocity in a unit that is not the code's: that unit by its own name.
std::optional<std::string> named_alone(const FieldScaling& scaling, const Units& units) {
  Units own = units;
  own.per_h = scaling.h == -1 && scaling.velocity == 0;
  const auto is = [&](double length, double mass, double velocity) {
    return scaling.length == length && scaling.mass == mass && scaling.velocity == velocity;
  };
  std::string name;
  if (is(0, 1, 0)) {
    own.mass_g = scaling.to_cgs;
    name = mass_unit(own);
  } else if (is(1, 0, 0)) {
    own.length_cm = scaling.to_cgs;
    name = length_unit(own);
  } else if (is(0, 0, 1)) {
    own.velocity_cm_per_s = scaling.to_cgs;
    name = velocity_unit(own);
  } else {
    return {};
  }
  return name +
         cosmological(scaling.a - (units.comoving ? scaling.length : 0), own.per_h ? 0 : scaling.h);
}

}  // namespace

std::string unit_by_scaling(const FieldScaling& scaling, const Units& units) {
  if (scaling.to_cgs == 0) return {};
  const double composed = std::pow(units.length_cm, scaling.length) *
                          std::pow(units.mass_g, scaling.mass) *
                          std::pow(units.velocity_cm_per_s, scaling.velocity);
  if (!about(scaling.to_cgs, composed)) {
    // Star formation rates are stored per year, whatever the code units.
    if (about(scaling.to_cgs, kSolarMassPerYear) && scaling.mass == 1) return "Msun/yr";
    if (about(scaling.to_cgs, 1)) return {};
    if (const auto own = named_alone(scaling, units)) return *own;
    return fmt::format("{:.6g} cgs", scaling.to_cgs) + cosmological(scaling.a, scaling.h);
  }
  std::string over, under;
  auto multiply = [&](const std::string& unit, double exponent) {
    if (exponent > 0) over += (over.empty() ? "" : " ") + unit_power(unit, exponent);
    if (exponent < 0)
      under += "/" + (exponent == -1 && unit.find('/') != std::string::npos
                          ? "(" + unit + ")"
                          : unit_power(unit, -exponent));
  };
  multiply(mass_unit(units), scaling.mass);
  multiply(length_unit(units), scaling.length);
  multiply(velocity_unit(units), scaling.velocity);
  if (over.empty() && under.empty()) return {};
  std::string text = (over.empty() ? "1" : over) + under;
  // What the comoving, h-carrying units above do not say already.
  const double a = scaling.a - (units.comoving ? scaling.length : 0);
  const double h = scaling.h + (units.per_h ? scaling.length + scaling.mass : 0);
  return text + cosmological(a, h);
}

std::string unit_by_name(const std::string& field, const Units& units) {
  static const std::set<std::string> lengths{"Coordinates", "SmoothingLength", "SubfindHsml",
                                             "StellarHsml", "CenterOfMass",    "Softening"};
  static const std::set<std::string> masses{"Masses", "BH_Mass", "GFM_InitialMass"};
  if (lengths.count(field)) return length_unit(units);
  if (masses.count(field)) return mass_unit(units);
  if (field == "Velocities") return velocity_unit(units) + (units.comoving ? "*sqrt(a)" : "");
  if (field == "InternalEnergy") return unit_power(velocity_unit(units), 2);
  if (field == "Density") return mass_unit(units) + "/" + unit_power(length_unit(units), 3);
  if (field == "StarFormationRate") return "Msun/yr";
  if (field == "Temperature") return "K";
  return {};
}

}  // namespace haloscope::io
