#include "io/snapshots/gadget_softening.h"

#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_handle.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <charconv>

namespace haloscope::io {

namespace {

// Comoving, and at most a physical one, where there is that limit.
struct NotedSoftening {
  std::optional<double> comoving, largest;
};

NotedSoftening of_class(hid_t parameters, int type, const char* word) {
  const auto number = [&](const std::string& name, int k) {
    return scalar_attribute(parameters, (name + std::to_string(k)).c_str());
  };
  const auto kind = number(fmt::format("Softening{}OfPartType", word), type);
  if (!kind) return {};
  return {number(fmt::format("SofteningComoving{}", word), int(*kind)),
          number(fmt::format("SofteningMaxPhys{}", word), int(*kind))};
}

// The run's unit of length in the file's.
double swift_length_ratio(hid_t file) {
  const auto unit = [&](const char* group) {
    const Hdf5Handle units = open_hdf5_group(file, group);
    return units ? scalar_attribute(units.id(), "Unit length in cgs (U_L)") : std::nullopt;
  };
  const auto run = unit("InternalCodeUnits"), stored = unit("Units");
  return run && stored && *stored > 0 ? *run / *stored : 1;
}

// SWIFT keeps its parameter file as texts, in the units of the run.
NotedSoftening of_swift(hid_t file, hid_t parameters, int type) {
  const double ratio = swift_length_ratio(file);
  const auto number = [&](const char* name) -> std::optional<double> {
    const auto text = text_attribute(parameters, name);
    double value = 0;
    if (!text ||
        std::from_chars(text->data(), text->data() + text->size(), value).ec != std::errc())
      return {};
    return value * ratio;
  };
  if (type == 1)
    return {number("Gravity:comoving_DM_softening"), number("Gravity:max_physical_DM_softening")};
  if (type == 0 || type == 4 || type == 5)
    return {number("Gravity:comoving_baryon_softening"),
            number("Gravity:max_physical_baryon_softening")};
  return {};
}

}  // namespace

std::optional<double> stored_softening(const SnapshotInfo& info, int type) {
  if (info.files.empty()) return {};
  const Hdf5Lock lock;
  const Hdf5Handle file = open_if_hdf5(info.files.front());
  if (!file) return {};
  const Hdf5Handle parameters = open_hdf5_group(file.id(), "Parameters");
  if (!parameters) return {};
  NotedSoftening noted = of_class(parameters.id(), type, "Class");
  if (!noted.comoving) noted = of_class(parameters.id(), type, "Type");
  if (!noted.comoving) noted = of_swift(file.id(), parameters.id(), type);
  // All that a SWIFT run without cosmology has.
  if (!noted.comoving && !info.units.comoving) noted.comoving = noted.largest;
  if (!noted.comoving || !(*noted.comoving > 0)) return {};
  const double a = info.units.comoving ? info.cosmology.scale_factor : 1;
  return noted.largest && *noted.largest > 0 ? std::min(*noted.comoving, *noted.largest / a)
                                             : *noted.comoving;
}

}  // namespace haloscope::io
