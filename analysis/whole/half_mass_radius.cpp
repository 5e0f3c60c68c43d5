#include "analysis/whole/half_mass_radius.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace haloscope::analysis {

namespace {

constexpr std::size_t kMassBins = 1024;
constexpr int kPasses = 4;  // each looks into one bin of the one before

// Masses by distance: below the bins, and in each of them.
struct BinnedMass {
  double below = 0;
  std::vector<double> in = std::vector<double>(kMassBins, 0.);

  BinnedMass operator+(const BinnedMass& other) const {
    BinnedMass sum = *this;
    sum.below += other.below;
    for (std::size_t k = 0; k < kMassBins; ++k) sum.in[k] += other.in[k];
    return sum;
  }
};

class Distances {
 public:
  Distances(const ParticleSet& particles, const Vec& center) : particles_(particles) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      center_[axis] = particles.domain.to_fixed(center[axis], int(axis));
  }

  // Of all particles; `low` and `width`: of the bins. Sums are the same in each run.
  BinnedMass bin(double low, double width) const {
    BinnedMass all;
    for (const ParticleColumns& columns : particles_.types)
      all = all + tbb::parallel_deterministic_reduce(
                      tbb::blocked_range<std::size_t>(0, std::size_t(columns.count), 1u << 18),
                      BinnedMass(),
                      [&](const auto& rows, BinnedMass sum) {
                        for (std::size_t i = rows.begin(); i != rows.end(); ++i)
                          add(columns, i, low, width, sum);
                        return sum;
                      },
                      std::plus<BinnedMass>());
    return all;
  }

 private:
  void add(const ParticleColumns& columns, std::size_t row, double low, double width,
           BinnedMass& sum) const {
    double squared = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      // The shortest way: a domain without a period is twice as wide as what lies in it.
      const double d = double(std::int32_t(columns.position[axis][row] - center_[axis]));
      squared += d * d;
    }
    const double place = (std::sqrt(squared) * particles_.domain.step() - low) / width;
    const double mass = columns.mass.empty() ? columns.uniform_mass : double(columns.mass[row]);
    if (place < 0)
      sum.below += mass;
    else if (place < double(kMassBins))
      sum.in[std::size_t(place)] += mass;
  }

  const ParticleSet& particles_;
  std::array<std::uint32_t, 3> center_{};
};

}  // namespace

double half_mass_radius(const ParticleSet& particles, const Vec& center) {
  const Distances distances(particles, center);
  // Nothing is farther away than the corner of a cube of this half side.
  double low = 0, width = particles.domain.side * std::sqrt(3.) / double(kMassBins), half = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const BinnedMass mass = distances.bin(low, width);
    if (pass == 0)
      for (const double in : mass.in) half += in / 2;
    if (!(half > 0)) return 0;
    double within = mass.below;
    std::size_t bin = 0;
    while (bin + 1 < kMassBins && within + mass.in[bin] < half) within += mass.in[bin++];
    low += width * double(bin);
    width /= double(kMassBins);
  }
  return low + width * double(kMassBins) / 2;
}

}  // namespace haloscope::analysis
