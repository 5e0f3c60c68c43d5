#pragma once

#include "core/halo_catalog.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// Catalogs that are written as several files, as GADGET-4 splits its own.
namespace haloscope::io {

// The most files of one catalog: a descriptor of each is held until the last is written, and
// systems allow a program 1024 at first.
inline constexpr int kMostCatalogFiles = 500;

// halos.0.hdf5, halos.1.hdf5 … of halos.hdf5; of one file its own name alone.
std::vector<std::string> names_of_parts(const std::string& path, int files);

// What one file of a set holds: so many rows of each table, one part after the other, and the
// members of its groups.
struct CatalogPart {
  HaloCatalog catalog;
  HaloMembers members;
  // Of each type, how many members the parts before it have.
  std::map<int, std::uint64_t> members_before;
};

// Part `number` of `files`. `groups`: the name of the table that the members belong to.
CatalogPart part_of(const HaloCatalog& catalog, const HaloMembers& members,
                    const std::string& groups, int number, int files);

}  // namespace haloscope::io
