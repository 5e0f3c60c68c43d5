#include "io/snapshots/text_table_units.h"

#include "io/snapshots/gadget_units.h"
#include "io/text/unit_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace haloscope::io {

namespace {

struct Reading {
  const char* what;  // "lengths"
  Fact fact;
  std::string words;
  std::optional<UnitWords> unit;
};

// One sentence about the units that the header names, and about those that it does not.
void say_units(const std::vector<Reading>& readings, SnapshotInfo& info) {
  std::vector<std::string> named, granted;
  std::set<Fact> facts;
  for (const auto& one : readings) {
    if (one.unit) {
      named.push_back(fmt::format("{} in {}", one.what, one.words));
      continue;
    }
    facts.insert(one.fact);
    granted.push_back(one.fact == Fact::Length ? length_unit(info.units)
                      : one.fact == Fact::Mass ? mass_unit(info.units)
                                               : velocity_unit(info.units));
  }
  if (named.empty()) {
    info.assumed.push_back(
        {fmt::format("Units are not in the file: took {}.", fmt::join(granted, ", ")), facts});
    return;
  }
  info.assumed.push_back(fmt::format("The header says: {}.", fmt::join(named, ", ")));
  if (!granted.empty())
    info.assumed.push_back(
        {fmt::format("The header says no other units: took {}.", fmt::join(granted, ", ")), facts});
}

// An unknown unit is an assumption of its own, so that the plain one does not deny it.
void say_unknown(std::vector<Reading>& readings, SnapshotInfo& info) {
  std::erase_if(readings, [&](const Reading& one) {
    if (one.unit || one.words.empty()) return false;
    const std::string took = one.fact == Fact::Length ? length_unit(info.units)
                             : one.fact == Fact::Mass ? mass_unit(info.units)
                                                      : velocity_unit(info.units);
    info.assumed.push_back({fmt::format("The header's unit of {}, '{}', is not known: took {}.",
                                        one.what, one.words.substr(0, 40), took),
                            {one.fact}});
    return true;
  });
}

// What a mass unit is in code units whose lengths carry 1/h or not, unlike it.
void convert_mass_unit(const std::string& words, std::optional<double> hubble, SnapshotInfo& info) {
  if (!hubble) {
    info.assumed.push_back(
        {"The header's unit of one of length and mass carries 1/h, that of the other does not: "
         "took h = 1, where they are the same.",
         {Fact::Hubble}});
    return;
  }
  Units& units = info.units;
  units.mass_g *= units.per_h ? *hubble : 1 / *hubble;
  info.assumed.push_back(fmt::format(
      "The header's unit of {} carries 1/h, that of {} does not: with h = {:g}, 1 {} is {}.",
      units.per_h ? "length" : "mass", units.per_h ? "mass" : "length", *hubble, words,
      mass_unit(units)));
}

bool kinds_differ(const std::optional<UnitWords>& length, const std::optional<UnitWords>& mass) {
  return length && mass && length->per_h != mass->per_h;
}

}  // namespace

void adopt_table_units(const TableUnits& header, std::optional<double> hubble, SnapshotInfo& info) {
  const auto length = length_by_words(header.length);
  const auto mass = mass_by_words(header.mass);
  auto velocity = velocity_by_words(header.velocity);
  if (velocity && velocity->per_h) velocity.reset();
  Units& units = info.units;
  if (length) {
    units.length_cm = length->cgs;
    units.comoving = length->comoving;
  }
  if (mass) units.mass_g = mass->cgs;
  if (velocity) units.velocity_cm_per_s = velocity->cgs;
  if (length || mass) units.per_h = length ? length->per_h : mass->per_h;
  std::vector<Reading> readings{{"lengths", Fact::Length, header.length, length},
                                {"masses", Fact::Mass, header.mass, mass},
                                {"velocities", Fact::Velocity, header.velocity, velocity}};
  say_unknown(readings, info);
  if (!readings.empty()) say_units(readings, info);
  if (kinds_differ(length, mass)) convert_mass_unit(header.mass, hubble, info);
}

std::optional<FieldScaling> table_mass_scaling(const TableUnits& header, const Units& units) {
  if (!kinds_differ(length_by_words(header.length), mass_by_words(header.mass))) return {};
  return FieldScaling{units.mass_g, 0, units.per_h ? -1.0 : 0.0, 0, 1, 0};
}

std::optional<FieldScaling> table_velocity_scaling(const std::string& unit, const Units& units) {
  const auto words = velocity_by_words(unit);
  if (!units.comoving || !words || words->per_h) return {};
  return FieldScaling{words->cgs, 0, 0, 0, 0, 1};
}

}  // namespace haloscope::io
