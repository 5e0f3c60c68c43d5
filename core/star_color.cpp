#include "core/star_color.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace haloscope {

namespace {

constexpr double kSunKelvin = 5772, kSunGyr = 10, kGiantKelvin = 3900;
constexpr double kMetalPower = -0.03;
constexpr double kFewestMetals = 0.01, kMostMetals = 5;  // of the Sun's

double metal_factor(double metals) {
  const double solar = std::clamp(metals / kSolarMetals, kFewestMetals, kMostMetals);
  return std::pow(std::isnan(solar) ? 1 : solar, kMetalPower);
}

// A Gaussian with another width on each side of its middle; nm.
double lobe(double wave, double middle, double below, double above) {
  const double t = (wave - middle) / (wave < middle ? below : above);
  return std::exp(-t * t / 2);
}

struct Xyz {
  double x = 0, y = 0, z = 0;
};

Xyz matching(double wave) {
  return {1.056 * lobe(wave, 599.8, 37.9, 31.0) + 0.362 * lobe(wave, 442.0, 16.0, 26.7) -
              0.065 * lobe(wave, 501.1, 20.4, 26.2),
          0.821 * lobe(wave, 568.8, 46.9, 40.5) + 0.286 * lobe(wave, 530.9, 16.3, 31.1),
          1.217 * lobe(wave, 437.0, 11.8, 36.0) + 0.681 * lobe(wave, 459.0, 26.0, 13.8)};
}

// Proportional to the energy per wavelength of a black body; nm, K.
double planck(double wave, double kelvin) {
  constexpr double kSecondConstant = 1.438776877e7;  // h c / k, nm K
  const double w = wave / 500;
  return 1 / (w * w * w * w * w * std::expm1(kSecondConstant / (wave * kelvin)));
}

// The colors between two temperatures, at even steps of their logarithm.
class BlackBodies {
 public:
  BlackBodies() {
    for (std::size_t k = 0; k < kNodes; ++k)
      colors_.push_back(black_body_color(kColdest * std::exp(double(k) * kStep)));
  }
  std::array<double, 3> at(double kelvin) const {
    const double place = std::clamp(std::log(kelvin / kColdest) / kStep, 0., double(kNodes - 1));
    const std::size_t k = std::min(std::size_t(place), kNodes - 2);
    std::array<double, 3> color;
    for (std::size_t c = 0; c < 3; ++c)
      color[c] = colors_[k][c] + (place - double(k)) * (colors_[k + 1][c] - colors_[k][c]);
    return color;
  }

 private:
  static constexpr std::size_t kNodes = 256;
  static constexpr double kColdest = 2500, kStep = 0.0125;  // up to 60,000 K
  std::vector<std::array<double, 3>> colors_;
};

}  // namespace

double turnoff_temperature(double gyr, double metals) {
  return kSunKelvin * std::pow(gyr / kSunGyr, -0.19) * metal_factor(metals);
}

double giant_temperature(double metals) {
  return kGiantKelvin * metal_factor(metals);
}

double giant_share(double gyr) {
  return 0.75 * gyr / (gyr + 1);
}

std::array<double, 3> black_body_color(double kelvin) {
  Xyz sum;
  for (double wave = 380; wave <= 780; wave += 5) {
    const double light = planck(wave, kelvin);
    const Xyz seen = matching(wave);
    sum.x += light * seen.x;
    sum.y += light * seen.y;
    sum.z += light * seen.z;
  }
  const double x = sum.x / sum.y, z = sum.z / sum.y;
  // IEC 61966-2-1; colors beyond its gamut lose what they lack.
  return {std::max(0., 3.2406 * x - 1.5372 - 0.4986 * z),
          std::max(0., -0.9689 * x + 1.8758 + 0.0415 * z),
          std::max(0., 0.0557 * x - 0.2040 + 1.0570 * z)};
}

std::array<float, 3> star_color(double gyr, double metals) {
  static const BlackBodies bodies;
  const double age = std::max(gyr, kYoungestGyr);
  const auto hot = bodies.at(turnoff_temperature(age, metals));
  const auto cool = bodies.at(giant_temperature(metals));
  const double share = giant_share(age);
  std::array<double, 3> mixed;
  for (std::size_t c = 0; c < 3; ++c) mixed[c] = (1 - share) * hot[c] + share * cool[c];
  const double most = std::max({mixed[0], mixed[1], mixed[2]});
  return {float(mixed[0] / most), float(mixed[1] / most), float(mixed[2] / most)};
}

}  // namespace haloscope
