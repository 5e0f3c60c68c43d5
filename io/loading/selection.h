#pragma once

#include "core/error.h"
#include "io/snapshot_reader.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace haloscope::io {

// No particle lies in the region that was asked for.
class EmptyRegion : public Error {
 public:
  using Error::Error;
};

// Which of the particles are wanted. Sampling comes after the region: one random particle of each
// `every` that lie in it.
struct Selection {
  std::optional<Region> region;
  std::uint64_t every = 1;
  std::uint64_t max_particles = 0;  // over all types together; 0: no limit

  bool samples() const { return every > 1 || max_particles > 0; }
  bool any() const { return region || samples(); }
};

// Whether positions lie in a region: half-open on each axis, so that regions side by side share no
// particle. In a periodic box across its edges, and around them where low > high.
class RegionTest {
 public:
  // Throws Error for a region that holds nothing: low >= high on an axis that does not wrap.
  RegionTest(const Region& region, const SnapshotInfo& info);

  template <class T>
  bool contains(const T* p) const {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (!inside(double(p[axis]), axis)) return false;
    return true;
  }

 private:
  bool inside(double x, std::size_t axis) const;

  std::array<double, 3> low_{}, high_{};
  std::array<bool, 3> all_{};  // of a periodic axis
  double side_ = 0;            // of the periodic box; 0: none
};

// The smallest number that, as `every`, leaves at most `max_particles` of types with these counts.
// Throws Error where that cannot be: every type keeps at least one particle.
std::uint64_t sampling_step(const std::vector<std::uint64_t>& counts, const Selection& selection);

}  // namespace haloscope::io
