#pragma once

#include "core/error.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace haloscope {

// Whether so many bytes can be allocated on this machine.
bool has_host_memory(std::uint64_t bytes);

// Throws Error saying how many bytes are needed and how many this machine has free, where `bytes`
// cannot fit. `purpose` is the user's noun for what they are for.
void require_host_memory(std::uint64_t bytes, const char* purpose);

// At least `bytes` bytes, aligned to 64 or more, for std::free; null where there are none. Large
// blocks are backed by huge pages where the system has them: first touch of small ones costs more
// than reading a column from the page cache.
void* allocate_uninitialised(std::size_t bytes);

// A host array whose elements are not initialised: columns of a billion particles are written once,
// by the reader, and a zero fill would cost as much as the read. 64-byte aligned for SIMD.
template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(std::size_t size) : size_(size) {
    if (size == 0) return;
    const std::size_t bytes = size * sizeof(T);
    data_.reset(static_cast<T*>(allocate_uninitialised(bytes)));
    if (!data_)
      throw Error("out of memory (" + std::to_string(bytes >> 20) + " MiB asked)", "host memory",
                  "read fewer particle types or fields");
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }
  // Forgets the elements behind `size`, keeping the memory.
  void shrink(std::size_t size) { size_ = size; }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0;
};

// The same memory for standard containers: elements that are not given a value have none, and are
// touched first by who writes them.
template <class T>
struct UninitialisedAllocator {
  using value_type = T;
  UninitialisedAllocator() = default;
  template <class U>
  UninitialisedAllocator(const UninitialisedAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    void* const place = allocate_uninitialised(count * sizeof(T));
    if (!place) throw std::bad_alloc();
    return static_cast<T*>(place);
  }
  void deallocate(T* place, std::size_t) noexcept { std::free(place); }
  template <class U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... From>
  void construct(U* place, From&&... from) {
    ::new (static_cast<void*>(place)) U(std::forward<From>(from)...);
  }
  bool operator==(const UninitialisedAllocator&) const { return true; }
};

// A vector of as many elements as there are particles: resize() gives them no values.
template <class T>
using LargeVector = std::vector<T, UninitialisedAllocator<T>>;

}  // namespace haloscope
