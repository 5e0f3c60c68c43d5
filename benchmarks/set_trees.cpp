#include "benchmarks/set_trees.h"

#include "benchmarks/canceller.h"
#include "benchmarks/fields.h"
#include "benchmarks/measure.h"
#include "benchmarks/set_rows.h"
#include "compute/topology/merge_tree.h"
#include "core/error.h"
#include "io/grids/grid_file.h"

#include <fmt/core.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

// One method's tree of a grid, again and again.
class Method {
 public:
  Method(const SetRow& row, const topology::ScalarGrid& grid)
      : device_(choose_device(row.device)), grid_(grid), is_reduced_(row.method == "reduced") {
    settings_.connectivity = topology::Connectivity(row.neighbors);
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

// What all rows of one set, size and neighbors have in common.
struct Job {
  const topology::ScalarGrid& grid;
  std::optional<topology::Branches> branches;  // of the first row that has them
  std::string first;                           // that row, in words
  std::map<std::string, double> first_ms;      // of each method
};

class SetBench {
 public:
  explicit SetBench(const SetTrees& setup) : setup_(setup) {}

  void run() {
    if (!setup_.write_to.empty() && setup_.sets.size() * setup_.sizes.size() != 1)
      throw Error("several sets do not fit in one file", setup_.write_to,
                  "give one --set and one --size");
    for (const std::uint32_t size : setup_.sizes)
      for (const std::string& set : setup_.sets) {
        try {
          take(set, size);
        } catch (const std::exception& e) {  // the rows until then are worth their time
          fault_ = e.what();
          fmt::print("  {}\n", fault_);
        }
      }
    print_rows(rows_);
    if (!fault_.empty()) throw Error(fault_);
  }

 private:
  void take(const std::string& set, std::uint32_t size) {
    const auto begin = Clock::now();
    const Grid grid = make_field(choose_device(setup_.devices.front()), set, size);
    SetRow row;
    row.set = set;
    row.cells = fmt::format("{}x{}x{}", size, size, grid.cells[2]);
    row.type = type_word(grid.scalar);
    row.megavoxels = double(grid.count()) / 1e6;
    fmt::print("{}: {} cells, {}, {}; made in {:.2f} s\n", set, row.cells, row.type,
               setup_.periodic ? "periodic" : "open", seconds_since(begin));
    if (!setup_.write_to.empty()) write(grid);
    const topology::ScalarGrid scalar = scalar_grid(grid, setup_.periodic);
    for (const int neighbors : setup_.neighbors) {
      row.neighbors = neighbors;
      take_devices(scalar, row);
    }
  }

  void take_devices(const topology::ScalarGrid& grid, SetRow row) {
    Job job{grid, {}, {}, {}};
    for (const std::string& device : setup_.devices) {
      row.device = device;
      for (const int threads : setup_.threads) {
        std::unique_ptr<tbb::global_control> limit;
        row.threads = row.is_gpu() ? 0 : threads;
        if (row.threads > 0)
          limit = std::make_unique<tbb::global_control>(
              tbb::global_control::max_allowed_parallelism, std::size_t(threads));
        take_methods(job, row);
        if (row.is_gpu()) break;
      }
    }
  }

  void take_methods(Job& job, SetRow row) {
    double first_ms = 0;
    for (const std::string& method : setup_.methods) {
      row.method = method;
      fmt::print("{}\n", words_of(row));
      std::fflush(stdout);
      if (setup_.cancel_after > 0) {
        cancel(job.grid, row, setup_.cancel_after);
        continue;
      }
      SetRow taken = compare(job, row);
      const double ms = taken.measured.wall.median;
      if (method == setup_.methods.front()) first_ms = ms;
      const double first_of_method = job.first_ms.try_emplace(method, ms).first->second;
      if (taken.missing.empty()) {
        if (first_ms > 0) taken.times = ms / first_ms;
        taken.faster = first_of_method / ms;
      }
      rows_.push_back(std::move(taken));
    }
  }

  static std::string words_of(const SetRow& row) {
    return fmt::format("{}, {} neighbors, {}{}", row.method, row.neighbors, row.device,
                       row.threads > 0 ? fmt::format(", threads: {}", row.threads) : "");
  }

  void write(const Grid& grid) const {
    Progress progress;
    if (grid.cells[2] == 1)
      io::write_npy_table(setup_.write_to, grid, progress);
    else
      io::write_grid(setup_.write_to, grid, progress);
    fmt::print("  written to {}\n", setup_.write_to);
  }

  // A row of one method. Where memory or time runs out it says so in place of figures, and the
  // others go on.
  SetRow compare(Job& job, SetRow row) {
    try {
      Progress progress;
      Method method(row, job.grid);
      measure_row(method, progress, row);
      topology::Branches branches = method.branches();
      row.maxima = branches.count();
      row.pairs = count_pairs(branches);
      row.bytes =
          topology::make_merge_tree(choose_device(row.device), progress)->peak_device_memory();
      if (!job.branches) {
        job.branches = std::move(branches);
        job.first = words_of(row);
      } else if (!are_same(*job.branches, branches)) {
        row.missing = "a different tree";
        fault_ = fmt::format("{} and {} find different trees of {} ({} and {} maxima)", job.first,
                             words_of(row), row.set, job.branches->count(), row.maxima);
      }
    } catch (const Cancelled&) {
      row.missing = fmt::format("more than {:g} s", setup_.limit);
    } catch (const std::exception& e) {
      row.missing = e.what();
    }
    if (!row.missing.empty()) {
      fmt::print("  {}\n", row.missing);
      return row;
    }
    print_rates(row);
    if (setup_.cancel_half) {
      const auto later = cancel(job.grid, row, row.measured.wall.median / 2e3);
      row.cancelled = later ? fmt::format("{:.1f}", *later) : "ended before";
    }
    return row;
  }

  // The first run warms up and tells how many fit into the limit.
  void measure_row(Method& method, Progress& progress, SetRow& row) const {
    constexpr double kForever = 1e6;
    Canceller canceller(progress, setup_.limit > 0 ? setup_.limit : kForever);
    const auto begin = Clock::now();
    method.grow(progress);
    canceller.end();
    row.runs = setup_.repeats;
    if (setup_.limit > 0)
      row.runs = int(std::clamp(setup_.limit / seconds_since(begin), 1., double(setup_.repeats)));
    const auto grow = [&](Timings& timings) { method.grow(progress, &timings); };
    row.measured = measure(row.runs, grow, true);
    row.on_device = 0;
    for (const auto& [phase, took] : row.measured.phases)
      if (phase != "upload" && phase != "download") row.on_device += took.median;
  }

  static void print_rates(const SetRow& row) {
    fmt::print("  {:16} {:10.2f} ms; {:.1f} Mvoxel/s, {:.2f} core-seconds; {} maxima, {} pairs\n",
               "wall", row.measured.wall.median, row.rate(), row.measured.core_seconds.median,
               row.maxima, row.pairs);
    std::fflush(stdout);
  }

  // How many ms after it was cancelled a job ended; nothing: it was not.
  static std::optional<double> cancel(const topology::ScalarGrid& grid, const SetRow& row,
                                      double seconds) {
    Progress progress;
    Method method(row, grid);
    bool is_whole = true;
    const auto begin = Clock::now();
    Canceller canceller(progress, seconds);
    try {
      method.grow(progress);
    } catch (const Cancelled&) {
      is_whole = false;
    }
    const auto ended = Clock::now();
    const auto cancelled = canceller.end();
    if (!cancelled) {
      fmt::print("  ended by itself after {:.3f} s\n",
                 std::chrono::duration<double>(ended - begin).count());
      return {};
    }
    const double later = std::chrono::duration<double, std::milli>(ended - *cancelled).count();
    fmt::print("  cancelled after {:.3f} s, ended {:.1f} ms later{}\n",
               std::chrono::duration<double>(*cancelled - begin).count(), later,
               is_whole ? ", with its result" : "");
    std::fflush(stdout);
    return later;
  }

  const SetTrees& setup_;
  std::vector<SetRow> rows_;
  std::string fault_;  // the last; empty: none
};

}  // namespace

void measure_sets(const SetTrees& setup) {
  SetBench(setup).run();
}

}  // namespace haloscope::benchmarks
