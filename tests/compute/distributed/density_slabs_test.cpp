// Grids of particles that lie on several ranks beside those of one process, on threads.

#include "compute/distributed/density_slabs.h"

#include "compute/distributed/grid_slabs.h"
#include "compute/distributed/values_at_cells.h"
#include "compute/exec/ranks.h"
#include "core/error.h"
#include "core/progress.h"
#include "tests/catch.h"
#include "tests/made/fixed_points.h"
#include "tests/made/size.h"
#include "tests/skip.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

using namespace haloscope;
using compute::Ranks;
namespace distributed = haloscope::compute::distributed;
namespace grids = haloscope::compute::grids;

namespace {

constexpr grids::Assign kAssigns[] = {grids::Assign::Nearest, grids::Assign::CloudInCell,
                                      grids::Assign::Triangular, grids::Assign::Kernel};
constexpr grids::Quantity kQuantities[] = {grids::Quantity::Count, grids::Quantity::Mass,
                                           grids::Quantity::Sum, grids::Quantity::Mean};

// A type of particles in file order.
struct MadeType {
  std::array<std::vector<std::uint32_t>, 3> position;
  std::vector<float> mass, field, radius;  // masses: empty where all have uniform_mass
  double uniform_mass = 1;

  std::size_t count() const { return radius.size(); }
  // A rank without any knows nothing of the type.
  grids::GridPoints part(std::size_t begin, std::size_t end) const {
    grids::GridPoints points;
    points.count = end - begin;
    if (end == begin) return points;
    for (std::size_t a = 0; a < 3; ++a) points.position[a] = position[a].data() + begin;
    points.mass = mass.empty() ? nullptr : mass.data() + begin;
    points.uniform_mass = uniform_mass;
    points.field = field.empty() ? nullptr : field.data() + begin;
    points.radius = radius.data() + begin;
    return points;
  }
  grids::GridPoints all() const { return part(0, count()); }
};

// Half in a clump around a corner of the box, some exactly on borders of cells.
MadeType made_type(std::size_t count, unsigned seed, double largest_radius) {
  MadeType type;
  std::mt19937 random(seed);
  std::normal_distribution<double> near(0, 0x1p27);
  for (std::size_t i = 0; i < count; ++i) {
    for (auto& axis : type.position)
      axis.push_back(i % 2   ? std::uint32_t(random())
                     : i % 3 ? std::uint32_t(std::int64_t(near(random)))
                             : std::uint32_t(random() % 16) << 28);
    type.mass.push_back(0.5f + float(random() % 1000) * 0.001f);
    type.field.push_back(float(random() % 1000) * 0.37f - 90);
    type.radius.push_back(float(largest_radius * double(random() % 1000) / 1000));
  }
  return type;
}

grids::GridFrame frame_of(const std::array<std::uint32_t, 3>& cells, bool periodic) {
  Domain domain;
  domain.side = 16;
  domain.periodic = periodic;
  grids::GridBox box{{0, 0, 0}, {16, 16, 16}, cells, grids::Edge::Keep};
  // Around all but some, which the cells at the ends take.
  if (!periodic) box = {{1, 1, 1}, {15, 14, 16}, cells, grids::Edge::Keep};
  return grids::make_frame(domain, box);
}

struct Difference {
  bool values = false, numbers = false;
};

// `share`: which part of a type a rank has.
template <class Share>
Difference difference(const grids::GridRequest& request, const std::vector<MadeType>& types,
                      int size, std::uint64_t at_once, const Share& share,
                      compute::Device device = compute::Device::cpu()) {
  Progress progress;
  std::vector<grids::GridPoints> all;
  for (const MadeType& type : types) all.push_back(type.all());
  const grids::DensityGrid one = grids::make_density_grid(device, request, all, progress);
  Difference found;
  compute::run_thread_ranks(size, [&](Ranks& ranks) {
    std::vector<grids::GridPoints> own;
    for (const MadeType& type : types)
      own.push_back(type.part(share(type.count(), ranks.rank(), size),
                              share(type.count(), ranks.rank() + 1, size)));
    Progress quiet;
    const grids::DensityGrid part =
        distributed::make_density_slabs(ranks, device, request, own, quiet, at_once);
    const auto planes =
        distributed::planes_of_rank(request.frame.cells[0], ranks.rank(), ranks.size());
    const bool fits =
        part.values.size() == planes.count() * request.frame.cells[1] * request.frame.cells[2];
    const bool numbers =
        part.total == one.total && part.quantum == one.quantum && part.left_out == one.left_out;
    const auto values = ranks.gather<float>(std::span(part.values.data(), part.values.size()));
    const int wrong = ranks.sum(numbers && fits ? 0 : 1);
    if (!ranks.first()) return;
    found.numbers = wrong > 0;
    found.values =
        values.size() != one.values.size() ||
        std::memcmp(values.data(), one.values.data(), values.size() * sizeof(float)) != 0;
  });
  return found;
}

std::size_t even_share(std::size_t count, int rank, int size) {
  return std::size_t(compute::part_begin(count, rank, size));
}

}  // namespace

