#include "io/snapshots/stored_baryons.h"

#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_handle.h"

#include <hdf5.h>

namespace haloscope::io {

std::optional<double> stored_omega_baryon(const SnapshotInfo& info) {
  if (info.files.empty()) return {};
  const Hdf5Lock lock;
  const Hdf5Handle file = open_if_hdf5(info.files.front());
  if (!file) return {};
  constexpr const char* kPlaces[][2] = {
      {"Parameters", "OmegaBaryon"}, {"Header", "OmegaBaryon"}, {"Cosmology", "Omega_b"}};
  for (const auto& [name, attribute] : kPlaces) {
    const Hdf5Handle group = open_hdf5_group(file.id(), name);
    if (!group) continue;
    if (const auto omega = scalar_attribute(group.id(), attribute); omega && *omega > 0)
      return omega;
  }
  return {};
}

}  // namespace haloscope::io
