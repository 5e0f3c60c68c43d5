#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

namespace haloscope::compute {

// Large blocks of host memory that are handed out again after they were given back, while keep() is
// on: it is off at first, so that who lives long holds no memory that it does not use. The first
// touch of a page costs more than a pass over it, and the arrays of one job follow one another.
// What is in use and what is kept take together no more than the most that was asked for at once.
// Any thread may call it.
class KeptBlocks {
 public:
  KeptBlocks() = default;
  ~KeptBlocks();
  KeptBlocks(const KeptBlocks&) = delete;
  KeptBlocks& operator=(const KeptBlocks&) = delete;

  // Null: there is no memory.
  void* take(std::size_t bytes);
  void give_back(void* p) noexcept;
  // Off gives what is kept to the system.
  void keep(bool on) noexcept;
  std::size_t kept_bytes() const;

 private:
  struct Block {
    void* p;
    std::size_t bytes, asked;
  };

  void* take_kept(std::size_t bytes);
  void use(const Block& block);
  void make_room(std::size_t bytes) noexcept;
  void release_beyond(std::size_t bytes) noexcept;

  mutable std::mutex mutex_;
  bool keeps_ = false;
  std::vector<Block> used_, kept_;  // kept: in the order in which they came back
  std::size_t used_bytes_ = 0, kept_bytes_ = 0, asked_ = 0, most_asked_ = 0;
};

// While it lives, memory that an executor gives up stays with it for its next arrays. GPUs have a
// pool that does so always.
template <class Exec>
class KeepFreedMemory {
 public:
  explicit KeepFreedMemory(Exec& exec) : exec_(exec) { switch_to(true); }
  ~KeepFreedMemory() { switch_to(false); }
  KeepFreedMemory(const KeepFreedMemory&) = delete;
  KeepFreedMemory& operator=(const KeepFreedMemory&) = delete;

 private:
  void switch_to(bool on) noexcept {
    if constexpr (!Exec::is_cuda) exec_.keep_freed_memory(on);
  }
  Exec& exec_;
};

}  // namespace haloscope::compute
