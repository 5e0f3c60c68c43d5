#pragma once

#include "compute/clusters/particle_grid.inl"
#include "compute/exec/cuda.h"
#include "compute/exec/slices.inl"
#include "compute/exec/sort.h"

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

// What measuring halos takes of sorting on a GPU.
namespace haloscope::compute {

struct NameRuns {
  const Slice* slices;
  std::uint32_t* run;
  __device__ void operator()(std::size_t s) const {
    for (std::uint64_t i = slices[s].begin; i < slices[s].end; ++i) run[i] = slices[s].run;
  }
};
struct NumberAll {
  std::uint32_t* number;
  __device__ void operator()(std::size_t i) const { number[i] = std::uint32_t(i); }
};
struct TakeSorted {
  const std::uint64_t* from;
  const std::uint32_t* place;
  std::uint64_t* to;
  __device__ void operator()(std::size_t i) const { to[i] = from[place[i]]; }
};

// Sorts each run by itself: all of them by distance, and then by run, which keeps that order.
inline void sort_profiles(Cuda& exec, const char* name, Buffer<std::uint64_t, Cuda>& packed,
                          const std::vector<std::uint64_t>& begin) {
  if (packed.empty()) return;
  const std::size_t count = packed.size();
  Buffer<std::uint32_t, Cuda> run(exec, count, name);
  {
    const Slices<Cuda> slices(exec, begin);
    parallel_for(exec, name, slices.slices.size(), NameRuns{slices.slices.data(), run.data()});
    sort_pairs(exec, packed, run, 64);
  }
  Buffer<std::uint32_t, Cuda> place(exec, count, name);
  parallel_for(exec, name, count, NumberAll{place.data()});
  sort_pairs(exec, run, place, int(std::bit_width(begin.size())));
  Buffer<std::uint64_t, Cuda> sorted(exec, count, name);
  parallel_for(exec, name, count, TakeSorted{packed.data(), place.data(), sorted.data()});
  packed = std::move(sorted);
}

namespace clusters {

struct KeyOfCell {
  ParticleGridView grid;
  const std::uint32_t *x, *y, *z;
  std::uint32_t first;
  std::uint32_t *key, *number;
  __device__ void operator()(std::size_t i) const {
    key[first + i] = std::uint32_t(grid.cell(x[i], y[i], z[i]));
    number[first + i] = first + std::uint32_t(i);
  }
};
struct PutIntoCells {
  const std::uint32_t *x, *y, *z;
  const float* mass;
  float uniform_mass;
  std::uint32_t first, count;  // of the type
  const std::uint32_t* number;
  MassPoint* points;
  __device__ void operator()(std::size_t place) const {
    const std::uint32_t i =
        number[place] - first;  // wraps: the types before are no less than count
    if (i >= count) return;
    points[place] = {x[i], y[i], z[i], mass ? mass[i] : uniform_mass};
  }
};
struct StartCells {
  const std::uint32_t* key;
  std::uint64_t count, cells;
  std::uint64_t* start;
  __device__ void operator()(std::size_t i) const {
    const std::uint64_t first = i == 0 ? 0 : std::uint64_t(key[i - 1]) + 1;
    const std::uint64_t end = i == count ? cells : key[i];
    for (std::uint64_t cell = first; cell <= end; ++cell) start[cell] = i;
  }
};

// Cells are 2³⁰ at most, and particles fewer than 2³².
template <class Types>
void fill_grid(Cuda& exec, std::uint32_t side, std::uint64_t* start, MassPoint* points,
               std::size_t count, const Types& types) {
  const char* const name = "cells of particles";
  const ParticleGridView grid{side, start, points};
  const std::uint64_t cells = std::uint64_t(side) * side * side;
  Buffer<std::uint32_t, Cuda> key(exec, count, name), number(exec, count, name);
  std::uint32_t first = 0;
  for (const auto& t : types) {
    parallel_for(exec, name, std::size_t(t.count),
                 KeyOfCell{grid, t.position[0], t.position[1], t.position[2], first, key.data(),
                           number.data()});
    first += std::uint32_t(t.count);
  }
  sort_pairs(exec, key, number, int(std::bit_width(cells - 1)));
  parallel_for(exec, name, count + 1, StartCells{key.data(), count, cells, start});
  first = 0;
  for (const auto& t : types) {
    parallel_for(
        exec, name, t.count > 0 ? count : 0,
        PutIntoCells{t.position[0], t.position[1], t.position[2], t.mass, float(t.uniform_mass),
                     first, std::uint32_t(t.count), number.data(), points});
    first += std::uint32_t(t.count);
  }
}

}  // namespace clusters

}  // namespace haloscope::compute
