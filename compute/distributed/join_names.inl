#pragma once

#include "compute/clusters/clustering.h"
#include "compute/clusters/union_find.h"
#include "compute/exec/atomics.h"
#include "compute/exec/slices.inl"
#include "core/host_device.h"

#ifdef __CUDACC__
#include "compute/exec/cuda.h"

#include <thrust/sort.h>
#include <thrust/unique.h>
#else
#include "compute/exec/cpu.h"

#include <tbb/parallel_sort.h>
#endif

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

// Groups that have different names on different ranks, and what they are called in the end.
namespace haloscope::compute::distributed {

// What a rank calls the group of one of its points: the smallest number of its own points in it,
// which come first, else that of the first ghost in it.
struct GroupNames {
  const std::uint32_t* labels;         // smallest index of a cluster, or kNoise
  std::uint32_t own;                   // points of this rank
  std::uint64_t first;                 // number of the first of them
  const std::uint64_t* ghost_numbers;  // of the points behind them
  HALOSCOPE_HD std::uint64_t operator()(std::uint32_t i) const {
    const std::uint32_t label = labels[i], one = label == clusters::kNoise ? i : label;
    return one < own ? first + one : ghost_numbers[one - own];
  }
};

struct NameGhosts {
  GroupNames names;
  std::uint64_t* said;
  HALOSCOPE_HD void operator()(std::size_t g) const {
    said[g] = names(names.own + std::uint32_t(g));
  }
};

// Two names of one group; all bits where there is one.
struct NamePair {
  std::uint64_t low, high;
  HALOSCOPE_HD bool operator<(const NamePair& other) const {
    return low < other.low || (low == other.low && high < other.high);
  }
  HALOSCOPE_HD bool operator==(const NamePair& other) const {
    return low == other.low && high == other.high;
  }
};

struct PairNames {
  static constexpr NamePair kNone{~std::uint64_t(0), ~std::uint64_t(0)};
  GroupNames names;
  const std::uint32_t* index;  // of the point
  const std::uint64_t* heard;  // what another rank calls its group
  NamePair* pairs;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::uint64_t a = names(index[k]), b = heard[k];
    pairs[k] = a < b ? NamePair{a, b} : b < a ? NamePair{b, a} : NamePair(kNone);
  }
};

// Sorts, and drops what is there twice; how many are left.
#ifdef __CUDACC__
template <class T>
std::size_t sort_distinct(Cuda& exec, Buffer<T, Cuda>& values) {
  thrust::sort(exec.policy(), values.begin(), values.end());
  return std::size_t(thrust::unique(exec.policy(), values.begin(), values.end()) - values.begin());
}
#else
// Not by Thrust, whose unique() reads the element before the first on the CPU.
template <class T>
std::size_t sort_distinct(Cpu&, Buffer<T, Cpu>& values) {
  tbb::parallel_sort(values.begin(), values.end());
  return std::size_t(std::unique(values.begin(), values.end()) - values.begin());
}
#endif

struct SplitPairs {
  const NamePair* pairs;
  std::uint64_t* names;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    names[2 * k] = pairs[k].low;
    names[2 * k + 1] = pairs[k].high;
  }
};

struct SortedNames {
  const std::uint64_t* names;
  std::uint32_t count;
  // Where it stands, or where it would.
  HALOSCOPE_HD std::uint32_t place(std::uint64_t name) const {
    std::uint32_t low = 0, high = count;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (names[middle] < name)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

struct OwnNames {
  std::uint32_t* parent;
  HALOSCOPE_HD void operator()(std::size_t k) const { parent[k] = std::uint32_t(k); }
};

struct UnitePairs {
  const NamePair* pairs;
  SortedNames sorted;
  clusters::UnionFind sets;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    sets.unite(sorted.place(pairs[k].low), sorted.place(pairs[k].high));
  }
};

// Marks by a few bits of each name that something stands for it: most points are done with a look.
struct MarkedNames {
  std::uint8_t* marks;
  int bits;
  HALOSCOPE_HD std::uint32_t place(std::uint64_t name) const {
    return std::uint32_t((name * 0x9e3779b97f4a7c15u) >> (64 - bits));  // 2⁶⁴ by the golden ratio
  }
};

struct FinishNames {
  SortedNames sorted;
  clusters::UnionFind sets;
  std::uint64_t* renamed;
  MarkedNames marked;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::uint32_t root = sets.find(std::uint32_t(k));
    renamed[k] = sorted.names[root];
    if (root != k) atomic_store(marked.marks + marked.place(sorted.names[k]), 1);
  }
};

// The names that groups have in the end, which is the smallest number in each.
template <class Exec>
struct JoinedNames {
  Buffer<std::uint64_t, Exec> names, renamed;  // names that stood in pairs, ascending
  Buffer<std::uint8_t, Exec> marks;
  std::uint32_t count = 0;
  int bits = 1;
};

template <class Exec>
JoinedNames<Exec> join_names(Exec& exec, const std::vector<NamePair>& host_pairs) {
  JoinedNames<Exec> joined;
  if (host_pairs.empty()) return joined;
  const auto pairs = upload(exec, host_pairs, "pairs of groups");
  joined.names = Buffer<std::uint64_t, Exec>(exec, 2 * pairs.size(), "names of groups");
  parallel_for(exec, "names of groups", pairs.size(),
               SplitPairs{pairs.data(), joined.names.data()});
  joined.count = std::uint32_t(sort_distinct(exec, joined.names));
  const SortedNames sorted{joined.names.data(), joined.count};
  Buffer<std::uint32_t, Exec> parent(exec, joined.count, "names of groups");
  const clusters::UnionFind sets{parent.data()};
  parallel_for(exec, "names of groups", joined.count, OwnNames{parent.data()});
  parallel_for(exec, "pairs of groups", pairs.size(), UnitePairs{pairs.data(), sorted, sets});
  // Sixteen marks for each name, and no more than stay in a GPU's cache.
  constexpr int kMostBits = 24;
  joined.bits = std::min(int(std::bit_width(joined.count)) + 4, kMostBits);
  joined.marks = Buffer<std::uint8_t, Exec>(exec, std::size_t(1) << joined.bits, "names of groups");
  exec.zero(joined.marks.data(), joined.marks.size());
  joined.renamed = Buffer<std::uint64_t, Exec>(exec, joined.count, "names of groups");
  parallel_for(exec, "names of groups", joined.count,
               FinishNames{sorted, sets, joined.renamed.data(),
                           MarkedNames{joined.marks.data(), joined.bits}});
  exec.synchronize();
  return joined;
}

struct WriteNames {
  GroupNames names;
  SortedNames sorted;  // none: nothing has another name
  const std::uint64_t* renamed;
  MarkedNames marked;
  std::uint64_t* groups;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    std::uint64_t name = names(std::uint32_t(i));
    if (sorted.count > 0 && marked.marks[marked.place(name)]) {
      const std::uint32_t place = sorted.place(name);
      if (place < sorted.count && sorted.names[place] == name) name = renamed[place];
    }
    groups[i] = name;
  }
};

}  // namespace haloscope::compute::distributed
