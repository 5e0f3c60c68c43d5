#include "compute/exec/sort.h"

#include "compute/exec/cpu.h"
#include "tests/catch.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

using namespace haloscope::compute;

namespace {

template <class Key>
void check(const std::vector<Key>& keys, int bits, int first_bit = 0) {
  CAPTURE(keys.size(), bits, first_bit);
  Cpu exec;
  Buffer<Key, Cpu> key(exec, keys.size(), "keys");
  Buffer<std::uint32_t, Cpu> value(exec, keys.size(), "values");
  std::copy(keys.begin(), keys.end(), key.begin());
  std::iota(value.begin(), value.end(), 0u);
  if constexpr (sizeof(Key) == 8)
    sort_pairs(exec, key, value, bits, first_bit);
  else
    sort_pairs(exec, key, value, bits);
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return keys[a] >> first_bit < keys[b] >> first_bit;
  });
  CHECK(std::equal(order.begin(), order.end(), value.begin(), value.end()));
  bool same = true;
  for (std::size_t k = 0; k < order.size(); ++k) same = same && key.data()[k] == keys[order[k]];
  CHECK(same);
}

}  // namespace

TEST_CASE("pairs are sorted by their keys and keep their order", "[exec]") {
  std::mt19937_64 random(42);
  for (const std::size_t count : {0, 1, 2, 2048, 2049, 70000, 200001})
    for (const int bits : {1, 7, 8, 9, 24, 31, 32, 33, 57, 64}) {
      std::vector<std::uint64_t> keys(count);
      for (auto& key : keys) key = random() >> (64 - bits);
      check(keys, bits);
      if (bits > 32) continue;
      check(std::vector<std::uint32_t>(keys.begin(), keys.end()), bits);
    }
}

TEST_CASE("pairs are sorted by the upper bits of their keys alone", "[exec]") {
  std::mt19937_64 random(44);
  for (const std::size_t count : {1, 2048, 70000})
    for (const int first_bit : {1, 8, 39, 62}) {
      std::vector<std::uint64_t> keys(count);
      for (auto& key : keys) key = random() >> 1;
      check(keys, 63, first_bit);
    }
}

TEST_CASE("keys most of which lie in few places are sorted", "[exec]") {
  std::mt19937_64 random(45);
  std::vector<std::uint64_t> keys(400000);
  for (auto& key : keys) {
    const std::uint64_t place = random() % 8;
    key = place < 4 ? 77 : place < 7 ? std::uint64_t(5) << 60 | random() >> 50 : random();
  }
  check(keys, 64);
  for (auto& key : keys) key = key >> 63 ? 1u << 31 : std::uint32_t(random()) >> 20;
  check(std::vector<std::uint32_t>(keys.begin(), keys.end()), 32);
}

TEST_CASE("keys with few digits are sorted", "[exec]") {
  std::mt19937_64 random(43);
  std::vector<std::uint64_t> keys(50000);
  for (auto& key : keys) key = std::uint64_t(0xabcd) << 40 | (random() % 3) << 16 | 7;
  check(keys, 64);
  std::fill(keys.begin(), keys.end(), 5);
  check(keys, 64);
}
