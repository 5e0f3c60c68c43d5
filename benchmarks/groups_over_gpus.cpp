#include "benchmarks/groups_over_gpus.h"

#include "benchmarks/over_gpus.h"
#include "benchmarks/universe.h"
#include "benchmarks/wire_named.h"
#include "compute/distributed/resident_groups.h"
#include "compute/exec/device_ranks.h"
#include "compute/exec/ranks.h"
#include "compute/spatial/morton.h"
#include "core/error.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <vector>

namespace haloscope::benchmarks {

namespace {

namespace distributed = compute::distributed;
using compute::Device;
using compute::Ranks;

struct OfRank {
  distributed::LinkedOverRanks linked;
  compute::Carried carried;  // of all repeats
  std::uint64_t device_bytes = 0;
  PhaseTimes phases;
};

struct Run {
  std::vector<double> walls;
  std::vector<OfRank> ranks;
  std::vector<std::uint64_t> groups;  // if they were asked for
  std::string wire;
  std::uint64_t points = 0;
  Statistics wall() const { return statistics(walls); }
};

// Copies of the universe in a domain of `per_side` boxes per side, so many of them along each axis,
// in Morton order, of which each rank has a run: so its points are a stretch of that order.
struct Layout {
  std::uint32_t per_side;
  std::array<std::uint32_t, 3> along;
  std::uint64_t copies() const { return std::uint64_t(along[0]) * along[1] * along[2]; }
  std::uint64_t before(int rank, int ranks) const {
    return compute::part_begin(copies(), rank, ranks);
  }
  distributed::BoxCopies of_rank(int rank, int ranks) const {
    std::vector<std::array<std::uint32_t, 3>> all;
    for (std::uint32_t x = 0; x < along[0]; ++x)
      for (std::uint32_t y = 0; y < along[1]; ++y)
        for (std::uint32_t z = 0; z < along[2]; ++z) all.push_back({x, y, z});
    // Codes are of the upper 21 of 32 bits.
    const auto code = [](const std::array<std::uint32_t, 3>& place) {
      return compute::spatial::morton_code(place[0] << 11, place[1] << 11, place[2] << 11);
    };
    std::sort(all.begin(), all.end(),
              [&](const auto& one, const auto& other) { return code(one) < code(other); });
    return {per_side,
            {all.begin() + std::ptrdiff_t(before(rank, ranks)),
             all.begin() + std::ptrdiff_t(before(rank + 1, ranks))}};
  }
};

class GroupsRun {
 public:
  GroupsRun(const OverGpusSetup& setup, const Universe& universe, std::vector<Device> devices,
            const Layout& layout, bool keep_groups)
      : setup_(setup),
        universe_(universe),
        devices_(std::move(devices)),
        layout_(layout),
        keeps_groups_(keep_groups) {}

  Run run() {
    run_.ranks.resize(devices_.size());
    run_.points = universe_.count() * layout_.copies();
    if (keeps_groups_) run_.groups.resize(std::size_t(run_.points));
    compute::run_thread_ranks(int(devices_.size()), [&](Ranks& ranks) { on_rank(ranks); });
    return std::move(run_);
  }

 private:
  void on_rank(Ranks& ranks) {
    const auto r = std::size_t(ranks.rank());
    OfRank& own = run_.ranks[r];
    const auto wire = compute::make_device_ranks(ranks, devices_[r], wire_named(setup_.wire));
    if (ranks.first()) run_.wire = wire->wire();
    const auto groups = distributed::make_resident_groups(devices_[r], ranks, *wire);
    Domain domain = universe_.domain;
    domain.side *= layout_.per_side;
    const std::uint64_t first = layout_.before(ranks.rank(), ranks.size()) * universe_.count();
    groups->set_copies(
        domain,
        {universe_.position[0].data(), universe_.position[1].data(), universe_.position[2].data()},
        universe_.count(), layout_.of_rank(ranks.rank(), ranks.size()), first);
    for (int k = -1; k < setup_.repeats; ++k) {
      if (k == 0) wire->forget_carried();  // the one before was to warm up
      Timings timings;
      ranks.barrier();
      const auto begin = std::chrono::steady_clock::now();
      own.linked = groups->link({setup_.epsilon, 2, compute::clusters::Algorithm::Grid}, timings);
      ranks.barrier();
      if (k < 0) continue;
      if (ranks.first()) run_.walls.push_back(milliseconds_since(begin));
      own.phases.add(timings);
    }
    own.carried = wire->carried();
    own.device_bytes = groups->peak_device_memory();
    if (!keeps_groups_) return;
    const auto names = groups->groups();
    std::copy(names.begin(), names.end(), run_.groups.begin() + std::ptrdiff_t(first));
  }

