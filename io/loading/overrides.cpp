#include "io/loading/overrides.h"

#include "core/error.h"
#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

namespace haloscope::io {

namespace {

std::set<Fact> given_facts(const Overrides& o) {
  std::set<Fact> given;
  if (o.unit_length_cm) given.insert(Fact::Length);
  if (o.unit_mass_g) given.insert(Fact::Mass);
  if (o.unit_velocity_cm_per_s) given.insert(Fact::Velocity);
  if (o.hubble_param) given.insert(Fact::Hubble);
  if (o.box_size || o.periodic) given.insert(Fact::Box);
  if (o.support_per_smoothing_length) given.insert(Fact::Smoothing);
  return given;
}

// With the power of a that the snapshot's velocities carry, as long as that is told in their unit.
std::string stored_velocity_unit(const SnapshotInfo& info) {
  const std::string unit = velocity_unit(info.units);
  for (const auto& [number, type] : info.types)
    if (const FieldInfo* field = type.find(Role::Velocity); field && field->unit.starts_with(unit))
      return field->unit;
  return unit;
}

// What remains of a sentence of which some facts are given now.
void say_rest(const std::set<Fact>& rest, const SnapshotInfo& info, Assumptions& said) {
  std::vector<std::string> kinds, units;
  auto add = [&](Fact fact, const char* kind, const std::string& unit) {
    if (!rest.count(fact)) return;
    kinds.push_back(kind);
    units.push_back(unit);
  };
  add(Fact::Length, "length", length_unit(info.units));
  add(Fact::Mass, "mass", mass_unit(info.units));
  add(Fact::Velocity, "velocity", stored_velocity_unit(info));
  std::set<Fact> left;
  std::set_intersection(rest.begin(), rest.end(), kUnitFacts.begin(), kUnitFacts.end(),
                        std::inserter(left, left.end()));
  if (!units.empty())
    said.push_back({fmt::format("The unit{} of {} {} not in the file: took {}.",
                                units.size() > 1 ? "s" : "", fmt::join(kinds, " and "),
                                units.size() > 1 ? "are" : "is", fmt::join(units, ", ")),
                    left});
  if (rest.count(Fact::Box))
    said.push_back({info.box_size > 0 && info.periodic
                        ? "The box is taken as periodic because it has a size."
                        : "The file has no box: taken as not periodic.",
                    {Fact::Box}});
  if (rest.count(Fact::Hubble))
    said.push_back({fmt::format("Took h = {:g}.", info.cosmology.hubble_param), {Fact::Hubble}});
}

void revise_assumptions(const std::set<Fact>& given, SnapshotInfo& info) {
  Assumptions kept;
  for (const auto& assumption : info.assumed) {
    std::set<Fact> rest;
    for (const Fact fact : assumption.about)
      if (!given.count(fact)) rest.insert(fact);
    if (rest.size() == assumption.about.size())
      kept.push_back(assumption);
    else
      say_rest(rest, info, kept);
  }
  info.assumed = std::move(kept);
}

std::optional<bool> said_comoving(const Overrides& o) {
  return o.comoving ? o.comoving : o.comoving_by_unit;
}

void override_units(const Overrides& o, SnapshotInfo& info) {
  Units& units = info.units;
  if (o.length_per_h && o.mass_per_h && *o.length_per_h != *o.mass_per_h)
    throw Error("the unit of one of length and mass carries 1/h, that of the other does not",
                "unit-length, unit-mass", "give both with /h or both without");
  const bool per_h = o.length_per_h ? *o.length_per_h : o.mass_per_h.value_or(units.per_h);
  const double h = info.cosmology.hubble_param;
  if (per_h != units.per_h) {
    const double factor = per_h ? h : 1 / h;
    units.length_cm *= factor;
    units.mass_g *= factor;
    units.per_h = per_h;
  }
  units.length_cm = o.unit_length_cm.value_or(units.length_cm);
  units.mass_g = o.unit_mass_g.value_or(units.mass_g);
  units.velocity_cm_per_s = o.unit_velocity_cm_per_s.value_or(units.velocity_cm_per_s);
  units.comoving = said_comoving(o).value_or(units.comoving);
}

double composed(const FieldScaling& s, const Units& units) {
  return std::pow(units.length_cm, s.length) * std::pow(units.mass_g, s.mass) *
         std::pow(units.velocity_cm_per_s, s.velocity);
}

// A field's own scaling follows the code units as far as it is made of them: star formation rates
// per year stay.
void rescale(FieldScaling& s, const Units& before, const Units& now) {
  const double old = composed(s, before);
  if (!(s.to_cgs > 0) || std::abs(s.to_cgs - old) > 5e-3 * old) return;
  s.to_cgs = composed(s, now);
  if (before.per_h != now.per_h) s.h += (before.per_h ? 1 : -1) * (s.length + s.mass);
  if (before.comoving != now.comoving) s.a += (now.comoving ? 1 : -1) * s.length;
}

std::string usual_name(const TypeInfo& type, const FieldInfo& field) {
  static const std::map<Role, const char*> names{{Role::Position, "Coordinates"},
                                                 {Role::Velocity, "Velocities"},
                                                 {Role::Mass, "Masses"},
                                                 {Role::Density, "Density"},
                                                 {Role::InternalEnergy, "InternalEnergy"}};
  for (const auto& [role, name] : type.roles) {
    const auto usual = names.find(role);
    if (name == field.name && usual != names.end()) return usual->second;
  }
  return field.name;
}

bool same_units(const Units& a, const Units& b) {
  return a.length_cm == b.length_cm && a.mass_g == b.mass_g &&
         a.velocity_cm_per_s == b.velocity_cm_per_s && a.comoving == b.comoving &&
         a.per_h == b.per_h;
}

// A unit by convention follows the code units; what the file or its format says otherwise stays.
void relabel_by_name(const std::string& name, const Units& before, const Units& now,
                     std::string& unit) {
  if (name == "Velocities" && unit == velocity_unit(before))  // peculiar ones, without sqrt(a)
    unit = velocity_unit(now);
  else if (const std::string usual = unit_by_name(name, now);
           !usual.empty() && (unit.empty() || unit == unit_by_name(name, before)))
    unit = usual;
}

void relabel_fields(const Units& before, SnapshotInfo& info) {
  for (auto& [number, type] : info.types)
    for (auto& field : type.fields) {
      if (field.scaling && field.scaling->to_cgs > 0) {
        rescale(*field.scaling, before, info.units);
        field.unit = unit_by_scaling(*field.scaling, info.units);
      } else if (!field.scaling) {
        relabel_by_name(usual_name(type, field), before, info.units, field.unit);
      }
    }
}

// The user's word on what a velocity of 1 is, power of a included, leaves nothing of the file's.
void override_velocities(double power_of_a, SnapshotInfo& info) {
  for (auto& [number, type] : info.types) {
    const FieldInfo* velocity = type.find(Role::Velocity);
    for (auto& field : type.fields) {
      if (&field != velocity) continue;
      field.scaling = FieldScaling{info.units.velocity_cm_per_s, power_of_a, 0, 0, 0, 1};
      field.unit = unit_by_scaling(*field.scaling, info.units);
    }
  }
}

void override_box(const Overrides& o, SnapshotInfo& info) {
  if (o.box_size) {
    info.box_size = *o.box_size;
    info.periodic = info.box_size > 0;
    info.box_given = info.box_size > 0;
  }
  if (o.periodic) info.periodic = *o.periodic;
  if (info.periodic && !(info.box_size > 0))
    throw Error("a periodic box needs a side", info.files.empty() ? "" : info.files.front(),
                "give it (--box)");
  if (info.box_size > 0)
    info.assumed.push_back(fmt::format("The box has a side of {:g} and is {}periodic: given.",
                                       info.box_size, info.periodic ? "" : "not "));
  else
    info.assumed.push_back("There is no box, because the user says so.");
}

using Meaning = SmoothingLengthMeaning;

// A cell has no smoothing length that a word such as half-support could be about.
bool concerned(const Overrides& o, const Meaning& meaning) {
  if (meaning.field.empty()) return false;
  return meaning.kind == Meaning::Kind::Length || o.smoothing_kind != Meaning::Kind::Length;
}

bool smoothing_concerned(const Overrides& o, const SnapshotInfo& info) {
  return std::any_of(info.smoothing_lengths.begin(), info.smoothing_lengths.end(),
                     [&](const auto& one) { return concerned(o, one.second); });
}

std::string stored_radius(const Meaning& meaning) {
  if (meaning.kind == Meaning::Kind::Length) return meaning.field;
  return "the radius of a sphere of " + meaning.field +
         (meaning.density.empty() ? "" : " over " + meaning.density);
}

void override_smoothing(const Overrides& o, SnapshotInfo& info) {
  for (auto& [type, meaning] : info.smoothing_lengths) {
    if (meaning.field.empty()) continue;
    const bool given = concerned(o, meaning);
    if (given) {
      meaning.support_per_value = *o.support_per_smoothing_length;
      if (meaning.kind == Meaning::Kind::Length && o.smoothing_kind)
        meaning.kind = *o.smoothing_kind;
    }
    info.assumed.push_back(fmt::format(
        "The kernel's radius is {:.6g} times {} of {}: {}.", meaning.support_per_value,
        stored_radius(meaning), info.types.count(type) ? info.types.at(type).name : type_name(type),
        given ? "given" : "the cells have no smoothing length to be given a meaning"));
  }
}

void say_smoothing_unheeded(SnapshotInfo& info) {
  const bool cells = std::any_of(info.smoothing_lengths.begin(), info.smoothing_lengths.end(),
                                 [](const auto& one) { return !one.second.field.empty(); });
  info.assumed.push_back(
      cells ? "The file's cells have no smoothing length: of them, smoothing-means takes only "
              "volume or a factor."
            : "There is no smoothing length in the file: smoothing-means has no effect.");
}

}  // namespace

void apply_overrides(const Overrides& o, SnapshotInfo& info) {
  if (!o.source.empty()) info.assumed.push_back(o.source);
  std::set<Fact> given = given_facts(o);
  if (given.empty() && !said_comoving(o)) return;
  const bool smoothing_unheeded = given.count(Fact::Smoothing) && !smoothing_concerned(o, info);
  if (smoothing_unheeded) given.erase(Fact::Smoothing);
  const Units before = info.units;
  if (o.hubble_param) info.cosmology.hubble_param = *o.hubble_param;
  override_units(o, info);
  if (!same_units(before, info.units)) relabel_fields(before, info);
  if (o.velocity_power_of_a) override_velocities(*o.velocity_power_of_a, info);
  revise_assumptions(given, info);
  std::vector<std::string> units;
  if (o.unit_length_cm) units.push_back("lengths in " + length_unit(info.units));
  if (o.unit_mass_g) units.push_back("masses in " + mass_unit(info.units));
  if (o.unit_velocity_cm_per_s)
    units.push_back("velocities in " + stored_velocity_unit(info) +
                    (o.velocity_power_of_a == 0.0 ? " (peculiar)" : ""));
  if (!units.empty()) info.assumed.push_back(fmt::format("Given: {}.", fmt::join(units, ", ")));
  if (said_comoving(o))
    info.assumed.push_back(fmt::format("Lengths are {} (a = {:g}): given.",
                                       info.units.comoving ? "comoving" : "physical",
                                       info.cosmology.scale_factor));
  if (o.hubble_param) info.assumed.push_back(fmt::format("h is {:g}: given.", *o.hubble_param));
  if (given.count(Fact::Box)) override_box(o, info);
  if (given.count(Fact::Smoothing)) override_smoothing(o, info);
  if (smoothing_unheeded) say_smoothing_unheeded(info);
}

}  // namespace haloscope::io
