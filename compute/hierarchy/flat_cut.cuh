#pragma once

#include "compute/exec/atomics.h"
#include "compute/exec/cuda.h"
#include "compute/exec/warp.cuh"
#include "compute/hierarchy/flat_cut.inl"

#include <thrust/fill.h>

#include <cstdint>

// Cuts of dendrograms on a GPU, which read the order of the leaves and what lies between them once.
//
// Where components begin is a bit per leaf, so that all bits of 134 million leaves and the sums
// before each word of them, 34 MB, stay in the L2 cache. Components of too few points are of no
// interest: runs of them are one gap, so that a cut of which half the points are alone has no more
// pieces than two per cluster. Where single points count, they are gaps too. Each is marked as the
// first point of its own cluster, so that its number needs no leaf. The label of each other point
// is read through its leaf: 134 million scattered reads from that cache take less than as many
// scattered writes to memory.
namespace haloscope::compute::hierarchy {

// A bit per leaf, and one behind the last leaf, which is always set.
struct BeginBits {
  const std::uint32_t* word;

  __device__ bool any(std::uint64_t from, std::uint64_t end) const {
    while (from < end) {
      const std::uint64_t at = from / 32, next = (at + 1) * 32;
      std::uint32_t bits = word[at] >> from % 32;
      if (end < next) bits &= (1u << (end - from)) - 1;
      if (bits) return true;
      from = next;
    }
    return false;
  }
};

// Whether components have points enough, by where they begin.
struct LeastMembers {
  BeginBits begins;
  std::uint64_t least, points;

  __device__ bool counts(std::uint64_t leaf) const {
    // What ends behind the last leaf has too few points if it should go on.
    return least <= points && leaf + least <= points && !begins.any(leaf + 1, leaf + least);
  }
  __device__ bool counts_before(std::uint64_t leaf) const {
    return leaf >= least && !begins.any(leaf - least + 1, leaf);
  }
};

// One warp a word. `words` holds the bit behind the last leaf.
inline __global__ void mark_begins_kernel(LeafView leaves, std::uint32_t points,
                                          std::uint32_t words, std::uint32_t* bits) {
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t stride = gridDim.x * (blockDim.x / 32);
  for (std::uint32_t w = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; w < words;
       w += stride) {
    const std::uint64_t leaf = std::uint64_t(w) * 32 + lane;
    const bool begins = leaf < points ? leaves.begins(leaf) : leaf == points;
    const std::uint32_t word = __ballot_sync(~0u, begins);
    if (lane == 0) bits[w] = word;
  }
}

// Pieces: components that count, and the gaps between them.
struct KeepPieces {
  LeastMembers least;
  std::uint32_t* pieces;  // bits
  __device__ void operator()(std::size_t w) const {
    std::uint32_t kept = 0;
    for (std::uint32_t left = least.begins.word[w]; left; left &= left - 1) {
      const std::uint32_t bit = left & -left;
      const std::uint64_t leaf = w * 32 + __popc(bit - 1);
      if (leaf == 0 || leaf == least.points || least.counts_before(leaf) || least.counts(leaf))
        kept |= bit;
    }
    pieces[w] = kept;
  }
};

// A word of pieces and how many begin before it, side by side: they are read together.
struct PieceWord {
  std::uint32_t bits, before;

