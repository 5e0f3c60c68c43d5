#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

// Arrays of NumPy, written and read by the format's own description; nothing here shares code with
// the program.
namespace haloscope::test {

// The file of an array: what the head says, and the bytes behind it.
inline std::string npy_bytes(const std::string& kind, const std::string& shape,
                             const std::string& data, const std::string& fortran = "False",
                             int version = 1) {
  std::string head =
      "{'descr': " + kind + ", 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
  const std::size_t before = version == 1 ? 10 : 12;
  while ((before + head.size() + 1) % 64 != 0) head += ' ';
  head += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += char(version);
  bytes += '\0';
  for (std::size_t k = 0; k < before - 8; ++k) bytes += char(head.size() >> (8 * k) & 0xff);
  return bytes + head + data;
}

template <class T>
std::string raw_bytes(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Rows of `columns` float64, in C's order.
inline void write_points(const std::string& path, const std::vector<double>& values,
                         std::size_t columns) {
  const std::string shape =
      "(" + std::to_string(values.size() / columns) + ", " + std::to_string(columns) + ")";
  std::ofstream(path, std::ios::binary) << npy_bytes("'<f8'", shape, raw_bytes(values));
}

// The head and the numbers of an array in a file of version 1.
template <class T>
std::vector<T> read_array(const std::string& path, std::string& head) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (bytes.size() < 10) throw std::runtime_error("no array");
  const std::size_t length = std::uint8_t(bytes[8]) + 256u * std::uint8_t(bytes[9]);
  head = bytes.substr(10, length);
  const std::string data = bytes.substr(10 + length);
  std::vector<T> values(data.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), data.data(), values.size() * sizeof(T));
  return values;
}

}  // namespace haloscope::test
