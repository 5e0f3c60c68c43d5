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
// are taken for granted.
void adopt_table_units(const TableUnits& header, SnapshotInfo& info);

// Velocities in a unit that the header names carry no sqrt(a), unlike Gadget's, which are the
// convention in comoving units; nothing where the convention holds.
std::optional<FieldScaling> table_velocity_scaling(const std::string& unit, const Units& units);

}  // namespace haloscope::io
