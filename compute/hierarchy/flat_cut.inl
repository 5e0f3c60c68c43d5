#pragma once

#include "compute/exec/atomics.h"
#include "compute/exec/buffer.h"
#include "compute/exec/slices.inl"
#include "compute/hierarchy/flat_cut.h"
#include "core/host_device.h"

#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform_scan.h>

#include <bit>
#include <cstddef>
#include <cstdint>

// Cuts of dendrograms, for either executor: leaves in their order, and between two neighbors the
// rank at which they come together.
namespace haloscope::compute::hierarchy {

HALOSCOPE_HD inline std::uint32_t count_bits(std::uint32_t word) {
#if defined(__CUDA_ARCH__)
  return std::uint32_t(__popc(word));
#else
  return std::uint32_t(std::popcount(word));
#endif
}

struct LeafView {
  const std::uint32_t* order;    // the point of each leaf
  const std::uint32_t* between;  // of each leaf but the last
  std::uint32_t ranks;

  HALOSCOPE_HD bool begins(std::size_t leaf) const {
    return leaf == 0 || between[leaf - 1] >= ranks;
  }
};

// 1 where a component begins, but for the first one: their sum is a component's number.
struct NextComponent {
  LeafView leaves;
  HALOSCOPE_HD std::uint32_t operator()(std::uint32_t leaf) const {
    return leaf > 0 && leaves.begins(leaf) ? 1 : 0;
  }
};

struct KeepBegin {
  LeafView leaves;
  const std::uint32_t* component;  // of each leaf
  std::uint32_t* begin;            // of each component
  HALOSCOPE_HD void operator()(std::size_t leaf) const {
    if (leaves.begins(leaf)) begin[component[leaf]] = std::uint32_t(leaf);
  }
};

// Components, one after another.
struct ComponentView {
  const std::uint32_t* begin;  // and the end of the last one
  const std::uint32_t* first;  // the smallest point
  std::uint64_t least;
  HALOSCOPE_HD std::uint32_t size(std::size_t c) const { return begin[c + 1] - begin[c]; }
  HALOSCOPE_HD bool counts(std::size_t c) const { return size(c) >= least; }
};

// A bit per point: 1 where it is the first of a cluster. Clusters are numbered by how many bits are
// set before theirs; so few bytes stay in the processor's cache, where each cluster looks them up.
struct FirstPoints {
  std::uint32_t* bits;
  std::uint32_t* before;  // of each word: bits in the words before it

  HALOSCOPE_HD void mark(std::uint32_t point) const {
    atomic_or(bits + point / 32, 1u << point % 32);
  }
  HALOSCOPE_HD bool is_first(std::uint32_t point) const {
    return bits[point / 32] >> point % 32 & 1;
  }
  HALOSCOPE_HD std::uint32_t number(std::uint32_t point) const {
    return before[point / 32] + count_bits(bits[point / 32] & ((1u << point % 32) - 1));
  }
};

struct MarkFirst {
  ComponentView components;
  FirstPoints firsts;
  HALOSCOPE_HD void operator()(std::size_t c) const {
    if (components.counts(c)) firsts.mark(components.first[c]);
  }
};

struct CountFirsts {
  const std::uint32_t* bits;
  HALOSCOPE_HD std::uint32_t operator()(std::uint32_t word) const { return count_bits(bits[word]); }
};

struct NumberComponents {
  ComponentView components;
  FirstPoints firsts;
  std::uint32_t* number;   // of each component; kNone: it has too few points
  std::uint64_t* members;  // of each number
  HALOSCOPE_HD void operator()(std::size_t c) const {
    number[c] = kNone;
    if (!components.counts(c)) return;
    number[c] = firsts.number(components.first[c]);
    members[number[c]] = components.size(c);
  }
};

struct LabelLeaf {
  const std::uint32_t *order, *component;  // of each leaf
  const std::uint32_t* number;             // of each component
  std::uint32_t* label;                    // of each point
  HALOSCOPE_HD void operator()(std::size_t leaf) const {
    label[order[leaf]] = number[component[leaf]];
  }
};

// `order` and `between` lie where the executor works, and so do the results.
template <class Exec>
struct FlatCutOn {
  Buffer<std::uint32_t, Exec> label;
  Buffer<std::uint64_t, Exec> members;
};

template <class Exec>
FlatCutOn<Exec> flat_cut_on(Exec& exec, const std::uint32_t* order, const std::uint32_t* between,
                            std::uint32_t points, std::uint32_t ranks, std::uint64_t least) {
  FlatCutOn<Exec> cut;
  if (points == 0) return cut;
  const LeafView leaves{order, between, ranks};
  Buffer<std::uint32_t, Exec> component(exec, points, "cut");
  const thrust::counting_iterator<std::uint32_t> leaf(0);
  thrust::transform_inclusive_scan(exec.policy(), leaf, leaf + points, component.data(),
                                   NextComponent{leaves}, thrust::plus<std::uint32_t>());
  std::uint32_t last = 0;
  exec.download(&last, component.data() + points - 1, sizeof(last));
  const std::size_t count = std::size_t(last) + 1;

  Buffer<std::uint32_t, Exec> begin(exec, count + 1, "cut"), first(exec, count, "cut");
  parallel_for(exec, "components of a cut", points,
               KeepBegin{leaves, component.data(), begin.data()});
  exec.upload(begin.data() + count, &points, sizeof(points));
  thrust::reduce_by_key(exec.policy(), component.data(), component.data() + points, order,
                        thrust::make_discard_iterator(), first.data(),
                        thrust::equal_to<std::uint32_t>(), thrust::minimum<std::uint32_t>());

  const std::uint32_t words = points / 32 + 1;  // the last bit is no point's
  Buffer<std::uint32_t, Exec> bits(exec, words, "cut"), before(exec, words, "cut");
  exec.zero(bits.data(), words * sizeof(std::uint32_t));
  const ComponentView components{begin.data(), first.data(), least};
  const FirstPoints firsts{bits.data(), before.data()};
  parallel_for(exec, "clusters of a cut", count, MarkFirst{components, firsts});
  thrust::transform_exclusive_scan(exec.policy(), leaf, leaf + words, before.data(),
                                   CountFirsts{bits.data()}, 0u, thrust::plus<std::uint32_t>());
  std::uint32_t ends[2];
  exec.download(ends, before.data() + words - 1, sizeof(ends[0]));
  exec.download(ends + 1, bits.data() + words - 1, sizeof(ends[1]));
  const std::uint32_t clusters = ends[0] + count_bits(ends[1]);

  cut.label = Buffer<std::uint32_t, Exec>(exec, points, "labels");
  cut.members = Buffer<std::uint64_t, Exec>(exec, clusters, "members");
  Buffer<std::uint32_t, Exec> number(exec, count, "cut");
  parallel_for(exec, "clusters of a cut", count,
               NumberComponents{components, firsts, number.data(), cut.members.data()});
  parallel_for(exec, "labels of a cut", points,
               LabelLeaf{order, component.data(), number.data(), cut.label.data()});
  return cut;
}

// Cuts one dendrogram again and again. An executor may have its own.
template <class Exec>
class FlatCutter {
 public:
  // Another dendrogram follows.
  void forget() {}
  FlatCutOn<Exec> cut(Exec& exec, const std::uint32_t* order, const std::uint32_t* between,
                      std::uint32_t points, std::uint32_t ranks, std::uint64_t least_members) {
    return flat_cut_on(exec, order, between, points, ranks, least_members);
  }
};

}  // namespace haloscope::compute::hierarchy
