#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

// Writers of GenericIO files and plain tables for the tests; nothing here shares code with the
// readers.
namespace table_files {

using Bytes = std::string;

// The bytes of a value, in either order.
template <class T>
Bytes bytes_of(T value, bool big_endian = false) {
  Bytes bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  if (big_endian) bytes.assign(bytes.rbegin(), bytes.rend());
  return bytes;
}

template <class T>
Bytes bytes_of_all(const std::vector<T>& values, bool big_endian = false) {
  Bytes bytes;
  for (const T value : values) bytes += bytes_of(value, big_endian);
  return bytes;
}

inline void write_bytes(const std::string& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// CRC-64 of ECMA-182, reflected, from all ones, bit by bit.
inline std::uint64_t slow_checksum(const Bytes& bytes) {
  std::uint64_t sum = ~std::uint64_t(0);
  for (const char byte : bytes) {
    sum ^= std::uint8_t(byte);
    for (int bit = 0; bit < 8; ++bit)
      sum = (sum & 1) ? (sum >> 1) ^ 0xC96C5795D7870F42ULL : sum >> 1;
  }
  return sum;
}

// One GenericIO file. Variables are given with the data of all ranks; ranks are equally long, but
// for the last, which takes the rest.
class GenericIoWriter {
 public:
  enum Flags { Float = 1, Signed = 2, X = 4, Y = 8, Z = 16 };

  bool big_endian = false;
  std::size_t ranks = 1;
  bool old_headers = false;  // no ElementSize, no rank numbers, no blocks
  std::string filter;        // says so in block headers, without doing it
  bool blocks = false;       // write block headers
  std::array<double, 3> origin{0, 0, 0}, scale{100, 100, 100};
  std::uint64_t global_size = 168;

  template <class T>
  GenericIoWriter& variable(const std::string& name, const std::vector<T>& values,
                            std::uint64_t flags, int components = 1) {
    rows_ = values.size() / std::size_t(components);
    Variable v{name, flags, sizeof(T) * std::size_t(components), sizeof(T), {}};
    v.data = bytes_of_all(values, big_endian);
    variables_.push_back(v);
    return *this;
  }

  void write(const std::string& path) const { write_bytes(path, bytes()); }

  Bytes bytes() const {
    const std::uint64_t variable_size = old_headers ? 272 : 280, rank_size = old_headers ? 40 : 48;
    const std::uint64_t global = old_headers ? 152 : global_size;
    const bool with_blocks = !old_headers && (blocks || !filter.empty());
    const std::uint64_t variables_at = global;
    const std::uint64_t ranks_at = variables_at + variable_size * variables_.size();
    const std::uint64_t blocks_at = ranks_at + rank_size * ranks;
    const std::uint64_t header = blocks_at + (with_blocks ? 48 * ranks * variables_.size() : 0);
    std::uint64_t at = header + 8;
    Bytes rank_table, block_table, data;
    for (std::size_t r = 0; r < ranks; ++r) {
      const std::size_t first = rows_ / ranks * r;
      const std::size_t count = r + 1 == ranks ? rows_ - first : rows_ / ranks;
      for (const std::uint64_t number :
           {std::uint64_t(r), std::uint64_t(0), std::uint64_t(0), std::uint64_t(count), at})
        rank_table += word(number);
      if (!old_headers) rank_table += word(r);
      for (const auto& v : variables_) {
        Bytes name = filter;
        name.resize(32);
        block_table += name + word(at) + word(count * v.size);
        const Bytes part = v.data.substr(first * v.size, count * v.size);
        data += part + bytes_of(slow_checksum(part));
        at += part.size() + 8;
      }
    }
    Bytes result = big_endian ? "HACC01B" : "HACC01L";
    result.resize(8);
    for (const std::uint64_t number :
         {header, std::uint64_t(rows_), std::uint64_t(ranks), std::uint64_t(1), std::uint64_t(1),
          std::uint64_t(variables_.size()), variable_size, variables_at, std::uint64_t(ranks),
          rank_size, ranks_at, global})
      result += word(number);
    for (const double number : origin) result += bytes_of(number, big_endian);
    for (const double number : scale) result += bytes_of(number, big_endian);
    if (!old_headers) result += word(with_blocks ? 48 : 0) + word(blocks_at);
    result.resize(global);
    for (const auto& v : variables_) {
      Bytes name = v.name;
      name.resize(256);
      result += name + word(v.flags) + word(v.size);
      if (!old_headers) result += word(v.element);
    }
    result += rank_table;
    if (with_blocks) result += block_table;
    return result + bytes_of(slow_checksum(result)) + data;
  }

 private:
  struct Variable {
    std::string name;
    std::uint64_t flags, size, element;
    Bytes data;
  };
  Bytes word(std::uint64_t value) const { return bytes_of(value, big_endian); }

  std::vector<Variable> variables_;
  std::size_t rows_ = 0;
};

}  // namespace table_files
