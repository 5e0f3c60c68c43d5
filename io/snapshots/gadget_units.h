#pragma once

#include "core/units.h"

#include <string>

namespace haloscope::io {

// "kpc/h", "1e10 Msun/h", "km/s": the code units by name where they have one.
std::string length_unit(const Units& units);
std::string mass_unit(const Units& units);
std::string velocity_unit(const Units& units);

// Unit of a field in words, lengths being comoving where units.comoving says so; empty where it is
// dimensionless or unknown.
std::string unit_by_scaling(const FieldScaling& scaling, const Units& units);

// The same by Gadget's convention for fields of a known name.
std::string unit_by_name(const std::string& field, const Units& units);

}  // namespace haloscope::io
