#pragma once

#include "compute/brute_force/pair_filter.cuh"
#include "compute/brute_force/row_search.h"
#include "core/progress.h"

#include <thrust/fill.h>

#include <algorithm>
#include <bit>
#include <cstdint>

// Searches among rows on a GPU: pairs that may be near are found in half precision, and measured.
//
// Columns come in stretches, each some times as long as all before it. As places are shuffled, the
// limit that the columns before a stretch give lets about as many pass as the stretch is longer
// than these, times k. Where more pass than there is room for, the stretch is made shorter.
namespace haloscope::compute::brute_force {

// Eight lanes measure one pair; all of them get the distance. As distance_between(), to the bit.
__device__ inline float distance_by_lanes(const float* a, const float* b,
                                          std::uint32_t dimensions) {
  static_assert(kPartialSums == 8);
  double sum = partial_sum(a, b, dimensions, threadIdx.x % 8);
  for (int apart = 1; apart < 8; apart *= 2) sum += __shfl_xor_sync(~0u, sum, apart);
  return distance_of(sum);
}

// Room for the columns that may be near each of some rows.
struct NearColumns {
  std::uint32_t* column;  // `most` of each row
  std::uint32_t* count;
  std::uint32_t most;
  std::uint32_t* is_full;  // 1: some row has more
};

struct KeepColumn {
  NearColumns near;
  std::uint32_t first;  // place of row 0
  __device__ void operator()(std::uint32_t i, std::uint32_t column) const {
    if (first + i == column) return;
    const std::uint32_t at = atomicAdd(near.count + i, 1u);
    if (at < near.most)
      near.column[std::size_t(i) * near.most + at] = column;
    else
      *near.is_full = 1;
  }
};

// Puts what was kept into the k nearest of each row, one block each. `all`: what was kept are the
// columns in [0, all), the place itself among them; 0: those of `near`.
inline __global__ void keep_nearest_kernel(HalfRowsView rows, std::uint32_t first, NearColumns near,
                                           std::uint32_t all, std::uint32_t k,
                                           std::uint64_t* best) {
  extern __shared__ std::uint64_t keys[];
  const std::uint32_t i = blockIdx.x, place = first + i;
  const std::uint32_t count = all ? all : near.count[i];
  if (count == 0) return;
  std::uint32_t size = 1;
  while (size < k + count) size *= 2;
  for (std::uint32_t j = threadIdx.x; j < size; j += blockDim.x)
    if (j < k || j >= k + count) keys[j] = j < k ? best[std::size_t(i) * k + j] : kNoNeighbor;
  // All lanes of a group take part, also where there is nothing to measure.
  for (std::uint32_t begin = 0; begin < count; begin += blockDim.x / 8) {
    const std::uint32_t j = begin + threadIdx.x / 8;
    const std::uint32_t kept = min(j, count - 1);
    const std::uint32_t column = all ? kept : near.column[std::size_t(i) * near.most + kept];
    const float distance = distance_by_lanes(rows.at(place), rows.at(column), rows.dimensions);
    if (threadIdx.x % 8 == 0 && j < count)
      keys[k + j] = column == place ? kNoNeighbor : neighbor_key(distance, rows.row[column]);
  }
  __syncthreads();
  for (std::uint32_t run = 2; run <= size; run *= 2)
    for (std::uint32_t apart = run / 2; apart > 0; apart /= 2) {
      for (std::uint32_t pair = threadIdx.x; pair < size / 2; pair += blockDim.x) {
        const std::uint32_t low = pair / apart * apart * 2 + pair % apart, high = low + apart;
        const bool ascending = (low & run) == 0;
        const std::uint64_t a = keys[low], b = keys[high];
        if ((a > b) == ascending) {
          keys[low] = b;
          keys[high] = a;
        }
      }
      __syncthreads();
    }
  for (std::uint32_t j = threadIdx.x; j < k; j += blockDim.x)
    best[std::size_t(i) * k + j] = keys[j];
}

// What the filter is told of rows whose k nearest so far are known.
struct LimitByNearest {
  RowLimit limit;
  std::uint32_t first, count, k;
  const std::uint64_t* best;
  float* to;
  __device__ void operator()(std::size_t i) const {
    if (i >= count) {
      to[i] = INFINITY;
      return;
    }
    const std::uint64_t last = best[i * k + k - 1];
    to[i] =
        last == kNoNeighbor ? -INFINITY : limit(first + std::uint32_t(i), distance_of_key(last));
  }
};

struct WriteNearest {
  const std::uint32_t* row;  // of each place
  std::uint32_t first, k;
  const std::uint64_t* best;
  NearestRows lists;
  __device__ void operator()(std::size_t j) const {
    const std::uint64_t key = best[j];
    const std::size_t to = std::size_t(row[first + j / k]) * k + j % k;
    lists.row[to] = row_of(key);
    lists.distance[to] = distance_of_key(key);
  }
};

// A search for foreign rows by places.
struct ForeignPlaces {
  HalfRowsView rows;
  ForeignSearch search;
  const std::uint32_t* places;  // those that search

