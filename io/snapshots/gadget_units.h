#pragma once

#include "core/units.h"

#include <optional>
#include <string>

namespace haloscope::io {

// "kpc/h", "1e10 Msun/h", "km/s": the code units by name where they have one.
std::string length_unit(const Units& units);
std::string mass_unit(const Units& units);
std::string velocity_unit(const Units& units);

// Unit of a field in words, lengths being comoving where units.comoving says so; empty where it is
// dimensionless or unknown.
std::string unit_by_scaling(const FieldScaling& scaling, const Units& units);

// How a field of a well-known name scales by Gadget's convention: comoving lengths and masses per h
// where the units are, velocities v/sqrt(a) in comoving runs, star formation in solar masses per
// year. Nothing for other fields.
std::optional<FieldScaling> gadget_scaling(const std::string& field, const Units& units);

// unit_by_scaling() by Gadget's convention for fields of a known name.
std::string unit_by_name(const std::string& field, const Units& units);

}  // namespace haloscope::io
