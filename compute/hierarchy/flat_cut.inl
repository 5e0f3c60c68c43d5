#pragma once

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

#include <cstddef>
#include <cstdint>

// Cuts of dendrograms, for either executor: leaves in their order, and between two neighbors the
// rank at which they come together.
namespace haloscope::compute::hierarchy {

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

struct MarkFirst {
  ComponentView components;
  std::uint32_t* mark;  // of each point
  HALOSCOPE_HD void operator()(std::size_t c) const {
    if (components.counts(c)) mark[components.first[c]] = 1;
  }
};

struct LabelLeaf {
  LeafView leaves;
  ComponentView components;
  const std::uint32_t* component;  // of each leaf
  const std::uint32_t* number;     // of each point: how many components begin before it
  std::uint32_t* label;            // of each point
  HALOSCOPE_HD void operator()(std::size_t leaf) const {
    const std::uint32_t c = component[leaf];
    label[leaves.order[leaf]] = components.counts(c) ? number[components.first[c]] : kNone;
  }
};

struct CountMembers {
  ComponentView components;
  const std::uint32_t* number;
  std::uint64_t* members;  // of each label
  HALOSCOPE_HD void operator()(std::size_t c) const {
    if (components.counts(c)) members[number[components.first[c]]] = components.size(c);
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

  // One place more than there are points: the number of clusters.
  Buffer<std::uint32_t, Exec> number(exec, std::size_t(points) + 1, "cut");
  exec.zero(number.data(), number.size() * sizeof(std::uint32_t));
  const ComponentView components{begin.data(), first.data(), least};
  parallel_for(exec, "clusters of a cut", count, MarkFirst{components, number.data()});
  thrust::exclusive_scan(exec.policy(), number.begin(), number.end(), number.begin());
  std::uint32_t clusters = 0;
  exec.download(&clusters, number.data() + points, sizeof(clusters));

  cut.label = Buffer<std::uint32_t, Exec>(exec, points, "labels");
  cut.members = Buffer<std::uint64_t, Exec>(exec, clusters, "members");
  parallel_for(exec, "labels of a cut", points,
               LabelLeaf{leaves, components, component.data(), number.data(), cut.label.data()});
  parallel_for(exec, "members of a cut", count,
               CountMembers{components, number.data(), cut.members.data()});
  return cut;
}

}  // namespace haloscope::compute::hierarchy
