#include "analysis/halos/mass_function.h"

#include "analysis/halos/halo_search.h"
#include "analysis/plot_units.h"
#include "core/unit_words.h"
#include "io/snapshots/gadget_units.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace haloscope::analysis {

namespace {

constexpr double kDex = 0.2;  // width of a bin
// Masses of one bin differ by rounding from its edge: 1000 must not fall below 10^3.
constexpr double kRounding = 1e-9;
// Masses that differ by less, of a field of 32 bits or of its sum, are one.
constexpr double kOneMass = 1e-5;
// A catalog that spans more is damaged; its bins would not fit.
constexpr double kMostBins = 4000;

struct MassRange {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  void take(double mass) {
    least = std::min(least, mass);
    most = std::max(most, mass);
  }
};

// Of the particles that may be members, attached ones too.
MassRange masses_of_members(const HaloSearch& search) {
  MassRange range;
  for (const auto& columns : search.particles.types) {
    if (columns.count == 0 || !search.has_members(columns.type)) continue;
    if (columns.mass.empty()) range.take(columns.uniform_mass);
    for (const float mass : columns.mass) range.take(double(mass));
  }
  return range;
}

}  // namespace

std::array<double, 2> poisson_limits(std::uint64_t count) {
  return poisson_limits_of(double(count));
}

std::array<double, 2> poisson_limits_of(double n) {
  const double above = 1 - 1 / (9 * (n + 1)) + 1 / (3 * std::sqrt(n + 1));  // eq. (9)
  const double upper = (n + 1) * above * above * above;
  if (n == 0) return {0, upper};
  const double below = 1 - 1 / (9 * n) - 1 / (3 * std::sqrt(n));  // eq. (12)
  return {n * below * below * below, upper};
}

MassFunction bin_masses(std::span<const double> masses, double volume, double dex) {
  MassFunction f;
  std::vector<double> places;  // in bins
  for (const double mass : masses)
    if (mass > 0 && std::isfinite(mass))
      places.push_back(std::floor(std::log10(mass) / dex + kRounding));
  if (places.empty()) return f;
  const auto [least, most] = std::minmax_element(places.begin(), places.end());
  const double first = *least, last = std::min(*most, first + kMostBins - 1);
  f.bins.resize(std::size_t(last - first) + 1);
  for (const double place : places)
    if (place <= last) ++f.bins[std::size_t(place - first)].count;
  const double factor = 1 / (dex * (volume > 0 ? volume : 1));
  for (std::size_t k = 0; k < f.bins.size(); ++k) {
    MassBin& bin = f.bins[k];
    bin.low = dex * (first + double(k));
    bin.high = dex * (first + double(k) + 1);
    const auto [lower, upper] = poisson_limits(bin.count);
    bin.value = double(bin.count) * factor;
    bin.lower = lower * factor;
    bin.upper = upper * factor;
  }
  return f;
}

MassFunction mass_function(const HaloTable& table, const SnapshotInfo& info) {
  const CatalogColumn* column = table.find(HaloRole::Mass);
  if (!column) return {};
  const auto [mass_factor, mass_unit] = plot_mass(column->unit);
  const auto [length_factor, length_unit] = plot_length(io::length_unit(info.units));
  std::vector<double> masses(table.count);
  for (std::uint64_t h = 0; h < table.count; ++h) masses[h] = column->value(h) * mass_factor;
  const bool box = info.periodic && info.box_size > 0;
  MassFunction f = bin_masses(masses, box ? std::pow(info.box_size * length_factor, 3) : 0, kDex);
  f.mass_unit = mass_unit;
  f.mass_factor = mass_factor;
  f.value_unit = "halos per dex";
  if (box)
    f.value_unit =
        unit_power(length_unit, -3) + " dex^-1" + (info.units.comoving ? ", comoving" : "");
  return f;
}

MassFunction mass_function(const HaloTable& table, const HaloSearch& search,
                           const SnapshotInfo& info, std::uint64_t min_members) {
  MassFunction f = mass_function(table, info);
  const CatalogColumn* column = table.find(HaloRole::Mass);
  if (!column) return f;
  const double mass_factor = plot_mass(column->unit).factor;
  const MassRange members = masses_of_members(search);
  if (members.least > 0 && members.least <= members.most) {
    f.least_mass = double(min_members) * members.least * mass_factor;
    f.one_mass = members.most <= members.least * (1 + kOneMass);
  }
  return f;
}

}  // namespace haloscope::analysis
