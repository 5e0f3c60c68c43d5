#pragma once

#include "analysis/measuring/bin_edges.h"
#include "core/particles.h"
#include "core/progress.h"
#include "core/snapshot_info.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

// Fewer particles have no profile.
inline constexpr std::uint64_t kFewestOfProfile = 10;
// Where softened forces end, in Plummer equivalents: GADGET's spline is Newton's law from there on
// (Springel 2005, MNRAS 364, 1105, sec. 2.1).
inline constexpr double kSoftenedReach = 2.8;

// About which point a profile is measured, and how; lengths in code lengths, comoving where those
// are.
struct ProfileRequest {
  std::vector<int> types;  // those measured, whether or not any of their particles is near
  std::string about;       // in words: "row 3 of Group"; empty: the center
  std::array<double, 3> center{};
  // What velocities are relative to, peculiar, in code velocities; nothing: the mass-weighted mean
  // of the particles within the last radius. `velocity_from` says whose it is.
  std::optional<std::array<double, 3>> velocity;
  std::string velocity_from;
  // Of 200 critical densities; nothing: found in the particles. `r200_from` says who tells it.
  std::optional<double> r200;
  std::string r200_from;
  std::optional<double> softening;             // Plummer equivalent
  std::optional<std::array<double, 2>> radii;  // nothing: the profile says which
  std::size_t bins = 32;
};

// Why a bin is not to be trusted.
struct ProfileDoubts {
  bool softened = false;  // begins where forces are softened
  bool relaxed = false;   // begins where particles have scattered one another
  bool few = false;       // holds fewer than ten particles
  bool any() const { return softened || relaxed || few; }
};

// Of one type, or of all, in one bin. NaN: not known, or there is nothing to take a mean of.
struct ProfileBin {
  std::uint64_t count = 0;
  double count_low = 0, count_high = 0;  // Gehrels 1986, one standard deviation
  // Mass by volume. Its ends are those of the count; of particles of several masses those of the
  // number (sum m)^2 / sum m^2 of equal ones that scatter as much. With no particle the upper end
  // is that of the type's mean mass.
  double density = 0, density_low = 0, density_high = 0;
  std::uint64_t count_within = 0;  // of the upper edge, all that is nearer than the first bin too
  double mass_within = 0;
  double radial_velocity = 0;  // mean, weighted by mass; peculiar
  // One-dimensional: sqrt of a third of the mass-weighted mean of (v - mean v of the bin)^2.
  double dispersion = 0;
  // Of one standard deviation, of N such equal masses that move alike in all directions:
  // dispersion / sqrt(N), and dispersion / sqrt(6 (N - 1)).
  double radial_velocity_error = 0, dispersion_error = 0;
  double temperature = 0;  // mean, weighted by mass, K
  ProfileDoubts doubts;
};

struct ProfileSeries {
  std::optional<int> type;  // nothing: all types together
  std::string name;         // "gas", "all"
  bool has_mass = true, has_velocity = false, has_temperature = false;
  std::vector<ProfileBin> bins;
};

struct RadialProfile {
  std::string about;  // what is measured, in which snapshot: "row 3 of Group in snap_099.hdf5"
  std::array<double, 3> center{};
  BinEdges edges;
  std::vector<ProfileSeries> series;  // the types, and all of them together where there are several
  std::array<double, 3> velocity{};   // of the frame
  std::string velocity_from;          // in words
  std::string radii_from;             // how the radii were chosen, in words; empty: they were given
  std::optional<double> r200;
  std::string r200_from;  // who tells it, or why it is not known
  std::optional<double> softening, relaxation_radius;
  // Code velocity by code length: this times r is the velocity of the expansion, which peculiar
  // velocities lack. 0: no expansion.
  double expansion = 0;
  std::string length_unit, mass_unit, density_unit, velocity_unit;
  bool comoving = false;
  std::uint64_t particles = 0;    // in the bins
  std::vector<std::string> said;  // sentences
};

// Measures the particles, which have peculiar velocities in code units and the field Temperature
// where they are known. A periodic box is seen by nearest images. Throws Error where the radii are
// no possible ones, and where fewer than ten particles lie between them. The same for any number of
// threads.
RadialProfile measure_profile(const SnapshotInfo& info, const ParticleSet& particles,
                              const ProfileRequest& request, Progress& progress);

}  // namespace haloscope::analysis
