#pragma once

#include "compute/exec/buffer.h"
#include "compute/exec/cuda.h"

#include <cstddef>
#include <cstdint>

// Narrow splats of sparse runs, sorted by where they fall. One by one they are added to the image
// at the speed of its memory, 3.5 to 5.5 G a second (H200); by bins they are added in windows of
// shared memory, as those of other runs.
namespace haloscope::compute::splotch {

struct NarrowSplat;  // narrow_splats.cuh

// Bins of kSide × kSide pixels of the image. A bin's splats, whose centers it holds, lie in chunks
// that are handed out as it fills. Splats that find no chunk are drawn one by one. Each kGroup
// chunks of a bin are a group, which is drawn into one window.
struct SplatBins {
  static constexpr int kSide = 64;
  static constexpr unsigned kChunk = 2048;     // splats
  static constexpr unsigned kMostChunks = 64;  // of a bin
  static constexpr unsigned kGroup = 4;        // chunks
  static constexpr unsigned kNone = ~0u;
  static_assert(kMostChunks % kGroup == 0);

  struct Group {
    unsigned bin, first;  // which of the bin's chunks
  };
  struct Counters {
    unsigned chunks;  // handed out, also those that are not there
    unsigned groups;  // begun
    unsigned taken;   // groups
  };

  NarrowSplat* splats = nullptr;  // chunk after chunk
  unsigned chunk_count = 0;       // 0: no bins
  Group* groups = nullptr;
  Counters* counters = nullptr;
  unsigned* counts = nullptr;  // splats of each bin, with those that found no chunk
  // Chunk k of bin b at kMostChunks b + k: its index plus one, 0 before it is handed out, kNone
  // where none was left.
  unsigned* places = nullptr;
  int columns = 0;
  std::size_t counter_words = 0;  // from `counters` on, with counts and places
};

// The memory of bins, which is kept between frames.
class BinMemory {
 public:
  explicit BinMemory(Cuda& exec) : exec_(exec) {}
  // Takes 67 MB for splats at most from now on, in place of 268; a bin takes 0.4 KB besides.
  void save() { most_ = kMost / 4; }
  // Gives all memory back, and takes none again: splats are drawn one by one then.
  void give_up();
  // Empty bins of an image, for a layer of so many particles; without chunks where there is no
  // memory for them, for good: particles that are placed anew have bins of their own.
  SplatBins bins(int width, int height, std::uint64_t particles);
  // Once all is on the stream that draws bins: makes them empty for those who take them next, who
  // then need not wait for it.
  void empty(const SplatBins& bins);

 private:
  static constexpr std::uint64_t kMost = 1 << 24;  // splats, of 16 bytes

  void clear(const SplatBins& bins);

  Cuda& exec_;
  std::uint64_t most_ = kMost;
  Buffer<NarrowSplat, Cuda> splats_;
  Buffer<SplatBins::Group, Cuda> groups_;
  Buffer<unsigned, Cuda> counters_;
  std::size_t empty_words_ = 0;  // of them, from the first
  bool lacks_memory_ = false;
};

// Shared memory of a block that draws bins.
std::size_t bytes_of_bin_block();
// How many of them take half of a GPU.
unsigned half_of_bin_blocks(const Cuda& exec);

// Adds what the bins hold to the image, by no more blocks than are told. Further calls for the same
// bins, also beside the first, take of what is left.
void draw_bins(Cuda& exec, const SplatBins& bins, int width, int height, float4* image,
               unsigned most_blocks = ~0u);

}  // namespace haloscope::compute::splotch
