#include "io/loading/cosmic_time.h"

#include "core/check.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace haloscope::io {

namespace {

// 1/H0 for h = 1: a megaparsec over 100 km/s.
constexpr double kHubbleGyr = 3.0856775814913673e19 / 100 / kSecondsPerGyr;
constexpr std::size_t kSteps = 2048;

}  // namespace

CosmicTime::CosmicTime(const Cosmology& cosmology, double latest) {
  HALOSCOPE_CHECK(cosmology.omega_matter, >, 0.);
  HALOSCOPE_CHECK(cosmology.hubble_param, >, 0.);
  const double matter = cosmology.omega_matter, lambda = cosmology.omega_lambda;
  const double curvature = 1 - matter - lambda;
  // With s = sqrt(a) the integrand has no root at 0: da / sqrt(Om/a + ...) = 2 s^2 ds / sqrt(...).
  const auto integrand = [&](double s) {
    const double a = s * s;
    return 2 * a / std::sqrt(matter + curvature * a + lambda * a * a * a);
  };
  step_ = std::sqrt(latest) / double(kSteps);
  gyr_.resize(kSteps + 1);
  const double scale = kHubbleGyr / cosmology.hubble_param * step_ / 6;
  for (std::size_t k = 0; k < kSteps; ++k) {  // Simpson's rule
    const double s = double(k) * step_;
    gyr_[k + 1] =
        gyr_[k] + scale * (integrand(s) + 4 * integrand(s + step_ / 2) + integrand(s + step_));
  }
}

double CosmicTime::gyr(double scale_factor) const {
  if (!(scale_factor > 0)) return std::numeric_limits<double>::quiet_NaN();
  const double place = std::min(std::sqrt(scale_factor) / step_, double(gyr_.size() - 1));
  const std::size_t k = std::min(std::size_t(place), gyr_.size() - 2);
  return gyr_[k] + (place - double(k)) * (gyr_[k + 1] - gyr_[k]);
}

}  // namespace haloscope::io
