#pragma once

#include <cstddef>
#include <utility>

namespace haloscope::compute {

// Uninitialised memory of one executor, freed with its owner. `name` says what it is for in
// out-of-memory messages. The executor must outlive the buffer.
template <class T, class Exec>
class Buffer {
 public:
  Buffer() = default;
  Buffer(Exec& exec, std::size_t size, const char* name) : exec_(&exec), size_(size) {
    if (size > 0) data_ = static_cast<T*>(exec.allocate(size * sizeof(T), name));
  }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  ~Buffer() {
    if (data_) exec_->deallocate(data_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }

  // Makes room for at least `size` elements; the contents are lost when it grows.
  void reserve(Exec& exec, std::size_t size, const char* name) {
    if (size <= size_) return;
    *this = Buffer();
    *this = Buffer(exec, size + size / 8, name);
  }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(exec_, other.exec_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  Exec* exec_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace haloscope::compute
