#pragma once

#include "compute/exec/device.h"
#include "compute/spatial/points.h"
#include "core/progress.h"
#include "core/timings.h"

#include <cstdint>
#include <memory>

// Newtonian potentials of many bodies by an octree (Barnes and Hut 1986), on either executor.
namespace haloscope::compute::gravity {

// What lies beyond the domain.
enum class Images {
  None,   // nothing: the bodies stand alone
  Ewald,  // the domain again and again, without its mean density (Hernquist, Bouchet, Suto 1991)
  // Of each body its nearest image and no other: no potential of a box, and for comparison. Known
  // weakness: a cell about half a box away has one image as a whole, and accuracy says nothing of
  // that; at 1e-3 potentials of 4000 bodies are off by up to 3e-2 of their root mean square.
  Nearest
};

struct TreePotentialOptions {
  Images images = Images::None;
  // Support of the spline that softens (Springel 2005, eq. 4), in lengths of the domain: 2.8 times
  // the Plummer equivalent softening. 0: points, and bodies at one place do not attract each other.
  double softening_support = 0;
  // Of the root mean square of the potentials: what 99 of 100 of them are off by at most. A cell is
  // opened where what its monopole and quadrupole leave out may be too much for that.
  double accuracy = 1e-3;
  // And it is opened for a group of bodies that is nearer to its center of mass than its side by
  // this, and the distance of that center from the cell's middle (Barnes 1994).
  double opening_angle = 1;
  std::uint32_t leaf_size = 16;
};

struct TreePotentialCounts {
  std::uint32_t bodies = 0;
  std::uint32_t bad_masses = 0;  // negative or no numbers: they attract nothing
  double total_mass = 0;
  double typical = 0;            // potential: its root mean square, roughly
  std::uint64_t cell_terms = 0;  // of all bodies: sums over cells as a whole
  std::uint64_t body_terms = 0;  // and over single bodies
};

// Potentials of one set of bodies at their own places.
class TreePotential {
 public:
  virtual ~TreePotential() = default;

  // Points on the device, and what each weighs, by its row: a host array, or null for the mass 1.
  virtual void set_bodies(std::shared_ptr<const spatial::PointSet> points, const float* mass) = 0;

  // Writes the potential at each body, by its row, to a host array: mass over length of the domain,
  // with G = 1. A body's own mass is left out, but not its images. Bodies without mass, or with a
  // bad one, have a potential too. The same bits in any two runs on one device.
  //
  // A domain is a cube: readers take a box with unequal sides as not periodic, and say so, and
  // images of it are refused here.
  //
  // Adds milliseconds of its phases to `timings`: those of the octree, ewald (the table of the
  // correction, made once in a process), cells, scale (how large potentials are), potentials, and
  // download. Throws Error for options out of range, and where memory does not hold it.
  virtual TreePotentialCounts sum(const TreePotentialOptions& options, float* potential,
                                  Timings* timings = nullptr) = 0;
};

// Summing ends with Cancelled when `progress`, which outlives the sums, was cancelled; a GPU looks
// at it between phases. Null: it goes on to its end.
std::unique_ptr<TreePotential> make_cpu_tree_potential(const Progress* progress = nullptr);
std::unique_ptr<TreePotential> make_cuda_tree_potential(
    Device device, const Progress* progress = nullptr);  // throws Error

inline std::unique_ptr<TreePotential> make_tree_potential(Device device,
                                                          const Progress* progress = nullptr) {
  return device.is_gpu() ? make_cuda_tree_potential(device, progress)
                         : make_cpu_tree_potential(progress);
}

}  // namespace haloscope::compute::gravity
