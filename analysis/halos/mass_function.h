#pragma once

#include "core/halo_catalog.h"
#include "core/snapshot_info.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace haloscope::analysis {

struct HaloSearch;

// Halos between two masses, and what that says of how many there are: dn/dlog10 M with its limits
// of one standard deviation.
struct MassBin {
  double low = 0, high = 0;  // log10 of the masses
  std::uint64_t count = 0;
  double value = 0, lower = 0, upper = 0;
};

// How many halos there are of which mass.
struct MassFunction {
  std::vector<MassBin> bins;  // side by side, from the first to the last that has halos
  std::string mass_unit;      // "Msun/h"
  double mass_factor = 1;     // of a mass in this unit to the same in the table's
  // Of the values, "(Mpc/h)^-3 dex^-1, comoving"; without a box they are halos per dex.
  std::string value_unit;
  // No halo of the fewest members allowed is lighter; 0: not known. Where all that may be members
  // have one mass, it is that of such a halo, else that of as many of the lightest.
  double least_mass = 0;
  bool one_mass = true;
};

// Limits of the mean of a Poisson distribution of which n were counted, each at 84.13 % confidence,
// one Gaussian standard deviation: Gehrels (1986, ApJ 303, 336), eqs. (9) and (12), with S = 1;
// good to 1.5 %.
std::array<double, 2> poisson_limits(std::uint64_t n);
// The same of a number that need not be whole: of so many equal weights that scatter as others do.
std::array<double, 2> poisson_limits_of(double n);

// Bins of `dex` width whose edges are multiples of it. Masses that have no logarithm are left out.
// Values are per `volume`, or counts per dex where it is 0. Units are left empty.
MassFunction bin_masses(std::span<const double> masses, double volume, double dex);

// Of a table of a catalog: comoving number densities where the snapshot has a box. The least mass
// is not known.
MassFunction mass_function(const HaloTable& table, const SnapshotInfo& info);

// The same of halos that were found, whose least mass is known.
MassFunction mass_function(const HaloTable& table, const HaloSearch& search,
                           const SnapshotInfo& info, std::uint64_t min_members);

}  // namespace haloscope::analysis
