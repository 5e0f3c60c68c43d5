#include "io/snapshots/hdf5_smoothing_lengths.h"

#include <fmt/format.h>

namespace haloscope::io {

namespace {

using Meaning = SmoothingLengthMeaning;

bool scalar_field(const TypeInfo& type, const std::string& name) {
  const FieldInfo* field = type.find(name);
  return field && field->components == 1;
}

std::optional<Meaning> of_cells(const TypeInfo& type, Assumptions& assumed) {
  Meaning meaning;
  meaning.support_per_value = kSupportPerCellRadius;
  const char* volume = "Volume";
  if (scalar_field(type, "Volume")) {
    meaning.field = "Volume";
    meaning.kind = Meaning::Kind::Volume;
  } else if (type.find(Role::Mass) && type.find(Role::Density)) {
    meaning.field = type.roles.at(Role::Mass);
    meaning.density = type.roles.at(Role::Density);
    meaning.kind = Meaning::Kind::MassOverDensity;
    volume = "Masses / Density";
  } else {
    return {};
  }
  assumed.push_back(
      {fmt::format("The cells of {} have no smoothing length: took {:g} times the radius of a "
                   "sphere of their volume ({}).",
                   type.name, kSupportPerCellRadius, volume),
       {Fact::Smoothing}});
  return meaning;
}

std::optional<Meaning> of_swift(const TypeInfo& type, const SwiftKernel& kernel,
                                Assumptions& assumed) {
  for (const char* name : {"SmoothingLengths", "SmoothingLength"}) {
    if (!scalar_field(type, name)) continue;
    if (!kernel.known)
      assumed.push_back(
          {fmt::format(
               "The kernel of {} of {} {}: took the cubic spline's support, {:g} times the length.",
               name, type.name,
               kernel.name.empty() ? "is not in the file" : "(" + kernel.name + ") is unknown",
               kernel.support_per_h),
           {Fact::Smoothing}});
    return Meaning{name, kernel.support_per_h};
  }
  return {};
}

}  // namespace

// Gadget's, EAGLE's, GIZMO's and SUBFIND's smoothing lengths are the radius at which the kernel
// ends (checked on GADGET-4: DesNumNgb = 64, mean number of neighbors inside it 61.6).
std::optional<SmoothingLengthMeaning> hdf5_smoothing_length(Hdf5Dialect dialect, int number,
                                                            const TypeInfo& type,
                                                            const SwiftKernel& kernel,
                                                            Assumptions& assumed) {
  if (dialect == Hdf5Dialect::Swift) return of_swift(type, kernel, assumed);
  if (facts_of(dialect).mesh_cells && number == 0)
    if (const auto meaning = of_cells(type, assumed)) return meaning;
  for (const char* name : {"SmoothingLength", "SubfindHsml", "StellarHsml"}) {
    if (!scalar_field(type, name)) continue;
    if (std::string(name) != "SmoothingLength")
      assumed.push_back({fmt::format("{} of {} serves as smoothing length.", name, type.name),
                         {Fact::Smoothing}});
    return Meaning{name, 1.0};
  }
  return {};
}

}  // namespace haloscope::io
