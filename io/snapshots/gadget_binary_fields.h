#pragma once

#include "core/assumption.h"
#include "core/snapshot_info.h"
#include "io/snapshots/gadget_binary_blocks.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::io {

// What a block holds: `types` has a bit for each type whose particles have values in it.
struct GadgetField {
  std::string label;  // of the block
  std::string name;   // Gadget's HDF5 name where the label is known, the label itself otherwise
  std::uint32_t types = 0;
  int components = 1;
  ScalarType scalar = ScalarType::Float32;

  std::uint64_t bytes_per_particle() const;
};

struct GadgetFields {
  std::vector<GadgetField> fields;
  Assumptions assumed;
};

// Finds out which types, how many components and which precision explain each labeled block's size
// in all files of a snapshot at once; the file's own INFO block tells it where there is one. What
// cannot be told, or is not in all files, is left out and said. Throws BadFile when there are no
// positions or they have a size that is none.
GadgetFields explain_gadget_blocks(const std::vector<GadgetBinaryFile>& files);

// The field that a block of this label (padded with blanks or not) holds: "HSML" is
// "SmoothingLength".
std::string gadget_field_name(std::string label);

}  // namespace haloscope::io
