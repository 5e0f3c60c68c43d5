#pragma once

#include "analysis/option_parsing/option_about.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

// What a profile is asked for, by the command line and the window alike.
struct ProfileOptions {
  std::string center;                      // "X,Y,Z", the snapshot's lengths
  std::optional<std::uint64_t> structure;  // a row of the catalog
  std::string catalog, table;              // its file; empty table: the first with halos
  std::string radii;                       // "MIN,MAX"
  std::uint64_t bins = 32;
  std::string velocity;            // "VX,VY,VZ", peculiar
  std::vector<std::string> types;  // empty: all
  std::optional<double> softening;

  bool operator==(const ProfileOptions&) const = default;
};

// More bins hold fewer particles each than anybody has.
inline constexpr std::uint64_t kMostProfileBins = 10000;

// Every option, said once; see analysis/halos/halo_options.h.
template <class V>
void visit(V& v, ProfileOptions& o) {
  v.text("center", o.center,
         {.value = "X,Y,Z",
          .help = "The center, in the snapshot's own lengths (comoving where those are)",
          .label = "Center",
          .empty = "none"});
  v.count("structure", o.structure, 0,
          {.value = "ROW",
           .help = "Center, velocity and R200 of a row of --catalog, counted from 0, as `haloscope "
                   "catalog` shows it",
           .label = "Structure",
           .instead_of = "center"});
  v.text("catalog", o.catalog,
         {.value = "FILE",
          .help = "The catalog that --structure is in: any that `haloscope catalog` reads",
          .label = "Catalog",
          .empty = "none"});
  v.text("table", o.table,
         {.value = "NAME",
          .help = "Its table: Group, Subhalo …; default: the first with rows",
          .label = "Table",
          .empty = "first"});
  v.text("radii", o.radii,
         {.value = "MIN,MAX",
          .help = "The first and the last radius; default: from the softening or the innermost ten "
                  "particles to twice R200",
          .label = "Radii",
          .empty = "auto"});
  v.count("bins", o.bins, 1,
          {.help = "Logarithmic bins of the radius; default: 32", .label = "Bins", .usual = 1});
  v.text("velocity", o.velocity,
         {.value = "VX,VY,VZ",
          .help = "What velocities are relative to, peculiar, in the snapshot's unit of velocity; "
                  "default: the structure's, else the mean within the last radius",
          .label = "Velocity",
          .empty = "auto"});
  v.types("types", o.types,
          {.value = "gas,dm,…|0,1,…",
           .help = "Particle types; default: all",
           .label = "Types",
           .empty = "all",
           .hint = "all"});
  v.length("softening", o.softening,
           {.value = "LENGTH",
            .help = "Of gravity, Plummer equivalent, in the file's own lengths; default: what the "
                    "snapshot notes",
            .label = "Softening"});
}

// Throws OptionError for values that no profile can be asked for, whatever the snapshot.
void check_options(const ProfileOptions& options);

// What the texts say; throw OptionError. Nothing where they are empty.
std::optional<std::array<double, 3>> center_of(const ProfileOptions& options);
std::optional<std::array<double, 3>> velocity_of(const ProfileOptions& options);
std::optional<std::array<double, 2>> radii_of(const ProfileOptions& options);

}  // namespace haloscope::analysis
