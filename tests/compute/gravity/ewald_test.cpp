// What images add to the potential of a mass: its known values, its derivatives, and the grid.

#include "compute/gravity/ewald.h"

#include "tests/catch.h"

#include <cmath>
#include <random>

using namespace haloscope::compute::gravity;

namespace {

// Of the mass and all its images.
double potential_at(double x, double y, double z) {
  return ewald_correction(x, y, z).value[0] - 1 / std::sqrt(x * x + y * y + z * z);
}

}  // namespace

TEST_CASE("the images of a mass add what is known of a cubic lattice", "[gravity]") {
  // Of a lattice of charges in their background (Placzek, Nijboer, Van Hove 1951).
  const Derivatives<double> at_mass = ewald_correction(0, 0, 0);
  CHECK(at_mass.value[0] == Approx(2.8372974794806).epsilon(1e-12));
  // The background's density is all that is left of Poisson's equation.
  for (const double x : {0.0, 0.1, 0.45}) {
    const Derivatives<double> d = ewald_correction(x, 0.3, -0.2);
    CHECK(d.value[4] + d.value[7] + d.value[9] == Approx(-4 * M_PI).epsilon(1e-10));
  }
  // Eight masses in the corners of a cell are one lattice of half the side.
  double sum = ewald_correction(0, 0, 0).value[0];
  for (int corner = 1; corner < 8; ++corner)
    sum += potential_at(corner & 1 ? 0.5 : 0, corner & 2 ? 0.5 : 0, corner & 4 ? 0.5 : 0);
  CHECK(sum == Approx(2 * 2.8372974794806).epsilon(1e-11));
}

TEST_CASE("the potential of a mass and its images is periodic", "[gravity]") {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> some(0.1, 0.9);
  for (int k = 0; k < 50; ++k) {
    const double x = some(random), y = some(random), z = some(random);
    const double here = potential_at(x, y, z);
    CHECK(std::abs(potential_at(x - 1, y, z) - here) < 1e-10);
    CHECK(std::abs(potential_at(x - 1, y - 1, z) - here) < 1e-10);
    CHECK(std::abs(potential_at(x, y - 1, -z) - here) < 1e-10);
  }
}

TEST_CASE("derivatives of what images add are those of differences", "[gravity]") {
  // Of each derivative the axis and the derivative of which it is one.
  constexpr int kOf[kDerivatives][2] = {{0, 0}, {0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}, {2, 1},
                                        {1, 2}, {2, 2}, {2, 3}, {0, 4}, {1, 4}, {2, 4}, {1, 5},
                                        {2, 5}, {2, 6}, {1, 7}, {2, 7}, {2, 8}, {2, 9}};
  constexpr double kStep = 1e-4;
  for (const double scale : {0.02, 0.3, 0.7}) {
    const double at[3] = {scale, 0.6 * scale, -0.8 * scale};
    const Derivatives<double> exact = ewald_correction(at[0], at[1], at[2]);
    for (int k = 1; k < kDerivatives; ++k) {
      double side[2];
      for (int s = 0; s < 2; ++s) {
        double moved[3] = {at[0], at[1], at[2]};
        moved[kOf[k][0]] += s ? kStep : -kStep;
        side[s] = ewald_correction(moved[0], moved[1], moved[2]).value[kOf[k][1]];
      }
      INFO("derivative " << k << ", scale " << scale);
      CHECK(std::abs((side[1] - side[0]) / (2 * kStep) - exact.value[k]) < 3e-5);
    }
  }
}

TEST_CASE("the grid gives what images add up to beyond half a box", "[gravity]") {
  const EwaldView view{ewald_grid().data()};
  std::mt19937 random(2);
  std::uniform_real_distribution<float> some(-0.65f, 0.65f);
  double worst[4] = {};
  for (int n = 0; n < 2000; ++n) {
    const float x = some(random), y = some(random), z = some(random);
    const Derivatives<float> found = view.at(x, y, z);
    const Derivatives<double> exact = ewald_correction(double(x), double(y), double(z));
    for (int k = 0; k < kDerivatives; ++k) {
      double& of_order = worst[k == 0 ? 0 : k < 4 ? 1 : k < 10 ? 2 : 3];
      of_order = std::max(of_order, std::abs(double(found.value[k]) - exact.value[k]));
    }
  }
  // The remainder of third order at half a step of the grid along all axes, with the derivatives
  // that ψ has next to another image.
  CHECK(worst[0] < 2e-5);
  CHECK(worst[1] < 4e-3);
  CHECK(worst[2] < 0.6);
  CHECK(worst[3] < 80);
}
