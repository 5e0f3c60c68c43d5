#pragma once

#include "compute/distributed/domains_view.h"
#include "compute/exec/ranks.h"
#include "compute/spatial/morton.h"

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace haloscope::compute::distributed {

// Some points of this rank, on the lattice.
struct PointPart {
  std::array<const std::uint32_t*, 3> position{};
  std::uint64_t count = 0;
};

// Which rank works on which part of space: each has one stretch of the Morton order. Many points
// have many neighbors: stretches hold nearly equal numbers of points.
class Domains {
 public:
  // All ranks call it with the points that they have; points may lie anywhere. Stretches are cut by
  // a sample, so that their sizes differ by some percent.
  Domains(Ranks& ranks, std::span<const PointPart> parts);

  // Stretches of ranks 1, 2, … that begin at these Morton codes, ascending.
  explicit Domains(std::vector<std::uint64_t> begin) : begin_(std::move(begin)) {}

  int size() const { return int(begin_.size()) + 1; }
  const std::vector<std::uint64_t>& begin() const { return begin_; }
  DomainsView view() const { return {begin_.data(), int(begin_.size())}; }
  int owner(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    return view().owner(spatial::morton_code(x, y, z));
  }

  // Calls f(rank), once and ascending, for each rank whose part of space a cube of half width
  // `reach` about a point meets, around the edges of the lattice.
  template <class F>
  void each_near(const std::array<std::uint32_t, 3>& at, std::uint32_t reach, const F& f) const {
    view().each_near({at[0], at[1], at[2]}, reach, f);
  }

 private:
  std::vector<std::uint64_t> begin_;  // Morton codes at which the stretches of ranks 1, 2, … begin
};

}  // namespace haloscope::compute::distributed