  const OverGpusSetup& setup_;
  const Universe& universe_;
  const std::vector<Device> devices_;
  const Layout layout_;
  const bool keeps_groups_;
  Run run_;
};

void print_run(const std::string& name, const Run& run, int repeats) {
  const Statistics wall = run.wall();
  fmt::print("{}: {} points on {} device{} by {}: {:.2f} ms ({:.2f} to {:.2f})\n", name, run.points,
             run.ranks.size(), run.ranks.size() == 1 ? "" : "s", run.wire, wall.median, wall.low,
             wall.high);
  for (std::size_t r = 0; r < run.ranks.size(); ++r) {
    const OfRank& own = run.ranks[r];
    fmt::print("  rank {}:{}", r, own.phases.in_words(2));
    const double ms = own.carried.milliseconds / repeats;
    const double sent = double(own.carried.sent_bytes) / repeats;
    const double received = double(own.carried.received_bytes) / repeats;
    fmt::print(
        "; looked at {}, ghosts {}, pairs {}, renamed {}; wire {:.2f} MB out, {:.2f} MB in, "
        "{:.2f} ms with waiting ({:.2f} GB/s); device up to {:.2f} GB\n",
        own.linked.looked_at, own.linked.ghosts, own.linked.pairs, own.linked.renamed, sent / 1e6,
        received / 1e6, ms, ms > 0 ? std::max(sent, received) / ms / 1e6 : 0,
        double(own.device_bytes) / 1e9);
  }
  std::fflush(stdout);
}

// A cube of copies for each of `count` devices, a power of two, doubled along one axis after the
// other, so that each has a cube.
Layout weak_layout(std::uint32_t copies, std::uint32_t count) {
  Layout layout{copies, {copies, copies, copies}};
  for (std::size_t axis = 0; count > 1; axis = (axis + 1) % 3, count /= 2) layout.along[axis] *= 2;
  layout.per_side = layout.along[0];
  return layout;
}

// The same points on one device; where these do not fit, that is told.
void compare_with_one(const OverGpusSetup& setup, const Universe& universe, Device device,
                      const Layout& layout, const Run& run) {
  OverGpusSetup once = setup;
  once.repeats = 1;
  try {
    const Run one = GroupsRun(once, universe, {device}, layout, true).run();
    std::uint64_t groups = 0;
    for (std::size_t i = 0; i < one.groups.size(); ++i) groups += one.groups[i] == i;
    fmt::print("  beside one device: {} ({} groups)\n",
               one.groups == run.groups ? "the same groups" : "GROUPS DIFFER", groups);
  } catch (const Error& error) {
    fmt::print("  not compared with one device: {}\n", error.what());
  }
  std::fflush(stdout);
}

}  // namespace

void bench_groups_over_gpus(const OverGpusSetup& setup) {
  const Universe universe = read_universe(setup.file, setup.box);
  const std::vector<Device> devices = devices_named(setup.devices);
  const auto count = std::uint32_t(devices.size()), copies = std::uint32_t(setup.copies);
  require_powers_of_two(copies, count);
  if (copies < count) throw Error("there are more devices than copies along an axis", "--copies");
  const Layout alone = weak_layout(copies, 1);
  const Run one = GroupsRun(setup, universe, {devices.front()}, alone, false).run();
  print_run("one", one, setup.repeats);
  const auto compare = [&](const char* name, const Layout& layout, double ideal) {
    const Run run = GroupsRun(setup, universe, devices, layout, setup.check).run();
    print_run(name, run, setup.repeats);
    fmt::print("  {}: {:.3f} of the time of one; ideal {:.3f}\n", name,
               run.wall().median / one.wall().median, ideal);
    if (setup.check) compare_with_one(setup, universe, devices.front(), layout, run);
  };
  if (setup.scaling != "strong") compare("weak", weak_layout(copies, count), 1);
  if (setup.scaling != "weak") compare("strong", alone, 1.0 / count);
}

}  // namespace haloscope::benchmarks