  __device__ std::uint32_t color(std::uint32_t place) const {
    return search.color[rows.row[place]];
  }
  __device__ float core(std::uint32_t place) const {
    return search.core ? search.core[rows.row[place]] : 0.f;
  }
  __device__ float least(std::uint32_t place) const {
    return distance_of_bits(atomic_load(search.least + color(place)));
  }
  // Notes an edge; one lane calls it.
  __device__ void note(std::uint32_t place, std::uint32_t column, float distance) const {
    const float length = fmaxf(distance, fmaxf(core(place), core(column)));
    atomic_minimum(search.found + rows.row[place], neighbor_key(length, rows.row[column]));
    atomic_minimum(search.least + color(place), bits_of(length));
  }
};

struct LimitByComponent {
  RowLimit limit;
  ForeignPlaces foreign;
  const std::uint32_t* places;
  std::uint32_t count;
  float* to;
  __device__ void operator()(std::size_t i) const {
    if (i >= count) {
      to[i] = INFINITY;
      return;
    }
    const std::uint32_t place = places[i];
    const float least = foreign.least(place);
    to[i] = foreign.core(place) > least ? INFINITY : limit(place, least);
  }
};

struct NearPairs {
  std::uint64_t* pair;  // i and column
  unsigned long long* count;
  std::uint64_t most;
};

struct KeepForeign {
  ForeignPlaces foreign;
  const std::uint32_t* places;
  NearPairs near;
  __device__ void operator()(std::uint32_t i, std::uint32_t column) const {
    if (foreign.color(places[i]) == foreign.color(column)) return;
    const unsigned long long at = atomicAdd(near.count, 1ull);
    if (at < near.most) near.pair[at] = std::uint64_t(i) << 32 | column;
  }
};

// Measures pairs, eight lanes each: those that were kept, or, where `all` is not 0, those of rows
// [0, count / all) and columns [0, all).
inline __global__ void measure_foreign_kernel(ForeignPlaces foreign, const std::uint32_t* places,
                                              const std::uint64_t* pairs, std::uint64_t count,
                                              std::uint32_t all) {
  const std::uint64_t stride = std::uint64_t(gridDim.x) * blockDim.x / 8;
  const std::uint64_t first = (std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x) / 8;
  // Groups of one warp make as many turns.
  const std::uint64_t turns = (count + stride - 1) / stride;
  for (std::uint64_t turn = 0; turn < turns; ++turn) {
    const std::uint64_t at = first + turn * stride, p = at < count ? at : count - 1;
    const std::uint32_t place = places[all ? p / all : pairs[p] >> 32];
    const auto column = std::uint32_t(all ? p % all : pairs[p]);
    const float distance =
        distance_by_lanes(foreign.rows.at(place), foreign.rows.at(column), foreign.rows.dimensions);
    if (threadIdx.x % 8 == 0 && at < count && foreign.color(place) != foreign.color(column))
      foreign.note(place, column, distance);
  }
}

struct InvertPlaces {
  const std::uint32_t* row;
  std::uint32_t* place;
  HALOSCOPE_HD void operator()(std::size_t p) const { place[row[p]] = std::uint32_t(p); }
};

struct PlacesOfRows {
  const std::uint32_t *place, *rows;
  std::uint32_t* to;
  HALOSCOPE_HD void operator()(std::size_t i) const { to[i] = place[rows[i]]; }
};

template <>
class RowSearch<Cuda> {
 public:
  RowSearch(Cuda& exec, const Rows& rows, Progress& progress)
      : exec_(exec), progress_(progress), rows_(exec, rows), count_(rows.count) {}

