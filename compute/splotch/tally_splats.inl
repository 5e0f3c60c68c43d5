#pragma once

#include "compute/splotch/splat_tally.h"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform_reduce.h>

#include <cstddef>
#include <cstdint>

namespace haloscope::compute::splotch {

struct TallySplat {
  const Splat* splats;
  const std::uint8_t* classes;
  HALOSCOPE_HD SplatTally operator()(std::uint64_t i) const {
    SplatTally tally;
    tally.count(Class(classes[i]), splats[i].radius);
    return tally;
  }
};
struct AddTallies {
  HALOSCOPE_HD SplatTally operator()(SplatTally a, const SplatTally& b) const { return a += b; }
};

// What `count` particles came to, by their splats and classes on the executor. Waits.
template <class Exec>
SplatTally tally_splats(Exec& exec, const Splat* splats, const std::uint8_t* classes,
                        std::size_t count) {
  const thrust::counting_iterator<std::uint64_t> first(0);
  return thrust::transform_reduce(exec.policy(), first, first + std::ptrdiff_t(count),
                                  TallySplat{splats, classes}, SplatTally{}, AddTallies{});
}

}  // namespace haloscope::compute::splotch
