// Speed of cluster trees: from positions on the device to the spanning tree and its dendrogram,
// phase by phase, with what each of Borůvka's rounds had to search for. over-gpus: trees of copies
// over several devices beside one.

#include "benchmarks/colored_points.h"
#include "benchmarks/over_gpus_command.h"
#include "benchmarks/trees_over_gpus.h"
#include "benchmarks/universe.h"
#include "compute/clusters/cluster_tree.h"
#include "core/error.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace haloscope;
using namespace haloscope::benchmarks;
using namespace haloscope::compute::clusters;
namespace spatial = haloscope::compute::spatial;

struct BenchSetup {
  std::string file, device = "cuda";
  double box = 84;
  int repeats = 5, threads = 0;
  std::vector<int> min_samples{1, 5};
};

void measure(ClusterTree& tree, const std::shared_ptr<const spatial::PointSet>& points,
             int min_samples, const BenchSetup& setup) {
  const double millions = double(points->count()) / 1e6;
  std::map<std::string, std::vector<double>> phases;
  std::vector<double> totals, processor;
  SpanningTreeWork work;
  for (int k = -1; k < setup.repeats; ++k) {
    Timings timings;
    const std::clock_t before = std::clock();
    tree.grow({points}, {min_samples}, &timings);
    if (k < 0) continue;  // warm-up
    double total = 0;
    const Timings summed = timings.summed();
    for (const auto& [phase, samples] : summed.samples()) {
      phases[phase].push_back(samples.front());
      total += samples.front();
    }
    totals.push_back(total);
    processor.push_back(double(std::clock() - before) / CLOCKS_PER_SEC);
  }
  // Once more, timed part by part, which takes longer.
  tree.grow({points}, {min_samples}, nullptr, &work);
  const Statistics total = statistics(totals);
  fmt::print("min-samples {:2}: {:8.2f} ms ({:.2f} to {:.2f}), {:.0f} M/s", min_samples,
             total.median, total.low, total.high, 1e3 * millions / total.median);
  if (setup.device == "cpu")
    fmt::print(", {:.2f} core-seconds per million", statistics(processor).median / millions);
  fmt::print("; device memory up to {:.1f} B per point until now, positions included\n",
             double(tree.peak_device_memory()) / 1e6 / millions);
  for (const auto& [phase, samples] : phases)
    fmt::print("  {:10} {:8.2f} ms\n", phase, statistics(samples).median);
  for (std::size_t round = 0; round < work.rounds.size(); ++round)
    fmt::print(
        "  round {:2}: {:9} components, {:9} points searched; ms: candidates {:.2f}, bounds "
        "{:.2f}, "
        "searches {:.2f}, joining {:.2f}\n",
        round, work.rounds[round].components, work.rounds[round].searched,
        work.rounds[round].candidates, work.rounds[round].bounds, work.rounds[round].searches,
        work.rounds[round].joining);
  std::fflush(stdout);
}

// HDBSCAN*'s own clusters of a tree: condensed and labeled where it is, selected on the host.
void measure_clusters(ClusterTree& tree, std::uint64_t points, double step,
                      const BenchSetup& setup) {
  for (const std::uint32_t least : {5u, 20u, 100u}) {
    std::map<std::string, std::vector<double>> phases;
    std::vector<double> totals;
    std::size_t condensed = 0, clusters = 0;
    for (int k = -1; k < setup.repeats; ++k) {
      Timings timings;
      ChosenClusters chosen;
      {
        const ScopedTimer timer(timings, "condense");
        condensed = tree.condense(least, step).clusters();
      }
      {
        const ScopedTimer timer(timings, "select");
        chosen = choose_clusters(tree.totals(), {});
      }
      {
        const ScopedTimer timer(timings, "label");
        clusters = tree.label(chosen);
      }
      if (k < 0) continue;  // warm-up
      double total = 0;
      for (const auto& [phase, samples] : timings.samples()) {
        phases[phase].push_back(samples.front());
        total += samples.front();
      }
      totals.push_back(total);
    }
    const Statistics total = statistics(totals);
    fmt::print("  HDBSCAN*, {:3} members or more: {:.2f} ms ({:.2f} to {:.2f}):", least,
               total.median, total.low, total.high);
    for (const auto& [phase, samples] : phases)
      fmt::print(" {} {:.2f},", phase, statistics(samples).median);
    fmt::print(" {} clusters of {}; device memory up to {:.1f} B per point until now\n", clusters,
               condensed, double(tree.peak_device_memory()) / double(points));
  }
}

// Cuts that slide from all points alone to all in one, and the colors of all particles by them.
void measure_cuts(ClusterTree& tree, std::uint64_t points, compute::splotch::Renderer& renderer,
                  const BenchSetup& setup) {
  for (const double part : {0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.}) {
    const auto ranks = std::uint32_t(part * double(points - 1));
    for (const std::uint64_t least : {1, 20}) {
      fmt::print("  cut at {:.2f} of the edges, {:2} members or more: ", part, least);
      std::uint32_t clusters = 0;
      measure_colors(renderer, 2 * setup.repeats, [&] {
        clusters = tree.cut(ranks, least);
        return tree.labels_of_cut();
      });
      fmt::print("; {} clusters\n", clusters);
    }
  }
}

void bench(const BenchSetup& setup) {
  std::unique_ptr<tbb::global_control> limit;
  if (setup.threads > 0)
    limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  std::size_t(setup.threads));
  const Universe u = read_universe(setup.file, setup.box);
  const auto device = haloscope::compute::choose_device(setup.device);
  const auto points = spatial::place_points(
      device, u.domain, {u.position[0].data(), u.position[1].data(), u.position[2].data()},
      u.count());
  Progress progress;
  const auto tree = make_cluster_tree(device, progress);
  fmt::print("{} particles, box {}, {}\n", u.count(), setup.box, setup.device);
  for (const int min_samples : setup.min_samples) {
    measure(*tree, points, min_samples, setup);
    measure_clusters(*tree, points->count(), u.domain.step(), setup);
  }
  // Memory per point is told above, without the picture's particles.
  if (points->count() < 2) return;
  const auto renderer = draw_points(u, device);
  measure_cuts(*tree, points->count(), *renderer, setup);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"haloscope_bench_hierarchy: speed of spanning trees and dendrograms"};
  BenchSetup setup;
  app.add_option("FILE", setup.file, "raw float32 x y z");
  auto* box = app.add_option("--box", setup.box, "periodic box side");
  app.add_option("--device", setup.device, "cuda, cuda:N or cpu");
  app.add_option("--repeat", setup.repeats, "runs measured");
  app.add_option("--min-samples", setup.min_samples, "of core points, themselves included");
  app.add_option("--threads", setup.threads, "CPU threads; 0: all");
  TreesOverGpusSetup over;
  auto* over_gpus = add_over_gpus(app, "trees of copies of a universe on several GPUs", over);
  over_gpus->add_option("--min-samples", over.min_samples, "of core points, themselves included");
  CLI11_PARSE(app, argc, argv);
  try {
    if (*over_gpus) {
      bench_trees_over_gpus(over);
      return 0;
    }
    if (setup.file.empty() || box->count() == 0)
      throw Error("there is nothing to measure", "FILE and --box", "give both");
    bench(setup);
  } catch (const std::exception& e) {
    fmt::print(stderr, "haloscope_bench_hierarchy: error: {}\n", e.what());
    return 2;
  }
}
