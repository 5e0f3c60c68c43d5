// Speed of what compares all rows with all, in many dimensions, and of spanning forests of graphs:
// the tables of the cuSLINK paper (Nolet et al., ECML PKDD 2023), on data of their sizes made here.

#include "benchmarks/measure.h"
#include "compute/brute_force/nearest_rows.h"
#include "compute/clusters/cuslink.h"
#include "compute/hierarchy/spanning_forest.h"
#include "core/error.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <tbb/parallel_for.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace haloscope;
using namespace haloscope::benchmarks;
using namespace haloscope::compute;

struct BenchSetup {
  std::string device = "cuda";
  int repeats = 3;
  std::uint32_t rows = 100000, columns = 128, neighbors = 0, min_samples = 1;
  std::uint32_t blobs = 1, apart = 0;
  std::uint32_t side = 4894;  // of the lattice that graphs are cut from
  double kept = 0.6;          // of its edges
};

// Numbers without a state: the same for any number of threads (Steele et al. 2014, SplitMix64).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

float uniform(std::uint64_t i) {
  return float(mixed(i) >> 40) * 0x1p-24f;
}

// Numbers from 0 to 1, or blobs of numbers of that width with their centers in a cube 10 times as
// wide: in many dimensions they lie far apart. The last `apart` rows are a set of their own, beside
// all.
std::vector<float> made_rows(const BenchSetup& setup) {
  const std::size_t d = setup.columns;
  std::vector<float> values(setup.rows * d);
  tbb::parallel_for(std::size_t(0), std::size_t(setup.rows), [&](std::size_t row) {
    for (std::size_t c = 0; c < d; ++c) {
      float& x = values[row * d + c];
      x = uniform(row * d + c);
      if (setup.blobs > 1) x += 10 * uniform(~(row % setup.blobs * d + c));
      if (row + setup.apart >= setup.rows) x += 2;
    }
  });
  return values;
}

// A lattice of streets, of which some are missing, with lengths of whole numbers: mean degree
// 4 · kept, as road networks have 2.4. Each edge stands at both its vertices.
hierarchy::Graph made_roads(const BenchSetup& setup) {
  const std::uint64_t side = setup.side;
  const auto length = [&](std::uint64_t vertex, std::uint64_t direction) -> float {
    const std::uint64_t x = vertex % side, y = vertex / side;
    if (direction == 0 ? x + 1 == side : y + 1 == side) return 0;
    const std::uint64_t number = mixed(2 * vertex + direction);
    return double(number >> 11) * 0x1p-53 < setup.kept ? float(1 + number % 1024) : 0.f;
  };
  hierarchy::Graph graph;
  for (std::uint64_t v = 0; v < side * side; ++v) {
    const auto add = [&](std::uint64_t other, float weight) {
      if (weight == 0) return;
      graph.neighbor.push_back(std::uint32_t(other));
      graph.weight.push_back(weight);
    };
    if (v >= side) add(v - side, length(v - side, 1));
    if (v % side > 0) add(v - 1, length(v - 1, 0));
    add(v + 1, length(v, 0));
    add(v + side, length(v, 1));
    graph.begin.push_back(graph.neighbor.size());
  }
  return graph;
}

void bench_nearest(const BenchSetup& setup) {
  const std::vector<float> values = made_rows(setup);
  const brute_force::Rows rows{values.data(), setup.rows, setup.columns};
  const std::uint32_t k =
      setup.neighbors ? setup.neighbors : clusters::default_cuslink_neighbors(setup.rows);
  const Device device = choose_device(setup.device);
  fmt::print("{} nearest of {} rows by {}, {}\n", k, setup.rows, setup.columns, setup.device);
  Progress progress;
  measure(setup.repeats, [&](Timings& timings) {
    brute_force::find_nearest_rows(device, rows, k, progress, &timings);
  });
}

void bench_link(const BenchSetup& setup) {
  const std::vector<float> values = made_rows(setup);
  const brute_force::Rows rows{values.data(), setup.rows, setup.columns};
  const Device device = choose_device(setup.device);
  clusters::CuslinkTree tree;
  fmt::print("cuSLINK of {} rows by {}, {} blobs, {} rows apart, min-samples {}, {}\n", setup.rows,
             setup.columns, setup.blobs, setup.apart, setup.min_samples, setup.device);
  Progress progress;
  measure(setup.repeats, [&](Timings& timings) {
    tree = clusters::make_cuslink_tree(device, rows, {setup.neighbors, setup.min_samples}, progress,
                                       &timings);
  });
  fmt::print("  k {}, {} trees of the graph, connected by {} searches; device memory {:.2f} GB\n",
             tree.neighbors, tree.graph_trees, tree.connections, double(tree.device_memory) / 1e9);
}

void bench_forest(const BenchSetup& setup) {
  const hierarchy::Graph graph = made_roads(setup);
  const Device device = choose_device(setup.device);
  hierarchy::SpanningForest forest;
  fmt::print("spanning forest of {} vertices, {} edges at both ends, {}\n", graph.vertices(),
             graph.neighbor.size(), setup.device);
  measure(setup.repeats, [&](Timings& timings) {
    forest = make_spanning_forest(device, graph, hierarchy::Spanning::Minimum, &timings);
  });
  fmt::print("  {} trees\n", graph.vertices() - forest.edges.a.size());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"haloscope_bench_rows: speed of cuSLINK and of what it is made of"};
  BenchSetup setup;
  app.add_option("--device", setup.device, "cuda, cuda:N or cpu");
  app.add_option("--repeat", setup.repeats, "runs measured");
  auto* const nearest = app.add_subcommand("nearest", "the nearest of all rows");
  auto* const link = app.add_subcommand("link", "all of cuSLINK");
  auto* const forest = app.add_subcommand("forest", "spanning forests of graphs like roads");
  for (auto* const command : {nearest, link}) {
    command->add_option("--rows", setup.rows, "points");
    command->add_option("--columns", setup.columns, "dimensions");
    command->add_option("--k", setup.neighbors, "neighbors; 0: log2(rows) + 15");
    command->add_option("--blobs", setup.blobs, "separate sets");
    command->add_option("--apart", setup.apart, "rows of one set more, far from all");
  }
  link->add_option("--min-samples", setup.min_samples, "of core points, themselves included");
  forest->add_option("--side", setup.side, "of the lattice");
  forest->add_option("--kept", setup.kept, "part of its edges");
  app.require_subcommand(1);
  CLI11_PARSE(app, argc, argv);
  try {
    if (*nearest) bench_nearest(setup);
    if (*link) bench_link(setup);
    if (*forest) bench_forest(setup);
  } catch (const std::exception& e) {
    fmt::print(stderr, "haloscope_bench_rows: error: {}\n", e.what());
    return 2;
  }
}
