// Speed of halo finding with positions on the executor in file order. `cluster`: from there to
// labels, phase by phase, each beside the time that its bytes take at the memory's bandwidth. With
// --resident positions are a point set of the device, as where the window draws them.

#include "benchmarks/groups_over_gpus.h"
#include "benchmarks/over_gpus_command.h"
#include "benchmarks/universe.h"
#include "compute/clusters/clustering.h"
#include "compute/spatial/neighbors.h"
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
#include <string>
#include <vector>

namespace {

using namespace haloscope;
using namespace haloscope::benchmarks;
using namespace haloscope::compute::clusters;
namespace spatial = haloscope::compute::spatial;

struct BenchSetup {
  std::string file, device = "cuda";
  double box = 84, epsilon = 0.042, spacings = 0;
  double bandwidth = 4.28;  // TB/s, a device copy on one H200
  int repeats = 10, threads = 0;
  std::vector<int> min_points{2, 5, 10};
  std::vector<std::string> algorithms{"grid", "fdbscan", "densebox"};
  std::vector<int> neighbors{5, 32};
  std::vector<int> copies{4};
  bool resident = false;
};

Algorithm algorithm_named(const std::string& name) {
  if (name == "grid") return Algorithm::Grid;
  if (name == "fdbscan") return Algorithm::FdbScan;
  if (name == "densebox") return Algorithm::DenseBox;
  throw Error("'" + name + "' is no algorithm", "--algorithm", "use grid, fdbscan or densebox");
}

double sum_of(const Timings& timings) {
  double total = 0;
  for (const auto& [phase, samples] : timings.samples())
    for (const double milliseconds : samples) total += milliseconds;
  return total;
}

// What a phase must read and write per point if it did each once: its inputs and its results.
struct Phase {
  const char* name;
  double bytes;
};
constexpr Phase kPhases[] = {{"keys", 12 + 8},  // positions, keys
                             {"sort", 2 * 12},  // keys and indices, both ways
                             {"build", 12 + 4 + 8 + 16 + 4},
                             {"core", 16 + 4 + 1},
                             {"link", 16},
                             {"border", 16 + 1 + 4},
                             {"label", 16 + 4 + 4}};

// Median time of one clustering, in all and by phase, and what it finds.
void measure_clustering(Clustering& clustering, const ClusterSettings& settings,
                        const BenchSetup& setup, double millions) {
  Timings timings;
  std::vector<double> totals, processor;
  for (int k = -2; k < setup.repeats; ++k) {
    Timings one;
    const std::clock_t before = std::clock();
    clustering.run(settings, one);
    const double cpu = double(std::clock() - before) / CLOCKS_PER_SEC;
    if (k < 0) continue;  // warm-up
    const Timings summed = one.summed();
    for (const auto& [phase, samples] : summed.samples()) timings.add(phase, samples.front());
    totals.push_back(sum_of(one));
    processor.push_back(cpu);
  }
  const Statistics total = statistics(totals);
  fmt::print("{:8.2f} ms ({:.2f} to {:.2f}), {:.0f} M/s, {:.2f} core-seconds per million\n",
             total.median, total.low, total.high, 1e3 * millions / total.median,
             statistics(processor).median / millions);
  for (const auto& [name, bytes] : kPhases) {
    const double ms = timings.median(name);
    if (ms <= 0) continue;
    const double floor_ms = bytes * millions / setup.bandwidth / 1e3;
    fmt::print("  {:8} {:8.2f} ms  {:3.0f} B per point  {:5.1f} % of the bandwidth\n", name, ms,
               bytes, 100 * floor_ms / ms);
  }
  const auto labels = clustering.labels();
  std::uint64_t noise = 0, clusters = 0;
  for (std::uint64_t i = 0; i < labels.size(); ++i) {
    noise += labels[i] == kNoise;
    clusters += labels[i] == i;
  }
  fmt::print("  {} clusters, {} points in none; device memory up to {:.1f} B per point\n", clusters,
             noise, double(clustering.peak_device_memory()) / 1e6 / millions);
  std::fflush(stdout);
}

std::shared_ptr<const spatial::PointSet> resident_points(haloscope::compute::Device device,
                                                         const Universe& u) {
  return spatial::place_points(device, u.domain,
                               {u.position[0].data(), u.position[1].data(), u.position[2].data()},
                               u.count());
}

void bench_cluster(const BenchSetup& setup) {
  std::unique_ptr<tbb::global_control> limit;
  if (setup.threads > 0)
    limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  std::size_t(setup.threads));
  const Universe u = read_universe(setup.file, setup.box);
  const auto device = haloscope::compute::choose_device(setup.device);
  const auto clustering = make_clustering(device);
  if (setup.resident)
    clustering->set_points({resident_points(device, u)});
  else
    clustering->set_points(
        u.domain, {u.position[0].data(), u.position[1].data(), u.position[2].data()}, u.count());
  ClusterSettings settings;
  const double millions = double(u.count()) / 1e6;
  settings.linking_length = setup.spacings > 0
                                ? setup.spacings * setup.box / std::cbrt(double(u.count()))
                                : setup.epsilon;
  fmt::print("{} particles, box {}, linking length {:.6g}, {}; floor: bytes at {} TB/s\n",
             u.count(), setup.box, settings.linking_length, setup.device, setup.bandwidth);
  for (const std::string& algorithm : setup.algorithms)
    for (const int min_points : setup.min_points) {
      settings.algorithm = algorithm_named(algorithm);
      settings.min_points = min_points;
      fmt::print("{:8} minPts {:3}: ", algorithm, min_points);
      measure_clustering(*clustering, settings, setup, millions);
    }
}

