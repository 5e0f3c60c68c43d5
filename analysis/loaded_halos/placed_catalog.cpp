#include "analysis/loaded_halos/placed_catalog.h"

#include "analysis/catalogs/critical_density.h"
#include "analysis/option_parsing/option_error.h"
#include "analysis/plot.h"
#include "core/error.h"
#include "core/text_values.h"
#include "io/catalogs/catalog_reader.h"
#include "io/catalogs/read_halo_members.h"
#include "io/snapshots/gadget_units.h"
#include "io/text/solar_mass.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace haloscope::analysis {

namespace {

// Of values that catalogs and snapshots write with few digits.
constexpr double kSameRun = 1e-3;

bool far_apart(double a, double b) {
  return std::abs(a - b) > kSameRun * std::max(std::abs(a), std::abs(b));
}

// Today's may be a rounding away from 0.
double shown_redshift(double z) {
  return std::abs(z) < 1e-9 ? 0 : z;
}

class Placer {
 public:
  Placer(const std::string& path, const SnapshotInfo& info, PlacedCatalog& placed)
      : path_(path), info_(info), placed_(placed) {}

  void choose_table(const std::string& word) {
    auto& tables = placed_.catalog.tables;
    std::vector<std::string> names;
    for (const HaloTable& one : tables) names.push_back(one.name);
    auto chosen = std::find_if(tables.begin(), tables.end(), [&](const HaloTable& one) {
      return word.empty() ? one.count > 0 : lower_case(one.name) == lower_case(word);
    });
    // An output so early that it has none is no fault.
    if (chosen == tables.end() && word.empty()) chosen = tables.begin();
    if (chosen == tables.end())
      throw OptionError(fmt::format("there is no table {}", word), path_,
                        fmt::format("it has {}", fmt::join(names, ", ")));
    std::rotate(tables.begin(), chosen, chosen + 1);
    if (placed_.table().count > 0 && !placed_.table().find(HaloRole::Position))
      throw OptionError(fmt::format("table {} has no positions", placed_.table().name), path_,
                        fmt::format("choose another one ({})", marked("table")));
  }

  // What would put halos where nothing is.
  void require_same_run() const {
    const HaloCatalog& catalog = placed_.catalog;
    const auto &theirs = catalog.cosmology.redshift, &ours = info_.cosmology.redshift;
    if (theirs && ours && std::abs(*theirs - *ours) > kSameRun * (1 + *ours))
      throw Error(fmt::format("the catalog is of redshift {:.4g} and the snapshot of {:.4g}",
                              shown_redshift(*theirs), shown_redshift(*ours)),
                  path_, "load the catalog of this snapshot");
    const bool placed = placed_.table().find(HaloRole::Position) != nullptr;
    const double box = placed ? catalog.box_size * length_factor(HaloRole::Position) : 0;
    if (box > 0 && info_.box_size > 0 && far_apart(box, info_.box_size))
      throw Error(fmt::format("the catalog's box is {:g} wide in the snapshot's lengths, and the "
                              "snapshot's {:g}",
                              box, info_.box_size),
                  path_, "load the catalog of this run");
    const double matter = catalog.cosmology.omega_matter;
    if (matter > 0 && info_.cosmology.omega_matter > 0 &&
        far_apart(matter, info_.cosmology.omega_matter))
      throw Error(fmt::format("the catalog is of a universe with Omega_m = {:g} and the snapshot "
                              "of one with {:g}",
                              matter, info_.cosmology.omega_matter),
                  path_, "load the catalog of this run");
  }

  void place() {
    const HaloTable& table = placed_.table();
    if (table.count == 0) return;
    const double length = length_factor(HaloRole::Position);
    const CatalogColumn* const radius = table.find(HaloRole::Radius);
    const double size = radius ? length_factor(HaloRole::Radius) : 0;
    const bool from_corner = counts_from_corner(length);
    std::uint64_t outside = 0, estimated = 0, unknown = 0;
    for (std::uint64_t row = 0; row < table.count; ++row) {
      PiecePlace place;
      place.center = table.vector(HaloRole::Position, row);
      bool beyond = false;
      for (std::size_t a = 0; a < 3; ++a) {
        place.center[a] = place.center[a] * length + (from_corner ? info_.box_origin[a] : 0);
        beyond = put_inside(place.center[a], info_.box_origin[a]) || beyond;
      }
      outside += beyond;
      const double given = radius ? radius->value(row) * size : 0;
      placed_.given_radius.push_back(given > 0 && std::isfinite(given) ? given : kNotThere);
      place.radius = given > 0 && std::isfinite(given) ? given : radius_of_mass(row);
      const bool has_radius = given > 0 && std::isfinite(given);
      place.assumed = !has_radius;
      estimated += !has_radius && place.radius > 0;
      unknown += !(place.radius > 0);
      placed_.places.push_back(place);
    }
    if (outside > table.count / 2)
      throw Error(fmt::format("{} of {} halos of the catalog lie outside of the snapshot's box",
                              outside, table.count),
                  path_, "load the catalog of this run, or name its unit of length");
    if (outside > 0)
      placed_.notes.push_back(fmt::format(
          "{} halos of the catalog lie outside of the box: they are shown inside.", outside));
    if (estimated > 0)
      placed_.notes.push_back(
          fmt::format("{} of {} halos have no radius in the catalog: it is "
                      "that of 200 times today's critical density.",
                      estimated, table.count));
    if (unknown > 0)
      placed_.notes.push_back(fmt::format(
          "{} of {} halos have neither a radius nor a mass in a unit that is known: they have no "
          "circle.",
          unknown, table.count));
    if (from_corner)
      placed_.notes.push_back(
          "The catalog counts positions from the low corner of the box, because all lie between 0 "
          "and its side; the snapshot does not.");
    require_radii_of_halos();
  }

