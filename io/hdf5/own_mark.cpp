#include "io/hdf5/own_mark.h"

#include "core/error.h"
#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_handle.h"

namespace haloscope::io {

bool has_own_mark(const std::string& path) {
  const Hdf5Lock lock;
  const Hdf5Handle file = open_if_hdf5(path);
  if (!file) return false;
  struct Place {
    const char *group, *attribute;
  };
  for (const auto& [name, attribute] : {Place{"Provenance", "Program"}, {"provenance", "Software"}})
    if (const Hdf5Handle group = open_hdf5_group(file.id(), name)) try {
        if (text_attribute(group.id(), attribute).value_or("").starts_with("haloscope"))
          return true;
      } catch (const Error&) {
        // Not a text as ours is.
      }
  return false;
}

}  // namespace haloscope::io
