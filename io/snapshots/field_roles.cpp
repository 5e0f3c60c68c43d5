#include "io/snapshots/field_roles.h"

#include <vector>

namespace haloscope::io {

namespace {

struct RoleNames {
  Role role;
  int components;
  std::vector<const char*> names;  // the first that the type has
};

const std::vector<RoleNames>& role_names() {
  static const std::vector<RoleNames> table{
      {Role::Position, 3, {"Coordinates", "Position", "Positions", "IntCoordinates"}},
      {Role::Velocity, 3, {"Velocities", "Velocity"}},
      {Role::Mass, 1, {"Masses", "Mass", "DynamicalMasses", "SubgridMasses"}},
      {Role::Id, 1, {"ParticleIDs", "ParticleID"}},
      {Role::Density, 1, {"Density", "Densities"}},
      {Role::InternalEnergy, 1, {"InternalEnergy", "InternalEnergies"}},
      {Role::Temperature, 1, {"Temperature", "Temperatures"}},
      {Role::ElectronAbundance, 1, {"ElectronAbundance", "ElectronAbundances"}},
      {Role::FormationTime,
       1,
       {"GFM_StellarFormationTime", "StellarFormationTime", "BirthScaleFactors", "BirthTimes"}},
  };
  return table;
}

}  // namespace

void assign_roles(TypeInfo& type) {
  for (const auto& [role, components, names] : role_names()) {
    if (type.roles.count(role)) continue;
    for (const char* name : names) {
      const FieldInfo* field = type.find(name);
      if (!field || field->components != components) continue;
      type.roles[role] = name;
      break;
    }
  }
}

}  // namespace haloscope::io
