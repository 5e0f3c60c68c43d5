#pragma once

#include "core/host_device.h"

#include <cstddef>
#include <cstdint>

// A word per element from a word per element, for either executor. A thread takes four, in reads
// and writes of 16 bytes: with narrower ones a GPU stays below its bandwidth.
namespace haloscope::compute {

template <class T>
struct alignas(16) FourWords {
  static_assert(sizeof(T) == sizeof(std::uint32_t));
  T word[4];
};

template <class To, class F>
struct MapFourWords {
  const FourWords<std::uint32_t>* from;
  FourWords<To>* to;
  F f;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const FourWords<std::uint32_t> four = from[i];
    FourWords<To> made;
    for (int k = 0; k < 4; ++k) made.word[k] = f(four.word[k]);
    to[i] = made;
  }
};

template <class To, class F>
struct MapWord {
  const std::uint32_t* from;
  To* to;
  F f;
  HALOSCOPE_HD void operator()(std::size_t i) const { to[i] = f(from[i]); }
};

// to[i] = f(from[i]), each of `count` words that begin at a multiple of 16 bytes; they may be the
// same ones.
template <class Exec, class To, class F>
void map_words(Exec& exec, const char* name, std::size_t count, const std::uint32_t* from, To* to,
               const F& f) {
  const std::size_t fours = count / 4, in_fours = 4 * fours;
  parallel_for(exec, name, fours,
               MapFourWords<To, F>{reinterpret_cast<const FourWords<std::uint32_t>*>(from),
                                   reinterpret_cast<FourWords<To>*>(to), f});
  parallel_for(exec, name, count - in_fours, MapWord<To, F>{from + in_fours, to + in_fours, f});
}

}  // namespace haloscope::compute
