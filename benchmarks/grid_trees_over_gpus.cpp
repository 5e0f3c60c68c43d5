#include "benchmarks/grid_trees_over_gpus.h"

#include "benchmarks/over_gpus.h"
#include "benchmarks/smooth_noise.h"
#include "benchmarks/universe.h"
#include "benchmarks/wire_named.h"
#include "compute/distributed/slab_tree.h"
#include "compute/exec/ranks.h"
#include "compute/topology/merge_tree.h"
#include "core/progress.h"
#include "core/timings.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <utility>

namespace haloscope::benchmarks {

namespace {

using compute::Device;
using compute::Ranks;
namespace topology = compute::topology;
namespace distributed = compute::distributed;
using Clock = std::chrono::steady_clock;

struct OfRank {
  PhaseTimes phases;
  compute::Carried carried;  // of all repeats
  std::uint64_t device_bytes = 0;
};

struct Run {
  std::vector<double> walls;
  std::vector<OfRank> ranks;
  std::string wire = "nothing";
  std::size_t branches = 0;
  topology::Branches told;  // if it is asked for

  Statistics wall() const { return statistics(walls); }
};

class TreesRun {
 public:
  explicit TreesRun(const TreesOverGpus& setup) : setup_(setup) {
    shape_ = {{setup.side, setup.side, setup.side}, {true, true, true}};
    settings_.connectivity = topology::Connectivity(setup.neighbors);
  }

  // Of the first planes of the box; of all of them, the box is periodic along them too.
  Run on_one(Device device, std::uint32_t planes) const {
    Run run;
    run.ranks.resize(1);
    topology::GridShape shape = shape_;
    shape.cells[0] = planes;
    shape.periodic[0] = planes == setup_.side;
    const auto values = make_smooth_noise(device, setup_.side, 0, planes, setup_.sigma);
    Progress progress;
    const auto tree = topology::make_merge_tree(device, progress);
    for (int k = -1; k < setup_.repeats; ++k) {  // the one before is to warm up
      Timings timings;
      const auto begin = Clock::now();
      tree->grow_in_place(shape, values->values(), settings_, &timings);
      if (k < 0) continue;
      run.walls.push_back(milliseconds_since(begin));
      run.ranks[0].phases.add(timings);
    }
    run.ranks[0].device_bytes = tree->peak_device_memory();
    run.branches = tree->branches().count();
    if (setup_.check) run.told = tree->branches();
    return run;
  }

  Run over(const std::vector<Device>& devices) const {
    Run run;
    run.ranks.resize(devices.size());
    compute::run_thread_ranks(int(devices.size()), [&](Ranks& ranks) {
      on_rank(ranks, devices[std::size_t(ranks.rank())], run);
    });
    return run;
  }

 private:
  void on_rank(Ranks& ranks, Device device, Run& run) const {
    OfRank& own = run.ranks[std::size_t(ranks.rank())];
    const auto planes = distributed::planes_of_rank(setup_.side, ranks.rank(), ranks.size());
    const auto values = make_smooth_noise(device, setup_.side, std::uint32_t(planes.begin),
                                          std::uint32_t(planes.end), setup_.sigma);
    Progress progress;
    const auto tree = distributed::make_slab_tree(ranks, device, progress, wire_named(setup_.wire));
    compute::Carried before;
    for (int k = -1; k < setup_.repeats; ++k) {
      if (k == 0) before = tree->wire().carried();
      Timings timings;
      ranks.barrier();
      const auto begin = Clock::now();
      tree->grow_in_place(shape_, values->values(), settings_, &timings);
      ranks.barrier();
      if (k < 0) continue;
      if (ranks.first()) run.walls.push_back(milliseconds_since(begin));
      own.phases.add(timings);
    }
    own.carried = tree->wire().carried();
    own.carried.sent_bytes -= before.sent_bytes;
    own.carried.received_bytes -= before.received_bytes;
    own.carried.milliseconds -= before.milliseconds;
    own.device_bytes = tree->peak_device_memory();
    if (!ranks.first()) return;
    run.wire = tree->wire().wire();
    run.branches = tree->branches().count();
    if (setup_.check) run.told = tree->branches();
  }

  const TreesOverGpus& setup_;
  topology::GridShape shape_;
  topology::TreeSettings settings_;
};

void print_run(const TreesOverGpus& setup, const Run& run) {
  const Statistics wall = run.wall();
  fmt::print("{} device{}, wire {}: {:.1f} ms ({:.1f} to {:.1f}), {} branches\n", run.ranks.size(),
             run.ranks.size() == 1 ? "" : "s", run.wire, wall.median, wall.low, wall.high,
             run.branches);
  for (std::size_t r = 0; r < run.ranks.size(); ++r) {
    const OfRank& own = run.ranks[r];
    fmt::print("  rank {}:{}", r, own.phases.in_words(1));
    fmt::print(
        "; wire {:.2f} MB out, {:.2f} MB in, {:.2f} ms with waiting; device up to {:.2f} GB\n",
        double(own.carried.sent_bytes) / setup.repeats / 1e6,
        double(own.carried.received_bytes) / setup.repeats / 1e6,
        own.carried.milliseconds / setup.repeats, double(own.device_bytes) / 1e9);
  }
  std::fflush(stdout);
}

bool same_branches(const topology::Branches& a, const topology::Branches& b) {
  return a.maximum == b.maximum && a.saddle == b.saddle && a.parent == b.parent &&
         a.across == b.across && a.birth == b.birth && a.death == b.death;
}

}  // namespace

void bench_trees_over_gpus(const TreesOverGpus& setup) {
  const std::vector<Device> devices = devices_named(setup.devices);
  fmt::print("merge trees of {}³ cells of noise, smoothed by {} cells, {} neighbors\n", setup.side,
             setup.sigma, setup.neighbors);
  const TreesRun trees(setup);
  Run one;
  if (setup.one) {
    one = trees.on_one(devices.front(), setup.side);
    print_run(setup, one);
  }
  const Run several = trees.over(devices);
  print_run(setup, several);
  if (!setup.one) return;
  fmt::print("as many cells on one device as a rank had: ");
  print_run(setup, trees.on_one(devices.front(), setup.side / std::uint32_t(devices.size())));
  fmt::print("  {:.3f} of the time of one\n", several.wall().median / one.wall().median);
  if (setup.check)
    fmt::print("  beside one device: {}\n",
               same_branches(one.told, several.told) ? "the same branches" : "BRANCHES DIFFER");
}

}  // namespace haloscope::benchmarks
