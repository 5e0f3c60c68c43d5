#pragma once

#include "core/progress.h"
#include "io/snapshot_reader.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::io {

// One bit per candidate row, set from several threads at once.
class RowMarks {
 public:
  explicit RowMarks(std::uint64_t rows) : words_((rows + 63) / 64, 0) {}

  // Gathers neighboring bits before it touches the shared words; one per chunk.
  class Writer {
   public:
    explicit Writer(RowMarks& marks) : marks_(marks) {}
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    ~Writer() { flush(); }
    void set(std::uint64_t row) {
      if (row / 64 != word_) {
        flush();
        word_ = row / 64;
      }
      bits_ |= std::uint64_t(1) << row % 64;
    }

   private:
    void flush();
    RowMarks& marks_;
    std::uint64_t word_ = 0, bits_ = 0;
  };

 private:
  friend class RowMap;
  std::vector<std::uint64_t> words_;
};

// Which rows of a type are kept, and where each of them goes: the n-th kept row of the file becomes
// row n of the columns. Holds no list of rows: nothing where all rows or a sample of them are kept,
// one bit per candidate row (and an eighth of a bit for counting) after keep_marked().
class RowMap {
 public:
  RowMap() = default;
  // All of `count` rows.
  explicit RowMap(std::uint64_t count);
  // All rows of these ranges (ascending, disjoint); what reaches beyond `count` is cut off.
  RowMap(std::uint64_t count, const std::vector<RowRange>& ranges);

  std::uint64_t size() const { return size_; }              // rows kept
  std::uint64_t candidates() const { return candidates_; }  // rows of the ranges
  std::uint64_t rows_in_file() const { return in_file_; }

  // Keeps the marked ones of the candidates. Marks beside rows that were not kept are ignored by
  // the caller's duty: mark only what each() shows.
  void keep_marked(RowMarks marks);

  // Keeps one uniformly random row of each run of `every` kept rows (one of the rest at the end).
  // The choice hangs on `seed` and the run's number alone: no list, the same in every run of the
  // program. A row of the last, shorter run is kept more often than the others; no type vanishes.
  void thin(std::uint64_t every, std::uint64_t seed);
  // The same among the kept rows of several maps, one behind the other: `all` of them, of which
  // `before` stand before this map's. Takes one bit per candidate.
  void thin_part(std::uint64_t every, std::uint64_t seed, std::uint64_t before, std::uint64_t all);

  // Calls f(offset, row, candidate) for the kept rows among first … first+rows-1, ascending:
  // `offset` from `first`, `row` in the columns, `candidate` for RowMarks.
  template <class F>
  void each(std::uint64_t first, std::uint64_t rows, F&& f) const;

  // The same in runs of neighbors: f(offset, row, candidate, length).
  template <class F>
  void each_run(std::uint64_t first, std::uint64_t rows, F&& f) const;

  // Reads a field, skipping rows that are not kept where the format can.
  void read(const SnapshotReader& reader, int type, const std::string& field,
            const ChunkVisitor& visit, Progress& progress) const;

 private:
  std::uint64_t chosen(std::uint64_t run) const;
  std::uint64_t rank(std::uint64_t candidate) const;
  void count_marks();
  std::vector<RowRange> wanted() const;
  RowRange file_rows(std::uint64_t begin, std::uint64_t end, std::size_t& range) const;
  template <class F>
  void each_run_of_range(std::uint64_t begin, std::uint64_t end, std::uint64_t offset, F& f) const;

  std::uint64_t in_file_ = 0, candidates_ = 0, size_ = 0;
  std::vector<RowRange> ranges_;
  std::vector<std::uint64_t> bases_;  // candidate number of each range's first row
  std::uint64_t every_ = 1, seed_ = 0;
  bool marked_ = false;
  std::vector<std::uint64_t> words_;   // the marks
  std::vector<std::uint64_t> counts_;  // marks before every eighth word
};

// 64 random bits for a counter: the finalizer of MurmurHash3 twice over (public domain constants).
constexpr std::uint64_t hash_bits(std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t x = counter + seed * 0x9e3779b97f4a7c15ULL + 0x9e3779b97f4a7c15ULL;
  for (int i = 0; i < 2; ++i) {
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdULL;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ULL;
    x ^= x >> 33;
  }
  return x;
}

template <class F>
void RowMap::each(std::uint64_t first, std::uint64_t rows, F&& f) const {
  each_run(
      first, rows,
      [&](std::uint64_t offset, std::uint64_t row, std::uint64_t candidate, std::uint64_t length) {
        for (std::uint64_t k = 0; k < length; ++k) f(offset + k, row + k, candidate + k);
      });
}

template <class F>
void RowMap::each_run(std::uint64_t first, std::uint64_t rows, F&& f) const {
  auto range = std::upper_bound(ranges_.begin(), ranges_.end(), first,
                                [](std::uint64_t row, const RowRange& r) { return row < r.end; });
  for (; range != ranges_.end() && range->begin < first + rows; ++range) {
    const std::uint64_t begin = std::max(first, range->begin);
    const std::uint64_t end = std::min(first + rows, range->end);
    const std::uint64_t base = bases_[std::size_t(range - ranges_.begin())] - range->begin;
    each_run_of_range(base + begin, base + end, begin - first, f);
  }
}

// `begin` and `end` are candidates, `offset` is that of `begin`. Runs of marks end with their word.
template <class F>
void RowMap::each_run_of_range(std::uint64_t begin, std::uint64_t end, std::uint64_t offset,
                               F& f) const {
  if (marked_) {
    std::uint64_t row = rank(begin);
    for (std::uint64_t word = begin / 64; word * 64 < end; ++word) {
      std::uint64_t bits = words_[word];
      if (word == begin / 64) bits &= ~std::uint64_t(0) << begin % 64;
      if (end - word * 64 < 64) bits &= (std::uint64_t(1) << (end - word * 64)) - 1;
      while (bits) {
        const auto from = std::uint64_t(std::countr_zero(bits));
        const auto length = std::uint64_t(std::countr_one(bits >> from));
        const std::uint64_t candidate = word * 64 + from;
        f(offset + candidate - begin, row, candidate, length);
        row += length;
        if (from + length == 64) break;
        bits &= ~std::uint64_t(0) << (from + length);
      }
    }
  } else if (every_ == 1) {
    f(offset, begin, begin, end - begin);
  } else {
    for (std::uint64_t run = begin / every_; run * every_ < end; ++run) {
      const std::uint64_t candidate = chosen(run);
      if (candidate >= begin && candidate < end)
        f(offset + candidate - begin, run, candidate, std::uint64_t(1));
    }
  }
}

}  // namespace haloscope::io
