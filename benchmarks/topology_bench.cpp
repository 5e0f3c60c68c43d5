// Speed of density grids and their merge trees: particles to grid, smoothing, tree, segments.

#include "benchmarks/universe.h"
#include "compute/grids/density_grid.h"
#include "compute/grids/smoothing.h"
#include "compute/topology/merge_tree.h"
#include "compute/topology/persistence.h"
#include "core/error.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <tbb/global_control.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace haloscope;
using namespace haloscope::benchmarks;
using namespace haloscope::compute;

struct BenchSetup {
  std::string file, device = "cuda";
  double box = 128, smoothing = 1;
  std::uint32_t cells = 512;
  int repeats = 3, threads = 0;
  std::vector<int> neighbors{14};
  bool with_triplets = false;
};

// Runs once to warm up, then `repeats` times, and prints each phase.
template <class Run>
void measure(const BenchSetup& setup, const std::string& what, const Run& run) {
  std::map<std::string, std::vector<double>> phases;
  for (int repeat = -1; repeat < setup.repeats; ++repeat) {
    Timings timings;
    {
      const ScopedTimer timer(timings, "all");
      run(timings);
    }
    if (repeat < 0) continue;
    const Timings summed = timings.summed();
    for (const auto& [phase, samples] : summed.samples()) phases[phase].push_back(samples.front());
  }
  fmt::print("{}\n", what);
  for (const auto& [phase, samples] : phases) {
    const Statistics s = statistics(samples);
    fmt::print("  {:16} {:10.2f} ms ({:.2f} to {:.2f})\n", phase, s.median, s.low, s.high);
  }
  std::fflush(stdout);
}

void measure_tree(const BenchSetup& setup, const std::string& name, const Array<float>& values,
                  bool periodic) {
  const Device device = choose_device(setup.device);
  const std::uint32_t n = setup.cells;
  topology::ScalarGrid grid{{{n, n, n}, {periodic, periodic, periodic}},
                            std::span<const float>(values.data(), values.size())};
  Progress progress;
  for (const int neighbors : setup.neighbors) {
    topology::TreeSettings settings;
    settings.connectivity = topology::Connectivity(neighbors);
    const auto tree = topology::make_merge_tree(device, progress);
    measure(setup, fmt::format("merge tree, {} neighbors, {}", neighbors, name),
            [&](Timings& timings) { tree->grow(grid, settings, &timings); });
    fmt::print("  {} branches\n", tree->branches().count());
    for (const auto labeling : {topology::Labeling::Branch, topology::Labeling::Watershed})
      measure(setup, labeling == topology::Labeling::Branch ? "segments by branch" : "by watershed",
              [&](Timings&) { tree->segments({}, labeling); });
    if (!setup.with_triplets) continue;
    measure(setup, "triplets", [&](Timings& timings) {
      topology::make_triplets(device, grid, settings, progress, &timings);
    });
  }
}

void bench(const BenchSetup& setup) {
  std::unique_ptr<tbb::global_control> limit;
  if (setup.threads > 0)
    limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  std::size_t(setup.threads));
  const Universe u = read_universe(setup.file, setup.box);
  const Device device = choose_device(setup.device);
  const std::uint32_t n = setup.cells;
  fmt::print("{} particles, {}³ cells, {}\n", u.count(), n, setup.device);
  grids::GridRequest request;
  const auto& origin = u.domain.origin;
  const double side = u.domain.side;
  request.frame =
      grids::make_frame(u.domain, {{origin[0], origin[1], origin[2]},
                                   {origin[0] + side, origin[1] + side, origin[2] + side},
                                   {n, n, n}});
  grids::GridPoints points;
  points.count = u.count();
  for (std::size_t a = 0; a < 3; ++a) points.position[a] = u.position[a].data();
  Progress progress;
  grids::DensityGrid grid;
  for (const auto assign : {grids::Assign::Nearest, grids::Assign::CloudInCell}) {
    request.assign = assign;
    measure(setup, assign == grids::Assign::Nearest ? "nearest cell" : "cloud in cell",
            [&](Timings& timings) {
              grid = grids::make_density_grid(device, request, {points}, progress);
              timings = grid.timings;
            });
  }
  Array<float> smooth;
  measure(setup, "Gaussian", [&](Timings&) {
    smooth = grids::smooth_grid(device, request.frame,
                                {setup.smoothing, setup.smoothing, setup.smoothing}, grid.values);
  });
  measure_tree(setup, "smoothed", smooth, u.domain.periodic);
  measure_tree(setup, "raw", grid.values, u.domain.periodic);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"haloscope_bench_topology: speed of density grids and merge trees"};
  BenchSetup setup;
  app.add_option("FILE", setup.file, "raw float32 x y z")->required();
  app.add_option("--box", setup.box, "periodic box side")->required();
  app.add_option("--size", setup.cells, "cells along each axis");
  app.add_option("--smooth", setup.smoothing, "width of the Gaussian, in cells");
  app.add_option("--neighbors", setup.neighbors, "6, 14, 18 or 26");
  app.add_flag("--triplets", setup.with_triplets, "the paper's algorithm beside it");
  app.add_option("--device", setup.device, "cuda, cuda:N or cpu");
  app.add_option("--repeat", setup.repeats, "runs measured");
  app.add_option("--threads", setup.threads, "CPU threads; 0: all");
  CLI11_PARSE(app, argc, argv);
  try {
    bench(setup);
  } catch (const std::exception& e) {
    fmt::print(stderr, "haloscope_bench_topology: error: {}\n", e.what());
    return 2;
  }
}
