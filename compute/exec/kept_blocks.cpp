#include "compute/exec/kept_blocks.h"

#include "core/array.h"

#include <algorithm>
#include <cstdlib>

namespace haloscope::compute {

namespace {

// Smaller blocks are the allocator's, which keeps them itself.
constexpr std::size_t kLarge = std::size_t(1) << 20;

// AddressSanitizer sees the use of a freed block only where it is freed.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kKeeps = false;
#else
constexpr bool kKeeps = true;
#endif

}  // namespace

KeptBlocks::~KeptBlocks() {
  keep(false);
}

void* KeptBlocks::take(std::size_t bytes) {
  if (bytes < kLarge) return allocate_uninitialised(bytes);
  const std::lock_guard lock(mutex_);
  if (!keeps_) return allocate_uninitialised(bytes);
  used_.reserve(used_.size() + 1);
  kept_.reserve(used_.size() + kept_.size() + 1);  // so that nothing fails when it is given back
  if (void* const p = take_kept(bytes)) return p;
  make_room(bytes);
  void* p = allocate_uninitialised(bytes);
  if (!p) {
    release_beyond(0);
    p = allocate_uninitialised(bytes);
  }
  if (p) use({p, bytes, bytes});
  return p;
}

void KeptBlocks::use(const Block& block) {
  used_.push_back(block);
  used_bytes_ += block.bytes;
  asked_ += block.asked;
  most_asked_ = std::max(most_asked_, asked_);
}

// The smallest that is long enough, unless half of it would lie idle.
void* KeptBlocks::take_kept(std::size_t bytes) {
  auto best = kept_.end();
  for (auto block = kept_.begin(); block != kept_.end(); ++block)
    if (block->bytes >= bytes && block->bytes / 2 <= bytes &&
        (best == kept_.end() || block->bytes < best->bytes))
      best = block;
  if (best == kept_.end()) return nullptr;
  const Block taken{best->p, best->bytes, bytes};
  kept_.erase(best);
  kept_bytes_ -= taken.bytes;
  use(taken);
  return taken.p;
}

void KeptBlocks::give_back(void* p) noexcept {
  {
    const std::lock_guard lock(mutex_);
    const auto block =
        std::find_if(used_.begin(), used_.end(), [p](const Block& b) { return b.p == p; });
    if (block != used_.end()) {
      kept_.push_back(*block);
      used_bytes_ -= block->bytes;
      asked_ -= block->asked;
      kept_bytes_ += block->bytes;
      used_.erase(block);
      if (keeps_)
        make_room(0);
      else
        release_beyond(0);
      return;
    }
  }
  std::free(p);
}

void KeptBlocks::keep(bool on) noexcept {
  const std::lock_guard lock(mutex_);
  keeps_ = on && kKeeps;
  if (!keeps_) release_beyond(0);
  most_asked_ = asked_;
}

std::size_t KeptBlocks::kept_bytes() const {
  const std::lock_guard lock(mutex_);
  return kept_bytes_;
}

// For that many bytes more, within what was asked for at once.
void KeptBlocks::make_room(std::size_t bytes) noexcept {
  const std::size_t all = used_bytes_ + bytes, most = std::max(most_asked_, asked_ + bytes);
  release_beyond(most > all ? most - all : 0);
}

void KeptBlocks::release_beyond(std::size_t bytes) noexcept {
  while (kept_bytes_ > bytes) {
    std::free(kept_.front().p);
    kept_bytes_ -= kept_.front().bytes;
    kept_.erase(kept_.begin());
  }
}

}  // namespace haloscope::compute
