#pragma once

#include "core/snapshot_info.h"

#include <optional>
#include <string>
#include <vector>

namespace haloscope::io {

// How a field that somebody asked for comes out of the file's own datasets.
struct FieldPlan {
  enum class Kind {
    Stored,       // the dataset itself, or a field that is made (TypeInfo::made)
    Component,    // one component of it: "Velocities[2]"
    Speed,        // |Velocities|, in the unit of Velocities
    Temperature,  // K, from InternalEnergy and, where there is one, ElectronAbundance
    StellarAge,   // Gyr, from the time of formation
    StarColor,    // red, green and blue from age and, where there are any, metals (star_color.h)
  };
  Kind kind = Kind::Stored;
  std::string name;    // as asked for
  std::string source;  // first dataset needed
  std::string second;  // another dataset needed, or empty
  int source_components = 1;
  int component = 0;   // of Kind::Component
  int components = 1;  // of the result
  std::string unit;
  std::string assumed;  // a sentence, or empty
};

// The color of stars by their age and metals, as a field: linear light, its largest component is 1.
inline constexpr const char* kStarColor = "StarColor";
inline constexpr const char* kStellarAge = "StellarAge";

// Plans `field` of a type that is in the snapshot. A dataset of that name always wins over a
// derived field. Throws Error for an unknown field, naming those that exist and the nearest name.
FieldPlan plan_field(const SnapshotInfo& info, int type, const std::string& field);

// The derived fields that a type's datasets allow (without single components), and those that are
// made.
std::vector<FieldInfo> derived_fields(const SnapshotInfo& info, int type);

// T in K of a gas with `specific_energy` in (cm/s)^2: T = 2/3 u mu m_p / k_B.
double temperature_k(double specific_energy, double mean_molecular_weight);

// Mean weight per free particle in proton masses for a hydrogen mass fraction of 0.76;
// `electrons` is the number of free electrons per hydrogen nucleus.
double mean_molecular_weight(double electrons);

// Electrons per hydrogen nucleus when hydrogen and helium are fully ionized.
constexpr double kFullyIonizedElectrons = 1 + 2 * 0.24 / (4 * 0.76);

}  // namespace haloscope::io
