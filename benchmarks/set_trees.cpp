#include "benchmarks/set_trees.h"

#include "benchmarks/fields.h"
#include "benchmarks/measure.h"
#include "compute/topology/merge_tree.h"
#include "core/error.h"
#include "io/grids/grid_file.h"

#include <fmt/core.h>
#include <tbb/global_control.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>

namespace haloscope::benchmarks {

namespace {

using namespace haloscope::compute;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

topology::ScalarGrid scalar_grid(const Grid& grid, bool periodic) {
  topology::ScalarGrid scalar;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    scalar.shape.cells[axis] = std::uint32_t(grid.cells[axis]);
    scalar.shape.periodic[axis] = periodic;
  }
  with_grid_type(grid.scalar, [&]<class T>(T) {
    scalar.values = std::span<const T>(grid.values<T>(), std::size_t(grid.count()));
  });
  return scalar;
}

const char* type_word(GridScalar scalar) {
  if (scalar == GridScalar::UInt8) return "uint8";
  return scalar == GridScalar::UInt16 ? "uint16" : "float32";
}

// Cancels a job after some time, unless it ends before.
class Canceller {
 public:
  Canceller(Progress& progress, double seconds)
      : thread_([this, &progress, seconds] {
          std::unique_lock lock(mutex_);
          if (ended_.wait_for(lock, std::chrono::duration<double>(seconds),
                              [this] { return has_ended_; }))
            return;
          cancelled_ = Clock::now();
          progress.cancel();
        }) {}
  ~Canceller() { end(); }
  Canceller(const Canceller&) = delete;
  Canceller& operator=(const Canceller&) = delete;

  // To be called when the job has ended. When it was cancelled, if it was.
  std::optional<Clock::time_point> end() {
    {
      const std::lock_guard lock(mutex_);
      has_ended_ = true;
    }
    ended_.notify_one();
    if (thread_.joinable()) thread_.join();
    return cancelled_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::optional<Clock::time_point> cancelled_;
  std::thread thread_;  // the last: it uses the others
};

// One method's tree of a grid, again and again.
class Method {
 public:
  Method(const SetTrees& setup, const std::string& name, const topology::ScalarGrid& grid,
         int neighbors)
      : device_(choose_device(setup.device)), grid_(grid), is_reduced_(name == "reduced") {
    settings_.connectivity = topology::Connectivity(neighbors);
  }

  void grow(Progress& progress, Timings* timings = nullptr) {
    if (!is_reduced_) {
      triplets_ = {};
      triplets_ = topology::make_triplets(device_, grid_, settings_, progress, timings);
      return;
    }
    if (!tree_) tree_ = topology::make_merge_tree(device_, progress);
    tree_->grow(grid_, settings_, timings);
  }

  topology::Branches branches() const {
    return is_reduced_ ? tree_->branches()
                       : topology::branches_of(triplets_, grid_, settings_.levels);
  }

 private:
  Device device_;
  const topology::ScalarGrid& grid_;
  bool is_reduced_;
  topology::TreeSettings settings_;
  std::unique_ptr<topology::MergeTree> tree_;
  topology::Triplets triplets_;
};

// What a method tells of basins is no part of this: triplets know none.
bool are_same(const topology::Branches& a, const topology::Branches& b) {
  return a.maximum == b.maximum && a.saddle == b.saddle && a.parent == b.parent &&
         a.birth == b.birth && a.death == b.death;
}

std::size_t count_pairs(const topology::Branches& branches) {
  std::size_t pairs = 0;
  for (std::size_t k = 0; k < branches.count(); ++k)
    pairs += branches.saddle[k] == topology::kNoCell || branches.birth[k] != branches.death[k];
  return pairs;
}

class SetBench {
 public:
  explicit SetBench(const SetTrees& setup) : setup_(setup), device_(choose_device(setup.device)) {}

  void run() {
    if (!setup_.write_to.empty() && setup_.sets.size() * setup_.sizes.size() != 1)
      throw Error("several sets do not fit in one file", setup_.write_to,
                  "give one --set and one --size");
    for (const std::uint32_t size : setup_.sizes)
      for (const std::string& set : setup_.sets) take(set, size);
    print_table();
  }

 private:
  struct Row {
    std::string set, cells, type, method;
    int neighbors, threads;
    Measured measured;
    double megavoxels, on_device;  // ms without the ways to the device and back
    std::size_t maxima, pairs;
    std::uint64_t bytes;  // on the device, most at once until then
    double times;         // of the time of the first method
  };

  void take(const std::string& set, std::uint32_t size) {
    const auto begin = Clock::now();
    const Grid grid = make_field(device_, set, size);
    const std::string cells = fmt::format("{}x{}x{}", size, size, grid.cells[2]);
    fmt::print("{}: {} cells, {}, {}; made in {:.2f} s\n", set, cells, type_word(grid.scalar),
               setup_.periodic ? "periodic" : "open", seconds_since(begin));
    if (!setup_.write_to.empty()) write(grid);
    const topology::ScalarGrid scalar = scalar_grid(grid, setup_.periodic);
    for (const int threads : setup_.threads) {
      std::unique_ptr<tbb::global_control> limit;
      if (threads > 0)
        limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                      std::size_t(threads));
      for (const int neighbors : setup_.neighbors) {
        Row row{set, cells, type_word(grid.scalar), "", neighbors, threads, {}, 0, 0, 0, 0, 0, 1};
        row.megavoxels = double(grid.count()) / 1e6;
        if (setup_.cancel_after > 0)
          cancel(scalar, row);
        else
          compare(scalar, row);
      }
    }
  }

