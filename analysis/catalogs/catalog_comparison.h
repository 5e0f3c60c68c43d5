#pragma once

#include "core/halo_catalog.h"
#include "core/progress.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

struct ComparisonOptions {
  // Halos match within this fraction of the larger of their radii …
  double radius_fraction = 1;
  // … or within this length, in the first catalog's unit of positions, where it is given.
  std::optional<double> distance;
};

// Two halos of which each is the other's nearest, or has most of its members in common with the
// other.
struct HaloPair {
  std::uint64_t first = 0, second = 0;  // rows
  double distance = 0;                  // comoving, in the first catalog's unit of positions
  double radii = 0;                     // the distance in units of the larger radius; 0: no radius
  double first_mass = 0, second_mass = 0;  // in the first catalog's unit of mass
  bool by_members = false;
};

struct MassCount {
  double mass = 0;                      // lower edge, in the first catalog's unit of mass
  std::uint64_t first = 0, second = 0;  // halos of at least this mass
};

// Members by ID, over pairs of halos.
struct MemberComparison {
  std::vector<int> types;  // compared: those that both catalogs list
  std::uint64_t same = 0;  // pairs of the very same members
  // Members of both halos by those of either: the least, what a tenth of the pairs are below, and
  // the median; 0 without pairs.
  double least = 0, tenth = 0, median = 0;
};

struct CatalogComparison {
  ComparisonOptions options;            // what matched
  std::string length_unit, mass_unit;   // of the first catalog
  std::string first_mass, second_mass;  // columns
  std::uint64_t first_count = 0, second_count = 0;
  std::vector<HaloPair> pairs;   // by descending mass of the first
  std::uint64_t by_members = 0;  // of these: too far apart to match by position
  // Of mass(second) / mass(first) over pairs: median and half of the 16-to-84-percent range of
  // log10; 0 where there are none.
  double mass_ratio = 0, mass_scatter_dex = 0;
  std::uint64_t far_masses = 0;  // pairs whose masses differ by more than a factor of two
  double offset_median = 0, offset_90 = 0, offset_largest = 0;
  // Pairs of as many members, where both tables count them: they may be others.
  std::optional<std::uint64_t> equal_counts;
  std::optional<MemberComparison> members;  // where both catalogs list those
  std::vector<MassCount> mass_function;     // bins of 0.25 dex
  // Of all pieces that have one, ascending.
  std::vector<double> first_masses, second_masses;
  // Comoving volumes of the two boxes in (Mpc/h)^3, or Mpc^3 where the first catalog's lengths
  // carry no h; where both boxes are known.
  std::optional<std::array<double, 2>> volumes;
  std::string volume_unit;
  std::vector<std::string> assumed;  // sentences
};

// Which particles the halos of both tables are made of.
struct MembersOfBoth {
  const HaloMembers &first, &second;
};

// Matches the halos of two tables by position, and what is left by members where these are given,
// and compares their masses. Lengths and masses are
// brought to comoving ones, with or without h as in the first catalog; a box makes distances
// periodic. Mutual nearest neighbors match, so that subhalos beside a main halo neither take its
// partner nor count twice. Throws Error where a table has no halos, positions or masses, or its
// units cannot be brought together (an unknown unit, or h needed and in neither file),
// and Cancelled.
CatalogComparison compare_catalogs(const HaloCatalog& first, const HaloTable& first_table,
                                   const HaloCatalog& second, const HaloTable& second_table,
                                   const ComparisonOptions& options, Progress& progress,
                                   const MembersOfBoth* members = nullptr);

}  // namespace haloscope::analysis
