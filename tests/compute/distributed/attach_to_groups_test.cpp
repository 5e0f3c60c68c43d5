// Particles that join groups of other ranks beside a search through all pairs, on threads.

#include "compute/distributed/attach_to_groups.h"

#include "compute/halos/halo_finder.h"
#include "tests/catch.h"
#include "tests/made/clumps.h"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute;
using namespace haloscope::compute::distributed;
using haloscope::test::Columns;
using haloscope::test::made_points;

namespace {

struct Joining {
  Columns linked, others;
  std::vector<std::uint32_t> groups;  // of the linked
  std::vector<float> first_radius;    // of the others; empty: as the linking length has it
  double linking_length;
};

const Domain kJoinedBox{{0, 0, 0}, 100, true};

std::uint64_t squared_distance(const Columns& a, std::size_t i, const Columns& b, std::size_t j) {
  std::uint64_t sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto d = std::int64_t(std::int32_t(a[axis][i] - b[axis][j]));
    sum += std::uint64_t(d * d);
  }
  return sum;
}

// Nearest of all; the first of equally near ones.
std::vector<std::uint32_t> join_slowly(const Joining& from) {
  halos::FinderInput input;
  input.domain = kJoinedBox;
  halos::FinderInput::Kind kind;
  kind.first_radius = from.first_radius.empty() ? nullptr : from.first_radius.data();
  std::vector<std::uint32_t> joined;
  for (std::size_t i = 0; i < from.others[0].size(); ++i) {
    std::uint64_t best = halos::squared_reach(input, kind, i, from.linking_length);
    std::uint32_t group = clusters::kNoise;
    bool found = false;
    for (std::size_t j = 0; j < from.groups.size(); ++j) {
      const std::uint64_t d = squared_distance(from.others, i, from.linked, j);
      if (d > best || (d == best && found)) continue;
      best = d;
      found = true;
      group = from.groups[j];
    }
    joined.push_back(group);
  }
  return joined;
}

PointPart part_of(const Columns& points, std::uint64_t begin, std::uint64_t end) {
  return {{points[0].data() + begin, points[1].data() + begin, points[2].data() + begin},
          end - begin};
}

// The last rank has none of the others: it asks nothing while the rest still do.
std::vector<std::uint32_t> join_over_ranks(const Joining& from, int size, std::uint64_t at_once) {
  std::vector<std::uint32_t> joined(from.others[0].size());
  run_thread_ranks(size, [&](Ranks& ranks) {
    const std::uint64_t begin = part_begin(from.groups.size(), ranks.rank(), size);
    const std::uint64_t end = part_begin(from.groups.size(), ranks.rank() + 1, size);
    const NumberedPart linked{part_of(from.linked, begin, end), std::uint32_t(begin)};
    const auto neighbors = spatial::make_neighbors(Device::cpu());
    const GroupsInSpace space(
        ranks, *neighbors, kJoinedBox, std::span(&linked, 1),
        std::span(from.groups).subspan(std::size_t(begin), std::size_t(end - begin)));
    const int askers = std::max(1, size - 1), asker = std::min(ranks.rank(), askers);
    const std::uint64_t first = part_begin(joined.size(), asker, askers);
    const std::uint64_t behind =
        asker == askers ? first : part_begin(joined.size(), asker + 1, askers);
    const auto own =
        space.attach(part_of(from.others, first, behind),
                     from.first_radius.empty() ? nullptr : from.first_radius.data() + first,
                     from.linking_length, {.at_once = at_once});
    std::copy(own.begin(), own.end(), joined.begin() + std::ptrdiff_t(first));
  });
  return joined;
}

}  // namespace

TEST_CASE("particles join the group of the nearest linked one on any rank, piece by piece",
          "[ranks][distributed]") {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> radius(0, 12);
  std::uniform_int_distribution<std::uint32_t> name(0, 40);
  for (const std::size_t linked : {0, 1, 700})
    for (const bool has_radii : {false, true}) {
      Joining from{made_points(linked, 5), made_points(900, 6), {}, {}, 0.8};
      // Several linked ones at one place, in groups of different names: the first decides.
      for (auto& axis : from.linked)
        for (std::size_t i = 10; i < linked; i += 10) axis[i] = axis[i - 7];
      for (std::size_t i = 0; i < linked; ++i)
        from.groups.push_back(i % 9 == 0 ? clusters::kNoise : name(random));
      for (std::size_t i = 0; has_radii && i < 900; ++i)
        from.first_radius.push_back(radius(random));
      const auto expected = join_slowly(from);
      if (linked > 1) {
        CHECK(std::count(expected.begin(), expected.end(), clusters::kNoise) > 50);
        CHECK(std::count(expected.begin(), expected.end(), clusters::kNoise) < 850);
      }
      for (const int size : {1, 2, 3, 5})
        for (const std::uint64_t at_once : {std::uint64_t(1) << 20, std::uint64_t(97)}) {
          INFO(linked << " linked, radii " << has_radii << ", " << size << " ranks, " << at_once
                      << " at once");
          CHECK((join_over_ranks(from, size, at_once) == expected));
        }
    }
}

TEST_CASE("of equally near linked particles on two ranks the first decides", "[ranks]") {
  // Others lie in the middle between two of a lattice, whose numbers have no order in space.
  Joining from{{}, {}, {}, {}, 10};
  std::vector<std::array<std::uint32_t, 3>> at;
  constexpr std::uint32_t kSide = 8, kStep = 1u << 29;
  for (std::uint32_t p = 0; p < kSide * kSide * kSide; ++p)
    at.push_back({p % kSide * kStep, p / kSide % kSide * kStep, p / kSide / kSide * kStep});
  for (const auto& p : at)
    for (std::size_t axis = 0; axis < 3; ++axis)
      from.others[axis].push_back(p[axis] + (axis == p[2] / kStep % 3 ? kStep / 2 : 0));
  std::mt19937 random(4);
  std::shuffle(at.begin(), at.end(), random);
  for (std::size_t i = 0; i < at.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) from.linked[axis].push_back(at[i][axis]);
    from.groups.push_back(std::uint32_t(i));
  }
  const auto expected = join_slowly(from);
  for (const int size : {1, 2, 3, 4, 7}) {
    INFO(size << " ranks");
    CHECK((join_over_ranks(from, size, 100) == expected));
  }
}
