#include "analysis/measuring/enclosed_mass.h"

#include "analysis/measuring/slice_sums.h"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace haloscope::analysis {

namespace {

constexpr std::size_t kShellSteps = 2048;
constexpr double kInnermost = 1e-6;  // of the largest radius
constexpr std::uint64_t kLeastEnclosed = 10;
constexpr std::size_t kShellSlices = 64;

struct Shells {
  std::vector<std::uint64_t> count;
  std::vector<double> mass;
  Shells& operator+=(const Shells& other) {
    for (std::size_t k = 0; k < count.size(); ++k) {
      count[k] += other.count[k];
      mass[k] += other.mass[k];
    }
    return *this;
  }
};

Shells shells_of(const RadialPoints& points, const RadialFrame& frame, const BinEdges& steps) {
  // The first one is what lies within the innermost step.
  const Shells empty{std::vector<std::uint64_t>(steps.count() + 1),
                     std::vector<double>(steps.count() + 1)};
  return sum_in_slices(points.count, kShellSlices, empty,
                       [&](Shells& shells, std::uint64_t begin, std::uint64_t end) {
                         for (std::uint64_t row = begin; row != end; ++row) {
                           const auto place = frame.from_center(points, row);
                           const double radius = std::sqrt(
                               place[0] * place[0] + place[1] * place[1] + place[2] * place[2]);
                           const double mass = points.mass_of(row);
                           if (!(radius < steps.high()) || !std::isfinite(mass)) continue;
                           const auto step = steps.find(radius);
                           const std::size_t shell = step ? *step + 1 : 0;
                           ++shells.count[shell];
                           shells.mass[shell] += mass;
                         }
                       });
}

}  // namespace

EnclosedMass::EnclosedMass(const std::vector<RadialPoints>& types, const RadialFrame& frame,
                           double radius)
    : steps_(radius * kInnermost, radius, kShellSteps, true),
      counts_(kShellSteps + 1),
      masses_(kShellSteps + 1) {
  for (const RadialPoints& points : types) {
    const Shells shells = shells_of(points, frame, steps_);
    std::uint64_t count = 0;
    double mass = 0;
    for (std::size_t k = 0; k <= kShellSteps; ++k) {
      counts_[k] += count += shells.count[k];
      masses_[k] += mass += shells.mass[k];
    }
  }
}

double EnclosedMass::mean_density(std::size_t step) const {
  const double r = steps_.edge(step);
  return masses_[step] / (4 * std::numbers::pi / 3 * r * r * r);
}

std::optional<double> EnclosedMass::radius_of_count(std::uint64_t count) const {
  for (std::size_t k = 0; k < counts_.size(); ++k)
    if (counts_[k] >= count) return steps_.edge(k);
  return {};
}

std::optional<double> EnclosedMass::radius_of_density(double density) const {
  if (!(density > 0)) return {};
  bool above = false;
  for (std::size_t k = 0; k < counts_.size(); ++k) {
    const double here = mean_density(k);
    if (above && here < density) {
      const double before = mean_density(k - 1);
      const double part = std::log(before / density) / std::log(before / here);
      return steps_.edge(k - 1) * std::pow(steps_.edge(k) / steps_.edge(k - 1), part);
    }
    above = here >= density && counts_[k] >= kLeastEnclosed;
  }
  return {};
}

std::optional<double> EnclosedMass::relaxation_radius(double critical_density) const {
  if (!(critical_density > 0)) return {};
  constexpr double kEnough = 0.6;
  for (std::size_t k = 0; k < counts_.size(); ++k) {
    if (counts_[k] < kLeastEnclosed || !(masses_[k] > 0)) continue;
    const double n = double(counts_[k]);
    const double time =
        std::sqrt(200.) / 8 * n / std::log(n) / std::sqrt(mean_density(k) / critical_density);
    if (time >= kEnough) return steps_.edge(k);
  }
  return {};
}

}  // namespace haloscope::analysis
