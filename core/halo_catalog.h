#pragma once

#include "core/array.h"
#include "core/snapshot_info.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace haloscope {

// The part that a column of a halo catalog plays, whatever its name in the file.
enum class HaloRole {
  Id,
  HostId,  // of subhalos: the halo they are in
  Position,
  Velocity,
  Mass,    // the main one of several definitions
  Radius,  // that belongs to it, as far as the catalog has one
  MemberCount
};

// One property of all halos. Whole numbers are kept whole: an ID above 2^53 has no double.
struct CatalogColumn {
  std::string name;
  std::string unit;  // "Mpc/h"; empty: dimensionless or unknown
  int components = 1;
  ScalarType scalar = ScalarType::Float64;             // as in the file
  std::optional<FieldScaling> scaling = std::nullopt;  // where the unit is known
  // rows x components, row by row
  std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::uint64_t>> values;
  std::string description = {};  // a sentence, where the catalog explains its columns

  double value(std::uint64_t row, int component = 0) const {
    const auto at = std::size_t(row) * std::size_t(components) + std::size_t(component);
    return std::visit([at](const auto& v) { return double(v[at]); }, values);
  }
};

// Halos of one kind, structure of arrays.
struct HaloTable {
  std::string name;  // "Group", "Subhalo", "halos"
  std::uint64_t count = 0;
  std::vector<CatalogColumn> columns;
  // Names of columns: one, or for a vector that is stored in three columns, three.
  std::map<HaloRole, std::vector<std::string>> roles;

  const CatalogColumn* find(const std::string& column) const {
    for (const auto& c : columns)
      if (c.name == column) return &c;
    return nullptr;
  }
  // The (first) column in a role, or null.
  const CatalogColumn* find(HaloRole role) const {
    const auto found = roles.find(role);
    return found == roles.end() || found->second.empty() ? nullptr : find(found->second.front());
  }
  // One row of a role of three components; zeros where the table has none.
  std::array<double, 3> vector(HaloRole role, std::uint64_t row) const {
    std::array<double, 3> v{};
    const auto found = roles.find(role);
    if (found == roles.end()) return v;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool split = found->second.size() == 3;
      const CatalogColumn* column = find(found->second[split ? axis : 0]);
      if (column) v[axis] = column->value(row, split ? 0 : int(axis));
    }
    return v;
  }
};

// The halos of one output, as a finder listed them.
struct HaloCatalog {
  std::string format;              // "GADGET-4 fof_subhalo_tab", "haloscope", "AHF", "CSV"
  std::vector<std::string> files;  // in numeric order
  double box_size = 0;             // in the unit of the first table's positions; 0: not known
  bool periodic = false;
  double time = 0;  // as stored
  Cosmology cosmology;
  bool hubble_known = false;  // false: hubble_param is 1 for want of a value
  Units units;                // code units; columns name their own
  std::vector<HaloTable> tables;
  std::vector<std::string> assumed;  // sentences: what was taken for granted, what was left out

  const HaloTable* find(const std::string& table) const {
    for (const auto& t : tables)
      if (t.name == table) return &t;
    return nullptr;
  }
};

// Which particles make up the halos of a table, by particle type (Gadget's numbers).
struct HaloMembers {
  // Per halo: the first row and the number of rows of `ids`.
  std::map<int, std::vector<std::uint64_t>> offset, length;
  std::map<int, LargeVector<std::uint64_t>> ids;  // halo after halo
};

// Where a catalog that this program writes comes from.
struct CatalogProvenance {
  std::string program_version;  // "haloscope 1.2.3"
  std::string snapshot;         // names of its files
  std::string command_line;
  // "linking length", "minimum members", …
  std::map<std::string, std::variant<double, std::int64_t, std::string>> parameters;
};

}  // namespace haloscope