  void nearest(const NearestRows& lists) {
    const std::uint32_t most = std::max(kFirstColumns, 8 * lists.k);
    const std::uint64_t bytes = std::uint64_t(most) * 4 + lists.k * 8 + 8;
    const auto batch = std::uint32_t(
        std::min<std::uint64_t>(padded(count_), kRoom / bytes / HalfRows::kTile * HalfRows::kTile));
    Buffer<std::uint32_t, Cuda> column(exec_, std::size_t(batch) * most, "near rows");
    Buffer<std::uint32_t, Cuda> kept(exec_, batch, "near rows"), is_full(exec_, 1, "near rows");
    Buffer<std::uint64_t, Cuda> best(exec_, std::size_t(batch) * lists.k, "near rows");
    Buffer<float, Cuda> limit(exec_, batch, "near rows");
    const HalfRowsView view = rows_.view();
    const NearColumns near{column.data(), kept.data(), most, is_full.data()};
    for (std::uint32_t first = 0; first < count_; first += std::min(batch, count_ - first)) {
      const std::uint32_t some = std::min(batch, count_ - first);
      progress_.report("comparing rows", double(first) / count_);
      thrust::fill_n(exec_.policy(), best.data(), std::size_t(some) * lists.k, kNoNeighbor);
      std::uint32_t seen = std::min(count_, most / HalfRows::kTile * HalfRows::kTile);
      keep_nearest(view, first, some, near, seen, lists.k, best.data());
      std::uint64_t stretch = std::uint64_t(seen) * kGrowth;
      while (seen < count_) {
        progress_.report("comparing rows", (first + double(some) * seen / count_) / count_);
        stretch = std::min<std::uint64_t>(stretch, count_ - seen);
        parallel_for(exec_, "limits", padded(some),
                     LimitByNearest{{view}, first, some, lists.k, best.data(), limit.data()});
        exec_.zero(kept.data(), some * sizeof(std::uint32_t));
        exec_.zero(is_full.data(), sizeof(std::uint32_t));
        filter_pairs(exec_,
                     PairFilter{view, nullptr, first, some, limit.data(), seen,
                                seen + std::uint32_t(stretch)},
                     KeepColumn{near, first});
        std::uint32_t full = 0;
        exec_.download(&full, is_full.data(), sizeof(full));
        if (full) {
          stretch = shorter(stretch);
          continue;
        }
        keep_nearest(view, first, some, near, 0, lists.k, best.data());
        seen += std::uint32_t(stretch);
        stretch = padded(stretch * kGrowth);
      }
      parallel_for(exec_, "neighbors", std::size_t(some) * lists.k,
                   WriteNearest{view.row, first, lists.k, best.data(), lists});
    }
    exec_.synchronize();
  }

