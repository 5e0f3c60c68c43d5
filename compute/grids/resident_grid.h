#pragma once

#include "compute/grids/density_grid.h"
#include "compute/spatial/points.h"
#include "core/progress.h"
#include "core/timings.h"

#include <memory>

// Grids that stay where their particles are.
namespace haloscope::compute::grids {

class ResidentGrid {
 public:
  virtual ~ResidentGrid() = default;

  // Where the points' device reads them, in C's order.
  virtual const float* values() const = 0;
  virtual Array<float> copy() const = 0;
  virtual double total() const = 0;  // of all cells before the smoothing
  virtual const Timings& timings() const = 0;
};

// The grid of count or mass that make_density_grid() makes of particles of one mass, of points that
// lie on a device already; not by kernels. Takes 12 bytes a cell there, 4 in the end. Throws Error
// and Cancelled.
std::unique_ptr<ResidentGrid> make_resident_grid(const GridRequest& request,
                                                 const spatial::PointSet& points, double mass,
                                                 Progress& progress);

std::unique_ptr<ResidentGrid> make_cpu_resident_grid(const GridRequest& request,
                                                     const spatial::PointSet& points, double mass,
                                                     Progress& progress);
std::unique_ptr<ResidentGrid> make_cuda_resident_grid(const GridRequest& request,
                                                      const spatial::PointSet& points, double mass,
                                                      Progress& progress);

}  // namespace haloscope::compute::grids
