#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace haloscope::fuzz {

// Bytes that say what to write, taken from the front; zeros when they are used up.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  bool any() const { return left_ > 0; }
  std::uint8_t byte();
  // Below `bound`, which is at most 256.
  std::size_t below(std::size_t bound) { return byte() % bound; }
  std::uint64_t word();  // eight bytes, little endian

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

inline constexpr std::size_t kSampleCount = 8;

// Writes well-formed HDF5 files that lie: first a small sound file (a snapshot of some dialect, a
// halo catalog, bare positions), then changes to it as `choices` say: groups, attributes and
// datasets of wrong types, ranks and sizes, without storage or with odd storage, links that lead
// in circles, virtual datasets onto themselves. `path` ends in ".0.hdf5"; a sample may have a
// second file beside it.
void write_hostile_hdf5(const std::string& path, Choices& choices);

// The sound file of a number below kSampleCount alone.
void write_sample(const std::string& path, std::size_t number);

}  // namespace haloscope::fuzz
