// Arrays that go to a GPU and come back by way of pinned memory, in pieces.

#include "compute/clusters/clustering.h"
#include "core/domain.h"
#include "tests/catch.h"
#include "tests/renderers.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute;

namespace {

using Columns = std::array<std::vector<std::uint32_t>, 3>;

std::vector<std::uint32_t> labels_on(Device device, const Columns& at) {
  Domain domain;
  domain.side = 1;
  const auto clustering = clusters::make_clustering(device);
  clustering->set_points(domain, {at[0].data(), at[1].data(), at[2].data()}, at[0].size());
  Timings timings;
  clustering->run({0.3 / std::cbrt(double(at[0].size())), 2, clusters::Algorithm::Grid}, timings);
  return clustering->labels();
}

}  // namespace

TEST_CASE("large arrays reach a GPU and come back whole, from several threads at once", "[gpu]") {
  std::mt19937 random(8);
  // 12 MB and 80 MB an array: all in pinned memory at once, and more than that.
  for (const std::size_t count : {3'000'001u, 20'000'001u}) {
    CAPTURE(count);
    Columns at;
    for (auto& axis : at) {
      axis.resize(count);
      for (auto& x : axis) x = std::uint32_t(random());
    }
    for (const Device& device : test::devices()) {
      if (!device.is_gpu()) continue;
      const auto expected = labels_on(Device::cpu(), at);
      std::array<std::vector<std::uint32_t>, 3> got;
      std::vector<std::thread> threads;
      for (auto& labels : got) threads.emplace_back([&] { labels = labels_on(device, at); });
      for (std::thread& thread : threads) thread.join();
      for (const auto& labels : got) CHECK((labels == expected));
    }
  }
}
