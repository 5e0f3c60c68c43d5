#include "io/loading/row_map.h"

#include "core/array.h"

#include <atomic>

namespace haloscope::io {

namespace {

constexpr std::uint64_t kWordsPerCount = 8;
// Below this distance between two wanted rows the disk reads what lies between them anyway.
constexpr std::uint64_t kWorthSkipping = 4096;
// A list of single rows is made only while it is small (16 MiB).
constexpr std::uint64_t kLongestList = std::uint64_t(1) << 20;

}  // namespace

void RowMarks::Writer::flush() {
  if (bits_ == 0) return;
  // Two chunks may share the word at their common edge.
  std::atomic_ref<std::uint64_t>(marks_.words_[word_]).fetch_or(bits_, std::memory_order_relaxed);
  bits_ = 0;
}

RowMap::RowMap(std::uint64_t count) : RowMap(count, {{0, count}}) {}

RowMap::RowMap(std::uint64_t count, const std::vector<RowRange>& ranges) : in_file_(count) {
  for (RowRange range : ranges) {
    range.end = std::min(range.end, count);
    if (!ranges_.empty()) range.begin = std::max(range.begin, ranges_.back().end);
    if (range.begin >= range.end) continue;
    if (!ranges_.empty() && ranges_.back().end == range.begin) {
      ranges_.back().end = range.end;
    } else {
      ranges_.push_back(range);
      bases_.push_back(candidates_);
    }
    candidates_ += range.end - range.begin;
  }
  size_ = candidates_;
}

void RowMap::keep_marked(RowMarks marks) {
  words_ = std::move(marks.words_);
  marked_ = true;
  every_ = 1;
  count_marks();
}

void RowMap::count_marks() {
  counts_.assign(words_.size() / kWordsPerCount + 1, 0);
  size_ = 0;
  for (std::size_t word = 0; word < words_.size(); ++word) {
    if (word % kWordsPerCount == 0) counts_[word / kWordsPerCount] = size_;
    size_ += std::uint64_t(std::popcount(words_[word]));
  }
}

void RowMap::thin(std::uint64_t every, std::uint64_t seed) {
  if (every <= 1) return;
  every_ = every;
  seed_ = seed;
  const std::uint64_t kept = size_;
  size_ = kept / every + (kept % every != 0);
  if (!marked_) return;
  // The chosen ranks ascend with the rows, so one sweep finds them.
  std::uint64_t row = 0, run = 0;
  auto pick = [&](std::uint64_t r) {
    return r * every + hash_bits(seed, r) % std::min(every, kept - r * every);
  };
  std::uint64_t next = kept > 0 ? pick(0) : 0;
  for (auto& word : words_) {
    std::uint64_t left = 0;
    for (std::uint64_t bits = word; bits; bits &= bits - 1, ++row) {
      if (row != next) continue;
      left |= bits & (~bits + 1);
      if (++run < size_) next = pick(run);
    }
    word = left;
  }
  every_ = 1;
  count_marks();
}

void RowMap::thin_part(std::uint64_t every, std::uint64_t seed, std::uint64_t before,
                       std::uint64_t all) {
  if (every <= 1) return;
  // Of a run of rows; beyond the last one there is none.
  const auto pick = [&](std::uint64_t run) {
    const std::uint64_t begin = run * every;
    return begin < all ? begin + hash_bits(seed, run) % std::min(every, all - begin) : all;
  };
  std::uint64_t run = before / every;
  if (pick(run) < before) ++run;
  if (!marked_) {
    words_.assign((candidates_ + 63) / 64, 0);
    for (std::uint64_t row = pick(run); row < before + size_; row = pick(++run))
      words_[(row - before) / 64] |= std::uint64_t(1) << (row - before) % 64;
    marked_ = true;
  } else {
    std::uint64_t row = before, next = pick(run);
    for (auto& word : words_) {
      std::uint64_t left = 0;
      for (std::uint64_t bits = word; bits; bits &= bits - 1, ++row) {
        if (row != next) continue;
        left |= bits & (~bits + 1);
        next = pick(++run);
      }
      word = left;
    }
  }
  count_marks();
}

std::uint64_t RowMap::chosen(std::uint64_t run) const {
  const std::uint64_t begin = run * every_;
  return begin + hash_bits(seed_, run) % std::min(every_, candidates_ - begin);
}

std::uint64_t RowMap::rank(std::uint64_t candidate) const {
  const std::uint64_t word = candidate / 64;
  if (word >= words_.size()) return size_;
  std::uint64_t rank = counts_[word / kWordsPerCount];
  for (std::uint64_t w = word / kWordsPerCount * kWordsPerCount; w < word; ++w)
    rank += std::uint64_t(std::popcount(words_[w]));
  const std::uint64_t before = (std::uint64_t(1) << candidate % 64) - 1;
  return rank + std::uint64_t(std::popcount(words_[word] & before));
}

// Rows of the file for candidates begin … end-1 of one range, as far as it reaches; `range` moves
// on with ascending calls.
RowRange RowMap::file_rows(std::uint64_t begin, std::uint64_t end, std::size_t& range) const {
  while (range + 1 < bases_.size() && bases_[range + 1] <= begin) ++range;
  const std::uint64_t shift = ranges_[range].begin;
  return {begin - bases_[range] + shift, std::min(end - bases_[range] + shift, ranges_[range].end)};
}

std::vector<RowRange> RowMap::wanted() const {
  std::vector<RowRange> rows;
  std::size_t range = 0;
  auto add = [&](std::uint64_t begin, std::uint64_t end) {
    while (begin < end) {
      const RowRange part = file_rows(begin, end, range);
      begin += part.end - part.begin;
      if (!rows.empty() && part.begin - rows.back().end < kWorthSkipping)
        rows.back().end = part.end;
      else
        rows.push_back(part);
    }
  };
  if (marked_) {
    constexpr std::uint64_t block = 64 * kWordsPerCount;
    for (std::uint64_t i = 0; i * block < candidates_; ++i) {
      const std::uint64_t before = counts_[i];
      const std::uint64_t after =
          i + 1 < counts_.size() && (i + 1) * block < candidates_ ? counts_[i + 1] : size_;
      if (after > before) add(i * block, std::min(candidates_, (i + 1) * block));
    }
  } else if (every_ >= kWorthSkipping && size_ <= kLongestList) {
    for (std::uint64_t run = 0; run < size_; ++run) add(chosen(run), chosen(run) + 1);
  } else {
    for (const RowRange& own : ranges_)
      if (!rows.empty() && own.begin - rows.back().end < kWorthSkipping)
        rows.back().end = own.end;
      else
        rows.push_back(own);
  }
  return rows;
}

void RowMap::read(const SnapshotReader& reader, int type, const std::string& field,
                  const ChunkVisitor& visit, Progress& progress) const {
  const std::vector<RowRange> rows = wanted();
  if (rows.empty()) return;
  if (rows.size() == 1 && rows[0].begin == 0 && rows[0].end == in_file_)
    reader.read(type, field, visit, progress);
  else
    reader.read_rows(type, field, rows, visit, progress);
}

}  // namespace haloscope::io
