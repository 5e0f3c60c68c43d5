#pragma once

#include "io/catalogs/catalog_roles.h"
#include "io/catalogs/write_catalog.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::test {

using Counts = std::vector<std::uint64_t>;

inline constexpr std::uint64_t kTwoTo31 = std::uint64_t(1) << 31;

template <class T>
CatalogColumn column(const std::string& name, const std::string& unit, int components,
                     ScalarType scalar, std::vector<T> values) {
  CatalogColumn made;
  made.name = name;
  made.unit = unit;
  made.components = components;
  made.scalar = scalar;
  made.values = std::move(values);
  made.description = "what " + name + " is";
  return made;
}

// A comoving run per h, with three halos of dark matter and gas.
inline HaloCatalog three_halos() {
  HaloCatalog catalog;
  catalog.format = "haloscope FOF";
  catalog.box_size = 25;
  catalog.periodic = true;
  catalog.time = catalog.cosmology.scale_factor = 0.5;
  catalog.cosmology.redshift = 1;
  catalog.cosmology.hubble_param = 0.678;
  catalog.cosmology.omega_matter = 0.308;
  catalog.cosmology.omega_lambda = 0.692;
  catalog.hubble_known = true;
  catalog.units = {3.085678e24, 1.989e43, 1e5, true, true};
  HaloTable table;
  table.name = "Group";
  table.count = 3;
  const float third = 1.0F / 3;
  using Reals = std::vector<double>;
  auto& c = table.columns;
  c.push_back(column("GroupLen", "", 1, ScalarType::UInt64, Counts{70, 40, 33}));
  c.push_back(
      column("GroupMass", "1e10 Msun/h", 1, ScalarType::Float32, Reals{third, 0.25, 0.125}));
  c.push_back(
      column("GroupPos", "Mpc/h", 3, ScalarType::Float32, Reals{third, 2, 3, 4, 5, 6, 7, 8, 24.5}));
  c.push_back(column("GroupVel", "km/s*a", 3, ScalarType::Float64,
                     Reals{0.1, -0.2, 1e-300, 4, 5, 6, 7, 8, 9}));
  c.push_back(column("GroupSpin", "Mpc/h km/s", 1, ScalarType::Float64, Reals{0.1, 0.2, 0.3}));
  c.back().scaling = FieldScaling{3.085678e29, 1, -1, 1, 0, 1};
  // A unit by name alone would be wrong for these two.
  c.push_back(column("GroupMassRatio", "", 1, ScalarType::Float32, Reals{1, 0.5, 0.25}));
  c.push_back(column("GroupTag", "", 1, ScalarType::Int32, std::vector<std::int64_t>{-1, 0, 7}));
  c.push_back(column("GroupOffsetType", "", 6, ScalarType::UInt64,
                     Counts{0, 0, 0, 0, 0, 0, kTwoTo31, kTwoTo31 + 5, 0, 0, 0, 0, 3 * kTwoTo31,
                            4 * kTwoTo31 + 1, 0, 0, 0, 0}));
  io::assign_halo_roles(table);
  catalog.tables = {table};
  return catalog;
}

// The same halos' first members: 2 + 1 of gas, 1 + 2 + 1 of dark matter.
inline HaloMembers two_types() {
  HaloMembers members;
  members.offset = {{0, {0, 2, 2}}, {1, {0, 1, 3}}};
  members.length = {{0, {2, 0, 1}}, {1, {1, 2, 1}}};
  const std::uint64_t large = std::numeric_limits<std::uint64_t>::max();
  members.ids = {{0, {10, large, 12}}, {1, {20, 21, 22, 23}}};
  return members;
}

inline void drop_column(HaloTable& table, const std::string& name) {
  std::erase_if(table.columns, [&](const CatalogColumn& c) { return c.name == name; });
}

inline CatalogProvenance provenance() {
  CatalogProvenance origin;
  origin.program_version = "haloscope 1.2.3";
  origin.snapshot = "snapshot_006.0.hdf5, snapshot_006.1.hdf5";
  origin.command_line = "haloscope halos snapshot_006.0.hdf5 -o out.hdf5";
  origin.parameters = {{"linking length", 0.2},
                       {"minimum members", std::int64_t(32)},
                       {"algorithm", std::string("grid")}};
  return origin;
}

}  // namespace haloscope::test
