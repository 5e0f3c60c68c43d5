#include "compute/halos/apart.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace haloscope::compute::halos {

namespace {

// A halo has a member in a cell. Ordered by cell.
struct Stay {
  std::uint64_t cell;
  std::uint32_t halo;
  auto operator<=>(const Stay&) const = default;
};

// Two halos that are near each other, the first the one with the smaller number.
using Pair = std::pair<std::uint32_t, std::uint32_t>;

template <class T>
void sort_unique(std::vector<T>& values) {
  tbb::parallel_sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

template <class T>
std::vector<T> join(const tbb::enumerable_thread_specific<std::vector<T>>& parts) {
  std::vector<T> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  sort_unique(all);
  return all;
}

// Equal cells along each axis of the torus, no narrower than the length.
class Cells {
 public:
  explicit Cells(double steps) {
    constexpr double kTorus = 4294967296.0, kMost = std::uint64_t(1)
                                                    << 21;  // a key holds 3 × 21 bits
    per_axis_ = std::uint64_t(std::clamp(kTorus / (steps + 1), 1.0, kMost));
  }

  std::uint64_t of(const std::array<const std::uint32_t*, 3>& position, std::uint32_t row) const {
    return key(along(position[0][row]), along(position[1][row]), along(position[2][row]));
  }

  // The cell itself and the 26 around it, some of them the same where there are few.
  std::array<std::uint64_t, 27> around(std::uint64_t cell) const {
    constexpr std::uint64_t kMask = (std::uint64_t(1) << 21) - 1;
    const std::uint64_t x = cell & kMask, y = cell >> 21 & kMask, z = cell >> 42;
    std::array<std::uint64_t, 27> cells{};
    std::size_t n = 0;
    for (std::uint64_t k = 0; k < 3; ++k)
      for (std::uint64_t j = 0; j < 3; ++j)
        for (std::uint64_t i = 0; i < 3; ++i)
          cells[n++] = key(beside(x, i), beside(y, j), beside(z, k));
    return cells;
  }

 private:
  std::uint64_t along(std::uint32_t x) const { return x * per_axis_ >> 32; }
  std::uint64_t beside(std::uint64_t x, std::uint64_t one_more) const {
    return (x + per_axis_ + one_more - 1) % per_axis_;
  }
  static std::uint64_t key(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
    return z << 42 | y << 21 | x;
  }

  std::uint64_t per_axis_ = 1;
};

std::vector<Stay> find_stays(const FinderInput& input, const HaloMembership& halos,
                             std::uint64_t count, const Cells& cells) {
  const std::size_t kinds = input.kinds.size();
  tbb::enumerable_thread_specific<std::vector<Stay>> parts;
  tbb::parallel_for(std::uint64_t(0), count, [&](std::uint64_t h) {
    std::vector<std::uint64_t> touched;
    for (std::size_t kind = 0; kind < kinds; ++kind)
      if (input.kinds[kind].linked())
        for (const std::uint32_t row : halos.run(h, kind, kinds))
          touched.push_back(cells.of(input.kinds[kind].position, row));
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    for (const std::uint64_t cell : touched) parts.local().push_back({cell, std::uint32_t(h)});
  });
  return join(parts);
}

std::vector<Pair> find_pairs(const std::vector<Stay>& stays, const Cells& cells) {
  tbb::enumerable_thread_specific<std::vector<Pair>> parts;
  tbb::parallel_for(std::size_t(0), stays.size(), [&](std::size_t i) {
    const Stay& stay = stays[i];
    for (const std::uint64_t cell : cells.around(stay.cell))
      for (auto other = std::lower_bound(stays.begin(), stays.end(), Stay{cell, stay.halo + 1});
           other != stays.end() && other->cell == cell; ++other)
        parts.local().emplace_back(stay.halo, other->halo);
  });
  return join(parts);
}

}  // namespace

std::vector<std::uint32_t> rounds_apart(const FinderInput& input, const HaloMembership& halos,
                                        std::uint64_t count, double length) {
  const Cells cells(length / input.domain.step());
  auto pairs = find_pairs(find_stays(input, halos, count, cells), cells);
  // The larger number first: each halo, in turn, learns the rounds of those before it.
  for (auto& [a, b] : pairs) std::swap(a, b);
  tbb::parallel_sort(pairs.begin(), pairs.end());
  std::vector<std::uint32_t> round(std::size_t(count), 0);
  std::vector<std::uint32_t> taken;
  for (auto pair = pairs.begin(); pair != pairs.end();) {
    const std::uint32_t halo = pair->first;
    taken.clear();
    for (; pair != pairs.end() && pair->first == halo; ++pair) taken.push_back(round[pair->second]);
    std::sort(taken.begin(), taken.end());
    for (const std::uint32_t one : taken)
      if (one == round[halo]) ++round[halo];
  }
  return round;
}

}  // namespace haloscope::compute::halos
