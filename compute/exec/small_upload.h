#pragma once

#include "core/host_device.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace haloscope::compute {

// Values that travel as a kernel's argument, of which there may be 4 KB.
template <class T>
struct SmallUpload {
  static_assert(std::is_trivially_copyable_v<T>);
  static constexpr std::size_t kAtOnce = 3072 / sizeof(T);
  static_assert(kAtOnce > 0);

  T values[kAtOnce];
  T* to;
  HALOSCOPE_HD void operator()(std::size_t i) const { to[i] = values[i]; }
};

// Copies a few kilobytes to the executor's memory. The host does not wait, and `from` may go at
// once: an upload of pageable memory waits for what is on the stream, and pinned memory would have
// to stay until the copy is done.
template <class T, class Exec>
void upload_small(Exec& exec, const char* name, T* to, const T* from, std::size_t count) {
  using Piece = SmallUpload<T>;
  for (std::size_t first = 0; first < count; first += Piece::kAtOnce) {
    const std::size_t n = std::min(Piece::kAtOnce, count - first);
    Piece piece{};
    std::copy_n(from + first, n, piece.values);
    piece.to = to + first;
    parallel_for(exec, name, n, piece);
  }
}

}  // namespace haloscope::compute
