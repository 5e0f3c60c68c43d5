#pragma once

#include "core/snapshot_info.h"

#include <hdf5.h>

#include <optional>
#include <string>

namespace haloscope::io {

// GADGET-4's and AREPO's note beside a dataset:
// x_cgs = x_file * to_cgs * a^a_scaling * h^h_scaling, and the powers of the three code units in
// it.
struct FieldScaling {
  double to_cgs = 0;  // 0 means dimensionless there, not "multiply by zero"
  double a = 0, h = 0;
  double length = 0, mass = 0, velocity = 0;
};

// Nothing where the dataset carries no such attributes.
std::optional<FieldScaling> read_field_scaling(hid_t dataset);

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
