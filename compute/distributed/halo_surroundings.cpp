#include "compute/distributed/halo_surroundings.h"

#include "compute/clusters/clustering.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>

namespace haloscope::compute::distributed {

namespace {

// As find_spheres() looks for them: to three radii of the first guess, and a hair for sums of
// another order.
constexpr double kReach = 3.000001 * 1.0001;

// Of all halos: how far members lie from SharedHalo::at along an axis, at most, in steps; and
// masses.
struct Extents {
  std::vector<std::uint32_t> widest;
  std::vector<double> mass;

  // Several threads may add.
  void add(std::uint32_t halo, std::uint32_t far, double more) {
    const std::atomic_ref most(widest[halo]);
    std::uint32_t seen = most.load(std::memory_order_relaxed);
    while (seen < far && !most.compare_exchange_weak(seen, far, std::memory_order_relaxed)) {
    }
    std::atomic_ref(mass[halo]).fetch_add(more, std::memory_order_relaxed);
  }
};

// Along an axis, around the edge of the lattice.
std::uint32_t distance(std::uint32_t a, std::uint32_t b) {
  return std::uint32_t(std::abs(std::int64_t(std::int32_t(a - b))));
}

Extents find_extents(Ranks& ranks, const GatherRequest& request,
                     const std::vector<LargeVector<std::uint32_t>>& halo_of) {
  Extents extents;
  extents.widest.assign(request.halos.size(), 0);
  extents.mass.assign(request.halos.size(), 0);
  for (std::size_t k = 0; k < request.kinds.size(); ++k) {
    const KindPart& kind = request.kinds[k];
    const LargeVector<std::uint32_t>& halos = halo_of[k];
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, halos.size()),
                      [&](const tbb::blocked_range<std::size_t>& rows) {
                        // Members of a halo often stand together in a file.
                        for (std::size_t i = rows.begin(); i < rows.end();) {
                          const std::uint32_t h = halos[i];
                          std::uint32_t widest = 0;
                          double mass = 0;
                          for (; i < rows.end() && halos[i] == h; ++i) {
                            if (h == clusters::kNoise) continue;
                            mass += double(kind.mass_of(i));
                            for (std::size_t axis = 0; axis < 3; ++axis)
                              widest = std::max(widest, distance(kind.position[axis][i],
                                                                 request.halos[h].at[axis]));
                          }
                          if (h != clusters::kNoise) extents.add(h, widest, mass);
                        }
                      });
  }
  ranks.all_reduce(std::span(extents.widest),
                   [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
  ranks.all_reduce(std::span(extents.mass), [](double a, double b) { return a + b; });
  return extents;
}

}  // namespace

void ReachedCells::mark(const std::array<std::uint32_t, 3>& center, std::uint32_t reach) {
  std::uint32_t first[3], count[3];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t low = (std::int64_t(center[axis]) - reach) >> kShift;
    const std::int64_t high = (std::int64_t(center[axis]) + reach) >> kShift;
    first[axis] = std::uint32_t(low) % kSide;
    count[axis] = std::uint32_t(std::min<std::int64_t>(high - low + 1, kSide));
  }
  for (std::uint32_t z = 0; z < count[2]; ++z)
    for (std::uint32_t y = 0; y < count[1]; ++y)
      for (std::uint32_t x = 0; x < count[0]; ++x) {
        const std::size_t cell =
            cell_of((first[0] + x) % kSide, (first[1] + y) % kSide, (first[2] + z) % kSide);
        words_[cell / 64] |= std::uint64_t(1) << cell % 64;
      }
}

std::vector<ReachedCells> cells_around_halos(
    Ranks& ranks, const GatherRequest& request,
    const std::vector<LargeVector<std::uint32_t>>& halo_of) {
  ReachedCells own;
  if (const double density = 200 * request.physics.guess_density(); density > 0) {
    const Extents extents = find_extents(ranks, request, halo_of);
    constexpr double kMost = 2147483647;
    for (std::size_t h = 0; h < request.halos.size(); ++h) {
      if (request.workers[h] != ranks.rank()) continue;
      const double volume = extents.mass[h] / (density * 4 * std::acos(-1.0) / 3);
      const double radius = volume > 0 ? kReach * std::cbrt(volume) : 0;
      const double steps = radius / request.domain.step() + extents.widest[h] + 4;
      own.mark(request.halos[h].at, std::uint32_t(std::min(steps, kMost)));
    }
  }
  const std::vector<std::uint64_t> all = ranks.all_gather<std::uint64_t>(own.words());
  std::vector<ReachedCells> cells;
  for (int r = 0; r < ranks.size(); ++r) {
    const auto begin = all.begin() + std::ptrdiff_t(std::size_t(r) * ReachedCells::kWords);
    cells.emplace_back(std::vector(begin, begin + std::ptrdiff_t(ReachedCells::kWords)));
  }
  return cells;
}

}  // namespace haloscope::compute::distributed
