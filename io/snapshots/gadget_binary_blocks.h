#pragma once

#include "io/snapshots/gadget_binary_header.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace haloscope::io {

// One record of data: its label (without trailing blanks; empty where format 1 does not tell) and
// where its bytes lie.
struct GadgetBlock {
  std::string label;
  std::uint64_t offset = 0, bytes = 0;
};

// One file of a snapshot.
struct GadgetBinaryFile {
  std::string path;
  GadgetBinaryHeader header;
  std::vector<GadgetBlock> blocks;
  std::map<std::string, std::size_t> guessed;  // of format 1: what label_by_order() returned

  // The first block of that label, or null.
  const GadgetBlock* find(const std::string& label) const;
};

// Lists the records behind the header. Lengths are 32 bits in the file: blocks of 4 GB and more
// carry them modulo 2^32, and the true ones follow from the particle counts. Throws BadFile when a
// record reaches beyond the file's end or the lengths around it differ.
std::vector<GadgetBlock> list_gadget_blocks(const PositionedFile& file, const std::string& path,
                                            const GadgetBinaryHeader& header);

// Labels format 1's blocks by their order (POS VEL ID MASS U RHO …) as long as the sizes agree with
// the counts; behind that, by size and by values that leave no doubt: smoothing lengths are
// positive and no longer than the box. Others stay without label. Returns, by label, the numbers
// (from 1) of the blocks behind the masses, which another order of writing would make wrong.
std::map<std::string, std::size_t> label_by_order(const PositionedFile& file,
                                                  GadgetBinaryFile& one);

}  // namespace haloscope::io