  __device__ std::uint32_t piece_of(std::uint32_t leaf) const {
    return before + __popc(bits & (~0u >> (31 - leaf % 32))) - 1;
  }
};

struct PairWords {
  const std::uint32_t *bits, *before;
  PieceWord* words;
  __device__ void operator()(std::size_t w) const { words[w] = {bits[w], before[w]}; }
};

struct KeepPieceBegins {
  const PieceWord* words;
  std::uint32_t* begin;  // of each piece
  __device__ void operator()(std::size_t w) const {
    std::uint32_t piece = words[w].before;
    for (std::uint32_t left = words[w].bits; left; left &= left - 1)
      begin[piece++] = std::uint32_t(w * 32 + __popc((left & -left) - 1));
  }
};

// The smallest point of each piece: a warp takes 32 words, and carries on what goes on from one to
// the next, so that the point of a piece of all leaves is asked for once in 1024. Points that are
// alone are marked where they count, for which `begins` has where components begin; null: they do
// not.
inline __global__ void smallest_points_kernel(const std::uint32_t* order, const PieceWord* words,
                                              std::uint32_t points, std::uint32_t count,
                                              std::uint32_t* first, const std::uint32_t* begins,
                                              FirstPoints firsts) {
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const std::uint32_t begin = warp * 32;
  if (begin >= count) return;
  std::uint32_t least = ~0u, piece = words[begin].before - 1;  // none before the first
  const auto flush = [&] {
    const std::uint32_t smallest = warp_minimum(least);
    if (lane == 0 && smallest != ~0u) atomic_minimum(first + piece, smallest);
  };
  for (std::uint32_t w = begin; w < count && w < begin + 32; ++w) {
    const std::uint64_t leaf = std::uint64_t(w) * 32 + lane;
    const std::uint32_t point = leaf < points ? order[leaf] : ~0u, bits = words[w].bits;
    if (begins && leaf < points) {
      const std::uint32_t here = begins[w] >> lane;
      const std::uint32_t next = lane < 31 ? here >> 1 : w + 1 < count ? begins[w + 1] : 0;
      if (here & next & 1) firsts.mark(point);
    }
    if (bits == 0) {
      least = min(least, point);
      continue;
    }
    if (lane < std::uint32_t(__ffs(int(bits))) - 1) least = min(least, point);
    flush();
    // Within the word: the smallest from each lane back to where its piece begins.
    const std::uint32_t upto = bits & (~0u >> (31 - lane));
    const std::uint32_t own = upto ? 31 - __clz(int(upto)) : 32;  // 32: what went on into this word
    std::uint32_t smallest = point;
    for (std::uint32_t apart = 1; apart < 32; apart *= 2) {
      const std::uint32_t other = __shfl_up_sync(~0u, smallest, apart);
      if (own < 32 && lane >= own + apart) smallest = min(smallest, other);
    }
    const std::uint32_t last = 31 - __clz(int(bits));
    const bool ends = own < 32 && lane < last && (bits >> (lane + 1) & 1);
    if (ends && smallest != ~0u) first[words[w].piece_of(std::uint32_t(leaf))] = smallest;
    least = lane >= last ? point : ~0u;
    piece = words[w].before + __popc(bits) - 1;
  }
  flush();
}

struct MarkFirstOfPiece {
  LeastMembers least;
  const std::uint32_t *begin, *first;
  FirstPoints firsts;
  __device__ void operator()(std::size_t piece) const {
    if (least.counts(begin[piece])) firsts.mark(first[piece]);
  }
};

struct NumberPieces {
  LeastMembers least;
  const std::uint32_t *begin, *first;
  FirstPoints firsts;
  std::uint32_t* number;   // of each piece; kNone: a gap
  std::uint64_t* members;  // of each number
  __device__ void operator()(std::size_t piece) const {
    number[piece] = kNone;
    if (!least.counts(begin[piece])) return;
    number[piece] = firsts.number(first[piece]);
    members[number[piece]] = begin[piece + 1] - begin[piece];
  }
};

struct LeavesOfPoints {
  const std::uint32_t* order;
  std::uint32_t* leaf;  // of each point
  __device__ void operator()(std::size_t k) const { leaf[order[k]] = std::uint32_t(k); }
};

struct LabelPoint {
  FirstPoints firsts;
  const std::uint32_t* leaf;
  const PieceWord* words;
  const std::uint32_t* number;  // of each piece
  std::uint32_t* label;
  __device__ void operator()(std::size_t i) const {
    const auto point = std::uint32_t(i);
    if (firsts.is_first(point)) {
      label[point] = firsts.number(point);
    } else {
      const std::uint32_t at = leaf[point];
      label[point] = number[words[at / 32].piece_of(at)];
    }
  }
};

template <>
class FlatCutter<Cuda> {
 public:
  void forget() { leaf_ = {}; }

