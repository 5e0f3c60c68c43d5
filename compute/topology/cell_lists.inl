#pragma once

#include "compute/exec/buffer.h"
#include "compute/exec/slices.inl"
#include "core/host_device.h"

#include <thrust/copy.h>

#include <cstdint>
#include <utility>
#include <vector>

// Lists of cells of grids in blocks, for either executor.
namespace haloscope::compute::topology {

// Cells of a grid, ascending, as their numbers in their blocks.
struct CellListView {
  const std::uint32_t* in_block;
  const std::uint32_t* first;  // of each block: the first item that lies in it
  const std::uint64_t* shift;  // of each block: what is added, modulo 2⁶⁴ (GridBlock)
  std::uint32_t blocks;

  HALOSCOPE_HD std::uint64_t operator[](std::uint32_t i) const {
    std::uint32_t block = 0;
    while (block + 1 < blocks && i >= first[block + 1]) ++block;
    return shift[block] + in_block[i];
  }
};

template <class Exec>
struct CellList {
  std::uint32_t count = 0;
  Buffer<std::uint32_t, Exec> in_block, first;
  Buffer<std::uint64_t, Exec> shift;

  CellListView view() const {
    return {in_block.data(), first.data(), shift.data(), std::uint32_t(shift.size())};
  }
};

// One array of the parts that blocks give.
template <class T, class Exec>
Buffer<T, Exec> joined(Exec& exec, std::vector<Buffer<T, Exec>> parts, const char* name) {
  if (parts.size() == 1) return std::move(parts.front());
  std::size_t count = 0;
  for (const auto& part : parts) count += part.size();
  Buffer<T, Exec> all(exec, count, name);
  T* to = all.data();
  for (auto& part : parts) {
    thrust::copy_n(exec.policy(), std::as_const(part).data(), part.size(), to);
    to += part.size();
    part = {};
  }
  return all;
}

// Takes the lists of blocks, one after another.
template <class Exec>
class CellLists {
 public:
  // At most 2³² − 2 cells in all.
  void add(Buffer<std::uint32_t, Exec> in_block, std::uint64_t shift) {
    first_.push_back(count_);
    shift_.push_back(shift);
    count_ += std::uint32_t(in_block.size());
    parts_.push_back(std::move(in_block));
  }
  std::uint32_t count() const { return count_; }
  const Buffer<std::uint32_t, Exec>& part(std::size_t block) const { return parts_[block]; }
  std::uint32_t first(std::size_t block) const { return first_[block]; }

  CellList<Exec> make(Exec& exec, const char* name) {
    return {count_, joined(exec, std::move(parts_), name), upload(exec, first_, name),
            upload(exec, shift_, name)};
  }

 private:
  std::uint32_t count_ = 0;
  std::vector<Buffer<std::uint32_t, Exec>> parts_;
  std::vector<std::uint32_t> first_;
  std::vector<std::uint64_t> shift_;
};

}  // namespace haloscope::compute::topology
