#pragma once

#include "core/units.h"

#include <cmath>

namespace haloscope::compute::halos {

// What turns code units into dynamics. Times, where they matter, are code length / code velocity.
struct HaloPhysics {
  double gravity = 0;       // G in code units; factors of h cancel
  double scale_factor = 1;  // physical per code length: a of comoving code lengths, else 1
  double hubble_now = 0;    // H(a), code velocity per physical code length; 0: no cosmology
  double hubble0 = 0;       // today's
  double omega_matter = 0, omega_lambda = 0;  // today's
  double expansion = 1;                       // a, whether code lengths carry it or not
  double softening = 0;  // Plummer equivalent, code length; 0: none. As of all types.

  // All densities in code mass per (code length)³.
  double critical_density() const { return density(hubble_now) * cube(scale_factor); }
  double mean_density() const {
    return omega_matter * density(hubble0) * cube(scale_factor / expansion);
  }
  // Mean density within a virialized sphere: Bryan and Norman 1998, eq. 6, which is for flat
  // universes.
  double top_hat_density() const {
    const double pi = std::acos(-1.0);
    const double critical = critical_density();
    const double x = critical > 0 ? mean_density() / critical - 1 : 0;
    return (18 * pi * pi + 82 * x - 39 * x * x) * critical;
  }
  // The density of which 200 times make SUBFIND's first guess of a halo's radius: today's critical
  // one, at any redshift.
  double guess_density() const { return density(hubble0) * cube(scale_factor / expansion); }

 private:
  double density(double hubble) const {
    return gravity > 0 ? 3 * hubble * hubble / (8 * std::acos(-1.0) * gravity) : 0;
  }
  static double cube(double x) { return x * x * x; }
};

// The constants in a snapshot's code units, for a Friedmann universe without radiation. Softening
// is left at none. Omega_matter <= 0: not a cosmological snapshot, with H = 0.
inline HaloPhysics make_physics(const Units& units, const Cosmology& cosmology) {
  constexpr double kGravity = 6.6738e-8;  // cm³ g⁻¹ s⁻²; GADGET-4's value, CODATA 2010
  constexpr double kMpc = 3.085678e24;    // cm; as in GADGET's units
  HaloPhysics p;
  const double velocity = units.velocity_cm_per_s;
  p.gravity = kGravity * units.mass_g / (units.length_cm * velocity * velocity);
  p.expansion = cosmology.scale_factor;
  p.scale_factor = units.comoving ? p.expansion : 1;
  p.omega_matter = cosmology.omega_matter;
  p.omega_lambda = cosmology.omega_lambda;
  if (!(p.omega_matter > 0)) return p;
  const double h = units.per_h ? 1 : cosmology.hubble_param;
  p.hubble0 = h * 1e7 / kMpc * units.length_cm / velocity;  // 100 km/s/Mpc
  const double a = p.expansion;
  const double curvature = 1 - p.omega_matter - p.omega_lambda;
  p.hubble_now =
      p.hubble0 * std::sqrt(p.omega_matter / (a * a * a) + curvature / (a * a) + p.omega_lambda);
  return p;
}

}  // namespace haloscope::compute::halos
