#pragma once

#include "core/units.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace haloscope {

// Element type of a dataset as it lies in the file.
enum class ScalarType { Float32, Float64, Int32, UInt32, Int64, UInt64 };

struct FieldInfo {
  std::string name;
  int components = 1;
  ScalarType scalar = ScalarType::Float32;
  std::string unit;  // human-readable code unit ("kpc/h"), empty when unknown
};

struct TypeInfo {
  std::string name;         // "gas", "dm", "disk", "bulge", "stars", "bh", or "type 6"
  std::uint64_t count = 0;  // particles over all files
  double uniform_mass = 0;  // from the mass table; 0: masses are a field, or unknown
  std::vector<FieldInfo> fields;

  const FieldInfo* find(const std::string& field) const {
    for (const auto& f : fields)
      if (f.name == field) return &f;
    return nullptr;
  }
};

// What a smoothing-length dataset means, per format: the kernel's support radius H is
// `support_per_value` times the stored value.
struct SmoothingLengthMeaning {
  std::string field;  // dataset name; empty: the type has none
  double support_per_value = 1;
};

// Everything known of a snapshot without reading its particles.
struct SnapshotInfo {
  std::string format;              // "Gadget HDF5 (GADGET-4)", …
  std::vector<std::string> files;  // in numeric order
  double box_size = 0;             // code units; 0: none
  bool periodic = false;
  double time = 0;  // as stored
  Cosmology cosmology;
  Units units;
  std::map<int, TypeInfo> types;  // by Gadget type number; only types with particles
  std::map<int, SmoothingLengthMeaning> smoothing_lengths;
  std::vector<std::string> assumed;  // sentences: what was taken for granted

  std::uint64_t particle_count() const {
    std::uint64_t n = 0;
    for (const auto& [number, type] : types) n += type.count;
    return n;
  }
};

// "gas", "dm", "disk", "bulge", "stars", "bh" for Gadget types 0 to 5, "type N" otherwise.
std::string type_name(int number);

}  // namespace haloscope
