#include "analysis/halos/mass_function.h"

#include "analysis/halos/halo_search.h"
#include "analysis/halos/mass_function_plot.h"
#include "tests/catch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

// Halos counted by mass, with the limits that so many counts allow.

using namespace haloscope::analysis;

namespace {

// Σ_{k ≤ n} λᵏ e^−λ / k!: the chance of n or fewer where λ are expected.
double chance_of_at_most(std::uint64_t n, double mean) {
  double term = std::exp(-mean), sum = term;
  for (std::uint64_t k = 1; k <= n; ++k) sum += term *= mean / double(k);
  return sum;
}

std::uint64_t all(const MassFunction& f) {
  std::uint64_t count = 0;
  for (const MassBin& bin : f.bins) count += bin.count;
  return count;
}

// Two halos of these masses, in which dark matter of mass 4 is linked and such gas attached.
MassFunction of_members(const std::vector<float>& gas, bool attached, const char* unit = "Msun") {
  HaloSearch search;
  search.linked = {1};
  if (attached) search.attached = {0};
  search.particles.types.resize(2);
  search.particles.types[0].type = 0;
  search.particles.types[0].count = gas.size();
  search.particles.types[0].mass = haloscope::Array<float>(gas.size());
  std::copy(gas.begin(), gas.end(), search.particles.types[0].mass.begin());
  search.particles.types[1].type = 1;
  search.particles.types[1].count = 500;
  search.particles.types[1].uniform_mass = 4;
  haloscope::HaloTable table;
  table.count = 2;
  haloscope::CatalogColumn mass;
  mass.name = "Mass";
  mass.unit = unit;
  mass.values = std::vector<double>{45, 300};
  table.columns = {mass};
  table.roles[haloscope::HaloRole::Mass] = {"Mass"};
  return mass_function(table, search, {}, 10);
}

}  // namespace

TEST_CASE("no halo is lighter than the line of the fewest members", "[halos]") {
  const MassFunction alone = of_members({0.5f, 2}, false);
  CHECK(alone.least_mass == 40);
  CHECK(alone.one_mass);
  CHECK(mass_function_plot(alone, 10, {}).marks.at(0).name == "10 members");
  // A halo may be of attached gas but for one particle.
  const MassFunction mixed = of_members({0.5f, 2}, true);
  CHECK(mixed.least_mass == 5);
  CHECK_FALSE(mixed.one_mass);
  const Plot plot = mass_function_plot(mixed, 10, {});
  CHECK(plot.marks.at(0).name == "10 lightest particles");
  CHECK(plot.caption.find("10 lightest particles, 5 Msun: no halo is lighter.") !=
        std::string::npos);
  for (const PlotPoint& point : plot.layers.at(0).points)
    CHECK((point.y == 0 || point.x_high > plot.marks[0].at));
  CHECK(of_members({4, 4}, true).one_mass);
  CHECK(of_members({4, 4}, true, "1e10 Msun/h").least_mass == Approx(4e11));
  // Without a mass of its own a particle tells nothing.
  CHECK(of_members({0, 2}, true).least_mass == 0);
  CHECK(mass_function_plot(of_members({0, 2}, true), 10, {}).marks.empty());
}

TEST_CASE("a bin that begins below the fewest members is told", "[halos]") {
  MassFunction function = bin_masses(std::vector<double>{1.2e12, 3e13}, 1e6, 0.2);
  function.least_mass = 1.1e12;
  CHECK(mass_function_plot(function, 32, {}).caption.find("the bin there is incomplete") !=
        std::string::npos);
  function.least_mass = 0.9e12;
  CHECK(mass_function_plot(function, 32, {}).caption.find("incomplete") == std::string::npos);
}

TEST_CASE("limits of small counts are those of the Poisson distribution", "[halos]") {
  // One tail of a Gaussian beyond one standard deviation.
  constexpr double kTail = 0.15866;
  for (const std::uint64_t n : {0, 1, 2, 3, 5, 10, 30, 100, 500}) {
    const auto [lower, upper] = poisson_limits(n);
    INFO(n << ": " << lower << " to " << upper);
    CHECK(chance_of_at_most(n, upper * 0.985) > kTail);
    CHECK(chance_of_at_most(n, upper * 1.015) < kTail);
    if (n == 0) {
      CHECK(lower == 0);
      continue;
    }
    CHECK(1 - chance_of_at_most(n - 1, lower * 0.985) < kTail);
    CHECK(1 - chance_of_at_most(n - 1, lower * 1.015) > kTail);
  }
  // Gehrels (1986), tables 1 and 2.
  CHECK(poisson_limits(10)[1] == Approx(14.27).epsilon(0.002));
  CHECK(poisson_limits(10)[0] == Approx(6.891).epsilon(0.002));
}

TEST_CASE("halos are counted by mass, per volume and decade", "[halos]") {
  const std::vector<double> masses{1e10, 1.1e10, 1.2e10, 9e10, 2e12};
  const MassFunction f = bin_masses(masses, 1000, 0.2);
  REQUIRE(f.bins.size() == 12);
  CHECK(f.bins.front().low == Approx(10));
  CHECK(f.bins.front().count == 3);
  CHECK(f.bins[4].count == 1);
  CHECK(f.bins[5].count == 0);
  CHECK(f.bins.back().count == 1);
  CHECK(all(f) == masses.size());
  CHECK(f.bins.front().value == Approx(3 / (1000 * 0.2)));
  CHECK(f.bins.front().lower == Approx(poisson_limits(3)[0] / 200));
  CHECK(f.bins.front().upper == Approx(poisson_limits(3)[1] / 200));
  // The integral over log M is the number of halos per volume.
  double sum = 0;
  for (const MassBin& bin : f.bins) sum += bin.value * (bin.high - bin.low);
  CHECK(sum == Approx(5. / 1000));
  CHECK(bin_masses(masses, 0, 0.2).bins.front().value == Approx(15));
}

TEST_CASE("few, equal and impossible masses have a mass function too", "[halos]") {
  CHECK(bin_masses({}, 1, 0.2).bins.empty());
  const std::vector<double> one{3e11};
  CHECK(bin_masses(one, 1, 0.2).bins.size() == 1);
  const std::vector<double> same(1000, 1e3);
  REQUIRE(bin_masses(same, 1, 0.2).bins.size() == 1);
  CHECK(bin_masses(same, 1, 0.2).bins.front().low == Approx(3));
  CHECK(bin_masses(same, 1, 0.2).bins.front().count == 1000);
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> odd{0, -1, none, std::numeric_limits<double>::infinity(), 5};
  CHECK(all(bin_masses(odd, 1, 0.2)) == 1);
  const std::vector<double> far{1e-300, 1e300};
  CHECK(bin_masses(far, 1, 0.2).bins.size() < 5000);
}
