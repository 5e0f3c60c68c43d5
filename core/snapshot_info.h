#pragma once

#include "core/assumption.h"
#include "core/units.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace haloscope {

// Element type of a dataset as it lies in the file.
enum class ScalarType { Float32, Float64, Int32, UInt32, Int64, UInt64 };

// The part that a field plays in the program, whatever its name in the file.
enum class Role {
  Position,
  Velocity,
  Mass,
  Id,
  Density,
  InternalEnergy,
  Temperature,
  ElectronAbundance,
  FormationTime  // of stars; AREPO's wind cells among them have values <= 0
};

struct FieldInfo {
  std::string name;
  int components = 1;
  ScalarType scalar = ScalarType::Float32;
  std::string unit;  // human-readable code unit ("kpc/h"), empty when unknown
  std::optional<FieldScaling> scaling = std::nullopt;  // where the file or its format says it
};

// A field that is in no file: made of the particles when it is first read, of one value per
// particle in float32.
struct MadeField {
  FieldInfo info;
  std::string sentence;  // of what, and how
};

struct TypeInfo {
  // "gas", "dm", "disk", "bulge", "stars", "bh", "type 6", "low-res dm 2", or the code's own word.
  std::string name;
  std::uint64_t count = 0;  // particles over all files
  double uniform_mass = 0;  // from the mass table; 0: masses are a field, or unknown
  std::vector<FieldInfo> fields;
  std::map<Role, std::string> roles;  // names of fields
  std::vector<MadeField> made = {};   // none has the name of a stored one
  // Dark matter of low resolution around the region of a zoom simulation (io/loading/zoom_types.h).
  bool low_resolution = false;

  const FieldInfo* find(const std::string& field) const {
    for (const auto& f : fields)
      if (f.name == field) return &f;
    return nullptr;
  }
  // One that is made, or null.
  const MadeField* find_made(const std::string& field) const {
    for (const auto& one : made)
      if (one.info.name == field) return &one;
    return nullptr;
  }
  // The field in a role, or null.
  const FieldInfo* find(Role role) const {
    const auto found = roles.find(role);
    return found == roles.end() ? nullptr : find(found->second);
  }
};

// Where the kernel's support radius H comes from, per format: `support_per_value` times the stored
// length, or times the radius (3 V / 4 pi)^(1/3) of the cell's volume V.
struct SmoothingLengthMeaning {
  enum class Kind { Length, Volume, MassOverDensity };
  std::string field;  // the length, the volume or the mass; empty: the type has none
  double support_per_value = 1;
  Kind kind = Kind::Length;
  std::string density = {};  // of Kind::MassOverDensity
};

// Everything known of a snapshot without reading its particles.
struct SnapshotInfo {
  std::string format;              // the dialect's name: "GADGET-4", "SWIFT", …
  std::vector<std::string> files;  // in numeric order
  double box_size = 0;             // code units; 0: none
  bool periodic = false;
  bool box_given = false;              // the side is the user's, not the file's
  std::array<double, 3> box_origin{};  // low corner of the box; Tipsy's boxes surround the origin
  double time = 0;                     // as stored
  Cosmology cosmology;
  Units units;
  std::map<int, TypeInfo> types;  // by Gadget type number; only types with particles
  std::map<int, SmoothingLengthMeaning> smoothing_lengths;
  Assumptions assumed;  // what was taken for granted

  std::uint64_t particle_count() const {
    std::uint64_t n = 0;
    for (const auto& [number, type] : types) n += type.count;
    return n;
  }
};

// "gas", "dm", "disk", "bulge", "stars", "bh" for Gadget types 0 to 5, "type N" otherwise.
std::string type_name(int number);

// What readers of GADGET's layouts count on.
inline constexpr int kGadgetTypes = 6;

// Whether a list of particle types names this one.
bool is_among(const std::vector<int>& types, int type);

}  // namespace haloscope
