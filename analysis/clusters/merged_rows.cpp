#include "analysis/clusters/merged_rows.h"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace haloscope::analysis {

namespace {

class MergedRows {
 public:
  MergedRows(const io::PointTable& table, const TableLattice& lattice)
      : table_(table), lattice_(lattice) {}

  std::uint64_t count() const {
    std::vector<std::uint32_t> rows = rows_that_may_meet();
    tbb::parallel_sort(rows.begin(), rows.end(), [this](std::uint32_t p, std::uint32_t q) {
      for (const auto& column : lattice_.column)
        if (column[p] != column[q]) return column[p] < column[q];
      return p < q;
    });
    std::uint64_t merged = 0;
    for (std::size_t first = 0, k = 1; k < rows.size(); ++k) {
      if (!meet(rows[first], rows[k]))
        first = k;
      else
        merged += differ(rows[first], rows[k]);
    }
    return merged;
  }

 private:
  std::uint64_t hash(std::uint32_t row) const {
    std::uint64_t sum = 0;
    for (const auto& column : lattice_.column)
      sum = (sum ^ column[row]) * 0x9e3779b97f4a7c15ULL + (sum >> 29);
    return sum;
  }

  // Those whose hash another row has: nearly none where no two rows meet, so that most tables need
  // not be sorted.
  std::vector<std::uint32_t> rows_that_may_meet() const {
    constexpr std::uint64_t kBitsPerRow = 16;
    const auto count = std::uint32_t(table_.rows);
    const int bits = std::bit_width(std::max<std::uint64_t>(64, kBitsPerRow * count) - 1);
    const auto bit_of = [&](std::uint32_t row) { return hash(row) >> (64 - bits); };
    std::vector<bool> seen(std::size_t(1) << bits, false), again(std::size_t(1) << bits, false);
    for (std::uint32_t row = 0; row < count; ++row) {
      const auto bit = std::size_t(bit_of(row));
      if (seen[bit]) again[bit] = true;
      seen[bit] = true;
    }
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < count; ++row)
      if (again[std::size_t(bit_of(row))]) rows.push_back(row);
    return rows;
  }

  bool meet(std::uint32_t p, std::uint32_t q) const {
    for (const auto& column : lattice_.column)
      if (column[p] != column[q]) return false;
    return true;
  }

  bool differ(std::uint32_t p, std::uint32_t q) const {
    for (std::size_t c = 0; c < table_.columns; ++c)
      if (differ(table_.at(p, c), table_.at(q, c))) return true;
    return false;
  }
  bool differ(double a, double b) const {
    const Domain& domain = lattice_.axis.front();
    if (!domain.periodic) return a != b;
    constexpr double kRounded = 1e-3;  // of a step: what wrapping rounds
    return std::abs(std::remainder(a - b, domain.side)) > kRounded * domain.step();
  }

  const io::PointTable& table_;
  const TableLattice& lattice_;
};

}  // namespace

std::uint64_t merged_rows(const io::PointTable& table, const TableLattice& lattice) {
  return lattice.column.empty() ? 0 : MergedRows(table, lattice).count();
}

}  // namespace haloscope::analysis
