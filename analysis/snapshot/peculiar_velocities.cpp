#include "analysis/snapshot/peculiar_velocities.h"

#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <cmath>
#include <cstddef>

namespace haloscope::analysis {

std::string velocity_field(const TypeInfo& type) {
  const FieldInfo* field = type.find(Role::Velocity);
  return field && field->components == 3 ? field->name : std::string();
}

void make_velocities_peculiar(const SnapshotInfo& info, ParticleColumns& columns,
                              std::vector<std::string>& said) {
  const TypeInfo& type = info.types.at(columns.type);
  const auto found = columns.fields.find(velocity_field(type));
  if (found == columns.fields.end()) return;
  const auto& scaling = type.find(found->first)->scaling;
  if (!scaling || !(scaling->to_cgs > 0)) {
    said.push_back(
        fmt::format("The unit of {}'s velocities is not known: taken as peculiar ones in {}.",
                    columns.name, io::velocity_unit(info.units)));
    return;
  }
  const double factor = scaling->to_cgs / info.units.velocity_cm_per_s *
                        std::pow(info.cosmology.scale_factor, scaling->a) *
                        std::pow(info.cosmology.hubble_param, scaling->h);
  if (factor == 1) return;
  for (auto& component : found->second)
    tbb::parallel_for(std::size_t(0), component.size(),
                      [&](std::size_t i) { component[i] = float(component[i] * factor); });
}

}  // namespace haloscope::analysis
