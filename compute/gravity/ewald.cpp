#include "compute/gravity/ewald.h"

#include <tbb/parallel_for.h>

#include <cmath>
#include <numbers>

namespace haloscope::compute::gravity {

namespace {

// The share of the two sums: images farther than kReach are worth less than 1e-13 each, and so are
// waves beyond kMostWave.
constexpr double kAlpha = 2, kReach = 2.75;
constexpr int kImages = 4, kMostWave = 4;

// (1/r d/dr)ⁿ of a function of r, n = 0 … 3.
struct Radial {
  double f[4];
};

// Of erfc(αr) / r, or of erf(αr) / r with sign −1: each from the one before.
Radial radial_by_steps(double r2, double first, double sign) {
  Radial radial;
  double term = 2 * kAlpha / std::sqrt(std::numbers::pi) * std::exp(-kAlpha * kAlpha * r2) * sign;
  radial.f[0] = first;
  for (int n = 1; n < 4; ++n) {
    radial.f[n] = -((2 * n - 1) * radial.f[n - 1] + term) / r2;
    term *= -2 * kAlpha * kAlpha;
  }
  return radial;
}

Radial of_image(double r2) {
  const double r = std::sqrt(r2);
  return radial_by_steps(r2, std::erfc(kAlpha * r) / r, 1);
}

// The mass itself: what the other sum has of it. Near it by the power series of erf.
Radial of_mass(double r2) {
  const double r = std::sqrt(r2), x2 = kAlpha * kAlpha * r2;
  if (x2 > 1) return radial_by_steps(r2, std::erf(kAlpha * r) / r, -1);
  Radial radial{};
  double factor = 2 * kAlpha / std::sqrt(std::numbers::pi);
  for (int n = 0; n < 4; ++n) {
    double power = factor;
    for (int k = n; k < n + 24; ++k) {
      radial.f[n] += power / (2 * k + 1);
      power *= -x2 / (k - n + 1);
    }
    factor *= -2 * kAlpha * kAlpha;
  }
  return radial;
}

void add_radial(Derivatives<double>& to, const double (&d)[3], const Radial& radial,
                double weight) {
  const double* const f = radial.f;
  double* v = to.value;
  *v++ += weight * f[0];
  for (const double x : d) *v++ += weight * x * f[1];
  for (int a = 0; a < 3; ++a)
    for (int b = a; b < 3; ++b) *v++ += weight * ((a == b ? f[1] : 0) + d[a] * d[b] * f[2]);
  for (int a = 0; a < 3; ++a)
    for (int b = a; b < 3; ++b)
      for (int c = b; c < 3; ++c) {
        const double mixed = (a == b ? d[c] : 0) + (a == c ? d[b] : 0) + (b == c ? d[a] : 0);
        *v++ += weight * (mixed * f[2] + d[a] * d[b] * d[c] * f[3]);
      }
}

void add_wave(Derivatives<double>& to, const double (&d)[3], const int (&wave)[3], double weight) {
  double k[3], phase = 0;
  for (int a = 0; a < 3; ++a) {
    k[a] = 2 * std::numbers::pi * wave[a];
    phase += k[a] * d[a];
  }
  const double even = weight * std::cos(phase), odd = weight * std::sin(phase);
  double* v = to.value;
  *v++ += even;
  for (const double ka : k) *v++ -= ka * odd;
  for (int a = 0; a < 3; ++a)
    for (int b = a; b < 3; ++b) *v++ -= k[a] * k[b] * even;
  for (int a = 0; a < 3; ++a)
    for (int b = a; b < 3; ++b)
      for (int c = b; c < 3; ++c) *v++ += k[a] * k[b] * k[c] * odd;
}

}  // namespace

Derivatives<double> ewald_correction(double x, double y, double z) {
  Derivatives<double> sum{};
  const double at[3] = {x, y, z};
  sum.value[0] = std::numbers::pi / (kAlpha * kAlpha);
  add_radial(sum, at, of_mass(x * x + y * y + z * z), 1);
  for (int i = -kImages; i <= kImages; ++i)
    for (int j = -kImages; j <= kImages; ++j)
      for (int k = -kImages; k <= kImages; ++k) {
        if (i == 0 && j == 0 && k == 0) continue;
        const double d[3] = {x - i, y - j, z - k};
        const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (r2 < kReach * kReach) add_radial(sum, d, of_image(r2), -1);
        const int wave[3] = {i, j, k}, squared = i * i + j * j + k * k;
        if (squared > kMostWave * kMostWave) continue;
        const double falls = std::exp(-std::pow(std::numbers::pi / kAlpha, 2) * squared);
        add_wave(sum, at, wave, -falls / (std::numbers::pi * squared));
      }
  return sum;
}

const std::vector<Derivatives<float>>& ewald_grid() {
  static const std::vector<Derivatives<float>> kGrid = [] {
    constexpr int kSide = EwaldView::kSide;
    std::vector<Derivatives<float>> grid(std::size_t(kSide) * kSide * kSide);
    constexpr double kStep = 1.0 / EwaldView::kPerBox;
    tbb::parallel_for(0, kSide * kSide * kSide, [&](int p) {
      const Derivatives<double> exact = ewald_correction(
          kStep * (p / (kSide * kSide)), kStep * (p / kSide % kSide), kStep * (p % kSide));
      for (int k = 0; k < kDerivatives; ++k) grid[std::size_t(p)].value[k] = float(exact.value[k]);
    });
    return grid;
  }();
  return kGrid;
}

}  // namespace haloscope::compute::gravity
