#pragma once

#include "compute/clusters/particle_grid.inl"
#include "compute/exec/buffer.h"
#include "compute/exec/cpu.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace haloscope::compute::clusters {

// Puts particles into the cells of a grid: first by planes of cells, in order, then each plane by
// its cells. All that a core writes at a time is near, and no two write the same.
class GridFiller {
 public:
  GridFiller(Cpu& exec, std::uint32_t side, std::uint64_t* start, MassPoint* points,
             std::size_t count)
      : grid_{side, start, points},
        side_(side),
        start_(start),
        points_(points),
        by_plane_(exec, count, "cells of particles") {}

  template <class Types>
  void run(const Types& types) {
    for (const auto& t : types)
      for (std::size_t row = 0; row < t.count; row += kChunk)
        chunks_.push_back({&t - types.data(), row, std::min<std::size_t>(row + kChunk, t.count)});
    to_.assign(chunks_.size() * side_, 0);
    each_particle(types, [&](std::size_t chunk, const MassPoint& p) { ++to(chunk, p); });
    find_places();
    each_particle(types, [&](std::size_t chunk, const MassPoint& p) {
      by_plane_.data()[to(chunk, p)++] = p;
    });
    ::tbb::parallel_for(::tbb::blocked_range<std::uint32_t>(0, side_), [&](const auto& range) {
      std::vector<std::uint64_t> next;
      for (std::uint32_t z = range.begin(); z != range.end(); ++z) fill_plane(z, next);
    });
    start_[std::size_t(side_) * side_ * side_] = by_plane_.size();
  }

 private:
  // Rows of one type; the same for any number of threads.
  struct Chunk {
    std::ptrdiff_t type;
    std::size_t begin, end;
  };
  static constexpr std::size_t kChunk = 1 << 16;

  std::uint64_t& to(std::size_t chunk, const MassPoint& p) {
    return to_[chunk * side_ + grid_.cell(p.z)];
  }

  template <class Types, class F>
  void each_particle(const Types& types, const F& f) {
    ::tbb::parallel_for(std::size_t(0), chunks_.size(), [&](std::size_t c) {
      const Chunk chunk = chunks_[c];
      const auto& t = types[std::size_t(chunk.type)];
      for (std::size_t i = chunk.begin; i < chunk.end; ++i)
        f(c, MassPoint{t.position[0][i], t.position[1][i], t.position[2][i],
                       t.mass ? t.mass[i] : float(t.uniform_mass)});
    });
  }

  // From how many of each plane a chunk has to where its first one goes.
  void find_places() {
    std::uint64_t place = 0;
    for (std::uint32_t z = 0; z < side_; ++z) {
      plane_begin_.push_back(place);
      for (std::size_t c = 0; c < chunks_.size(); ++c) {
        const std::uint64_t count = to_[c * side_ + z];
        to_[c * side_ + z] = place;
        place += count;
      }
    }
    plane_begin_.push_back(place);
  }

  void fill_plane(std::uint32_t z, std::vector<std::uint64_t>& next) {
    const std::size_t cells = std::size_t(side_) * side_, first_cell = z * cells;
    const MassPoint *const begin = by_plane_.data() + plane_begin_[z], *const end =
                                                                           by_plane_.data() +
                                                                           plane_begin_[z + 1];
    next.assign(cells, 0);
    for (const MassPoint* p = begin; p != end; ++p)
      ++next[grid_.cell(p->x, p->y, p->z) - first_cell];
    std::uint64_t place = plane_begin_[z];
    for (std::size_t c = 0; c < cells; ++c) {
      const std::uint64_t count = next[c];
      start_[first_cell + c] = next[c] = place;
      place += count;
    }
    for (const MassPoint* p = begin; p != end; ++p)
      points_[next[grid_.cell(p->x, p->y, p->z) - first_cell]++] = *p;
  }

  ParticleGridView grid_;
  std::uint32_t side_;
  std::uint64_t* start_;
  MassPoint* points_;
  Buffer<MassPoint, Cpu> by_plane_;
  std::vector<Chunk> chunks_;
  std::vector<std::uint64_t> to_;           // of each chunk and plane
  std::vector<std::uint64_t> plane_begin_;  // in by_plane_
};

template <class Types>
void fill_grid(Cpu& exec, std::uint32_t side, std::uint64_t* start, MassPoint* points,
               std::size_t count, const Types& types) {
  GridFiller(exec, side, start, points, count).run(types);
}

}  // namespace haloscope::compute::clusters
