#pragma once

#include "core/snapshot_info.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::io {

// What the user knows of a binary table that says nothing of itself.
struct RawDescription {
  struct Field {
    std::string name;  // "-": skipped
    ScalarType scalar = ScalarType::Float32;
    int components = 1;

    std::uint64_t bytes() const;  // per particle
  };
  std::vector<Field> fields;  // in the order of the file
  // All values of a field together, or all fields of a particle.
  bool columns = false;
  bool big_endian = false;
  std::uint64_t skip = 0;              // bytes before the data
  std::optional<std::uint64_t> count;  // of particles; else as many as the file holds

  std::uint64_t row_bytes() const;
};

// The description in a word of the command line: fields as NAME:TYPE[xN], parted by commas, TYPE
// being f4, f8, i4, i8, u4 or u8 and N the components; then, each after a semicolon, layout=rows
// (default) or columns, endian=little (default) or big, skip=BYTES, count=PARTICLES. As in
// "Coordinates:f4x3,Masses:f4;endian=big;skip=128". With layout=columns a field is one block:
// "x:f4,y:f4,z:f4" are three columns, "f4x3" is one block of triples. A field called `-` is
// skipped. Throws Error naming the part that is wrong and where it begins; `where` names the option
// or the line that it comes from.
RawDescription parse_raw_description(const std::string& text, const std::string& where = {});

}  // namespace haloscope::io
