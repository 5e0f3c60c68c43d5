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
constexpr std::size_t kPinned = std::size_t(64) << 20, kMostPieces = 16;
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
      if (cudaHostAlloc(&p, kPinned, cudaHostAllocPortable) == cudaSuccess)
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
  bool record(std::size_t place, cudaStream_t stream) {
    return cudaEventRecord(events_[place], stream) == cudaSuccess;
  }
  bool wait(std::size_t place) { return cudaEventSynchronize(events_[place]) == cudaSuccess; }

 private:
  std::array<cudaEvent_t, kMostPieces> events_{};
};

bool is_pageable(const void* host) {
  cudaPointerAttributes about{};
  if (cudaPointerGetAttributes(&about, host) != cudaSuccess) {
    (void)cudaGetLastError();
    return false;
  }
  return about.type == cudaMemoryTypeUnregistered;
}

// The pieces of a copy, which take turns in the pinned memory. Of what is no larger than that,
// small ones, of which the first is on its way the sooner.
class Pieces {
 public:
  Pieces(char* pinned, std::size_t bytes)
      : pinned_(pinned),
        bytes_(bytes),
        size_(kPinned / (bytes > kPinned ? kMostPieces / 4 : kMostPieces)) {}

  std::size_t count() const { return (bytes_ + size_ - 1) / size_; }
  std::size_t at_once() const { return kPinned / size_; }
  std::size_t place(std::size_t k) const { return k % at_once(); }
  char* pinned(std::size_t k) const { return pinned_ + place(k) * size_; }
  std::size_t begin(std::size_t k) const { return k * size_; }
  std::size_t size(std::size_t k) const { return std::min(size_, bytes_ - begin(k)); }

 private:
  char* pinned_;
  std::size_t bytes_, size_;
};

// Calls copy_all(pieces, events) where the pinned memory is there and free. A failure is the
// stream's: the driver's own way tells what it is.
template <class Copy>
bool with_staging(const void* host, std::size_t bytes, const Copy& copy_all) {
  if (bytes < kLeast || !is_pageable(host)) return false;
  Staging& all = staging();
  const std::unique_lock lock(all.use, std::try_to_lock);
  if (!lock || !all.is_there()) return false;
  Events events;
  return events.all() && copy_all(Pieces(all.pinned, bytes), events);
}

}  // namespace

bool upload_staged(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  return with_staging(from, bytes, [&](const Pieces& pieces, Events& events) {
    for (std::size_t k = 0; k < pieces.count(); ++k) {
      if (k >= pieces.at_once() && !events.wait(pieces.place(k))) return false;
      copy(pieces.pinned(k), static_cast<const char*>(from) + pieces.begin(k), pieces.size(k));
      if (cudaMemcpyAsync(static_cast<char*>(to) + pieces.begin(k), pieces.pinned(k),
                          pieces.size(k), cudaMemcpyHostToDevice, stream) != cudaSuccess ||
          !events.record(pieces.place(k), stream))
        return false;
    }
    // The pinned memory is somebody else's afterwards.
    return events.wait(pieces.place(pieces.count() - 1));
  });
}

bool download_staged(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  return with_staging(to, bytes, [&](const Pieces& pieces, Events& events) {
    std::size_t asked = 0;
    for (std::size_t k = 0; k < pieces.count(); ++k) {
      for (; asked < pieces.count() && asked < k + pieces.at_once(); ++asked)
        if (cudaMemcpyAsync(pieces.pinned(asked),
                            static_cast<const char*>(from) + pieces.begin(asked),
                            pieces.size(asked), cudaMemcpyDeviceToHost, stream) != cudaSuccess ||
            !events.record(pieces.place(asked), stream))
          return false;
      if (!events.wait(pieces.place(k))) return false;
      copy(static_cast<char*>(to) + pieces.begin(k), pieces.pinned(k), pieces.size(k));
    }
    return true;
  });
}

}  // namespace haloscope::compute
