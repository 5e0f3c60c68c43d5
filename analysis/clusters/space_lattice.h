#pragma once

#include "compute/clusters/spanning_tree.h"
#include "core/array.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

// One number of each point, in parts that follow one another: of the particles of each type.
// Borrowed.
struct SpaceColumn {
  // One of the three is there.
  struct Part {
    const double* real64 = nullptr;
    const float* real32 = nullptr;
    const std::uint32_t* fixed = nullptr;  // in steps of `step`
    std::uint64_t count = 0;
  };
  std::vector<Part> parts;
  double step = 1;
  bool periodic = false;  // of fixed numbers, whose period is 2³² of these steps

  std::uint64_t count() const;
};

// Numbers of one kind, as the components of a velocity, which are divided by one number. All of its
// columns are periodic or none is.
struct SpaceGroup {
  std::string name;  // in messages
  std::vector<SpaceColumn> columns;
  std::optional<double> scale;  // empty: the dispersion of the points
};

// Points of several kinds of numbers in one lattice, as compute/clusters/spanning_tree.h takes
// them. Each number is divided by its group's scale and rounded to the nearest step, which is the
// same in all columns: of the widest column's extent 2⁻³¹, in more than four dimensions 2⁻³⁰, and a
// hair more. Periodic columns are a whole power of two of steps wide: 2³² in lattices that hold
// nothing else, otherwise 2³² by 2^shift, where the shift is the smallest from 2 on with which the
// other columns stay below 2³⁰ steps; their numbers are multiples of 2^shift.
struct SpaceLattice {
  std::vector<Array<std::uint32_t>> column;
  std::vector<std::uint8_t> shift;  // by column; empty: none is shifted
  double step = 1;                  // scaled
  std::vector<double> scale;        // by group
  // By group: each of its columns has one value throughout; a scale that nobody gave is 1 then.
  std::vector<bool> constant;

  // Throws Error for shifts that no tree takes (compute/clusters/spanning_tree.h).
  compute::clusters::LatticePoints points() const;
};

// The root of the summed variances over the number of columns: that of one axis, of points that are
// counted alike. The same for any number of threads.
double dispersion(const SpaceGroup& group);

// Numbers are finite, and as many in each column; one group at most is periodic. Throws Error where
// the extents of columns are farther apart than a lattice reaches.
SpaceLattice place_in_lattice(const std::vector<SpaceGroup>& groups);

}  // namespace haloscope::analysis
