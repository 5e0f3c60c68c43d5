#include "io/catalogs/subhalo_tab_units.h"

#include "io/snapshots/gadget_units.h"

#include <initializer_list>

namespace haloscope::io {

namespace {

bool starts_with_any(const std::string& name, std::initializer_list<const char*> starts) {
  for (const char* start : starts)
    if (name.starts_with(start)) return true;
  return false;
}

}  // namespace

std::string subhalo_tab_unit(const std::string& dataset, const Units& units, bool gadget4) {
  const std::string velocity = velocity_unit(units), length = length_unit(units);
  // Stored as a times the peculiar velocity.
  if (dataset == "GroupVel") return velocity + (units.comoving ? "/a" : "");
  // Before the lengths, whose names start alike.
  if (starts_with_any(dataset, {"SubhaloVelDisp", "SubhaloVmax", "SubhaloVel"}) &&
      !dataset.starts_with("SubhaloVmaxRad"))
    return velocity;
  if (starts_with_any(dataset, {"SubhaloHalfmassRad", "SubhaloVmaxRad"}))
    return length + (gadget4 && units.comoving ? " (physical)" : "");
  if (starts_with_any(dataset, {"GroupPos", "GroupCM", "Group_R_", "SubhaloPos", "SubhaloCM"}))
    return length;
  if (starts_with_any(dataset,
                      {"GroupMass", "Group_M_", "SubhaloMass", "SubhaloGasMassSFR", "GroupBHMass",
                       "SubhaloBHMass", "GroupWindMass", "SubhaloWindMass"}))
    return mass_unit(units);
  if (dataset.starts_with("GroupSFR") || dataset.starts_with("SubhaloSFR")) return "Msun/yr";
  if (dataset == "SubhaloSpin")
    return length + (units.comoving ? " (physical)" : "") + " * " + velocity;
  return {};
}

}  // namespace haloscope::io
