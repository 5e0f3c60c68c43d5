#pragma once

#include "compute/exec/device.h"
#include "compute/halos/membership.h"
#include "compute/halos/properties/physics.h"
#include "core/domain.h"
#include "core/progress.h"

#include <array>
#include <cstdint>
#include <vector>

// Masses, centers, velocities and shapes of halos whose members are known.
namespace haloscope::compute::halos {

// All particles of a snapshot, as views of columns in file order.
struct HaloParticles {
  struct Type {
    int type = 0;  // GADGET's number
    std::uint64_t count = 0;
    std::array<const std::uint32_t*, 3> position{};
    // Peculiar, code velocities: a dx/dt, which is √a times what GADGET stores. Null: not known.
    std::array<const float*, 3> velocity{};
    const float* mass = nullptr;  // null: all uniform_mass
    double uniform_mass = 1;
    bool around = false;  // in no halo: counted by spheres alone, its velocity is not asked for
  };
  Domain domain;
  std::vector<Type> types;

  bool has_velocities() const {
    for (const Type& t : types)
      if (t.count > 0 && !t.around && !t.velocity[0]) return false;
    return true;
  }
};

// Definitions of a sphere by the mean density within.
enum SphereKind { Critical200, Mean200, Critical500, TopHat, kSphereKinds };

// A sphere to be found around a center.
struct SphereRequest {
  std::array<std::uint32_t, 3> center{};  // lattice
  double mass = 0;                        // of the halo: tells where to look
  // Spheres with no more than this are of too few particles to have a meaning and become zero.
  // SUBFIND: five times the mean mass of the halo's members, so that six particles of one mass are
  // enough. In GADGET-4's own catalogs those of exactly five are zero too.
  double too_small = 0;
  std::uint64_t members = 0;  // how many particles to expect there; 0: not known
};

// By definition; code lengths and masses, 0 where there is no such sphere.
struct Sphere {
  std::array<double, kSphereKinds> radius{}, mass{};
};

// Spheres around `requests` in all the particles, not only members, whose mean density is that of
// each definition. Of several such radii that one which bisection of [0, 3 r] down to 1e-4 meets,
// with r the radius at which `mass` has 200 of today's critical densities: SUBFIND's way (Springel
// et al. 2001; GADGET-4), which is neither the innermost nor the outermost. Without a cosmology all
// are zero.
std::vector<Sphere> find_spheres(const HaloParticles& particles,
                                 const std::vector<SphereRequest>& requests,
                                 const HaloPhysics& physics, Progress& progress);

// One element per halo, in the order of the membership, whose kinds are HaloParticles::types.
// Lengths in code lengths, masses in code masses, velocities in code velocities.
struct HaloProperties {
  using Vector = std::array<double, 3>;

  std::vector<std::uint32_t> type_length;  // halos × types
  std::vector<double> type_mass;           // halos × types
  std::vector<double> mass;
  std::vector<Vector> center_of_mass;  // world; within the box where that is periodic
  // The member of lowest potential, which is that of the members alone, softened as GADGET does,
  // without the particle's own part; of equals the first in the list of members.
  std::vector<std::uint32_t> most_bound_slot, most_bound_row;
  std::vector<Vector> most_bound_position;
  std::vector<double> potential;  // its, per mass, code velocity²
  std::vector<Sphere> sphere;     // around it

  // All from here on are of the members, distances those from the most bound one.
  std::vector<double> half_mass_radius;
  std::vector<double> farthest;  // member
  // Largest sqrt(G M(<r) / r), and where. The five innermost members count as mass only: one close
  // to the center would have any velocity.
  std::vector<double> v_max, r_max;
  // Roots of the ratios of the eigenvalues of Σ m x_i x_j about the center of mass (not reduced,
  // not iterated).
  std::vector<double> b_to_a, c_to_a;

  // Empty without velocities.
  std::vector<Vector> velocity;             // mass-weighted mean
  std::vector<double> velocity_dispersion;  // one-dimensional, peculiar velocities, mass-weighted
  // Angular momentum per mass of the members within the sphere of 200 critical densities about the
  // most bound one, relative to their mean velocity: physical code length · code velocity.
  std::vector<Vector> angular_momentum;
  // λ' = J / (√2 M V R) of the same members: Bullock et al. 2001, eq. 5. 0 without a sphere.
  std::vector<double> spin;

  // Halos that reach over half the box or more along some axis: which images of their members are
  // the nearest is then not known, and what is told of them is wrong. Not tables' rows.
  std::uint64_t too_wide = 0;

  std::uint64_t count() const { return mass.size(); }
};

// Bytes of host memory that measure_halos takes beside its input, at most: of so many members among
// so many particles.
std::uint64_t properties_memory(std::uint64_t members, std::uint64_t particles);

// All properties of all halos, on the CPU. The same to the last bit for any number of threads.
// Halos have at least one member; those that extend over half the domain or more are counted.
// Throws Error where the membership does not belong to the particles.
HaloProperties measure_halos(const HaloParticles& particles, const HaloMembership& members,
                             const HaloPhysics& physics, Progress& progress);

// The same, to the last bit where masses are not negative, on a GPU whose memory suffices for it;
// on the CPU otherwise. Columns are in host memory all the same.
HaloProperties measure_halos(Device device, const HaloParticles& particles,
                             const HaloMembership& members, const HaloPhysics& physics,
                             Progress& progress);

// Whether the device is a GPU whose free memory suffices, and the measuring there.
bool can_measure_on(Device device, const HaloParticles& particles, std::uint64_t members);
HaloProperties measure_halos_on(Device device, const HaloParticles& particles,
                                const HaloMembership& members, const HaloPhysics& physics,
                                Progress& progress);

}  // namespace haloscope::compute::halos
