#pragma once

#include "core/halo_catalog.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::app {

struct ComparisonOptions {
  // Halos match within this fraction of the larger of their radii …
  double radius_fraction = 1;
  // … or within this length, in the first catalog's unit of positions, where it is given.
  std::optional<double> distance;
};

// Two halos of which each is the other's nearest.
struct HaloPair {
  std::uint64_t first = 0, second = 0;  // rows
  double distance = 0;                  // comoving, in the first catalog's unit of positions
  double radii = 0;                     // the distance in units of the larger radius; 0: no radius
  double first_mass = 0, second_mass = 0;  // in the first catalog's unit of mass
};

struct MassBin {
  double mass = 0;                      // lower edge, in the first catalog's unit of mass
  std::uint64_t first = 0, second = 0;  // halos of at least this mass
};

struct CatalogComparison {
  std::string length_unit, mass_unit;   // of the first catalog
  std::string first_mass, second_mass;  // columns
  std::uint64_t first_count = 0, second_count = 0;
  std::vector<HaloPair> pairs;  // by descending mass of the first
  // Of mass(second) / mass(first) over pairs: median and half of the 16-to-84-percent range of
  // log10; 0 where there are none.
  double mass_ratio = 0, mass_scatter_dex = 0;
  std::uint64_t far_masses = 0;  // pairs whose masses differ by more than a factor of two
  double offset_median = 0, offset_90 = 0, offset_largest = 0;
  std::optional<std::uint64_t> equal_members;  // pairs of equal member count, where both have it
  std::vector<MassBin> mass_function;          // bins of 0.25 dex
  // Comoving volumes of the two boxes in (Mpc/h)^3, or Mpc^3 where the first catalog's lengths
  // carry no h; where both boxes are known.
  std::optional<std::array<double, 2>> volumes;
  std::string volume_unit;
  std::vector<std::string> assumed;  // sentences
};

// Matches the halos of two tables by position and compares their masses. Lengths and masses are
// brought to comoving ones, with or without h as in the first catalog; a box makes distances
// periodic. Mutual nearest neighbors match, so that subhalos beside a main halo neither take its
// partner nor count twice. Throws Error where a table has no positions or masses, or its units
// cannot be brought together (an unknown unit, or h needed and in neither file).
CatalogComparison compare_catalogs(const HaloCatalog& first, const HaloTable& first_table,
                                   const HaloCatalog& second, const HaloTable& second_table,
                                   const ComparisonOptions& options);

}  // namespace haloscope::app