  void foreign(const ForeignSearch& search) {
    const HalfRowsView view = rows_.view();
    Buffer<std::uint32_t, Cuda> places(exec_, search.count, "near rows");
    {
      Buffer<std::uint32_t, Cuda> place(exec_, count_, "near rows");
      parallel_for(exec_, "rows", count_, InvertPlaces{view.row, place.data()});
      parallel_for(exec_, "rows", search.count,
                   PlacesOfRows{place.data(), search.rows, places.data()});
      exec_.synchronize();
    }
    const std::uint32_t batch = std::min(std::uint32_t(padded(search.count)), kForeignBatch);
    const std::uint64_t most = std::uint64_t(batch) * HalfRows::kTile;
    Buffer<std::uint64_t, Cuda> pairs(exec_, most, "near rows"), kept(exec_, 1, "near rows");
    Buffer<float, Cuda> limit(exec_, batch, "near rows");
    const ForeignPlaces foreign{view, search, places.data()};
    // All rows see some columns first, so that each component has a limit.
    const std::uint32_t columns = std::min(count_, kFirstColumns);
    measure(foreign, places.data(), nullptr, std::uint64_t(search.count) * columns, columns);
    for (std::uint32_t first = 0; first < search.count;
         first += std::min(batch, search.count - first)) {
      const std::uint32_t some = std::min(batch, search.count - first);
      progress_.report("comparing rows", double(first) / search.count);
      const std::uint32_t* const own = places.data() + first;
      std::uint32_t seen = columns;
      std::uint64_t stretch = std::uint64_t(seen) * kGrowth;
      while (seen < count_) {
        progress_.report("comparing rows", (first + double(some) * seen / count_) / search.count);
        stretch = std::min<std::uint64_t>(stretch, count_ - seen);
        parallel_for(exec_, "limits", padded(some),
                     LimitByComponent{{view}, foreign, own, some, limit.data()});
        exec_.zero(kept.data(), sizeof(std::uint64_t));
        filter_pairs(
            exec_,
            PairFilter{view, own, 0, some, limit.data(), seen, seen + std::uint32_t(stretch)},
            KeepForeign{foreign,
                        own,
                        {pairs.data(), reinterpret_cast<unsigned long long*>(kept.data()), most}});
        std::uint64_t count = 0;
        exec_.download(&count, kept.data(), sizeof(count));
        if (count > most) {
          stretch = shorter(stretch);
          continue;
        }
        measure(foreign, own, pairs.data(), count, 0);
        seen += std::uint32_t(stretch);
        stretch = padded(stretch * kGrowth);
      }
    }
    exec_.synchronize();
  }

 private:
  static constexpr std::uint32_t kFirstColumns = 256, kGrowth = 3, kForeignBatch = 1u << 18;
  static constexpr std::uint64_t kRoom = std::uint64_t(2) << 30;  // bytes
  static constexpr std::uint32_t kThreads = 128;

  static std::uint64_t padded(std::uint64_t places) {
    return (places + HalfRows::kTile - 1) / HalfRows::kTile * HalfRows::kTile;
  }
  // A tile at least: so many columns have room.
  static std::uint64_t shorter(std::uint64_t stretch) {
    return std::max<std::uint64_t>(padded(stretch / 2), HalfRows::kTile);
  }

  void keep_nearest(const HalfRowsView& view, std::uint32_t first, std::uint32_t some,
                    const NearColumns& near, std::uint32_t all, std::uint32_t k,
                    std::uint64_t* best) {
    const std::size_t shared = std::bit_ceil(k + near.most) * sizeof(std::uint64_t);
    exec_.make_current();
    check_cuda(cudaFuncSetAttribute(keep_nearest_kernel,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared)),
               "nearest rows");
    const NamedRange range("nearest rows");
    keep_nearest_kernel<<<some, kThreads, shared, exec_.stream()>>>(view, first, near, all, k,
                                                                    best);
    check_cuda(cudaGetLastError(), "nearest rows");
  }

  void measure(const ForeignPlaces& foreign, const std::uint32_t* places,
               const std::uint64_t* pairs, std::uint64_t count, std::uint32_t all) {
    if (count == 0) return;
    const std::uint64_t blocks = (count * 8 + kThreads - 1) / kThreads;
    const NamedRange range("foreign rows");
    measure_foreign_kernel<<<unsigned(std::min<std::uint64_t>(blocks, 1u << 20)), kThreads, 0,
                             exec_.stream()>>>(foreign, places, pairs, count, all);
    check_cuda(cudaGetLastError(), "foreign rows");
  }

  Cuda& exec_;
  Progress& progress_;
  HalfRows rows_;
  std::uint32_t count_;
};

}  // namespace haloscope::compute::brute_force
