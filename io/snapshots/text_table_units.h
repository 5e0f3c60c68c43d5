#pragma once

#include "core/snapshot_info.h"

#include <optional>
#include <string>

namespace haloscope::io {

// Units as the header of a table words them; empty where it does not.
struct TableUnits {
  std::string length, mass, velocity;
};

// Takes them into info.units, and says which are the header's, which are not known words, and which
// are taken for granted. Where one of length and mass carries 1/h and the other does not, the code
// mass becomes that of the length's kind which is the header's: 1 Msun is h Msun/h. That needs
// `hubble` (0.7, not 70), the user's; without it h = 1 is taken, and said.
void adopt_table_units(const TableUnits& header, std::optional<double> hubble, SnapshotInfo& info);

// Of masses whose unit was converted so: the scaling that goes with the header's unit; else
// nothing.
std::optional<FieldScaling> table_mass_scaling(const TableUnits& header, const Units& units);

// Velocities in a unit that the header names carry no sqrt(a), unlike Gadget's, which are the
// convention in comoving units; nothing where the convention holds.
std::optional<FieldScaling> table_velocity_scaling(const std::string& unit, const Units& units);

}  // namespace haloscope::io