 private:
  // AHF counts from the low corner of the box, also of Tipsy files, whose boxes surround the
  // origin.
  bool counts_from_corner(double length) const {
    const HaloTable& table = placed_.table();
    if (!info_.periodic || info_.box_origin == std::array<double, 3>{}) return false;
    for (std::uint64_t row = 0; row < table.count; ++row)
      for (const double x : table.vector(HaloRole::Position, row))
        if (x * length < 0 || x * length > info_.box_size) return false;
    return true;
  }

  // A radius in kpc that is taken as one in Mpc.
  void require_radii_of_halos() const {
    if (!(info_.box_size > 0) || !info_.periodic) return;
    constexpr double kMost = 0.25;  // of the box: no halo is so large
    std::uint64_t large = 0;
    for (const PiecePlace& place : placed_.places) large += place.radius > kMost * info_.box_size;
    if (large > placed_.table().count / 2)
      throw Error(fmt::format("the radii of {} of {} halos are more than a quarter of the box",
                              large, placed_.table().count),
                  path_, "name the unit of the radius in the catalog: 'radius [kpc/h]'");
  }

  // From a column's unit to the snapshot's code length.
  double length_factor(HaloRole role) const {
    const HaloCatalog& catalog = placed_.catalog;
    const CatalogColumn& column = *placed_.table().find(role);
    const Units& units = info_.units;
    if (!column.scaling || !(column.scaling->to_cgs > 0)) return 1;
    const double da = column.scaling->a - (units.comoving ? 1 : 0);
    const double dh = column.scaling->h - (units.per_h ? -1 : 0);
    const bool has_h = info_.cosmology.omega_matter > 0 || info_.cosmology.hubble_param != 1;
    if (dh != 0 && !catalog.hubble_known && !has_h)
      throw Error(fmt::format("{} is in {} and the snapshot in {}, and neither tells h",
                              column.name, column.unit, io::length_unit(units)),
                  path_, "add '# h = 0.7' to the head of a CSV");
    const double h = has_h ? info_.cosmology.hubble_param : catalog.cosmology.hubble_param;
    return column.scaling->to_cgs / units.length_cm * std::pow(info_.cosmology.scale_factor, da) *
           std::pow(h, dh);
  }

  // Returns whether it was outside.
  bool put_inside(double& x, double origin) const {
    const double side = info_.box_size;
    if (!info_.periodic || !(side > 0)) return false;
    // A catalog's rounding puts halos at the very edge a little beyond it.
    const bool beyond = x < origin - kSameRun * side || x > origin + (1 + kSameRun) * side;
    x = origin + (x - origin) - side * std::floor((x - origin) / side);
    return beyond;
  }

  // In code lengths; 0: the mass or its unit is not known.
  double radius_of_mass(std::uint64_t row) const {
    const CatalogColumn* const mass = placed_.table().find(HaloRole::Mass);
    if (!mass || !mass->scaling || !(mass->value(row) > 0)) return 0;
    const Cosmology& cosmology = info_.cosmology;
    const double h = cosmology.hubble_param;
    const double msun =
        mass->value(row) * mass->scaling->to_cgs * std::pow(h, mass->scaling->h) / io::kSolarMassG;
    const double mpc =
        std::cbrt(3 * msun / (4 * std::numbers::pi * 200 * kCriticalDensity * h * h));
    // Today's density is that of comoving volumes.
    const double code = info_.units.length_cm / (info_.units.per_h ? h : 1);
    return mpc * kMpcCm / code * (info_.units.comoving ? 1 : cosmology.scale_factor);
  }

  const std::string& path_;
  const SnapshotInfo& info_;
  PlacedCatalog& placed_;
};

}  // namespace

PlacedCatalog place_catalog(const std::string& path, const std::string& table,
                            const SnapshotInfo& info, Progress& progress, bool incomplete) {
  PlacedCatalog placed;
  try {
    placed.catalog = io::open_catalog(path, {}, progress);
  } catch (const MissingFiles& error) {
    if (!incomplete)
      throw MissingFiles(std::string(error.what()) +
                         ", or go on without them: --incomplete, in the window `find loaded_halos "
                         "file=… incomplete=on`");
    placed.catalog = io::open_catalog(path, {true}, progress);
    placed.incomplete = true;
  }
  placed.notes = placed.catalog.assumed;
  Placer placer(path, info, placed);
  placer.choose_table(table);
  placer.require_same_run();
  placer.place();
  const CatalogColumn* const position = placed.table().find(HaloRole::Position);
  if (position && !position->scaling)
    placed.notes.push_back("The catalog names no unit of positions: took the snapshot's.");
  placed.members = io::read_halo_members(placed.catalog, placed.table(), progress);
  return placed;
}

}  // namespace haloscope::analysis
