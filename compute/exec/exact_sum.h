#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace haloscope::compute {

// A sum of floats that rounds nothing until it is read: the same for any order and any division
// among threads and ranks. A fixed-point number over the whole range of floats, in digits of 32
// bits that have room for carries. NaN and infinities are added apart.
class ExactSum {
 public:
  void add(float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    const std::uint32_t exponent = bits >> 23 & 0xff;
    if (exponent == 0xff) {
      odd_ += double(value);
      return;
    }
    // Subnormal numbers have the exponent of the smallest normal ones and no hidden bit.
    const std::uint64_t mantissa = (bits & 0x7fffff) | (exponent > 0 ? 0x800000u : 0u);
    const std::uint32_t shift = exponent > 0 ? exponent - 1 : 0;
    const std::uint64_t wide = mantissa << shift % 32;
    const std::size_t at = shift / 32;
    const std::int64_t sign = bits >> 31 ? -1 : 1;
    digits_[at] += sign * std::int64_t(wide & 0xffffffff);
    digits_[at + 1] += sign * std::int64_t(wide >> 32);
    if (++added_ == kCarryEvery) carry();
  }

  void add(const ExactSum& other) {
    ExactSum one = other;
    one.carry();
    carry();
    for (std::size_t i = 0; i < kDigits; ++i) digits_[i] += one.digits_[i];
    carry();
    odd_ += other.odd_;
  }

  double value() const {
    if (odd_ != 0) return odd_;  // NaN too
    ExactSum one = *this;
    one.carry();
    // A negative sum has a negative highest digit, and positive ones below.
    double sum = 0;
    for (std::size_t i = kDigits; i-- > 0;)
      sum += std::ldexp(double(one.digits_[i]), int(32 * i) - kLowest);
    return sum;
  }

 private:
  static constexpr int kLowest = 149;  // the smallest float is 2^-149
  static constexpr std::size_t kDigits = 12;
  static constexpr std::uint32_t kCarryEvery = 1u << 30;

  void carry() {
    added_ = 0;
    for (std::size_t i = 0; i + 1 < kDigits; ++i) {
      const std::int64_t over = digits_[i] >> 32;
      digits_[i] -= over * (std::int64_t(1) << 32);
      digits_[i + 1] += over;
    }
  }

  std::array<std::int64_t, kDigits> digits_{};
  double odd_ = 0;
  std::uint32_t added_ = 0;
};

}  // namespace haloscope::compute
