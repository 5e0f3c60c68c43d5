#include "compute/exec/staged_copies.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

namespace haloscope::compute {

namespace {

constexpr std::size_t kLeast = std::size_t(4) << 20;
constexpr std::size_t kPiece = std::size_t(4) << 20, kPieces = 16;
constexpr std::size_t kOfCore = std::size_t(1) << 20;

// By all cores; none of them takes up other work meanwhile, which might copy too.
void copy(void* to, const void* from, std::size_t bytes) {
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(std::size_t(0), (bytes + kOfCore - 1) / kOfCore, [&](std::size_t k) {
      const std::size_t first = k * kOfCore;
      std::memcpy(static_cast<char*>(to) + first, static_cast<const char*>(from) + first,
                  std::min(kOfCore, bytes - first));
    });
  });
}

// Pinned memory and what tells when a GPU has done with each piece. It stays until the process
// ends: by then the driver may be gone, so that nothing is given back.
struct Staging {
  std::mutex use;
  char* pinned = nullptr;
  bool tried = false;

  bool is_there() {
    if (!tried) {
      tried = true;
      void* p = nullptr;
      if (cudaHostAlloc(&p, kPiece * kPieces, cudaHostAllocPortable) == cudaSuccess)
        pinned = static_cast<char*>(p);
      else
        (void)cudaGetLastError();
    }
    return pinned != nullptr;
  }
};

Staging& staging() {
  static Staging* const all = new Staging;
  return *all;
}

// Of the GPU that the thread works on.
class Events {
 public:
  Events() {
    for (cudaEvent_t& event : events_)
      if (cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess) {
        (void)cudaGetLastError();
        event = nullptr;
      }
  }
  ~Events() {
    for (const cudaEvent_t event : events_)
      if (event) cudaEventDestroy(event);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  bool all() const { return std::find(events_.begin(), events_.end(), nullptr) == events_.end(); }
  bool record(std::size_t piece, cudaStream_t stream) {
    return cudaEventRecord(events_[piece % kPieces], stream) == cudaSuccess;
  }
  bool wait(std::size_t piece) {
    return cudaEventSynchronize(events_[piece % kPieces]) == cudaSuccess;
  }

 private:
  std::array<cudaEvent_t, kPieces> events_{};
};

bool is_pageable(const void* host) {
  cudaPointerAttributes about{};
  if (cudaPointerGetAttributes(&about, host) != cudaSuccess) {
    (void)cudaGetLastError();
    return false;
  }
  return about.type == cudaMemoryTypeUnregistered;
}

char* piece_of(Staging& all, std::size_t piece) {
  return all.pinned + piece % kPieces * kPiece;
}

std::size_t size_of_piece(std::size_t piece, std::size_t bytes) {
  return std::min(kPiece, bytes - piece * kPiece);
}

// Calls copy(staging, events, pieces) where the pinned memory is there and free. A failure is the
// stream's: the driver's own way tells what it is.
template <class Copy>
bool with_staging(const void* host, std::size_t bytes, const Copy& copy_all) {
  if (bytes < kLeast || !is_pageable(host)) return false;
  Staging& all = staging();
  const std::unique_lock lock(all.use, std::try_to_lock);
  if (!lock || !all.is_there()) return false;
  Events events;
  return events.all() && copy_all(all, events, (bytes + kPiece - 1) / kPiece);
}

}  // namespace

bool upload_staged(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  return with_staging(from, bytes, [&](Staging& all, Events& events, std::size_t pieces) {
    for (std::size_t k = 0; k < pieces; ++k) {
      if (k >= kPieces && !events.wait(k)) return false;
      const std::size_t size = size_of_piece(k, bytes);
      copy(piece_of(all, k), static_cast<const char*>(from) + k * kPiece, size);
      if (cudaMemcpyAsync(static_cast<char*>(to) + k * kPiece, piece_of(all, k), size,
                          cudaMemcpyHostToDevice, stream) != cudaSuccess ||
          !events.record(k, stream))
        return false;
    }
    // The pieces are somebody else's afterwards.
    for (std::size_t k = pieces > kPieces ? pieces - kPieces : 0; k < pieces; ++k)
      if (!events.wait(k)) return false;
    return true;
  });
}

bool download_staged(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  return with_staging(to, bytes, [&](Staging& all, Events& events, std::size_t pieces) {
    std::size_t asked = 0;
    for (std::size_t k = 0; k < pieces; ++k) {
      for (; asked < pieces && asked < k + kPieces; ++asked)
        if (cudaMemcpyAsync(piece_of(all, asked), static_cast<const char*>(from) + asked * kPiece,
                            size_of_piece(asked, bytes), cudaMemcpyDeviceToHost,
                            stream) != cudaSuccess ||
            !events.record(asked, stream))
          return false;
      if (!events.wait(k)) return false;
      copy(static_cast<char*>(to) + k * kPiece, piece_of(all, k), size_of_piece(k, bytes));
    }
    return true;
  });
}

}  // namespace haloscope::compute
