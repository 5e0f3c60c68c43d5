// Speed of density grids and their merge trees: particles to grid, smoothing, tree, segments.

#include "benchmarks/colored_points.h"
#include "benchmarks/fields.h"
#include "benchmarks/grid_trees_over_gpus.h"
#include "benchmarks/measure.h"
#include "benchmarks/set_trees.h"
#include "compute/grids/grid_frame.h"
#include "compute/grids/resident_grid.h"
#include "compute/spatial/points.h"
#include "compute/topology/merge_tree.h"
#include "compute/topology/persistence.h"
#include "core/error.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace haloscope;
using namespace haloscope::benchmarks;
using namespace haloscope::compute;

struct BenchSetup : SetTrees {
  std::string file;
  std::string device;  // that is measured now
  double box = 0, smoothing = 1;
  std::uint32_t cells = 512;
  bool with_triplets = false, with_thresholds = false;
};

// Where the particles are in the grid, and as a picture's, where thresholds are dragged.
struct Particles {
  std::vector<std::uint32_t> cell;
  std::unique_ptr<splotch::Renderer> drawn;
};

Particles particles_of(const Universe& u, const grids::GridFrame& frame, Device device) {
  Particles particles;
  particles.drawn = draw_points(u, device);
  particles.cell.resize(u.count());
  tbb::parallel_for(std::size_t(0), u.count(), [&](std::size_t i) {
    std::uint64_t at[3]{};
    for (int a = 0; a < 3; ++a) {
      const double place = frame.place(a, u.position[std::size_t(a)][i]);
      frame.cell(a, std::int64_t(std::floor(place)), at[a]);
    }
    particles.cell[i] = std::uint32_t(frame.at(at[0], at[1], at[2]));
  });
  return particles;
}

// The time of what has no phases of its own.
template <class Run>
void measure_whole(const BenchSetup& setup, const std::string& name, const Run& run) {
  fmt::print("{}\n", name);
  measure(setup.repeats, [&](Timings& timings) {
    const ScopedTimer timer(timings, "all");
    run();
  });
}

