#include "app/cli/selftest/checks.h"
#include "app/cli/selftest/made_particles.h"
#include "compute/halos/halo_finder.h"
#include "compute/halos/properties/properties.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

namespace haloscope::app::cli {

namespace {

namespace halos = compute::halos;

// A fifth of the mean distance of 20,000 particles, and DBSCAN's minPts at that length.
constexpr double kLinkingLength = 0.2 / 27.144;
constexpr int kMinPoints = 8;

// The figures: clusters, and points in them.
Result cluster(int min_points, compute::clusters::Algorithm algorithm, compute::Device device) {
  const MadeParticles made = make_particles();
  const auto clustering = compute::clusters::make_clustering(device);
  clustering->set_points(made.domain, made.positions(), made.count());
  Timings timings;
  clustering->run({kLinkingLength, min_points, algorithm}, timings);
  Result result;
  result.exact = clustering->labels();
  std::set<std::uint32_t> clusters(result.exact.begin(), result.exact.end());
  clusters.erase(compute::clusters::kNoise);
  const auto noise =
      std::count(result.exact.begin(), result.exact.end(), compute::clusters::kNoise);
  result.figures = {double(clusters.size()), double(result.exact.size()) - double(noise)};
  return result;
}

// The figure: the mean distance to the 32nd neighbor.
Result neighbors(compute::Device device) {
  const MadeParticles made = make_particles();
  const auto tree = compute::spatial::make_neighbors(device);
  tree->set_points(made.positions(), made.count());
  Result result;
  double sum = 0;
  for (const float squared : tree->kth_squared_distance(32)) {
    result.exact.push_back(std::bit_cast<std::uint32_t>(squared));
    sum += std::sqrt(double(squared)) * made.domain.step();
  }
  result.figures = {sum / double(made.count())};
  return result;
}

halos::HaloParticles as_halo_particles(const MadeParticles& made) {
  halos::HaloParticles all;
  all.domain = made.domain;
  halos::HaloParticles::Type type;
  type.type = 1;
  type.count = made.count();
  type.position = made.positions();
  for (std::size_t axis = 0; axis < 3; ++axis) type.velocity[axis] = made.velocity[axis].data();
  type.mass = made.weight.data();
  all.types = {type};
  return all;
}

// G = 1 and a critical density of 1/10 of the mean one, with half of it in matter.
halos::HaloPhysics physics_of(const MadeParticles& made) {
  halos::HaloPhysics physics;
  physics.gravity = 1;
  physics.hubble0 = physics.hubble_now =
      std::sqrt(double(made.count()) / 10 * 8 * std::acos(-1.0) / 3);
  physics.omega_matter = physics.omega_lambda = 0.5;
  physics.softening = 1e-4;
  return physics;
}

// Halos found on the device, measured on the CPU. The figures: how many, and of the three largest
// mass, center, potential, R200, dispersion, spin and shape.
Result properties(compute::Device device, Progress& progress) {
  const MadeParticles made = make_particles();
  halos::FinderInput input;
  input.domain = made.domain;
  halos::FinderInput::Kind kind;
  kind.count = made.count();
  kind.position = made.positions();
  input.kinds = {kind};
  auto tools = halos::finder_tools(device);
  tools.progress = &progress;
  Timings timings;
  const halos::HaloMembership members = halos::find_halos(
      tools, input, {{kLinkingLength, 2, compute::clusters::Algorithm::Auto}, 32}, timings);
  const halos::HaloProperties p =
      halos::measure_halos(as_halo_particles(made), members, physics_of(made), progress);
  Result result;
  result.exact.assign(members.rows.begin(), members.rows.end());
  result.figures = {double(p.count())};
  for (std::size_t halo = 0; halo < std::min<std::size_t>(3, p.count()); ++halo)
    for (const double figure :
         {p.mass[halo], p.most_bound_position[halo][0], p.center_of_mass[halo][1],
          p.potential[halo], p.sphere[halo].radius[halos::Critical200], p.v_max[halo],
          p.velocity_dispersion[halo], p.spin[halo], p.b_to_a[halo]})
      result.figures.push_back(figure);
  return result;
}

Check clusters(const std::string& name, int min_points, compute::clusters::Algorithm algorithm,
               const Stored& stored) {
  return {name,
          [min_points, algorithm](compute::Device device, Progress&) {
            return cluster(min_points, algorithm, device);
          },
          stored};
}

}  // namespace

std::vector<Check> search_checks() {
  using compute::clusters::Algorithm;
  const std::pair<const char*, Algorithm> algorithms[] = {{"FDBSCAN", Algorithm::FdbScan},
                                                          {"DenseBox", Algorithm::DenseBox},
                                                          {"a grid", Algorithm::Grid}};
  const Stored friends{0xa83bab67baa12d4, {117, 10124}}, dbscan{0xc68dc74cf457b93b, {8, 9806}};
  std::vector<Check> all;
  for (const auto& [name, algorithm] : algorithms) {
    all.push_back(clusters(std::string("friends-of-friends by ") + name, 2, algorithm, friends));
    all.push_back(clusters(std::string("DBSCAN by ") + name, kMinPoints, algorithm, dbscan));
  }
  all.push_back({"distance to the 32nd neighbor",
                 [](compute::Device device, Progress&) { return neighbors(device); },
                 {0x5d4d5915f03f4407, {0.0479201059252}}});
  all.push_back({"halos and their properties",
                 properties,
                 {0x804359c85adb40ff,
                  {8,
                   5052.00187165,
                   0.000686921877787,
                   0.999985555935,
                   -437665.212106,
                   0.145642939921,
                   452.914088034,
                   0.574575408061,
                   6.68281584971e-06,
                   0.993636781129,
                   2550.70054036,
                   0.905603105435,
                   0.604851691975,
                   -222251.379162,
                   0.116109346148,
                   322.554864532,
                   0.578351578207,
                   1.29885831824e-05,
                   0.955986307089,
                   1183.06072634,
                   0.0865028910339,
                   0.0650183088808,
                   -101801.600066,
                   0.0901055044306,
                   219.903610687,
                   0.577473911245,
                   3.0373647372e-05,
                   0.958657297902}}});
  return all;
}

}  // namespace haloscope::app::cli
