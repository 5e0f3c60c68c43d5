#include "compute/exec/cpu.h"
#include "compute/exec/sort.h"

#include <tbb/parallel_for.h>
#include <thrust/sort.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

// By digits of 8 bits from the lowest on, as the GPU's sort: each pass keeps the order of equal
// digits. Chunks of pairs are counted and moved side by side.
namespace haloscope::compute {

namespace {

template <class Key>
class DigitSort {
 public:
  DigitSort(Cpu& exec, Buffer<Key, Cpu>& keys, Buffer<std::uint32_t, Cpu>& values)
      : exec_(exec),
        keys_(keys),
        values_(values),
        other_keys_(exec, keys.size(), "sorting"),
        other_values_(exec, keys.size(), "sorting"),
        chunks_(std::clamp<std::size_t>(keys.size() / kChunk, 1, kMostChunks)),
        places_(chunks_) {}

  void sort(int bits, int first_bit) {
    for (int shift = first_bit; shift < bits; shift += kDigitBits) {
      count(shift);
      if (!find_places()) continue;
      move(shift);
      std::swap(keys_, other_keys_);
      std::swap(values_, other_values_);
    }
  }

 private:
  static constexpr int kDigitBits = 8;
  static constexpr std::size_t kDigits = 1u << kDigitBits, kChunk = 1u << 15, kMostChunks = 128;

  static std::size_t digit(Key key, int shift) { return std::size_t(key >> shift) % kDigits; }

  template <class F>
  void for_chunks(const F& f) {
    ::tbb::parallel_for(std::size_t(0), chunks_, [&](std::size_t c) {
      exec_.check_cancelled();
      const std::size_t n = keys_.size();
      f(places_[c], n * c / chunks_, n * (c + 1) / chunks_);
    });
  }

  void count(int shift) {
    const Key* const keys = keys_.data();
    for_chunks([&](auto& counts, std::size_t begin, std::size_t end) {
      counts.fill(0);
      for (std::size_t i = begin; i < end; ++i) ++counts[digit(keys[i], shift)];
    });
  }

  // From how many of each digit a chunk has to where they go. False: all have one digit.
  bool find_places() {
    std::size_t place = 0;
    for (std::size_t d = 0; d < kDigits; ++d) {
      const std::size_t before = place;
      for (auto& counts : places_) {
        const std::size_t count = counts[d];
        counts[d] = place;
        place += count;
      }
      if (place - before == keys_.size()) return false;
    }
    return true;
  }

  void move(int shift) {
    const Key* const keys = keys_.data();
    const std::uint32_t* const values = values_.data();
    Key* const to_keys = other_keys_.data();
    std::uint32_t* const to_values = other_values_.data();
    for_chunks([&](auto& places, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t place = places[digit(keys[i], shift)]++;
        to_keys[place] = keys[i];
        to_values[place] = values[i];
      }
    });
  }

  Cpu& exec_;
  Buffer<Key, Cpu>& keys_;
  Buffer<std::uint32_t, Cpu>& values_;
  Buffer<Key, Cpu> other_keys_;
  Buffer<std::uint32_t, Cpu> other_values_;
  std::size_t chunks_;
  std::vector<std::array<std::size_t, kDigits>> places_;
};

template <class Key>
void sort(Cpu& exec, Buffer<Key, Cpu>& keys, Buffer<std::uint32_t, Cpu>& values, int bits,
          int first_bit = 0) {
  if (keys.empty()) return;
  constexpr std::size_t kFew = 2048;  // for which digits are too much
  if (keys.size() <= kFew)
    thrust::stable_sort_by_key(
        exec.policy(), keys.begin(), keys.end(), values.begin(),
        [first_bit](Key a, Key b) { return a >> first_bit < b >> first_bit; });
  else
    DigitSort<Key>(exec, keys, values).sort(bits, first_bit);
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
