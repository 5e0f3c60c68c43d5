// How much memory a search for clusters takes, counted on an executor that writes it down. It sorts
// as a GPU does, with as much memory again.

#include "compute/clusters/clustering.inl"
#include "compute/exec/cpu.h"
#include "tests/catch.h"
#include "tests/made/fixed_points.h"
#include "tests/made/placed_points.h"
#include "tests/renderers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

namespace haloscope::compute {

class CountingCpu : public Cpu {
 public:
  using Cpu::Cpu;
  void* allocate(std::size_t bytes, const char* name) {
    void* const place = Cpu::allocate(bytes, name);
    sizes_[place] = bytes;
    held += bytes;
    peak = std::max(peak, held);
    return place;
  }
  void deallocate(void* place) noexcept {
    held -= sizes_[place];
    sizes_.erase(place);
    Cpu::deallocate(place);
  }
  // Of the one search that a test looks at.
  inline static std::uint64_t held = 0, peak = 0;

 private:
  inline static std::map<void*, std::uint64_t> sizes_;
};

void sort_pairs(CountingCpu& exec, Buffer<std::uint64_t, CountingCpu>& keys,
                Buffer<std::uint32_t, CountingCpu>& values, int) {
  Buffer<std::uint64_t, CountingCpu> sorted_keys(exec, keys.size(), "keys");
  Buffer<std::uint32_t, CountingCpu> sorted_values(exec, values.size(), "values");
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return keys.data()[a] < keys.data()[b]; });
  for (std::size_t k = 0; k < order.size(); ++k) {
    sorted_keys.data()[k] = keys.data()[order[k]];
    sorted_values.data()[k] = values.data()[order[k]];
  }
  keys = std::move(sorted_keys);
  values = std::move(sorted_values);
}

}  // namespace haloscope::compute

namespace haloscope::compute::clusters {

namespace {

struct Counted {
  double bytes_per_point = 0;
  std::vector<std::uint32_t> labels;
};

template <class SetPoints>
Counted count_search(const ClusterSettings& settings, std::size_t points,
                     const SetPoints& set_points) {
  CountingCpu::held = CountingCpu::peak = 0;
  ClusteringOn<CountingCpu> clustering;
  set_points(clustering);
  Timings timings;
  clustering.run(settings, timings);
  return {double(CountingCpu::peak) / double(points), clustering.labels()};
}

}  // namespace

TEST_CASE("a grid takes 32 bytes a point beside a point set, and 44 without one", "[halos]") {
  // Of uniform points nearly each has a cell of its own, and there are no more cells than that.
  const test::Kind kind = GENERATE(test::Kind::Uniform, test::Kind::Clustered);
  const int min_points = GENERATE(2, 5);
  constexpr std::size_t kPoints = 200'000;
  std::mt19937_64 random(3);
  const test::Points points = test::make_points(kind, kPoints, random);
  const Domain domain = test::periodic_domain(1);
  const std::array<const std::uint32_t*, 3> columns{points[0].data(), points[1].data(),
                                                    points[2].data()};
  ClusterSettings settings;
  settings.algorithm = Algorithm::Grid;
  settings.min_points = min_points;
  settings.linking_length = 0.008;
  const auto rows = std::pow(std::ceil(std::sqrt(3.) / settings.linking_length), 2);
  const double table = 4 * rows / double(kPoints);

  const auto sets = test::placed(Device::cpu(), domain, points);
  const Counted beside =
      count_search(settings, kPoints, [&](Clustering& c) { c.set_points(sets); });
  CHECK(beside.bytes_per_point <= 32 + table + 0.01);
  CHECK(beside.bytes_per_point >= 32);
  const Counted alone = count_search(
      settings, kPoints, [&](Clustering& c) { c.set_points(domain, columns, kPoints); });
  CHECK(alone.bytes_per_point <= 44.01);

  const auto plain = make_cpu_clustering();
  // What is asked for before points are read is enough for that.
  CHECK(double(plain->memory(2 * kPoints) - plain->memory(kPoints)) >=
        alone.bytes_per_point * double(kPoints));
  plain->set_points(domain, columns, kPoints);
  Timings timings;
  plain->run(settings, timings);
  CHECK((beside.labels == plain->labels()));
  CHECK((alone.labels == plain->labels()));
}

}  // namespace haloscope::compute::clusters
