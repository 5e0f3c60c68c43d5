// Phases of the timings, which are also ranges in a profiler.

#include "compute/exec/phases.h"

#include "compute/clusters/clustering.h"
#include "compute/exec/cpu.h"
#include "compute/spatial/neighbors.h"
#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/fixed_points.h"

#include <random>
#include <set>
#include <string>
#include <type_traits>

using namespace haloscope;
using namespace haloscope::compute;

#ifndef HALOSCOPE_HAS_NVTX
static_assert(std::is_empty_v<NamedRange>, "without CUDA a range costs nothing");
#endif

namespace {

std::set<std::string> names_of(const Timings& timings) {
  std::set<std::string> names;
  for (const auto& [name, samples] : timings.samples())
    if (samples.size() == 1) names.insert(name);
  return names;
}

// Counts how often somebody waited for it.
struct CountingExecutor {
  int waits = 0;
  void synchronize() { ++waits; }
};

}  // namespace

TEST_CASE("a phase ends where the next one begins, and waits for the executor", "[exec]") {
  CountingExecutor exec;
  Timings timings;
  {
    Phases<CountingExecutor> phases(exec, timings);
    CHECK(exec.waits == 0);
    phases.begin("sort");
    phases.begin("build");
    CHECK(names_of(timings) == std::set<std::string>{"sort"});
    phases.end();
    phases.end();
    CHECK(exec.waits == 3);
  }
  CHECK(names_of(timings) == std::set<std::string>{"sort", "build"});
  CHECK(timings.median("sort") >= 0);
}

TEST_CASE("a phase that an error ends is not timed", "[exec]") {
  CountingExecutor exec;
  Timings timings;
  const auto work = [&] {
    Phases<CountingExecutor> phases(exec, timings);
    phases.begin("sort");
    phases.begin("build");
    throw Error("out of memory");
  };
  CHECK_THROWS_AS(work(), Error);
  CHECK(names_of(timings) == std::set<std::string>{"sort"});
}

TEST_CASE("a timed range is a sample of its phase", "[exec]") {
  Timings timings;
  { const TimedRange range(timings, "upload"); }
  CHECK(names_of(timings) == std::set<std::string>{"upload"});
}

TEST_CASE("searches tell the same phases, whatever the algorithm", "[exec][halos]") {
  using clusters::Algorithm;
  std::mt19937_64 random(3);
  const auto points = haloscope::test::make_points(haloscope::test::Kind::Uniform, 3000, random);
  const std::array<const std::uint32_t*, 3> position{points[0].data(), points[1].data(),
                                                     points[2].data()};
  const std::set<std::string> friends{"keys", "sort", "build", "link", "label"};
  std::set<std::string> dbscan = friends;
  dbscan.insert({"core", "border"});
  for (const Algorithm algorithm : {Algorithm::FdbScan, Algorithm::DenseBox, Algorithm::Grid})
    for (const int min_points : {2, 5}) {
      const auto clustering = clusters::make_clustering(Device::cpu());
      Domain domain;
      domain.periodic = true;
      clustering->set_points(domain, position, points[0].size());
      Timings timings;
      clustering->run({0.02, min_points, algorithm}, timings);
      INFO("algorithm " << int(algorithm) << ", minPts " << min_points);
      CHECK(names_of(timings) == (min_points == 2 ? friends : dbscan));
    }
  const auto neighbors = spatial::make_neighbors(Device::cpu());
  Timings timings;
  neighbors->set_points(position, points[0].size(), &timings);
  CHECK(names_of(timings) == std::set<std::string>{"keys", "sort", "build"});
  neighbors->kth_squared_distance(4, &timings);
  CHECK(names_of(timings) == std::set<std::string>{"keys", "sort", "build", "search"});
}
