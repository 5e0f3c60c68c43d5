// Speed and errors of potentials by a tree: a file's particles in their box, alone and with their
// images, and Plummer spheres alone.

#include "benchmarks/measure.h"
#include "benchmarks/plummer.h"
#include "benchmarks/universe.h"
#include "compute/gravity/direct_potential.h"
#include "compute/gravity/tree_potential.h"
#include "core/error.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace haloscope;
using namespace haloscope::benchmarks;
using namespace haloscope::compute::gravity;
using haloscope::compute::Device;

struct BenchSetup {
  std::string file;
  std::vector<std::string> devices{"cuda"}, images{"none", "ewald"};
  double box = 84, softening = 1.0 / 40;
  int repeats = 10, targets = 10000;
  std::vector<int> millions{1, 4};
  std::vector<double> accuracies{1e-3};
  double opening = TreePotentialOptions().opening_angle;
  std::uint32_t leaf_size = TreePotentialOptions().leaf_size;
};

Images images_of(const std::string& word) {
  if (word == "none") return Images::None;
  if (word == "ewald") return Images::Ewald;
  if (word == "nearest") return Images::Nearest;
  throw Error("'" + word + "' are no images", "--images", "choose from none, ewald, nearest");
}

struct Bodies {
  Domain domain;
  std::array<const std::uint32_t*, 3> position;
  std::uint64_t count;
};

double root_mean_square(const std::vector<float>& potential) {
  double sum = 0;
  for (const float p : potential) sum += double(p) * double(p);
  return std::sqrt(sum / double(potential.size()));
}

void print_errors(const compute::spatial::PointSet& points, const Bodies& bodies,
                  const TreePotentialOptions& options, const std::vector<float>& potential,
                  int number) {
  if (number == 0) return;
  std::mt19937_64 random(22);
  std::vector<DirectTarget> targets;
  for (int k = 0; k < number; ++k) {
    const auto i = std::size_t(random() % bodies.count);
    targets.push_back(
        {bodies.position[0][i], bodies.position[1][i], bodies.position[2][i], std::uint32_t(i)});
  }
  Timings timings;
  std::vector<double> direct;
  {
    const ScopedTimer timer(timings, "direct");
    direct = direct_potentials(points, nullptr, options, targets);
  }
  const double scale = root_mean_square(potential);
  std::vector<double> errors;
  double mean = 0;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const double error = (double(potential[targets[k].row]) - direct[k]) / scale;
    mean += error / double(targets.size());
    errors.push_back(std::abs(error));
  }
  std::sort(errors.begin(), errors.end());
  const std::size_t n = errors.size();
  fmt::print(
      "  errors over the rms of {:.5g} at {} random bodies: median {:.2e}, 99 % {:.2e}, largest "
      "{:.2e}, mean {:+.2e} (direct sums took {:.0f} ms)\n",
      scale, n, errors[n / 2], errors[n * 99 / 100], errors[n - 1], mean, timings.median("direct"));
}

void measure_one(const Bodies& bodies, const std::string& what, const std::string& device,
                 const std::string& images, double accuracy, const BenchSetup& setup) {
  TreePotentialOptions options;
  options.images = images_of(images);
  options.accuracy = accuracy;
  options.opening_angle = setup.opening;
  options.leaf_size = setup.leaf_size;
  // A part of the mean distance between bodies, as Plummer equivalent softening.
  options.softening_support =
      2.8 * setup.softening * bodies.domain.side / std::cbrt(double(bodies.count));
  const Device where = compute::choose_device(device);
  const auto points =
      compute::spatial::place_points(where, bodies.domain, bodies.position, bodies.count);
  const auto tree = make_tree_potential(where);
  tree->set_bodies(points, nullptr);
  std::vector<float> potential(bodies.count), before;
  TreePotentialCounts counts;
  bool same = true;
  fmt::print("{}: {} bodies, {}, images: {}, accuracy {}\n", what, bodies.count, device, images,
             accuracy);
  measure(setup.repeats, [&](Timings& timings) {
    counts = tree->sum(options, potential.data(), &timings);
    if (before.empty()) before = potential;
    same = same && before == potential;
  });
  fmt::print("  a body has {:.0f} terms of cells and {:.0f} of bodies; the bits of all runs {}\n",
             double(counts.cell_terms) / double(counts.bodies),
             double(counts.body_terms) / double(counts.bodies), same ? "are the same" : "DIFFER");
  print_errors(*points, bodies, options, potential, setup.targets);
  std::fflush(stdout);
}

void measure_all(const Bodies& bodies, const std::string& what,
                 const std::vector<std::string>& images, const BenchSetup& setup) {
  for (const std::string& device : setup.devices)
    for (const std::string& word : images)
      for (const double accuracy : setup.accuracies)
        measure_one(bodies, what, device, word, accuracy, setup);
}

void bench(const BenchSetup& setup) {
  if (!setup.file.empty()) {
    const Universe u = read_universe(setup.file, setup.box);
    measure_all(
        {u.domain, {u.position[0].data(), u.position[1].data(), u.position[2].data()}, u.count()},
        setup.file, setup.images, setup);
    return;
  }
  for (const int millions : setup.millions) {
    const Axes p = plummer(std::size_t(millions) * 1000000);
    measure_all({{}, {p[0].data(), p[1].data(), p[2].data()}, p[0].size()}, "Plummer", {"none"},
                setup);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"haloscope_bench_potential: speed and errors of potentials by a tree"};
  BenchSetup setup;
  app.add_option("FILE", setup.file, "raw float32 x y z; without one: Plummer spheres");
  app.add_option("--box", setup.box, "periodic box side of the file");
  app.add_option("--device", setup.devices, "cuda, cuda:N, cpu")->delimiter(',');
  app.add_option("--images", setup.images, "of the file: none, ewald, nearest")->delimiter(',');
  app.add_option("--repeat", setup.repeats, "runs measured");
  app.add_option("--targets", setup.targets,
                 "bodies whose potentials are summed directly; 0: none");
  app.add_option("--accuracy", setup.accuracies, "errors that are asked for")->delimiter(',');
  app.add_option("--opening", setup.opening, "largest opening angle");
  app.add_option("--leaf-size", setup.leaf_size, "most bodies of a leaf");
  app.add_option("--softening", setup.softening,
                 "Plummer equivalent, in mean distances between bodies");
  app.add_option("--millions", setup.millions, "bodies of the Plummer spheres")->delimiter(',');
  CLI11_PARSE(app, argc, argv);
  try {
    bench(setup);
  } catch (const std::exception& e) {
    fmt::print(stderr, "haloscope_bench_potential: error: {}\n", e.what());
    return 2;
  }
}
