#pragma once

#include "compute/splotch/settings.h"
#include "core/domain.h"
#include "core/image.h"
#include "core/progress.h"

#include <array>
#include <cstddef>
#include <cstdint>

// Maps of a moving mesh's gas by its own cells, in place of kernels: each point of a line of sight
// belongs to the cell whose generator is nearest.
namespace haloscope::compute::splotch {

// Host columns of the cells, all of length `count` where not null.
struct VoronoiCells {
  std::size_t count = 0;
  std::array<const std::uint32_t*, 3> position{};  // of the generators
  // Of a sphere of the cell's volume, world lengths; a cell without one (≤ 0) is left out.
  const float* radius = nullptr;
  const float* mass = nullptr;
  float uniform_mass = 1;        // where `mass` is null
  const float* field = nullptr;  // whose mean is asked for; null: none
};

// A cell reaches no further from its generator than this many of its radii, so that empty space
// around a zoom, or a hole where a part of the mesh was not read, stays empty. Among the cells that
// reach a point the nearest generator has it. In the mesh of TNG50-4 0.2 % of the volume lies
// farther from its generators (measured), and 0.005 % beyond 2.5 radii.
inline constexpr double kCellReach = 2;

struct SeenMap {
  ImageF image;          // three channels
  std::size_t seen = 0;  // cells that reach into the view
};

// Channel 0: Σ mass per world area; channel 1: Σ mass · field per world area; as a Frame of maps.
// One line of sight through the middle of each pixel is followed exactly, through all depths, or
// through one box about the target where the domain is periodic.
//
// A cell that lies in the view as a whole leaves exactly its mass: in each pixel in proportion to
// the length of the line of sight that lies in it, or all of it in the pixel of its generator where
// no line meets it. A cell that the view's edge cuts has the density mass / volume. The same bytes
// on any number of threads. `view`: parallel, without planes or depth limits.
SeenMap voronoi_map(const View& view, const Domain& domain, const VoronoiCells& cells,
                    Progress& progress);

}  // namespace haloscope::compute::splotch
