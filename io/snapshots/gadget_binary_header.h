#pragma once

#include "io/bytes/positioned_file.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::io {

// What one file of a binary Gadget snapshot says of itself: the 256 bytes of Gadget-2/3 or
// GADGET-4's own header of 24 * types + 48 bytes, which has 64-bit counts and no cosmology.
struct GadgetBinaryHeader {
  int format = 1;     // 2: each block has a record with its label before it
  bool swap = false;  // written in the other byte order
  bool gadget4 = false;
  std::vector<std::uint64_t> count, total;  // particles per type, in this file and over all
  std::vector<double> mass;                 // per type; 0: in the block MASS
  double time = 0, redshift = 0, box = 0;
  std::optional<double> omega_matter, omega_lambda, hubble_param;
  std::uint64_t file_count = 1;
  bool cooling = false;
  std::uint64_t end = 0;  // of the header's record: where the blocks begin

  std::uint64_t particles() const;
};

// True when the file's first record is a Gadget header in either byte order; damage behind it is
// left for read_gadget_binary_header to tell.
bool looks_like_gadget_binary(const PositionedFile& file);

// Throws NotThisFormat when the file does not begin like one, BadFile when its numbers cannot be
// (more particles than the file's size allows, a box of infinite size).
GadgetBinaryHeader read_gadget_binary_header(const PositionedFile& file, const std::string& path);

}  // namespace haloscope::io
