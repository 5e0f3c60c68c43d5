#pragma once

#include "compute/exec/atomics.h"
#include "compute/exec/buffer.h"
#include "core/host_device.h"

#include <thrust/scan.h>

#include <cstddef>
#include <cstdint>

// Sets of cells that know their numbers, for either executor.
namespace haloscope::compute::topology {

HALOSCOPE_HD inline int lowest_bit(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __ffs(int(bits)) - 1;
#else
  return __builtin_ctz(bits);
#endif
}

HALOSCOPE_HD inline std::uint32_t count_bits(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return std::uint32_t(__popc(bits));
#else
  // x86-64 has no instruction for it before its second version: __builtin_popcount would be a call.
  bits -= bits >> 1 & 0x55555555u;
  bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
  return ((bits + (bits >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
#endif
}

// 32 cells: which of them are in the set, and how many there are before them.
struct alignas(8) CellWord {
  std::uint32_t bits, before;
};

struct CellSetView {
  CellWord* words;

  HALOSCOPE_HD void add(std::uint32_t v) const { atomic_or(&words[v / 32].bits, 1u << v % 32); }
  HALOSCOPE_HD void remove(std::uint32_t v) const {
    atomic_and(&words[v / 32].bits, ~(1u << v % 32));
  }
  // Of a cell of the set that is numbered.
  HALOSCOPE_HD std::uint32_t number(std::uint32_t v) const {
    const CellWord word = words[v / 32];
    return word.before + count_bits(word.bits & ((1u << v % 32) - 1));
  }
};

struct CountCells {
  const CellWord* words;
  std::uint32_t* count;
  HALOSCOPE_HD void operator()(std::size_t w) const { count[w] = count_bits(words[w].bits); }
};

struct KeepCounts {
  const std::uint32_t* before;
  CellWord* words;
  HALOSCOPE_HD void operator()(std::size_t w) const { words[w].before = before[w]; }
};

struct ListCells {
  const CellWord* words;
  std::uint32_t* list;
  HALOSCOPE_HD void operator()(std::size_t w) const {
    const CellWord word = words[w];
    std::uint32_t at = word.before;
    for (std::uint32_t bits = word.bits; bits != 0; bits &= bits - 1)
      list[at++] = std::uint32_t(w) * 32 + std::uint32_t(lowest_bit(bits));
  }
};

// A set that cells are added to first, empty at the beginning; then they are numbered in the order
// of their indices.
template <class Exec>
class CellSet {
 public:
  CellSet() = default;
  CellSet(Exec& exec, std::uint32_t cells, const char* name)
      : name_(name), words_(exec, (std::size_t(cells) + 31) / 32, name) {
    exec.zero(words_.data(), words_.size() * sizeof(CellWord));
  }

  CellSetView view() { return CellSetView{words_.data()}; }

  // Returns how many there are.
  std::uint32_t number(Exec& exec) {
    const std::size_t words = words_.size();
    Buffer<std::uint32_t, Exec> before(exec, words + 1, name_);
    exec.zero(before.data() + words, sizeof(std::uint32_t));
    parallel_for(exec, name_, words, CountCells{words_.data(), before.data()});
    thrust::exclusive_scan(exec.policy(), before.begin(), before.end(), before.begin());
    parallel_for(exec, name_, words, KeepCounts{before.data(), words_.data()});
    std::uint32_t count = 0;
    exec.download(&count, before.data() + words, sizeof(count));
    return count;
  }

  // The `count` cells, ascending.
  Buffer<std::uint32_t, Exec> list(Exec& exec, std::uint32_t count) const {
    Buffer<std::uint32_t, Exec> cells(exec, count, name_);
    parallel_for(exec, name_, words_.size(), ListCells{words_.data(), cells.data()});
    return cells;
  }

 private:
  const char* name_ = "cells";
  Buffer<CellWord, Exec> words_;
};

}  // namespace haloscope::compute::topology