// Sizes of clusters, and how often each occurs; noise counts as size 0.
std::map<std::uint32_t, std::uint64_t> count_sizes(const std::vector<std::uint32_t>& labels) {
  std::vector<std::uint32_t> size(labels.size(), 0);
  std::map<std::uint32_t, std::uint64_t> sizes;
  for (const std::uint32_t label : labels)
    if (label == kNoise)
      ++sizes[0];
    else
      ++size[label];
  for (const std::uint32_t n : size)
    if (n > 0) ++sizes[n];
  return sizes;
}

// Copies of a periodic box along each axis, in a box so many times as wide.
Universe replicate(const Universe& u, std::uint32_t copies) {
  const std::size_t n = u.count();
  Universe many;
  many.domain = u.domain;
  many.domain.side *= copies;
  for (auto& axis : many.position) axis = Array<std::uint32_t>(n * copies * copies * copies);
  tbb::parallel_for(std::size_t(0), std::size_t(copies) * copies * copies, [&](std::size_t copy) {
    const std::size_t at[3] = {copy % copies, copy / copies % copies, copy / copies / copies};
    for (std::size_t a = 0; a < 3; ++a) {
      const auto corner = std::uint32_t((std::uint64_t(at[a]) << 32) / copies);
      for (std::size_t i = 0; i < n; ++i)
        many.position[a][copy * n + i] = corner + u.position[a][i] / copies;
    }
  });
  return many;
}

// Whether a repeated periodic box has each group as often as it has copies. Exact where the number
// of copies is a power of two: all positions are then cut to a lattice that the copies share.
void check_copies(const BenchSetup& setup) {
  ClusterSettings settings;
  settings.linking_length = setup.epsilon;
  for (const int copies : setup.copies) {
    Universe once = read_universe(setup.file, setup.box);
    for (auto& axis : once.position)
      for (auto& x : axis) x -= x % std::uint32_t(copies);
    std::map<std::uint32_t, std::uint64_t> expected, found;
    std::uint64_t count = 0, peak = 0;
    double milliseconds = 0;
    const auto run = [&](const Universe& u) {
      const auto clustering = make_clustering(haloscope::compute::choose_device(setup.device));
      clustering->require_memory(u.count());
      clustering->set_points(
          u.domain, {u.position[0].data(), u.position[1].data(), u.position[2].data()}, u.count());
      Timings timings;
      clustering->run(settings, timings);
      count = u.count();
      milliseconds = sum_of(timings);
      peak = clustering->peak_device_memory();
      return count_sizes(clustering->labels());
    };
    expected = run(once);
    found = run(replicate(once, std::uint32_t(copies)));
    const auto all = std::uint64_t(copies) * std::uint64_t(copies) * std::uint64_t(copies);
    for (auto& [size, times] : expected) times *= all;
    fmt::print(
        "{} copies along each axis, {} points: {:.0f} ms, device memory up to {:.1f} B per point; "
        "{}\n",
        copies, count, milliseconds, double(peak) / double(count),
        found == expected ? "each group exactly as often as there are copies"
                          : "GROUPS DIFFER from those of one copy");
    std::fflush(stdout);
  }
}

