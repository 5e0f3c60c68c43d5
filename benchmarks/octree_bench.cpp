// Speed of octrees, build by build: the sets of OctreeBuild-LF's paper (Plummer spheres in random
// order, uniform cubes in the order of space), and a file's particles in three orders.

#include "benchmarks/plummer.h"
#include "benchmarks/universe.h"
#include "compute/exec/cpu.h"
#include "compute/spatial/morton_order.inl"
#include "compute/spatial/octree.h"
#include "core/error.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace haloscope;
using namespace haloscope::benchmarks;
using namespace haloscope::compute::spatial;

struct BenchSetup {
  std::string file, device = "cuda";
  double box = 84;
  int repeats = 30, threads = 0;
  std::vector<std::uint32_t> leaf_sizes{1, 64};
  std::vector<int> millions{1, 2, 4, 8, 16};
  std::vector<std::string> builds{"plain", "locked", "lock-free", "shared", "morton"};
  std::vector<std::string> orders{"file", "random", "morton"};
  bool columns = false;
};

const std::vector<std::pair<std::string, OctreeBuild>> kBuilds{{"morton", OctreeBuild::Morton},
                                                               {"lock-free", OctreeBuild::LockFree},
                                                               {"plain", OctreeBuild::Plain},
                                                               {"shared", OctreeBuild::Shared},
                                                               {"locked", OctreeBuild::Locked}};

OctreeBuild build_of(const std::string& name) {
  for (const auto& [word, build] : kBuilds)
    if (word == name) return build;
  throw Error("'" + name + "' is no way to build an octree", "--builds",
              "choose from morton, lock-free, plain, shared, locked");
}

// A lattice in rows, of `n` bodies or a few less.
Axes cube(std::size_t n) {
  auto side = std::size_t(std::cbrt(double(n)));
  while ((side + 1) * (side + 1) * (side + 1) <= n) ++side;
  Axes p;
  for (std::size_t x = 0; x < side; ++x)
    for (std::size_t y = 0; y < side; ++y)
      for (std::size_t z = 0; z < side; ++z) {
        const std::size_t at[3] = {x, y, z};
        for (std::size_t a = 0; a < 3; ++a)
          p[a].push_back(std::uint32_t((double(at[a]) + 0.5) / double(side) * 4294967296.0));
      }
  return p;
}

struct Mean {
  double mean = 0, half = 0;  // width of the 95 % interval
};
Mean mean_of(const std::vector<double>& samples) {
  const auto n = double(samples.size());
  Mean m;
  for (const double s : samples) m.mean += s / n;
  double squares = 0;
  for (const double s : samples) squares += (s - m.mean) * (s - m.mean);
  // Student's t for 29 degrees of freedom; a little narrow for fewer runs.
  if (n > 1) m.half = 2.045 * std::sqrt(squares / (n - 1) / n);
  return m;
}

void measure(OctreeBuilder& builder, std::uint64_t count, const std::string& name,
             std::uint32_t leaf_size, const BenchSetup& setup) {
  OctreeOptions options;
  options.build = build_of(name);
  options.leaf_size = leaf_size;
  std::map<std::string, std::vector<double>> phases;
  std::vector<double> building, all;
  OctreeCounts counts;
  double core_seconds = 0;
  for (int k = -1; k < setup.repeats; ++k) {
    Timings timings;
    const std::clock_t before = std::clock();
    counts = builder.build(options, &timings)->counts();
    if (k < 0) continue;
    core_seconds += double(std::clock() - before) / CLOCKS_PER_SEC / setup.repeats;
    double total = 0, built = 0;
    const Timings summed = timings.summed();
    for (const auto& [phase, samples] : summed.samples()) {
      phases[phase].push_back(samples.front());
      total += samples.front();
      if (phase != "number" && phase != "sums") built += samples.front();
    }
    building.push_back(built);
    all.push_back(total);
  }
  const Mean built = mean_of(building), whole = mean_of(all);
  fmt::print(
      "  {:9} leaves of {:2}: built {:8.3f} ± {:.3f} ms, {:7.1f} M/s; with numbers and sums "
      "{:8.3f} ± {:.3f} ms;",
      name, leaf_size, built.mean, built.half, double(count) / 1e3 / built.mean, whole.mean,
      whole.half);
  for (const auto& [phase, samples] : phases)
    fmt::print(" {} {:.3f}", phase, statistics(samples).median);
  fmt::print("; {:.3f} nodes taken per body, {:.3f} in the tree",
             double(counts.taken) / double(count), double(counts.nodes) / double(count));
  if (setup.device == "cpu")
    fmt::print("; {:.2f} M bodies per core-second with all", double(count) / 1e6 / core_seconds);
  fmt::print("\n");
  std::fflush(stdout);
}

