#pragma once

#include "analysis/measuring/enclosed_mass.h"
#include "analysis/measuring/radial_profile.h"
#include "core/domain.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

// How far from the center anything is looked at: the last radius that was asked for, else half a
// periodic box, else the distance of the farthest particle. Throws Error for radii that reach
// beyond half a periodic box, where no sphere fits.
double profile_reach(const Domain& domain, const std::vector<RadialPoints>& types,
                     const RadialFrame& frame, const ProfileRequest& request);

// What decides about radii that nobody asked for.
struct RadiiChoice {
  bool periodic = false;
  double reach = 0;
  const EnclosedMass& enclosed;  // all particles
  std::optional<double> r200, softening;
};

// The first and the last radius of a profile: those asked for, else from the softening or the
// radius that holds ten particles, the larger of both, to twice R200 or to `reach`. `chosen`: says
// which, in words; empty where they were asked for.
std::array<double, 2> profile_radii(const ProfileRequest& request, const RadiiChoice& choice,
                                    std::string& chosen);

}  // namespace haloscope::analysis
