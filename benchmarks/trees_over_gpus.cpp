#include "benchmarks/trees_over_gpus.h"

#include "benchmarks/over_gpus.h"
#include "benchmarks/universe.h"
#include "compute/clusters/cluster_tree.h"
#include "compute/distributed/part_search.h"
#include "compute/distributed/tree_over_ranks.h"
#include "compute/exec/device.h"
#include "compute/exec/ranks.h"
#include "core/error.h"
#include "core/progress.h"
#include "core/timings.h"

#include <fmt/core.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace haloscope::benchmarks {

namespace {

namespace clusters = compute::clusters;
namespace distributed = compute::distributed;
using compute::Device;
using compute::Ranks;
using distributed::PartOfPoints;
using distributed::TreeOverRanksWork;

// Copies of the universe side by side in a domain of `per_side` boxes per side: rank r has `high`
// of them along each axis, behind those of rank r − 1 along x.
struct Layout {
  std::uint32_t per_side, high;
  std::uint64_t copies() const { return std::uint64_t(high) * high * high; }
};

PartOfPoints part_of_rank(const Universe& universe, const Layout& layout, int rank) {
  const std::uint64_t points = universe.count(), all = points * layout.copies();
  const std::uint64_t first = all * std::uint64_t(rank);
  const std::uint64_t side = (std::uint64_t(1) << 32) / layout.per_side;
  PartOfPoints part;
  part.row.resize(std::size_t(all));
  part.column.resize(3);
  for (auto& column : part.column) column.resize(std::size_t(all));
  tbb::parallel_for(std::uint64_t(0), all, [&](std::uint64_t i) {
    const std::uint64_t copy = i / points, h = layout.high;
    const std::uint64_t place[3] = {copy / h / h + h * std::uint64_t(rank), copy / h % h, copy % h};
    part.row[std::size_t(i)] = std::uint32_t(first + i);
    for (std::size_t a = 0; a < 3; ++a)
      part.column[a][std::size_t(i)] = std::uint32_t(
          place[a] * side + universe.position[a][std::size_t(i % points)] / layout.per_side);
  });
  return part;
}

clusters::LatticePoints view_of(const PartOfPoints& part) {
  clusters::LatticePoints points;
  for (const auto& values : part.column) points.column.push_back(values.data());
  points.count = part.count();
  return points;
}

std::string in_words(const Statistics& times) {
  return fmt::format("{:.2f} ms ({:.2f} to {:.2f})", times.median, times.low, times.high);
}

// One process, one device, and no ranks. Returns milliseconds without the dendrogram.
double measure_alone(const PartOfPoints& part, int min_samples, Device device, int repeats) {
  Progress progress;
  const auto tree = clusters::make_cluster_tree(device, progress);
  PhaseTimes phases;
  std::vector<double> totals;
  for (int k = -1; k < repeats; ++k) {
    Timings timings;
    tree->grow(view_of(part), {min_samples}, &timings);
    if (k < 0) continue;  // warm-up
    phases.add(timings);
    double total = 0;
    const Timings summed = timings.summed();
    for (const auto& [phase, samples] : summed.samples())
      if (phase != "dendrogram") total += samples.front();
    totals.push_back(total);
  }
  const Statistics total = statistics(totals);
  fmt::print("min-samples {}: one device, {} points: {};{}; device up to {:.2f} GB until now\n",
             min_samples, part.count(), in_words(total), phases.in_words(2),
             double(tree->peak_device_memory()) / 1e9);
  std::fflush(stdout);
  return total.median;
}

struct OfRanks {
  std::vector<double> walls;
  std::vector<PhaseTimes> phases;  // of each rank
  TreeOverRanksWork work;
  clusters::SpanningTree tree;  // if it was asked for
};

OfRanks measure_ranks(const Universe& universe, const Layout& layout,
                      const std::vector<Device>& devices, int min_samples, int repeats, bool keep) {
  OfRanks run;
  run.phases.resize(devices.size());
  compute::run_thread_ranks(int(devices.size()), [&](Ranks& ranks) {
    const auto r = std::size_t(ranks.rank());
    Progress progress;
    const PartOfPoints part = part_of_rank(universe, layout, ranks.rank());
    for (int k = -1; k < repeats; ++k) {
      Timings timings;
      distributed::TreeOverRanks tree(ranks, part, min_samples, devices[r], progress, timings);
      ranks.barrier();
      const auto begin = std::chrono::steady_clock::now();
      tree.make();
      ranks.barrier();
      const double wall = milliseconds_since(begin);
      const TreeOverRanksWork work = tree.work();
      if (k < 0) continue;  // warm-up
      run.phases[r].add(timings);
      if (ranks.first()) run.walls.push_back(wall);
      if (k + 1 < repeats) continue;
      if (ranks.first()) run.work = work;
      if (!keep) continue;
      auto whole = tree.collect();
      if (ranks.first()) run.tree = std::move(whole);
    }
  });
  return run;
}

void compare_with_one(const Universe& universe, const Layout& layout, Device device, int ranks,
                      int min_samples, const clusters::SpanningTree& found) {
  PartOfPoints all = part_of_rank(universe, layout, 0);
  for (int r = 1; r < ranks; ++r) {
    const PartOfPoints part = part_of_rank(universe, layout, r);
    for (std::size_t a = 0; a < 3; ++a)
      all.column[a].insert(all.column[a].end(), part.column[a].begin(), part.column[a].end());
    all.row.insert(all.row.end(), part.row.begin(), part.row.end());
  }
  try {
    Progress progress;
    const auto tree = clusters::make_cluster_tree(device, progress);
    tree->grow(view_of(all), {min_samples});
    const clusters::SpanningTree one = tree->spanning_tree();
    const bool same = one.a == found.a && one.b == found.b &&
                      one.squared_weight == found.squared_weight &&
                      one.squared_core == found.squared_core;
    fmt::print("  beside one device: {}\n", same ? "the same tree" : "TREES DIFFER");
  } catch (const Error& error) {
    fmt::print("  not compared with one device: {}\n", error.what());
  }
  std::fflush(stdout);
}

}  // namespace

