#pragma once

#include "core/snapshot_info.h"
#include "io/snapshots/hdf5_dialect.h"

#include <hdf5.h>

#include <optional>
#include <string>

namespace haloscope::io {

// The note that GADGET-4 and AREPO (to_cgs …), EAGLE (CGSConversionFactor …) and SWIFT (a-scale
// exponent, U_L exponent …) write beside a dataset; nothing where it carries none. EAGLE does not
// say the powers of the code units: they are those that make up its factor, else 0.
std::optional<FieldScaling> read_field_scaling(hid_t dataset, const Units& units);

// The same by the custom of the code for fields of a well-known name, where no note is: comoving
// lengths, Gadget's velocities u = v/sqrt(a), SWIFT's peculiar ones. Nothing for other fields.
std::optional<FieldScaling> customary_scaling(const std::string& field, const Units& units,
                                              Hdf5Dialect dialect);

// Describes a field's unit in words by its note, else by custom.
void describe_unit(FieldInfo& field, hid_t dataset, const Units& units, Hdf5Dialect dialect);

}  // namespace haloscope::io
