#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

// The heads of NumPy's files (numpy.lib.format, version 1.0 to 3.0).
namespace haloscope::io {

// What the text behind the magic says.
struct NpyHead {
  std::string kind;  // "<f8"; "a list": of several fields
  bool fortran = false;
  std::vector<std::uint64_t> shape;
};

// The bytes that every such file begins with.
inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

// Reads the head from an open file, which then stands at the first value. Throws BadFile naming
// `path` where it is none or cut short.
NpyHead read_npy_head(const std::string& path, std::ifstream& file);

// All bytes before the values of an array in C's order.
std::string npy_head_bytes(const std::string& kind, const std::vector<std::uint64_t>& shape);

}  // namespace haloscope::io
