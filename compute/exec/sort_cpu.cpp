#include "compute/exec/cpu.h"
#include "compute/exec/sort.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

// By digits from the highest on, each pass keeping the order of equal digits. After one pass over
// all of the memory most pieces fit a core's cache, and are sorted there.
namespace haloscope::compute {

namespace {

template <class Key>
class DigitSort {
 public:
  DigitSort(Cpu& exec, Buffer<Key, Cpu>& keys, Buffer<std::uint32_t, Cpu>& values)
      : exec_(exec),
        other_keys_(exec, keys.size(), "sorting"),
        other_values_(exec, keys.size(), "sorting"),
        own_{keys.data(), values.data()},
        other_{other_keys_.data(), other_values_.data()} {}

  void sort(std::size_t count, int bits, int first_bit) {
    first_bit_ = first_bit;
    // Short keys have so few digits that it is faster to go through all pairs once for each.
    if (sizeof(Key) == sizeof(std::uint32_t) && count >= kMany)
      sort_from_lowest(count, bits);
    else
      sort_piece(0, count, bits, true);
  }

 private:
  static constexpr int kMostDigitBits = 11;
  static constexpr std::size_t kMostDigits = 1u << kMostDigitBits;
  static constexpr std::size_t kFew = 24;         // pairs that are put in order one by one
  static constexpr std::size_t kMany = 1u << 17;  // pairs that several cores split
  static constexpr std::size_t kChunk = 1u << 15, kMostChunks = 128;

  struct Pairs {
    Key* keys;
    std::uint32_t* values;
  };
  // Of one pass: from which bit on, and how many values it has.
  struct Digit {
    int shift;
    std::size_t count;
    std::size_t of(Key key) const { return std::size_t(key >> shift) & (count - 1); }
  };
  using Places = std::array<std::uint32_t, kMostDigits>;

  // Pieces of about eight pairs come of a pass that has so many digits.
  Digit digit_below(std::size_t count, int bits) const {
    const int wanted = std::clamp(int(std::bit_width(count)) - 3, 2, kMostDigitBits);
    const int width = std::min(wanted, bits - first_bit_);
    return {bits - width, std::size_t(1) << width};
  }

  // Sorts pairs whose bits from `bits` on are equal, from where they are into their own place.
  void sort_piece(std::size_t begin, std::size_t count, int bits, bool is_own) {
    if (count <= kFew || bits <= first_bit_) return finish(begin, count, bits, is_own);
    const Digit digit = digit_below(count, bits);
    if (count >= kMany)
      split_by_all(begin, count, digit, is_own);
    else
      split(begin, count, digit, is_own);
  }

  // Pairs that are few, or equal.
  void finish(std::size_t begin, std::size_t count, int bits, bool is_own) {
    const Pairs from = is_own ? own_ : other_;
    if (bits <= first_bit_) {
      if (is_own) return;
      std::copy_n(from.keys + begin, count, own_.keys + begin);
      std::copy_n(from.values + begin, count, own_.values + begin);
      return;
    }
    Key* const keys = own_.keys + begin;
    std::uint32_t* const values = own_.values + begin;
    for (std::size_t k = 0; k < count; ++k) {
      const Key key = from.keys[begin + k];
      const std::uint32_t value = from.values[begin + k];
      std::size_t at = k;
      for (; at > 0 && keys[at - 1] >> first_bit_ > key >> first_bit_; --at) {
        keys[at] = keys[at - 1];
        values[at] = values[at - 1];
      }
      keys[at] = key;
      values[at] = value;
    }
  }

  void count_digits(std::size_t begin, std::size_t end, Digit digit, bool is_own,
                    Places& places) const {
    const Key* const keys = is_own ? own_.keys : other_.keys;
    std::fill_n(places.begin(), digit.count, 0u);
    for (std::size_t i = begin; i < end; ++i) ++places[digit.of(keys[i])];
  }

  // `places`: where the next pair of each digit goes, from `to` on.
  void move(std::size_t begin, std::size_t end, std::size_t to, Digit digit, bool is_own,
            Places& places) const {
    const Pairs from = is_own ? own_ : other_, other = is_own ? other_ : own_;
    Key* const keys = other.keys + to;
    std::uint32_t* const values = other.values + to;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t place = places[digit.of(from.keys[i])]++;
      keys[place] = from.keys[i];
      values[place] = from.values[i];
    }
  }

