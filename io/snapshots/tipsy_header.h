#pragma once

#include "io/bytes/positioned_file.h"

#include <cstdint>
#include <optional>
#include <string>

namespace haloscope::io {

// The counts of a Tipsy file and the layout of its records. Gas records are mass, position (3),
// velocity (3), density, temperature, softening, metals, potential; dark matter has softening and
// potential behind the velocity; stars metals, formation time, softening, potential.
struct TipsyHeader {
  double time = 0;
  std::uint64_t gas = 0, dark = 0, stars = 0;
  bool swap = false;  // written in the other byte order; big endian is the standard
  std::uint64_t bytes = 32;
  // What the file's length allows; the .param file tells positions from velocities where only one
  // of the two is in double precision.
  bool double_positions = false, double_velocities = false;

  std::uint64_t particles() const { return gas + dark + stars; }
  std::uint64_t coordinate_bytes() const { return double_positions ? 24 : 12; }
  std::uint64_t velocity_bytes() const { return double_velocities ? 24 : 12; }
  std::uint64_t gas_record() const { return 24 + coordinate_bytes() + velocity_bytes(); }
  std::uint64_t dark_record() const { return 12 + coordinate_bytes() + velocity_bytes(); }
  std::uint64_t star_record() const { return 20 + coordinate_bytes() + velocity_bytes(); }
};

// Reads the header when the counts agree with each other and with the file's length to the byte;
// nothing when the file does not begin like Tipsy. Throws BadFile when the counts agree but the
// length does not.
std::optional<TipsyHeader> read_tipsy_header(const PositionedFile& file, const std::string& path);

}  // namespace haloscope::io
