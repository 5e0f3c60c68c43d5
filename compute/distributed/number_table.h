#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace haloscope::compute::distributed {

// Values of some numbers, for many questions by all cores: half of the places are empty, so that
// most questions are answered where they look first.
class NumberTable {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;  // no number, and no value

  // With room for so many numbers.
  explicit NumberTable(std::size_t count)
      : entries_(std::bit_ceil(2 * count + 2)), shift_(64 - std::countr_zero(entries_.size())) {}

  // Of a number that is not there yet.
  void add(std::uint32_t number, std::uint32_t value) {
    std::size_t at = first_place(number);
    while (entries_[at].number != kNone) at = next(at);
    entries_[at] = {number, value};
  }

  // kNone: of a number that is not there.
  std::uint32_t of(std::uint32_t number) const {
    std::size_t at = first_place(number);
    while (entries_[at].number != number && entries_[at].number != kNone) at = next(at);
    return entries_[at].number == number ? entries_[at].value : kNone;
  }

 private:
  struct Entry {
    std::uint32_t number = kNone, value = kNone;
  };

  // By the upper bits of a product with the golden ratio.
  std::size_t first_place(std::uint32_t number) const {
    return std::size_t((number * 0x9e3779b97f4a7c15u) >> shift_);
  }
  std::size_t next(std::size_t at) const { return (at + 1) & (entries_.size() - 1); }

  std::vector<Entry> entries_;
  int shift_;
};

}  // namespace haloscope::compute::distributed