void measure_all(const Axes& p, const std::string& what, const BenchSetup& setup) {
  const std::size_t n = p[0].size();
  fmt::print("{}: {} bodies, {}{}\n", what, n, setup.device, setup.columns ? ", with columns" : "");
  const auto builder = make_octree_builder(haloscope::compute::choose_device(setup.device));
  builder->set_points({p[0].data(), p[1].data(), p[2].data()}, n);
  if (setup.columns) {
    const std::vector<float> ones(n, 1.f);
    const float* const c = ones.data();
    builder->set_columns({c, {c, c, c}, c});
  }
  for (const std::uint32_t leaf_size : setup.leaf_sizes)
    for (const std::string& name : setup.builds)
      if (leaf_size == 1 || name == "morton" || name == "lock-free")
        measure(*builder, n, name, leaf_size, setup);
}

void bench_sets(const BenchSetup& setup) {
  for (const int millions : setup.millions) {
    const std::size_t n = std::size_t(millions) << 20;
    measure_all(plummer(n), "Plummer, random order", setup);
    measure_all(cube(n), "uniform cube, in rows", setup);
  }
}

void bench_file(const BenchSetup& setup) {
  const Universe u = read_universe(setup.file, setup.box);
  const std::size_t n = u.count();
  for (const std::string& order : setup.orders) {
    std::vector<std::uint32_t> index(n);
    for (std::size_t i = 0; i < n; ++i) index[i] = std::uint32_t(i);
    if (order == "random") {
      std::shuffle(index.begin(), index.end(), std::mt19937(21));
    } else if (order == "morton") {
      haloscope::compute::Cpu exec;
      const auto sorted =
          morton_order(exec, {u.position[0].data(), u.position[1].data(), u.position[2].data()}, n);
      index.assign(sorted.data(), sorted.data() + n);
    } else if (order != "file") {
      throw Error("'" + order + "' is no order", "--orders", "choose from file, random, morton");
    }
    Axes p;
    for (std::size_t a = 0; a < 3; ++a) {
      p[a].resize(n);
      tbb::parallel_for(std::size_t(0), n,
                        [&](std::size_t i) { p[a][i] = u.position[a][index[i]]; });
    }
    measure_all(p, setup.file + ", " + order + " order", setup);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"haloscope_bench_octree: speed of octrees"};
  BenchSetup setup;
  app.add_option("FILE", setup.file, "raw float32 x y z; without one: the paper's sets");
  app.add_option("--box", setup.box, "periodic box side of the file");
  app.add_option("--device", setup.device, "cuda, cuda:N or cpu");
  app.add_option("--repeat", setup.repeats, "runs measured");
  app.add_option("--threads", setup.threads, "CPU threads; 0: all");
  app.add_option("--leaf-size", setup.leaf_sizes, "most bodies of a leaf");
  app.add_option("--millions", setup.millions, "of 1048576 bodies, of the paper's sets");
  app.add_option("--builds", setup.builds, "morton, lock-free, plain, shared, locked");
  app.add_option("--orders", setup.orders, "of the file's particles: file, random, morton");
  app.add_flag("--columns", setup.columns, "with masses, light and lengths");
  CLI11_PARSE(app, argc, argv);
  try {
    std::unique_ptr<tbb::global_control> limit;
    if (setup.threads > 0)
      limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                    std::size_t(setup.threads));
    if (setup.file.empty())
      bench_sets(setup);
    else
      bench_file(setup);
  } catch (const std::exception& e) {
    fmt::print(stderr, "haloscope_bench_octree: error: {}\n", e.what());
    return 2;
  }
}
