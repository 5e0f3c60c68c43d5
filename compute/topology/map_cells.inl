#pragma once

#include "core/host_device.h"

#include <cstddef>
#include <cstdint>

// A number per cell from a number per cell, for either executor. A thread takes four cells, in
// reads and writes of 16 bytes: with narrower ones a GPU stays below its bandwidth.
namespace haloscope::compute::topology {

struct alignas(16) FourCells {
  std::uint32_t number[4];
};

template <class F>
struct MapFourCells {
  const FourCells* from;
  FourCells* to;
  F f;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    FourCells four = from[i];
    for (std::uint32_t& one : four.number) one = f(one);
    to[i] = four;
  }
};

template <class F>
struct MapCell {
  const std::uint32_t* from;
  std::uint32_t* to;
  F f;
  HALOSCOPE_HD void operator()(std::size_t i) const { to[i] = f(from[i]); }
};

// to[v] = f(from[v]), each of `cells` numbers that begin at a multiple of 16 bytes; they may be the
// same ones.
template <class Exec, class F>
void map_cells(Exec& exec, const char* name, std::size_t cells, const std::uint32_t* from,
               std::uint32_t* to, const F& f) {
  const std::size_t fours = cells / 4, in_fours = 4 * fours;
  parallel_for(exec, name, fours,
               MapFourCells<F>{reinterpret_cast<const FourCells*>(from),
                               reinterpret_cast<FourCells*>(to), f});
  parallel_for(exec, name, cells - in_fours, MapCell<F>{from + in_fours, to + in_fours, f});
}

}  // namespace haloscope::compute::topology