  void split(std::size_t begin, std::size_t count, Digit digit, bool is_own) {
    Places places;
    count_digits(begin, begin + count, digit, is_own, places);
    std::uint32_t before = 0;
    for (std::size_t d = 0; d < digit.count; ++d) {
      const std::uint32_t of_digit = places[d];
      if (of_digit == count) return sort_piece(begin, count, digit.shift, is_own);
      places[d] = before;
      before += of_digit;
    }
    move(begin, begin + count, begin, digit, is_own, places);
    // Each digit's place is now where it ends.
    std::uint32_t first = 0;
    for (std::size_t d = 0; d < digit.count; ++d) {
      const std::uint32_t end = places[d];
      if (end != first) sort_piece(begin + first, end - first, digit.shift, !is_own);
      first = end;
    }
  }

  // The same; all cores count and move, chunk by chunk.
  void split_by_all(std::size_t begin, std::size_t count, Digit digit, bool is_own) {
    std::vector<std::uint32_t> end_of(digit.count);
    if (!move_by_all(begin, count, digit, is_own, end_of.data()))
      return sort_piece(begin, count, digit.shift, is_own);
    ::tbb::parallel_for(std::size_t(0), digit.count, [&](std::size_t d) {
      exec_.check_cancelled();
      const std::uint32_t first = d == 0 ? 0 : end_of[d - 1];
      if (end_of[d] != first) sort_piece(begin + first, end_of[d] - first, digit.shift, !is_own);
    });
  }

  void sort_from_lowest(std::size_t count, int bits) {
    constexpr int kDigitBits = 8;
    std::vector<std::uint32_t> end_of(std::size_t(1) << kDigitBits);
    bool is_own = true;
    for (int shift = first_bit_; shift < bits; shift += kDigitBits)
      if (move_by_all(0, count, {shift, end_of.size()}, is_own, end_of.data())) is_own = !is_own;
    finish(0, count, first_bit_, is_own);
  }

  // Writes where each digit's pairs end. False: all have one digit, and stay where they are.
  bool move_by_all(std::size_t begin, std::size_t count, Digit digit, bool is_own,
                   std::uint32_t* end_of) {
    const std::size_t chunks = std::clamp<std::size_t>(count / kChunk, 1, kMostChunks);
    std::vector<Places> places(chunks);
    const auto for_chunks = [&](const auto& f) {
      ::tbb::parallel_for(std::size_t(0), chunks, [&](std::size_t c) {
        exec_.check_cancelled();
        f(places[c], begin + count * c / chunks, begin + count * (c + 1) / chunks);
      });
    };
    for_chunks([&](Places& counts, std::size_t from, std::size_t end) {
      count_digits(from, end, digit, is_own, counts);
    });
    std::uint32_t before = 0;
    for (std::size_t d = 0; d < digit.count; ++d) {
      const std::uint32_t first = before;
      for (Places& counts : places) {
        const std::uint32_t of_chunk = counts[d];
        counts[d] = before;
        before += of_chunk;
      }
      if (before - first == count) return false;
      end_of[d] = before;
    }
    for_chunks([&](Places& next, std::size_t from, std::size_t end) {
      move(from, end, begin, digit, is_own, next);
    });
    return true;
  }

  Cpu& exec_;
  Buffer<Key, Cpu> other_keys_;
  Buffer<std::uint32_t, Cpu> other_values_;
  Pairs own_, other_;
  int first_bit_ = 0;
};

template <class Key>
void sort(Cpu& exec, Buffer<Key, Cpu>& keys, Buffer<std::uint32_t, Cpu>& values, int bits,
          int first_bit = 0) {
  if (!keys.empty()) DigitSort<Key>(exec, keys, values).sort(keys.size(), bits, first_bit);
}

}  // namespace

void sort_pairs(Cpu& exec, Buffer<std::uint64_t, Cpu>& keys, Buffer<std::uint32_t, Cpu>& values,
                int bits, int first_bit) {
  sort(exec, keys, values, bits, first_bit);
}

void sort_pairs(Cpu& exec, Buffer<std::uint32_t, Cpu>& keys, Buffer<std::uint32_t, Cpu>& values,
                int bits) {
  sort(exec, keys, values, bits);
}

}  // namespace haloscope::compute
