#include "io/catalogs/catalog_roles.h"

#include "core/text_values.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <vector>

namespace haloscope::io {

namespace {

struct Spelling {
  HaloRole role;
  std::vector<const char*> names;  // in order of preference, lower case
};

// Of several masses the virial one comes first: it is what finders are compared by.
const std::vector<Spelling>& scalar_spellings() {
  static const std::vector<Spelling> spellings{
      {HaloRole::Id, {"id", "halo_id", "haloid", "group_id", "groupid", "subhalo_id"}},
      {HaloRole::HostId, {"hosthalo", "pid", "host_id", "hostid", "subhalogroupnr", "subhalogrnr"}},
      {HaloRole::Mass,
       {"groupmass", "subhalomass", "mvir", "mass", "m200c", "m_200c", "m200", "m200b", "m200m",
        "m500c", "halo_mass", "halomass", "m_vir", "mhalo", "m"}},
      {HaloRole::Radius,
       {"group_r_crit200", "groupradius", "subhalohalfmassrad", "rvir", "radius", "r200c", "r_200c",
        "r200", "r200b", "r200m", "r_vir", "rhalo", "r"}},
      {HaloRole::MemberCount,
       {"grouplen", "subhalolen", "npart", "np", "num_p", "members", "n_particles", "npart_total",
        "length", "len", "count"}}};
  return spellings;
}

struct VectorSpelling {
  HaloRole role;
  std::vector<const char*> whole;                   // one column of three components
  std::vector<std::array<const char*, 3>> triples;  // three columns
};

const std::vector<VectorSpelling>& vector_spellings() {
  static const std::vector<VectorSpelling> spellings{
      {HaloRole::Position,
       {"grouppos", "subhalopos", "position", "pos", "center", "coordinates"},
       {{"x", "y", "z"},
        {"xc", "yc", "zc"},
        {"grouppos_x", "grouppos_y", "grouppos_z"},
        {"subhalopos_x", "subhalopos_y", "subhalopos_z"},
        {"pos_x", "pos_y", "pos_z"},
        {"position_x", "position_y", "position_z"},
        {"center_x", "center_y", "center_z"},
        {"posx", "posy", "posz"},
        {"halo_x", "halo_y", "halo_z"},
        {"x_com", "y_com", "z_com"}}},
      {HaloRole::Velocity,
       {"groupvel", "subhalovel", "velocity", "vel", "velocities"},
       {{"vx", "vy", "vz"},
        {"vxc", "vyc", "vzc"},
        {"groupvel_x", "groupvel_y", "groupvel_z"},
        {"subhalovel_x", "subhalovel_y", "subhalovel_z"},
        {"vel_x", "vel_y", "vel_z"},
        {"velocity_x", "velocity_y", "velocity_z"},
        {"velx", "vely", "velz"},
        {"halo_vx", "halo_vy", "halo_vz"}}}};
  return spellings;
}

const CatalogColumn* find_any_case(const HaloTable& table, const std::string& name,
                                   int components) {
  for (const auto& column : table.columns)
    if (column.components == components && lower_case(column.name) == name) return &column;
  return nullptr;
}

void assign_vector(HaloTable& table, const VectorSpelling& spelling) {
  if (table.roles.count(spelling.role)) return;
  for (const char* name : spelling.whole)
    if (const CatalogColumn* column = find_any_case(table, name, 3)) {
      table.roles[spelling.role] = {column->name};
      return;
    }
  for (const auto& names : spelling.triples) {
    std::vector<std::string> found;
    for (const char* name : names)
      if (const CatalogColumn* column = find_any_case(table, name, 1))
        found.push_back(column->name);
    if (found.size() == 3) {
      table.roles[spelling.role] = std::move(found);
      return;
    }
  }
}

}  // namespace

void assign_halo_roles(HaloTable& table) {
  for (const auto& spelling : vector_spellings()) assign_vector(table, spelling);
  for (const auto& [role, names] : scalar_spellings()) {
    for (const char* name : names) {
      if (table.roles.count(role)) break;
      if (const CatalogColumn* column = find_any_case(table, name, 1))
        table.roles[role] = {column->name};
    }
  }
}

std::uint64_t drop_unusable_rows(HaloTable& table) {
  std::vector<const CatalogColumn*> needed;
  for (const HaloRole role : {HaloRole::Position, HaloRole::Mass}) {
    const auto found = table.roles.find(role);
    if (found == table.roles.end()) continue;
    for (const auto& name : found->second) needed.push_back(table.find(name));
  }
  std::vector<std::uint64_t> kept;
  kept.reserve(table.count);
  for (std::uint64_t row = 0; row < table.count; ++row) {
    const bool usable = std::all_of(needed.begin(), needed.end(), [&](const CatalogColumn* column) {
      for (int c = 0; c < column->components; ++c)
        if (!std::isfinite(column->value(row, c))) return false;
      return true;
    });
    if (usable) kept.push_back(row);
  }
  const std::uint64_t dropped = table.count - kept.size();
  if (dropped == 0) return 0;
  for (auto& column : table.columns)
    std::visit(
        [&](auto& values) {
          const auto n = std::size_t(column.components);
          for (std::size_t to = 0; to < kept.size(); ++to)
            for (std::size_t c = 0; c < n; ++c) values[to * n + c] = values[kept[to] * n + c];
          values.resize(kept.size() * n);
        },
        column.values);
  table.count = kept.size();
  return dropped;
}

}  // namespace haloscope::io
