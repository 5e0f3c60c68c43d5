#include "compute/brute_force/row_search_cpu.h"

#include "compute/brute_force/panel.h"
#include "compute/brute_force/row_distance.h"
#include "compute/exec/atomics.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

namespace haloscope::compute::brute_force {

namespace {

// Rows that go through all panels together: so many share each panel while it is in the cache.
constexpr std::uint32_t kBlock = 8 * kRowsAtOnce;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The k nearest rows met so far, ascending.
class NearestKeys {
 public:
  explicit NearestKeys(std::uint32_t k) : keys_(k, kNoNeighbor) {}

  // Infinite until there are k of them.
  float farthest() const {
    return keys_.back() == kNoNeighbor ? kInfinity : distance_of_key(keys_.back());
  }
  // False: it is no nearer than those that are known.
  bool insert(std::uint64_t key) {
    if (key >= keys_.back()) return false;
    std::size_t at = keys_.size() - 1;
    for (; at > 0 && keys_[at - 1] > key; --at) keys_[at] = keys_[at - 1];
    keys_[at] = key;
    return true;
  }
  std::uint64_t operator[](std::size_t i) const { return keys_[i]; }

 private:
  std::vector<std::uint64_t> keys_;
};

// Up to kRowsAtOnce rows side by side; lanes without a row see nothing.
struct RowGroup {
  const float* values[kRowsAtOnce];
  float limit[kRowsAtOnce];
  std::uint32_t row[kRowsAtOnce];
  std::uint32_t count = 0;
};

// Calls use(group) for groups of the rows that row(i) names for i in [begin, end).
template <class RowAt, class Use>
void for_groups(const Rows& rows, std::uint32_t begin, std::uint32_t end, const RowAt& row,
                const Use& use) {
  for (std::uint32_t first = begin; first < end; first += kRowsAtOnce) {
    RowGroup group;
    group.count = std::min(kRowsAtOnce, end - first);
    for (std::uint32_t r = 0; r < kRowsAtOnce; ++r) {
      group.row[r] = row(first + (r < group.count ? r : 0));
      group.values[r] = rows.values + std::size_t(group.row[r]) * rows.dimensions;
      group.limit[r] = -1;
    }
    use(group, first);
  }
}

// Calls see(r, column) for what may be near rows of a group.
template <class See>
void see_panel(const Rows& rows, const float* panel, std::uint32_t first, const RowGroup& group,
               const See& see) {
  std::uint32_t near[kRowsAtOnce];
  near_columns(panel, group.values, group.limit, rows.dimensions, near);
  for (std::uint32_t r = 0; r < group.count; ++r)
    for (std::uint32_t left = near[r]; left != 0; left &= left - 1)
      see(r, first + std::uint32_t(std::countr_zero(left)));
}

}  // namespace

RowSearch<Cpu>::RowSearch(Cpu& exec, const Rows& rows, Progress& progress)
    : exec_(exec),
      rows_(rows),
      progress_(progress),
      panels_(std::uint32_t((std::uint64_t(rows.count) + kPanelRows - 1) / kPanelRows)),
      panel_(exec, std::size_t(panels_) * kPanelRows * rows.dimensions, "rows") {
  tbb::parallel_for(std::uint32_t(0), panels_, [&](std::uint32_t p) {
    for (std::uint32_t l = 0; l < kPanelRows; ++l) {
      const std::uint64_t row = std::uint64_t(p) * kPanelRows + l;
      for (std::uint32_t d = 0; d < rows.dimensions; ++d)
        panel_.data()[(std::size_t(p) * rows.dimensions + d) * kPanelRows + l] =
            row < rows.count ? rows.values[row * rows.dimensions + d]
                             : std::numeric_limits<float>::quiet_NaN();
    }
  });
}

// Calls block(begin, end) for blocks of `count` rows, and reports between stretches of them.
template <class Block>
void RowSearch<Cpu>::for_blocks(std::uint32_t count, const Block& block) {
  const auto blocks = std::uint32_t((std::uint64_t(count) + kBlock - 1) / kBlock);
  const std::uint32_t stretch = std::max(64u, blocks / 64);
  for (std::uint32_t first = 0; first < blocks; first += std::min(stretch, blocks - first)) {
    progress_.report("comparing rows", double(first) / blocks);
    tbb::parallel_for(first, first + std::min(stretch, blocks - first), [&](std::uint32_t b) {
      exec_.check_cancelled();
      block(b * kBlock, std::uint32_t(std::min<std::uint64_t>(count, (b + 1ull) * kBlock)));
    });
  }
}

void RowSearch<Cpu>::nearest(const NearestRows& lists) {
  const std::uint32_t dimensions = rows_.dimensions;
  for_blocks(rows_.count, [&](std::uint32_t begin, std::uint32_t end) {
    std::vector<NearestKeys> keys(end - begin, NearestKeys(lists.k));
    for (std::uint32_t p = 0; p < panels_; ++p)
      for_groups(
          rows_, begin, end, [](std::uint32_t row) { return row; },
          [&](RowGroup& group, std::uint32_t first) {
            for (std::uint32_t r = 0; r < group.count; ++r)
              group.limit[r] = limit_of(keys[first + r - begin].farthest(), dimensions);
            see_panel(rows_, panel_.data() + std::size_t(p) * dimensions * kPanelRows,
                      p * kPanelRows, group, [&](std::uint32_t r, std::uint32_t column) {
                        if (column == group.row[r]) return;
                        const float* const other = rows_.values + std::size_t(column) * dimensions;
                        keys[first + r - begin].insert(neighbor_key(
                            distance_between(group.values[r], other, dimensions), column));
                      });
          });
    for (std::uint32_t row = begin; row < end; ++row)
      for (std::uint32_t i = 0; i < lists.k; ++i) {
        const std::uint64_t key = keys[row - begin][i];
        lists.row[std::size_t(row) * lists.k + i] = row_of(key);
        lists.distance[std::size_t(row) * lists.k + i] = distance_of_key(key);
      }
  });
}

void RowSearch<Cpu>::foreign(const ForeignSearch& search) {
  const std::uint32_t dimensions = rows_.dimensions;
  const auto core = [&](std::uint32_t row) { return search.core ? search.core[row] : 0.f; };
  for_blocks(search.count, [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t p = 0; p < panels_; ++p)
      for_groups(
          rows_, begin, end, [&](std::uint32_t i) { return search.rows[i]; },
          [&](RowGroup& group, std::uint32_t) {
            for (std::uint32_t r = 0; r < group.count; ++r) {
              const std::uint32_t row = group.row[r];
              const float least = distance_of_bits(atomic_load(search.least + search.color[row]));
              group.limit[r] = core(row) <= least ? limit_of(least, dimensions) : -1;
            }
            see_panel(rows_, panel_.data() + std::size_t(p) * dimensions * kPanelRows,
                      p * kPanelRows, group, [&](std::uint32_t r, std::uint32_t column) {
                        const std::uint32_t row = group.row[r], own = search.color[row];
                        if (search.color[column] == own) return;
                        const float* const other = rows_.values + std::size_t(column) * dimensions;
                        const float length =
                            std::max({distance_between(group.values[r], other, dimensions),
                                      core(row), core(column)});
                        const std::uint64_t key = neighbor_key(length, column);
                        // A row is in one block alone.
                        if (key >= search.found[row]) return;
                        search.found[row] = key;
                        atomic_minimum(search.least + own, bits_of(length));
                      });
          });
  });
}

}  // namespace haloscope::compute::brute_force
