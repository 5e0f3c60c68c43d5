#pragma once

#include <optional>

namespace haloscope {

// What one code unit is, in cgs, and the cosmology that turns comoving h⁻¹ units into physical
// ones: x_cgs = x_file · to_cgs · a^a_power · h^h_power.
struct Units {
  double length_cm = 3.085678e21;  // kpc
  double mass_g = 1.989e43;        // 1e10 Msun
  double velocity_cm_per_s = 1e5;  // km/s
  bool comoving = false;           // positions are comoving (a^1)
  bool per_h = false;              // lengths and masses carry h⁻¹
};

// What turns a stored value into physical cgs: x_cgs = x_file * to_cgs * a^a * h^h. The three
// powers of the code units, where they are known, serve to name the unit.
struct FieldScaling {
  double to_cgs = 0;  // 0: dimensionless or unknown, never "multiply by zero"
  double a = 0, h = 0;
  double length = 0, mass = 0, velocity = 0;
};

struct Cosmology {
  std::optional<double> redshift;
  double scale_factor = 1;
  double hubble_param = 1;
  double omega_matter = 0;
  double omega_lambda = 0;
};

}  // namespace haloscope
