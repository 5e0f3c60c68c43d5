#pragma once

#include "analysis/finding.h"
#include "core/domain.h"

#include <array>
#include <cstdint>
#include <vector>

namespace haloscope::analysis {

// Spheres in a domain, listed in the cells of a grid that they reach into, so that of millions the
// few around a point are found.
class SphereCells {
 public:
  // Spheres without a radius or a place are left out.
  SphereCells(const std::vector<PiecePlace>& places, const Domain& domain);

  // The sphere that holds a point of the lattice, and whose center is nearest to it in units of the
  // sphere's radius; of several as near the first. Labels::kNone: it is in none.
  std::uint32_t nearest(const std::array<std::uint32_t, 3>& at) const;

 private:
  struct Sphere {
    std::array<double, 3> center;  // in sides of the domain, within [0, 1)
    double radius = 0;             // the same; 0: left out
  };
  template <class Visit>
  void each_cell(const Sphere& sphere, const Visit& visit) const;
  double apart(double a, double b) const;

  bool periodic_ = false;
  int cells_ = 1;  // per axis
  std::vector<Sphere> spheres_;
  std::vector<std::uint64_t> begin_;  // of each cell in list_
  std::vector<std::uint32_t> list_;
};

}  // namespace haloscope::analysis