void bench_trees_over_gpus(const TreesOverGpusSetup& setup) {
  const Universe universe = read_universe(setup.file, setup.box);
  const std::vector<Device> devices = devices_named(setup.devices);
  const auto ranks = std::uint32_t(devices.size()), copies = std::uint32_t(setup.copies);
  require_powers_of_two(copies, ranks);
  const Layout alone{copies, copies}, together{ranks * copies, copies};
  for (const int min_samples : setup.min_samples) {
    const double one = measure_alone(part_of_rank(universe, alone, 0), min_samples, devices.front(),
                                     setup.repeats);
    const OfRanks run =
        measure_ranks(universe, together, devices, min_samples, setup.repeats, setup.check);
    const Statistics wall = statistics(run.walls);
    const TreeOverRanksWork& work = run.work;
    fmt::print("min-samples {}: {} devices, {} points: {}, {:.3f} of the time of one\n",
               min_samples, ranks, universe.count() * together.copies() * ranks, in_words(wall),
               wall.median / one);
    for (std::size_t r = 0; r < run.phases.size(); ++r)
      fmt::print("  rank {}:{}\n", r, run.phases[r].in_words(2));
    fmt::print(
        "  {} fragments, {} rounds, {} questions for core distances, {} for edges; {:.2f} MB "
        "between ranks; device up to {:.2f} GB until now\n",
        work.fragments, work.rounds, work.core_questions, work.edge_questions,
        double(work.bytes) / 1e6, double(work.device_bytes) / 1e9);
    std::fflush(stdout);
    if (setup.check)
      compare_with_one(universe, together, devices.front(), int(ranks), min_samples, run.tree);
  }
}

}  // namespace haloscope::benchmarks