// The threshold that so large a part of all pairs lies below.
double persistence_of_part(const topology::Branches& all, double part) {
  std::vector<double> values;
  for (std::size_t b = 0; b < all.count(); ++b)
    if (all.saddle[b] != topology::kNoCell)
      values.push_back(topology::difference_of(all.kind, all.birth[b], all.death[b]));
  if (values.empty()) return 0;
  const auto at = values.begin() + std::ptrdiff_t(part * double(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// Thresholds that are dragged: labels and colors of all particles at each.
void measure_thresholds(const BenchSetup& setup, topology::MergeTree& tree,
                        const Particles& particles) {
  for (const auto labeling : {topology::Labeling::Branch, topology::Labeling::Watershed}) {
    tree.keep_points(particles.cell, labeling);
    for (const double part : {0., 0.5, 0.9, 0.99, 0.999}) {
      const topology::Simplification simplification{topology::Simplification::Measure::Difference,
                                                    persistence_of_part(tree.branches(), part)};
      fmt::print("  {}, {:5.1f} % of all pairs are noise: ",
                 labeling == topology::Labeling::Branch ? "branch" : "watershed", 100 * part);
      std::size_t segments = 0;
      measure_colors(*particles.drawn, 2 * setup.repeats, [&] {
        auto found = tree.segment_points(simplification);
        segments = found.count;
        return found.labels;
      });
      fmt::print("; {} segments\n", segments);
    }
  }
}

// From values that lie on the device to what stays there.
void measure_tree(const BenchSetup& setup, const std::string& name,
                  const grids::ResidentGrid& values, bool periodic, const Particles& particles) {
  const Device device = choose_device(setup.device);
  const std::uint32_t n = setup.cells;
  const topology::GridShape shape{{n, n, n}, {periodic, periodic, periodic}};
  Progress progress;
  for (const int neighbors : setup.neighbors) {
    topology::TreeSettings settings;
    settings.connectivity = topology::Connectivity(neighbors);
    const auto tree = topology::make_merge_tree(device, progress);
    fmt::print("merge tree, {} neighbors, {}\n", neighbors, name);
    measure(setup.repeats, [&](Timings& timings) {
      tree->grow_in_place(shape, values.values(), settings, &timings);
    });
    measure_whole(setup, "tree and watershed", [&] {
      tree->grow_in_place(shape, values.values(), settings);
      tree->segments_in_place({}, topology::Labeling::Watershed);
    });
    const auto segments = tree->segments_in_place({}, topology::Labeling::Watershed).count;
    fmt::print("  {} segments; {:.2f} GB on the device at most until now, {:.1f} B a cell\n",
               segments, double(tree->peak_device_memory()) / 1e9,
               double(tree->peak_device_memory()) / double(shape.count()));
    // Labels by both ways of labeling at once do not fit beside a grid in blocks.
    if (shape.count() > topology::kMostCells) continue;
    fmt::print("  {} branches\n", tree->branches().count());
    for (const auto labeling : {topology::Labeling::Branch, topology::Labeling::Watershed})
      measure_whole(setup,
                    labeling == topology::Labeling::Branch ? "segments by branch" : "by watershed",
                    [&] { tree->segments_in_place({}, labeling); });
    if (setup.with_thresholds) measure_thresholds(setup, *tree, particles);
    if (!setup.with_triplets) continue;
    const Array<float> copy = values.copy();
    const topology::ScalarGrid grid{shape, std::span<const float>(copy.data(), copy.size())};
    fmt::print("triplets\n");
    measure(setup.repeats, [&](Timings& timings) {
      topology::make_triplets(device, grid, settings, progress, &timings);
    });
  }
}

void bench_particles(const BenchSetup& setup) {
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
  const auto points = spatial::place_points(
      device, u.domain, {u.position[0].data(), u.position[1].data(), u.position[2].data()},
      u.count());
  Progress progress;
  // One grid at a time: at 2048³ two do not fit, nor one beside the making of another.
  std::unique_ptr<grids::ResidentGrid> grid;
  const auto make = [&](const char* name) {
    fmt::print("{}\n", name);
    measure(setup.repeats, [&](Timings& timings) {
      grid.reset();
      grid = grids::make_resident_grid(request, *points, 1, progress);
      timings = grid->timings();
    });
  };
  request.assign = grids::Assign::Nearest;
  make("nearest cell");
  Particles particles;
  if (setup.with_thresholds) particles = particles_of(u, request.frame, device);
  request.assign = grids::Assign::CloudInCell;
  request.smoothing = {setup.smoothing, setup.smoothing, setup.smoothing};
  make("cloud in cell, smoothed");
  measure_tree(setup, "smoothed", *grid, u.domain.periodic, particles);
  request.smoothing = {0, 0, 0};
  make("cloud in cell");
  measure_tree(setup, "raw", *grid, u.domain.periodic, particles);
}

void bench(BenchSetup setup) {
  if (!setup.sets.empty()) return measure_sets(setup);
  if (setup.file.empty())
    throw Error("there is nothing to measure", {},
                "name a FILE of particles, or a set by --set (--help lists them)");
  if (setup.box <= 0)
    throw Error("the side of the box of its particles is not known", setup.file, "give --box");
  for (const int threads : setup.threads) {
    std::unique_ptr<tbb::global_control> limit;
    if (threads > 0)
      limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                    std::size_t(threads));
    for (const std::string& device : setup.devices)
      for (const std::uint32_t cells : setup.sizes) {
        setup.device = device;
        setup.cells = cells;
        bench_particles(setup);
      }
  }
}

std::string words_of_sets() {
  std::string words = "makes the grid itself, in place of FILE:";
  for (const FieldSet& set : field_sets()) words += fmt::format("\n{}: {}", set.name, set.words);
  return words;
}

std::vector<std::string> names_of_sets() {
  std::vector<std::string> names;
  for (const FieldSet& set : field_sets()) names.emplace_back(set.name);
  return names;
}

void add_options(CLI::App& app, BenchSetup& setup) {
  CLI::Option* const file = app.add_option("FILE", setup.file, "raw float32 x y z");
  app.add_option("--box", setup.box, "periodic box side of FILE")->needs(file);
  app.add_option("--smooth", setup.smoothing, "width of the Gaussian for FILE, in cells");
  app.add_flag("--triplets", setup.with_triplets, "the paper's algorithm beside it, for FILE");
  app.add_flag("--thresholds", setup.with_thresholds,
               "labels and colors of FILE's particles at other thresholds");
  CLI::Option* const sets = app.add_option("--set", setup.sets, words_of_sets())
                                ->delimiter(',')
                                ->check(CLI::IsMember(names_of_sets()))
                                ->excludes(file);
  app.add_option("--method", setup.methods, "of a set: reduced, triplet, or both")
      ->delimiter(',')
      ->check(CLI::IsMember({"reduced", "triplet"}))
      ->needs(sets);
  app.add_flag("--periodic", setup.periodic, "a set's opposite ends are neighbors")->needs(sets);
  app.add_option("--write", setup.write_to, "the set as .npy too; one set and size")->needs(sets);
  CLI::Option* const after =
      app.add_option("--cancel-after", setup.cancel_after,
                     "seconds; measures only how long a job goes on after it is cancelled")
          ->check(CLI::PositiveNumber)
          ->needs(sets);
  app.add_flag("--cancel-half", setup.cancel_half,
               "the same, after half of the time that the job was measured to take")
      ->needs(sets)
      ->excludes(after);
  app.add_option("--limit", setup.limit,
                 "seconds of a run, after which it is cancelled; repeats take no longer together")
      ->check(CLI::PositiveNumber)
      ->needs(sets);
  app.add_option("--size", setup.sizes, "cells along each axis")->delimiter(',');
  app.add_option("--neighbors", setup.neighbors, "6, 14, 18 or 26")
      ->delimiter(',')
      ->check(CLI::IsMember({6, 14, 18, 26}));
  app.add_option("--device", setup.devices, "cuda, cuda:N, cpu, or several")->delimiter(',');
  app.add_option("--repeat", setup.repeats, "runs measured")->check(CLI::PositiveNumber);
  app.add_option("--threads", setup.threads, "CPU threads; 0: all")->delimiter(',');
}

const CLI::App* add_over_gpus(CLI::App& app, TreesOverGpus& setup) {
  CLI::App* const over = app.add_subcommand("over-gpus", "merge trees over several GPUs");
  over->add_option("--devices", setup.devices, "cuda, cuda:N or cpu, one for each rank");
  over->add_option("--side", setup.side, "cells along each axis");
  over->add_option("--sigma", setup.sigma, "of the Gaussian, cells");
  over->add_option("--neighbors", setup.neighbors, "6, 14, 18 or 26")
      ->check(CLI::IsMember({6, 14, 18, 26}));
  over->add_option("--repeat", setup.repeats, "trees measured")->check(CLI::PositiveNumber);
  over->add_option("--wire", setup.wire, "auto, nccl, peer or host");
  over->add_flag("--check", setup.check, "compares the branches with those of one device");
  over->add_flag("!--no-one", setup.one, "leaves the tree of one device out");
  return over;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"haloscope_bench_topology: speed of density grids and merge trees"};
  BenchSetup setup;
  add_options(app, setup);
  TreesOverGpus over_gpus;
  const CLI::App* const over = add_over_gpus(app, over_gpus);
  CLI11_PARSE(app, argc, argv);
  try {
    if (*over)
      bench_trees_over_gpus(over_gpus);
    else
      bench(setup);
  } catch (const std::exception& e) {
    fmt::print(stderr, "haloscope_bench_topology: error: {}\n", e.what());
    return 2;
  }
}
