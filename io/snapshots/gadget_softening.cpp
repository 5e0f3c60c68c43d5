#include "io/snapshots/gadget_softening.h"

#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_handle.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>

namespace haloscope::io {

std::optional<double> stored_softening(const SnapshotInfo& info, int type) {
  if (info.files.empty()) return {};
  const Hdf5Lock lock;
  const Hdf5Handle file = open_if_hdf5(info.files.front());
  if (!file) return {};
  const Hdf5Handle parameters = open_hdf5_group(file.id(), "Parameters");
  if (!parameters) return {};
  const auto number = [&](const char* name, int k) {
    return scalar_attribute(parameters.id(), fmt::format("{}{}", name, k).c_str());
  };
  const auto kind = number("SofteningClassOfPartType", type);
  if (!kind) return {};
  const auto comoving = number("SofteningComovingClass", int(*kind));
  const auto largest = number("SofteningMaxPhysClass", int(*kind));
  if (!comoving || !(*comoving > 0)) return {};
  const double a = info.units.comoving ? info.cosmology.scale_factor : 1;
  return largest && *largest > 0 ? std::min(*comoving, *largest / a) : *comoving;
}

}  // namespace haloscope::io
