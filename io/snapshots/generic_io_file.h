#pragma once

#include "io/snapshots/table_values.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::io {

// One variable of a GenericIO file.
struct GenericIoVariable {
  std::string name;
  std::uint64_t size = 0;  // bytes per element
  int components = 1;
  StoredNumber number;
  int axis = -1;  // 0, 1, 2 where the writer marked it as the position's x, y, z
};

// One of the writing processes.
struct GenericIoRank {
  std::uint64_t elements = 0;
  // Where each variable's data start; eight check bytes follow the data.
  std::vector<std::uint64_t> starts;
};

// What stands in the headers of one GenericIO file.
struct GenericIoFile {
  std::string path;
  bool big_endian = false;
  bool header_intact = true;       // its own checksum
  std::uint64_t promised = 0;      // elements by the header
  std::array<double, 3> origin{};  // of the box
  std::array<double, 3> scale{};   // its sides; 0: not given
  std::vector<GenericIoVariable> variables;
  std::vector<GenericIoRank> ranks;

  int find(const std::string& name) const;  // index of a variable; -1: none
};

bool is_generic_io(const std::string& path);

// Reads the headers and checks that what they promise fits into the file: no rank may claim bytes
// beyond its end, and all ranks together no more than the file has. Throws NotThisFormat where the
// first bytes are not GenericIO's, BadFile for damage, for compressed blocks and for variables of a
// kind that cannot be read.
GenericIoFile read_generic_io_file(const std::string& path);

}  // namespace haloscope::io