TEST_CASE("a grid of particles over ranks has the bits of one", "[grids][ranks][distributed]") {
  // The second type and the third have one mass each, and of the third some ranks have no particle.
  std::vector<MadeType> types{made_type(test::sized(700, 200), 1, 1.5),
                              made_type(test::sized(300, 100), 2, 3), made_type(2, 3, 9)};
  types[1].mass.clear();
  types[1].uniform_mass = 0.1;
  types[2].mass.clear();
  types[2].uniform_mass = 0.3;
  for (const bool periodic : {true, false})
    for (const std::array<std::uint32_t, 3>& cells :
         {std::array<std::uint32_t, 3>{13, 6, 7}, {2, 9, 8}, {5, 1, 4}, {1, 3, 11}})
      for (const grids::Assign assign : kAssigns)
        for (const grids::Quantity quantity : kQuantities)
          for (const double sigma : {0., 0.8}) {
            grids::GridRequest request;
            request.frame = frame_of(cells, periodic);
            request.assign = assign;
            request.quantity = quantity;
            request.smoothing = {sigma, sigma, sigma};
            for (const int size : {2, 3, 5}) {
              CAPTURE(periodic, cells, int(assign), int(quantity), sigma, size);
              const Difference found = difference(request, types, size, 1 << 20, even_share);
              CHECK_FALSE(found.values);
              CHECK_FALSE(found.numbers);
            }
          }
}

TEST_CASE("a grid of a region over ranks has the bits of one", "[grids][ranks][distributed]") {
  const std::vector<MadeType> types{made_type(test::sized(900, 300), 11, 1.5),
                                    made_type(test::sized(60, 20), 12, 9)};
  struct Cut {
    bool periodic;
    std::array<double, 3> low, high;
  };
  // Inside the box, over its edge, with whole axes, and, with cells around it, longer than the box.
  const Cut cuts[] = {{true, {3, 2, 5}, {11, 7, 14}},
                      {true, {12, 14, 15}, {21, 17, 18.5}},
                      {true, {0, 3, 0}, {16, 9, 16}},
                      {true, {-20, 2, 3}, {31, 9, 7}},
                      {false, {2, 3, 1}, {9, 6, 12}}};
  for (const Cut& cut : cuts)
    for (const std::array<std::uint32_t, 3>& cells :
         {std::array<std::uint32_t, 3>{13, 6, 7}, {2, 9, 8}, {1, 3, 11}})
      for (const grids::Assign assign : kAssigns)
        for (const double sigma : {0., 0.8}) {
          Domain domain;
          domain.side = 16;
          domain.periodic = cut.periodic;
          grids::GridRequest request;
          request.frame =
              grids::make_frame(domain, {cut.low, cut.high, cells, grids::Edge::Cut}, true);
          request.assign = assign;
          request.smoothing = {sigma, sigma, sigma};
          for (const int size : {2, 3, 5}) {
            CAPTURE(cut.periodic, cut.low, cells, int(assign), sigma, size);
            const Difference found = difference(request, types, size, 1 << 20, even_share);
            CHECK_FALSE(found.values);
            CHECK_FALSE(found.numbers);
          }
        }
}

TEST_CASE("particles of a grid are sent in pieces", "[grids][ranks][distributed]") {
  const std::vector<MadeType> types{made_type(500, 4, 1)};
  for (const grids::Assign assign : {grids::Assign::CloudInCell, grids::Assign::Kernel}) {
    grids::GridRequest request;
    request.frame = frame_of({12, 5, 6}, true);
    request.assign = assign;
    for (const std::uint64_t at_once : {1u, 37u}) {
      CAPTURE(int(assign), at_once);
      // Ranks with other numbers of particles: the last one has nearly all.
      const auto uneven = [](std::size_t count, int rank, int size) {
        return rank == size ? count : std::min(count, std::size_t(rank) * 40);
      };
      const Difference found = difference(request, types, 3, at_once, uneven);
      CHECK_FALSE(found.values);
      CHECK_FALSE(found.numbers);
    }
  }
}

TEST_CASE("kernels wider than a rank's planes reach all ranks", "[grids][ranks][distributed]") {
  const std::vector<MadeType> types{made_type(test::sized(60, 20), 5, 12)};
  for (const bool periodic : {true, false}) {
    grids::GridRequest request;
    request.frame = frame_of({16, 16, 16}, periodic);
    request.assign = grids::Assign::Kernel;
    const Difference found = difference(request, types, 4, 1 << 20, even_share);
    CHECK_FALSE(found.values);
    CHECK_FALSE(found.numbers);
  }
}