  void write(const Grid& grid) const {
    Progress progress;
    if (grid.cells[2] == 1)
      io::write_npy_table(setup_.write_to, grid, progress);
    else
      io::write_grid(setup_.write_to, grid, progress);
    fmt::print("  written to {}\n", setup_.write_to);
  }

  void print_head(const Row& row, const std::string& method) const {
    fmt::print("{}, {} neighbors, {}{}\n", method, row.neighbors, setup_.device,
               row.threads > 0 ? fmt::format(", threads: {}", row.threads) : "");
    std::fflush(stdout);
  }

  void compare(const topology::ScalarGrid& grid, Row row) {
    topology::Branches first;
    double first_ms = 0;
    for (const std::string& name : setup_.methods) {
      print_head(row, name);
      Progress progress;
      Method method(setup_, name, grid, row.neighbors);
      row.method = name;
      row.measured =
          measure(setup_.repeats, [&](Timings& timings) { method.grow(progress, &timings); });
      row.on_device = 0;
      for (const auto& [phase, took] : row.measured.phases)
        if (phase != "upload" && phase != "download") row.on_device += took.median;
      topology::Branches branches = method.branches();
      row.maxima = branches.count();
      row.pairs = count_pairs(branches);
      row.bytes = topology::make_merge_tree(device_, progress)->peak_device_memory();
      if (first_ms == 0) {
        first_ms = row.measured.milliseconds.median;
        first = std::move(branches);
      } else if (!are_same(first, branches)) {
        throw Error(fmt::format("{} and {} find different trees of {} ({} and {} maxima)",
                                setup_.methods.front(), name, row.set, first.count(), row.maxima));
      }
      row.times = row.measured.milliseconds.median / first_ms;
      rows_.push_back(row);
      print_rates(row);
    }
  }

  void print_rates(const Row& row) const {
    const std::string more =
        device_.is_gpu()
            ? fmt::format("device memory up to {:.1f} B per cell until now", memory(row))
            : fmt::format("{:.2f} Mvoxel per core-second", per_core(row));
    fmt::print("  {:.1f} Mvoxel/s, without upload and download {:.1f}; {}; {} maxima, {} pairs\n",
               rate(row), 1e3 * row.megavoxels / row.on_device, more, row.maxima, row.pairs);
    std::fflush(stdout);
  }

  void cancel(const topology::ScalarGrid& grid, const Row& row) const {
    for (const std::string& name : setup_.methods) {
      print_head(row, name);
      Progress progress;
      Method method(setup_, name, grid, row.neighbors);
      const auto begin = Clock::now();
      Canceller canceller(progress, setup_.cancel_after);
      bool is_whole = true;
      try {
        method.grow(progress);
      } catch (const Cancelled&) {
        is_whole = false;
      }
      const auto ended = Clock::now();
      const auto cancelled = canceller.end();
      const double took = std::chrono::duration<double>(ended - begin).count();
      if (!cancelled)
        fmt::print("  ended by itself after {:.3f} s\n", took);
      else
        fmt::print("  cancelled after {:.3f} s, ended {:.1f} ms later{}\n",
                   std::chrono::duration<double>(*cancelled - begin).count(),
                   std::chrono::duration<double, std::milli>(ended - *cancelled).count(),
                   is_whole ? ", with its result" : "");
      std::fflush(stdout);
    }
  }

  static double rate(const Row& row) {
    return 1e3 * row.megavoxels / row.measured.milliseconds.median;
  }
  static double per_core(const Row& row) {
    return row.megavoxels / row.measured.core_seconds.median;
  }

  static double memory(const Row& row) { return double(row.bytes) / 1e6 / row.megavoxels; }

  // Nigmetov and Morozov's table has a line for each set and size and tells the seconds of each
  // program on each processor, and how many times one takes of the other; their text tells the
  // number of branches.
  void print_table() const {
    if (rows_.empty()) return;
    fmt::print(
        "\n| set | cells | type | neighbors | threads | method | ms | spread | without upload and "
        "download | Mvoxel/s | {} | maxima | pairs | times {} |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        device_.is_gpu() ? "device memory until then, B per cell" : "Mvoxel per core-second",
        setup_.methods.front());
    for (const Row& row : rows_) {
      const Statistics& ms = row.measured.milliseconds;
      fmt::print(
          "| {} | {} | {} | {} | {} | {} | {:.2f} | {:.2f} to {:.2f} | {:.2f} | {:.1f} | {:.2f} | "
          "{} "
          "| {} | {:.2f} |\n",
          row.set, row.cells, row.type, row.neighbors,
          row.threads > 0 ? std::to_string(row.threads) : "all", row.method, ms.median, ms.low,
          ms.high, row.on_device, rate(row), device_.is_gpu() ? memory(row) : per_core(row),
          row.maxima, row.pairs, row.times);
    }
  }

  const SetTrees& setup_;
  Device device_;
  std::vector<Row> rows_;
};

}  // namespace

void measure_sets(const SetTrees& setup) {
  SetBench(setup).run();
}

}  // namespace haloscope::benchmarks