// The tree over all points, and the distance from each to its k-th nearest.
void bench_neighbors(const BenchSetup& setup) {
  const Universe u = read_universe(setup.file, setup.box);
  const auto device = haloscope::compute::choose_device(setup.device);
  const auto neighbors = spatial::make_neighbors(device);
  const auto points = setup.resident ? resident_points(device, u) : nullptr;
  const double millions = double(u.count()) / 1e6;
  const auto report = [&](const std::string& what, const auto& run) {
    Timings timings;
    std::vector<double> totals;
    for (int k = -1; k < setup.repeats; ++k) {
      Timings one;
      run(one);
      if (k < 0) continue;  // warm-up
      for (const auto& [phase, samples] : one.samples()) timings.add(phase, samples.front());
      totals.push_back(sum_of(one));
    }
    const Statistics total = statistics(totals);
    fmt::print("{}: {:.2f} ms ({:.2f} to {:.2f}), {:.0f} M/s;", what, total.median, total.low,
               total.high, 1e3 * millions / total.median);
    for (const auto& [phase, samples] : timings.samples())
      fmt::print(" {} {:.2f}", phase, timings.median(phase));
    fmt::print("\n");
    std::fflush(stdout);
  };
  report("tree", [&](Timings& timings) {
    if (points) return neighbors->set_points({points}, &timings);
    neighbors->set_points({u.position[0].data(), u.position[1].data(), u.position[2].data()},
                          u.count(), &timings);
  });
  for (const int k : setup.neighbors)
    report(fmt::format("{} nearest", k),
           [&](Timings& timings) { neighbors->kth_squared_distance(k, &timings); });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"haloscope_bench_halos: speed of halo finding"};
  app.require_subcommand(1);
  auto* cluster = app.add_subcommand("cluster", "friends-of-friends and DBSCAN of a universe");
  BenchSetup setup;
  auto* nearest = app.add_subcommand("neighbors", "tree and k nearest neighbors of a universe");
  auto* copies = app.add_subcommand("copies", "groups of a periodic box and of its repetitions");
  for (auto* command : {cluster, nearest, copies}) {
    command->add_option("FILE", setup.file, "raw float32 x y z")->required();
    command->add_option("--box", setup.box, "periodic box side")->required();
    command->add_option("--device", setup.device, "cuda, cuda:N or cpu");
    command->add_option("--repeat", setup.repeats, "runs measured");
  }
  nearest->add_option("--k", setup.neighbors, "how many");
  copies->add_option("--copies", setup.copies, "along each axis");
  copies->add_option("--linking", setup.epsilon, "linking length");
  cluster->add_option("--algorithm", setup.algorithms, "grid, fdbscan, densebox");
  cluster->add_option("--epsilon", setup.epsilon, "linking length");
  cluster->add_option("--linking-length", setup.spacings, "the same in mean spacings");
  cluster->add_option("--min-points", setup.min_points, "DBSCAN's minPts; 2: friends-of-friends");
  for (auto* command : {cluster, nearest})
    command->add_flag("--resident", setup.resident, "from a point set that is on the device");
  cluster->add_option("--threads", setup.threads, "CPU threads; 0: all");
  cluster->add_option("--bandwidth", setup.bandwidth, "of the memory, TB/s");
  OverGpusSetup over;
  auto* over_gpus = add_over_gpus(app, "groups of copies of a universe on several GPUs", over);
  over_gpus->add_option("--linking", over.epsilon, "linking length");
  over_gpus->add_option("--scaling", over.scaling, "weak, strong or both");
  over_gpus->add_option("--wire", over.wire, "auto, nccl, peer or host");
  CLI11_PARSE(app, argc, argv);
  try {
    if (*cluster) bench_cluster(setup);
    if (*nearest) bench_neighbors(setup);
    if (*copies) check_copies(setup);
    if (*over_gpus) bench_groups_over_gpus(over);
  } catch (const std::exception& e) {
    fmt::print(stderr, "haloscope_bench_halos: error: {}\n", e.what());
    return 2;
  }
}
