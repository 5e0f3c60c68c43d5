#pragma once

#include "core/snapshot_info.h"

#include <optional>
#include <string>

namespace haloscope::analysis {

// When a picture is, as its overlays tell it.
struct Epoch {
  double time = 0;  // code units, as stored
  double scale_factor = 1;
  std::optional<double> redshift;
};
Epoch epoch_of(const SnapshotInfo& info);

// A fraction of the way from one snapshot of a run to the next. Time passes evenly, in a comoving
// run cosmic time, as it does for particles that are followed there; the scale factor is then where
// the integral of seconds_between() has that fraction. Assumed where the file lacks Omega_m: the
// scale factor grows evenly.
Epoch epoch_between(const SnapshotInfo& first, const SnapshotInfo& second, double fraction);

// What orders snapshots in time: the scale factor in comoving runs, else the time in code units.
double moment_of(const SnapshotInfo& info);
// "a = 0.5", "time 3.25".
std::string moment_in_words(const SnapshotInfo& info);

// Seconds from the first to the second snapshot of one run. In a comoving run the integral of
// da / (a H(a)), H(a) = 100 h km/s/Mpc sqrt(Omega_m a^-3 + Omega_k a^-2 + Omega_Lambda) with
// Omega_k = 1 - Omega_m - Omega_Lambda (Peebles 1993, Principles of Physical Cosmology, eq. 13.3);
// else the difference of their times, whose unit is that of length over that of velocity. Nothing
// where the file lacks Omega_m. Known weakness: radiation and evolving dark energy have no part,
// which is 1 % at a = 0.03.
std::optional<double> seconds_between(const SnapshotInfo& first, const SnapshotInfo& second);

// The world length by which a stored velocity of 1 moves a particle of the type in so many seconds,
// at the rate at which it moves now. By the field's own scaling: GADGET stores v / sqrt(a) of the
// peculiar velocity v (User guide for GADGET-2, section 6), SWIFT v, comoving Tipsy files v / a;
// comoving positions move by v / a. Nothing where the type has no velocities, or their unit is not
// known.
std::optional<double> length_per_velocity(const SnapshotInfo& info, int type, double seconds);

}  // namespace haloscope::analysis
