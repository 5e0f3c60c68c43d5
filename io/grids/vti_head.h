#pragma once

#include "core/grid.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// The XML of VTK's images (VTK File Formats, "ImageData").
namespace haloscope::io {

// One array of values.
struct VtiArray {
  std::string name;
  GridScalar scalar = GridScalar::Float32;
  int components = 1;
  bool of_cells = false;  // else of points
  enum class Format { Ascii, Binary, Appended } format = Format::Ascii;
  std::uint64_t offset = 0;          // of Appended, behind the underscore
  std::uint64_t begin = 0, end = 0;  // of the others: where their text lies in the file
};

struct VtiHead {
  std::array<std::int64_t, 6> extent{};  // of points: first and last of x, y, z
  std::array<double, 3> origin{0, 0, 0}, spacing{1, 1, 1};
  bool big_endian = false;
  bool long_lengths = false;   // lengths before data are of 64 bits, else of 32
  bool zlib = false;           // data are compressed in blocks
  bool base64 = false;         // of appended data
  std::uint64_t appended = 0;  // where they begin, behind the underscore
  std::vector<VtiArray> arrays;
  std::map<std::string, std::string> texts;  // of field data, by name
};

// Throws NotThisFormat where the file is no image of VTK, BadFile for a damaged one, Error for one
// in several pieces or with a compressor that is not known.
VtiHead read_vti_head(const std::string& path);

// "Float32", as VTK has it, and the other way round; false: no type of a grid.
const char* vti_type(GridScalar scalar);
bool vti_scalar(const std::string& type, GridScalar& scalar);

}  // namespace haloscope::io
