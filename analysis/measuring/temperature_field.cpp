#include "analysis/measuring/temperature_field.h"

#include "io/loading/derived_fields.h"

namespace haloscope::analysis {

std::string temperature_field(const SnapshotInfo& info, int type) {
  const FieldInfo* stored = info.types.at(type).find(Role::Temperature);
  if (stored) return stored->components == 1 ? stored->name : std::string();
  for (const FieldInfo& derived : io::derived_fields(info, type))
    if (derived.name == "Temperature") return derived.name;
  return {};
}

}  // namespace haloscope::analysis