  FlatCutOn<Cuda> cut(Cuda& exec, const std::uint32_t* order, const std::uint32_t* between,
                      std::uint32_t points, std::uint32_t ranks, std::uint64_t least_members) {
    FlatCutOn<Cuda> cut;
    if (points == 0) return cut;
    if (leaf_.empty()) {
      leaf_ = Buffer<std::uint32_t, Cuda>(exec, points, "cut");
      parallel_for(exec, "leaves of points", points, LeavesOfPoints{order, leaf_.data()});
    }
    const std::uint32_t words = points / 32 + 1;
    Buffer<std::uint32_t, Cuda> begins(exec, words, "cut"), bits(exec, words, "cut"),
        before(exec, words, "cut");
    Buffer<PieceWord, Cuda> piece_words(exec, words, "cut");
    const NamedRange range("cut");
    mark_begins_kernel<<<unsigned(exec.multiprocessors()) * 16, kThreads, 0, exec.stream()>>>(
        LeafView{order, between, ranks}, points, words, begins.data());
    check_cuda(cudaGetLastError(), "cut");
    const bool count_lone = least_members <= 1;
    const LeastMembers least{{begins.data()}, count_lone ? 2 : least_members, points};
    parallel_for(exec, "pieces of a cut", words, KeepPieces{least, bits.data()});
    // The bit behind the last leaf is the end of the last piece.
    const std::uint32_t pieces = sum_before(exec, bits, before) - 1;
    parallel_for(exec, "pieces of a cut", words,
                 PairWords{bits.data(), before.data(), piece_words.data()});
    Buffer<std::uint32_t, Cuda> begin(exec, std::size_t(pieces) + 1, "cut"),
        first(exec, std::size_t(pieces) + 1, "cut"), number(exec, pieces, "cut");
    parallel_for(exec, "pieces of a cut", words, KeepPieceBegins{piece_words.data(), begin.data()});
    thrust::fill(exec.policy(), first.begin(), first.end(), ~0u);
    exec.zero(bits.data(), words * sizeof(std::uint32_t));
    const FirstPoints firsts{bits.data(), before.data()};
    const std::uint32_t warps = (words + 31) / 32, per_block = kThreads / 32;
    smallest_points_kernel<<<(warps + per_block - 1) / per_block, kThreads, 0, exec.stream()>>>(
        order, piece_words.data(), points, words, first.data(),
        count_lone ? begins.data() : nullptr, firsts);
    check_cuda(cudaGetLastError(), "cut");
    parallel_for(exec, "clusters of a cut", pieces,
                 MarkFirstOfPiece{least, begin.data(), first.data(), firsts});
    cut.members = Buffer<std::uint64_t, Cuda>(exec, sum_before(exec, bits, before), "members");
    if (count_lone)
      thrust::fill(exec.policy(), cut.members.begin(), cut.members.end(), std::uint64_t(1));
    parallel_for(
        exec, "clusters of a cut", pieces,
        NumberPieces{least, begin.data(), first.data(), firsts, number.data(), cut.members.data()});
    cut.label = Buffer<std::uint32_t, Cuda>(exec, points, "labels");
    parallel_for(
        exec, "labels of a cut", points,
        LabelPoint{firsts, leaf_.data(), piece_words.data(), number.data(), cut.label.data()});
    return cut;
  }

 private:
  static constexpr unsigned kThreads = 256;

  // Puts how many bits are set before each word into `before`; returns how many are set in all.
  std::uint32_t sum_before(Cuda& exec, const Buffer<std::uint32_t, Cuda>& bits,
                           Buffer<std::uint32_t, Cuda>& before) {
    const thrust::counting_iterator<std::uint32_t> word(0);
    const std::size_t words = bits.size();
    thrust::transform_exclusive_scan(exec.policy(), word, word + words, before.data(),
                                     CountFirsts{bits.data()}, 0u, thrust::plus<std::uint32_t>());
    std::uint32_t ends[2];
    exec.download(ends, before.data() + words - 1, sizeof(ends[0]));
    exec.download(ends + 1, bits.data() + words - 1, sizeof(ends[1]));
    return ends[0] + count_bits(ends[1]);
  }

  Buffer<std::uint32_t, Cuda> leaf_;  // of each point, from the first cut on
};

}  // namespace haloscope::compute::hierarchy
