#include "io/snapshots/hdf5_dialect.h"

#include "core/snapshot_info.h"
#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_dataset.h"
#include "io/hdf5/hdf5_handle.h"

#include <algorithm>

namespace haloscope::io {

namespace {

bool any_positions_have(hid_t file, const std::vector<std::string>& types, const char* attribute) {
  return std::any_of(types.begin(), types.end(), [&](const std::string& type) {
    const Hdf5Handle positions = open_hdf5_dataset(file, type + "/Coordinates");
    return positions && has_attribute(positions.id(), attribute);
  });
}

bool has_root_positions(hid_t file) {
  for (const auto& name : dataset_names(file)) {
    const Hdf5Handle dataset = open_hdf5_dataset(file, name);
    const DatasetLayout layout = dataset_layout(dataset.id());
    if (layout.numeric && layout.shape.size() == 2 && layout.shape[1] == 3) return true;
  }
  return false;
}

}  // namespace

// Illustris' own files do not list their compile options, and cut-outs hold only some fields; those
// of its model of galaxy formation begin with GFM_.
bool has_illustris_fields(hid_t file) {
  for (const char* type : {"PartType0", "PartType4"}) {
    const Hdf5Handle group = open_hdf5_group(file, type);
    if (!group) continue;
    for (const auto& name : link_names(group.id()))
      if (name.rfind("GFM_", 0) == 0) return true;
  }
  return false;
}

Hdf5Dialect detect_hdf5_dialect(hid_t file) {
  Hdf5Lock lock;
  const Hdf5Handle header = open_hdf5_group(file, "Header");
  std::vector<std::string> types = group_names(file);
  std::erase_if(types, [](const std::string& name) { return particle_type_number(name) < 0; });

  const auto code = text_attribute(header.id(), "Code");
  if ((code && code->rfind("SWIFT", 0) == 0) || hdf5_exists(file, "Cells"))
    return Hdf5Dialect::Swift;
  // Before the snapshot dialects: catalogs carry the same /Config and /Parameters.
  if (types.empty() && (hdf5_exists(file, "Group") || hdf5_exists(file, "Subhalo")))
    return Hdf5Dialect::HaloCatalog;
  if (has_attribute(header.id(), "Ngroups_Total") &&
      !has_attribute(header.id(), "NumPart_ThisFile"))
    return Hdf5Dialect::HaloCatalog;
  if (has_attribute(header.id(), "CutoutType")) return Hdf5Dialect::TngCutout;
  if (has_attribute(open_hdf5_group(file, "Config").id(), "VORONOI")) return Hdf5Dialect::Arepo;
  if (has_attribute(header.id(), "GIZMO_version") ||
      hdf5_exists(file, "PartType0/ParticleIDGenerationNumber"))
    return Hdf5Dialect::Gizmo;
  if (hdf5_exists(file, "HashTable") || hdf5_exists(file, "PartType1/SubGroupNumber") ||
      any_positions_have(file, types, "aexp-scale-exponent"))
    return Hdf5Dialect::Eagle;
  if (has_attribute(open_hdf5_group(file, "Parameters").id(), "HubbleParam") &&
      !has_attribute(header.id(), "HubbleParam"))
    return Hdf5Dialect::Gadget4;
  if (has_illustris_fields(file)) return Hdf5Dialect::Arepo;
  // A chunk of a large snapshot may hold no particles and thus no group.
  if (!types.empty() || has_attribute(header.id(), "NumPart_ThisFile")) return Hdf5Dialect::Gadget;
  return has_root_positions(file) ? Hdf5Dialect::BarePositions : Hdf5Dialect::Unknown;
}

const DialectFacts& facts_of(Hdf5Dialect dialect) {
  static const std::map<int, const char*> tracers{{3, "tracers"}};
  static const std::map<Hdf5Dialect, DialectFacts> facts{
      {Hdf5Dialect::Gadget, {.name = "Gadget-2/3"}},
      {Hdf5Dialect::Gadget4, {.name = "GADGET-4"}},
      {Hdf5Dialect::Arepo, {.name = "AREPO", .mesh_cells = true, .type_names = tracers}},
      {Hdf5Dialect::TngCutout,
       {.name = "TNG cutout", .mesh_cells = true, .one_file = true, .type_names = tracers}},
      {Hdf5Dialect::Gizmo, {.name = "GIZMO"}},
      {Hdf5Dialect::Swift,
       {.name = "SWIFT",
        .sqrt_a_velocities = false,
        .type_names = {{2, "background dm"}, {3, "sinks"}, {6, "neutrinos"}}}},
      {Hdf5Dialect::Eagle, {.name = "EAGLE"}},
      {Hdf5Dialect::HaloCatalog, {.name = "halo catalog", .particle_groups = false}},
      {Hdf5Dialect::BarePositions, {.name = "bare positions", .particle_groups = false}},
      {Hdf5Dialect::Unknown, {.name = "unknown", .particle_groups = false}}};
  return facts.at(dialect);
}

std::string particle_name(Hdf5Dialect dialect, int number) {
  const auto& names = facts_of(dialect).type_names;
  const auto own = names.find(number);
  return own == names.end() ? type_name(number) : own->second;
}

std::string refusal(Hdf5Dialect dialect) {
  if (dialect == Hdf5Dialect::HaloCatalog)
    return "this is a halo catalog, not a snapshot: it holds groups but no particles";
  return "this HDF5 file is not a snapshot: it has neither PartType groups, nor a Header with "
         "particle counts, nor a dataset of N x 3 positions";
}

int particle_type_number(const std::string& group) {
  const std::string prefix = "PartType";
  if (group.rfind(prefix, 0) != 0 || group.size() == prefix.size() || group.size() > 10) return -1;
  const std::string digits = group.substr(prefix.size());
  if (!std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return -1;
  return std::stoi(digits);
}

}  // namespace haloscope::io
