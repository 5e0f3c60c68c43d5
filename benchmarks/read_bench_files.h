#pragma once

#include <cstdint>
#include <string>

// A test snapshot of one dark-matter type: clustered positions and one mass per particle.
struct TestFile {
  std::string path;  // "snap.hdf5"; with more than one file "snap.0.hdf5", "snap.1.hdf5", …
  std::uint64_t particles = 0;
  int files = 1;
  bool gadget_binary = false;     // format 2 instead of HDF5
  bool wide = false;              // positions in float64
  double box = 100;               // 0: not periodic
  int gzip = 0;                   // level; 0: contiguous
  std::uint64_t chunk = 1 << 16;  // rows, where compressed
};

// Throws Error where a file cannot be written.
void write_test_file(const TestFile& wanted);
