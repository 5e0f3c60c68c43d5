#pragma once

#include "core/snapshot_info.h"
#include "io/loading/derived_fields.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::io {

// A dataset to write, and where its values come from.
struct OutputField {
  std::string source, name;  // the input's field; path below PartTypeN
  int components = 1;
  ScalarType scalar = ScalarType::Float32;
  double factor = 1;
  bool position = false;  // wrapped into the box
  std::optional<FieldScaling> scaling;
  // No field of the input, but numbers of its rows: the first row has this one. 0: a field.
  std::uint64_t first_row_number = 0;
  std::optional<FieldPlan> added =
      {};  // made of the input's fields, one float32 value per particle
};

// What a GADGET-4-style copy of a snapshot says of itself.
struct Gadget4Layout {
  Units units;  // as its readers take them: lengths and masses with 1/h where comoving
  double hubble_param = 1;
  bool arepo = false;  // cells: told from SPH by /Config, with cosmology in /Header as well
  std::map<int, std::vector<OutputField>> fields;
  std::map<int, double> mass_table;  // of types without a mass dataset
  std::vector<std::string> said;     // sentences: what could not stay as it was
};

// Plans the copy of some types; `weights`: by type, the factor on masses; `added`: derived fields,
// which the types that have them get.
//
// Values stay in the input's own units and precision. Names become GADGET's where the role of a
// field is known, so that others find them. Codes that carry no h are given it in the unit (the
// code length is then L*h per h), since every reader of this layout takes lengths and masses to
// be per h; velocities with another power of a become GADGET's v/sqrt(a), and smoothing lengths of
// another meaning the support radius. Types without IDs get the numbers of their rows in the input,
// counted from 1 through all its types in their order: pynbody opens no file without IDs.
Gadget4Layout plan_gadget4(const SnapshotInfo& info, const std::map<int, double>& weights,
                           const std::vector<std::string>& added = {});

}  // namespace haloscope::io
