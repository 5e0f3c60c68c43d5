#pragma once

#include "compute/splotch/splat_tally.h"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform_reduce.h>

#include <cstddef>
#include <cstdint>

namespace haloscope::compute::splotch {

struct StoredClass {
  const std::uint8_t* classes;
  HALOSCOPE_HD Class operator()(std::uint64_t i) const { return Class(classes[i]); }
};

template <class ClassOf>
struct TallySplat {
  const Splat* splats;
  ClassOf class_of;
  float pixels;
  HALOSCOPE_HD SplatTally operator()(std::uint64_t i) const {
    SplatTally tally;
    const Class c = class_of(i);
    tally.count(c, c == Class::Inactive ? 0.f : splats[i].radius, pixels);
    return tally;
  }
};
struct AddTallies {
  HALOSCOPE_HD SplatTally operator()(SplatTally a, const SplatTally& b) const { return a += b; }
};

// What `count` particles came to, by their splats on the executor and class_of(i), on a picture of
// so many pixels. Waits.
template <class Exec, class ClassOf>
SplatTally tally_splats(Exec& exec, const Splat* splats, const ClassOf& class_of, std::size_t count,
                        float pixels) {
  const thrust::counting_iterator<std::uint64_t> first(0);
  return thrust::transform_reduce(exec.policy(), first, first + std::ptrdiff_t(count),
                                  TallySplat<ClassOf>{splats, class_of, pixels}, SplatTally{},
                                  AddTallies{});
}

}  // namespace haloscope::compute::splotch
