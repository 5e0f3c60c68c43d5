#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

namespace haloscope::compute {

// Large blocks of host memory that are handed out again after they were given back. The first touch
// of a page costs more than a pass over it, and the arrays of one job follow one another. What is
// in use and what is kept take together no more than the most that was in use at once. Any thread
// may call it.
class KeptBlocks {
 public:
  KeptBlocks() = default;
  ~KeptBlocks();
  KeptBlocks(const KeptBlocks&) = delete;
  KeptBlocks& operator=(const KeptBlocks&) = delete;

  // Null: there is no memory.
  void* take(std::size_t bytes);
  void give_back(void* p) noexcept;
  // Gives what is kept to the system.
  void release() noexcept;
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
  std::vector<Block> used_, kept_;  // kept: in the order in which they came back
  std::size_t used_bytes_ = 0, kept_bytes_ = 0, asked_ = 0, most_asked_ = 0;
};

}  // namespace haloscope::compute