TEST_CASE("planes of a grid that a GPU makes have the bits of one",
          "[grids][ranks][distributed][gpu]") {
  if (!is_usable(compute::Device::cuda())) {
    test::skip(test::Needs::Gpu, "there is no GPU");
    return;
  }
  std::vector<MadeType> types{made_type(700, 21, 1.5), made_type(300, 22, 9)};
  types[1].mass.clear();
  types[1].uniform_mass = 0.1;
  // In several pieces, of which the last rank's alone have particles in the end.
  const auto uneven = [](std::size_t count, int rank, int size) {
    return rank == size ? count : std::min(count, std::size_t(rank) * 40);
  };
  Domain domain;
  domain.side = 16;
  domain.periodic = true;
  // Of one plane two ranks have none. With cells around it, the region is longer than the box.
  for (const std::array<std::uint32_t, 3>& cells :
       {std::array<std::uint32_t, 3>{13, 6, 7}, {1, 3, 11}})
    for (const grids::GridFrame& frame :
         {frame_of(cells, true), frame_of(cells, false),
          grids::make_frame(domain, {{-20, 2, 3}, {31, 9, 7}, cells, grids::Edge::Cut}, true)})
      for (const grids::Assign assign : kAssigns)
        for (const grids::Quantity quantity : kQuantities)
          for (const double sigma : {0., 0.8}) {
            grids::GridRequest request;
            request.frame = frame;
            request.assign = assign;
            request.quantity = quantity;
            request.smoothing = {sigma, sigma, sigma};
            CAPTURE(cells, int(assign), int(quantity), sigma);
            const Difference found =
                difference(request, types, 3, 400, uneven, compute::Device::cuda());
            CHECK_FALSE(found.values);
            CHECK_FALSE(found.numbers);
          }
}

TEST_CASE("values that no grid can be of are left out on all ranks",
          "[grids][ranks][distributed]") {
  std::vector<MadeType> types{made_type(200, 6, 1)};
  types[0].mass[3] = std::numeric_limits<float>::quiet_NaN();
  types[0].mass[170] = std::numeric_limits<float>::infinity();
  types[0].field[40] = std::numeric_limits<float>::quiet_NaN();
  for (const grids::Quantity quantity : kQuantities) {
    grids::GridRequest request;
    request.frame = frame_of({7, 6, 5}, true);
    request.quantity = quantity;
    const Difference found = difference(request, types, 3, 1 << 20, even_share);
    CHECK_FALSE(found.values);
    CHECK_FALSE(found.numbers);
  }
  types[0].mass.assign(types[0].count(), 3e38f);
  grids::GridRequest request;
  request.frame = frame_of({7, 6, 5}, true);
  CHECK_THROWS_WITH(compute::run_thread_ranks(
                        2,
                        [&](Ranks& ranks) {
                          Progress progress;
                          const std::size_t half = types[0].count() / 2;
                          distributed::make_density_slabs(
                              ranks, compute::Device::cpu(), request,
                              {types[0].part(ranks.rank() * half, (ranks.rank() + 1) * half)},
                              progress);
                        }),
                    Catch::Contains("beyond float32"));
}

TEST_CASE("ranks ask one another what stands in cells", "[grids][ranks][distributed]") {
  constexpr std::uint64_t kPlane = 6;
  for (const std::uint64_t planes : {1u, 2u, 3u, 11u})
    for (const int size : {1, 2, 4}) {
      CAPTURE(planes, size);
      int wrong = -1;
      compute::run_thread_ranks(size, [&](Ranks& ranks) {
        const auto own = distributed::planes_of_rank(planes, ranks.rank(), size);
        std::vector<std::uint32_t> values;
        for (std::uint64_t cell = own.begin * kPlane; cell < own.end * kPlane; ++cell)
          values.push_back(std::uint32_t(1000 + cell * cell));
        std::mt19937 random(unsigned(ranks.rank()) + 1);
        // The last rank asks for nothing.
        std::vector<std::uint32_t> cells(ranks.rank() + 1 == size && size > 1 ? 0 : 100);
        for (std::uint32_t& cell : cells)
          cell = random() % 5 == 0 ? distributed::kOutsideGrid
                                   : std::uint32_t(random() % (planes * kPlane));
        const auto found = distributed::values_at_cells(ranks, planes, kPlane, values, cells, 7);
        int bad = found.size() != cells.size();
        for (std::size_t i = 0; i < cells.size() && !bad; ++i)
          bad = found[i] != (cells[i] == distributed::kOutsideGrid ? distributed::kOutsideGrid
                                                                   : 1000 + cells[i] * cells[i]);
        bad = ranks.sum(bad);
        if (ranks.first()) wrong = bad;
      });
      CHECK(wrong == 0);
    }
}
